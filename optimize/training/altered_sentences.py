"""Changes to a sentence: harmless ones, ones that make it false, and ones that make it say more than was said.

    harmless   one word becomes another of the same sense, brackets or the tail go, the opening moves to the end
    false      a direction is turned, a negation comes or goes, a number or a name becomes another
    beyond     a hedge goes, a detail comes in
    disturbed  false in one thing by a premise: another word, side or unit of it

The last are for paraphrases what the others are for copies: a small model that learns from copies alone which changes
matter overlooks the same changes where the rest is said in other words.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from importlib.resources import files

import yaml

from metrics.support.lexicon import stem
from metrics.support.lexicon import words as words_of
from metrics.support.premise import COMMON
from optimize.training.wording import opened, phrase

Change = Callable[[str, random.Random], str | None]

_WORDS = yaml.safe_load((files("optimize.training") / "altered.yaml").read_text(encoding="utf-8"))
_HEDGED = (
    (re.compile(r"\b(?:may|might|could|can) (?=[a-z]+\b)"), "will "),
    (re.compile(r"\b(?:suggest|indicate)(s?) that\b"), r"prove\1 that"),
    (re.compile(r"\bsuggested that\b"), "proved that"),
    (re.compile(r"\b(?:possibly|probably|perhaps|presumably|potentially|likely) "), "certainly "),
    (re.compile(r"\b(?:was|were|is|are) associated with\b"), "caused"),
    (re.compile(r"\bsome\b"), "all"),
    (re.compile(r"\bmost\b"), "all"),
    (re.compile(r"\btended to (?=[a-z]+)"), "clearly did "),
)
_FOUND = "difference|effect|association|change|evidence|increase|reduction|correlation"
_DENIED = (
    (re.compile(r"\b(?:did|does|do) not (?=[a-z])"), "clearly did "),
    (re.compile(r"\b(was|were|is|are|has|have|had|can|could) not\b"), r"\1"),
    (re.compile(rf"\b[Nn]o (significant |statistically significant |clear |)({_FOUND})"), r"a \1\2"),
    (re.compile(r"\b[Nn]either\b(.{3,60}?)\bnor\b"), r"both\1and"),
    (re.compile(r"\bwithout\b"), "with"),
)
_AUXILIARY = re.compile(
    r"\b(was|were|is|are|has|have|had|can|could|will|would|may|might)\b(?! (?:not|no|never|neither)\b)"
)
_NUMBER = re.compile(r"(?<![\w.\-–,/\[])\d+(?:\.\d+)?(?![\w,/\-–\]]|\.\d)")
_BRACKETS = re.compile(r"\s?[(\[][^()\[\]]*[)\]]")
_OPENING = re.compile(
    r"^(?:[A-Z][a-z]+ly|However|Moreover|In addition|Thus|Therefore|In contrast|Overall|In conclusion|Also|Of note|"
    r"Here|Further),? "
)
_TAIL = re.compile(
    r"(?:, (?:which|whereas|while|although|but|suggesting|indicating|with|and)\b|;| \(|, (?:p|P) ?[<=>])[^;]{6,}$"
)
_LEAD = re.compile(
    r"^((?:In|After|At|During|Among|Within|For|On|By|Under|Over|Compared with|Compared to|When|Because) "
    r"[^,.;()]{6,70}), ([a-z][^;]{25,})\.$"
)
_NAME = re.compile(r"(?<![\w-])(?:[A-Z]{2,}[\w-]*|[A-Z][a-z]+-?\d+[\w-]*|[a-z]+[A-Z]\w+)(?![\w-])")


def _turns() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """By word, those of the same direction or sense, and those of the other."""
    same = {word: tuple(others) for word, others in _WORDS["same"].items()}
    other: dict[str, tuple[str, ...]] = {}
    for up, down in _WORDS["directions"]:
        for own, across in ((up, down), (down, up)):
            for word in own:
                same[word] = same.get(word, ()) + tuple(each for each in own if each != word)
                other[word] = other.get(word, ()) + tuple(across)
    return {word: each for word, each in same.items() if each}, other


def _placed(sentence: str, match: re.Match[str], new: str) -> str | None:
    """The sentence with other words in the place of a match; None where they are the same."""
    return None if new == match.group() else sentence[: match.start()] + new + sentence[match.end() :]


def both_placed(sentence: str, first: re.Match[str], one: str, second: re.Match[str], other: str) -> str:
    """The sentence with other words in the places of two matches."""
    between = sentence[first.end() : second.start()]
    return sentence[: first.start()] + one + between + other + sentence[second.end() :]


def one_replaced(
    pattern: re.Pattern[str], sentence: str, generator: random.Random, new: Callable[[re.Match[str]], str]
) -> str | None:
    """The sentence with ``new`` of one match, drawn at random; None where nothing matches or nothing changes."""
    found = list(pattern.finditer(sentence))
    if not found:
        return None
    match = generator.choice(found)
    return _placed(sentence, match, new(match))


def first_change(replacements: Sequence[tuple[re.Pattern[str], str]], sentence: str, count: int = 1) -> str | None:
    """The sentence after the first replacement that changes it, in so many places, or with 0 in all; else None."""
    changed = (pattern.sub(new, sentence, count=count) for pattern, new in replacements)
    return next((each for each in changed if each != sentence), None)


def _replacing(words: dict[str, tuple[str, ...]]) -> Change:
    pattern = re.compile(r"\b(" + "|".join(sorted(map(re.escape, words), key=len, reverse=True)) + r")\b")
    return lambda sentence, generator: one_replaced(
        pattern, sentence, generator, lambda match: generator.choice(words[match.group()])
    )


reworded, turned = map(_replacing, _turns())
"""One word becomes one of the same sense; one word of direction becomes its opposite."""


def shortened(sentence: str, generator: random.Random) -> str | None:
    """What follows the main clause goes."""
    match = _TAIL.search(sentence, 45)
    return sentence[: match.start()] + "." if match else None


def unbracketed(sentence: str, generator: random.Random) -> str | None:
    """All brackets go with what they hold."""
    return first_change([(_BRACKETS, "")], sentence, 0)


def unopened(sentence: str, generator: random.Random) -> str | None:
    """The adverb that opens the sentence goes."""
    match = _OPENING.match(sentence)
    return opened(sentence[match.end() :]) if match and match.end() < len(sentence) else None


def reordered(sentence: str, generator: random.Random) -> str | None:
    """The opening phrase moves to the end."""
    match = _LEAD.match(sentence)
    return f"{opened(match[2])} {match[1][0].lower()}{match[1][1:]}." if match else None


def denied(sentence: str, generator: random.Random) -> str | None:
    """A negation goes, or, where there is none, comes in."""
    negations = ("not", "not", "never", "no longer")
    return first_change(_DENIED, sentence) or one_replaced(
        _AUXILIARY, sentence, generator, lambda match: f"{match.group()} {generator.choice(negations)}"
    )


def renumbered(sentence: str, generator: random.Random) -> str | None:
    """One number becomes another of the same kind."""

    def another(match: re.Match[str]) -> str:
        decimals = len(match.group().partition(".")[2])
        value = float(match.group()) * generator.choice((0.5, 0.7, 0.9, 1.1, 1.3, 2.0, 10.0))
        return f"{value + generator.choice((0, 0, 1, 3)) * 10**-decimals:.{decimals}f}"

    return one_replaced(_NUMBER, sentence, generator, another)


def exchanged(sentence: str, generator: random.Random) -> str | None:
    """Two names or two numbers of the sentence change places."""
    for pattern in generator.sample((_NAME, _NUMBER), 2):
        found = list(pattern.finditer(sentence))
        pairs = [(a, b) for a in found for b in found if a.start() < b.start() and a.group() != b.group()]
        if pairs:
            a, b = generator.choice(pairs)
            return both_placed(sentence, a, b.group(), b, a.group())
    return None


def overstated(sentence: str, generator: random.Random) -> str | None:
    """A hedge goes: what may be so is said to be so."""
    return first_change(generator.sample(_HEDGED, len(_HEDGED)), sentence)


def widened(sentence: str, generator: random.Random) -> str | None:
    """A detail that the sentence does not hold comes in."""
    added: str = generator.choice(_WORDS["added"])
    return f"{sentence.rstrip('.')} {added}." if added not in sentence and sentence.endswith(".") else None


HARMLESS: Sequence[Change] = (reworded, shortened, unbracketed, unopened, reordered)
FALSE: Sequence[Change] = (turned, turned, denied, denied, renumbered, exchanged)
BEYOND: Sequence[Change] = (overstated, widened)


def copy_of(sentence: str, generator: random.Random) -> str:
    """The sentence with up to three harmless changes, sometimes none."""
    for change in generator.sample(HARMLESS, generator.choice((0, 1, 2, 3))):
        sentence = change(sentence, generator) or sentence
    return sentence


def changed_by(changes: Sequence[Change], sentence: str, generator: random.Random) -> str | None:
    """A copy made false or too wide by one of the changes; None where none of them fits."""
    base = copy_of(sentence, generator)
    found = (change(base, generator) for change in generator.sample(list(changes), len(changes)))
    return next((each for each in found if each is not None), None)


# Claims that a premise supports, made false in one thing of it.

ENDING = 2
"""Letters at the end of two words that may take each other's place."""
_WORD = re.compile(r"(?<![\w-])[A-Za-z][A-Za-z0-9-]{3,}(?![\w-])")
_NAMED = re.compile(r"[A-Z][a-z]*[A-Z0-9]|.*\d")
_NO_THING = re.compile(r".*(?:ed|ing|ly)$")
_ONE_AND_THE_SAME = frozenset(map(stem, words_of(_WORDS["one_and_the_same"])))
_UNITS = [pair for one, other in _WORDS["units"] for pair in ((one, other), (other, one))]
_LIMITED = re.compile(
    r"\b(?:[Ss]ome|[Ss]everal|[Mm]any|[Mm]ost|[Oo]nly (?:some|a few|one|two|three|half)|[Hh]alf) (?=of the |[a-z])"
)
_COMPARED = re.compile(r"\b(?:than|versus|compared (?:with|to)|rather than|but not|unlike)\b")

Disturbance = Callable[[str, str, random.Random], str | None]


def other_thing(claim: str, premise: str, generator: random.Random) -> str | None:
    """A word that is in the premise becomes another one of the premise with the same ending, or another name."""
    there = {match.group() for match in _WORD.finditer(premise)}
    known, own = {stem(each.lower()) for each in there}, {stem(each.lower()) for each in _WORD.findall(claim)}
    places = [match for match in _things(claim) if stem(match.group().lower()) in known]
    generator.shuffle(places)
    things = [each for each in sorted(there) if _is_thing(each) and stem(each.lower()) not in own]
    for match in places:
        if others := [each for each in things if _exchangeable(match.group(), each)]:
            other = generator.choice(others)
            return _placed(claim, match, other if match.start() else opened(other))
    return None


def exchanged_things(claim: str, premise: str, generator: random.Random) -> str | None:
    """Two words of a comparison change places."""
    comparison, found = _COMPARED.search(claim), _things(claim)
    if not comparison:
        return None
    before = [match for match in found if match.end() <= comparison.start()]
    after = [match for match in found if match.start() >= comparison.end()]
    pairs = [(a, b) for a in before for b in after if _exchangeable(a.group(), b.group())]
    if not pairs:
        return None
    a, b = generator.choice(pairs)
    one, other = (b.group(), a.group()) if a.start() else (opened(b.group()), phrase(a.group()))
    return both_placed(claim, a, one, b, other)


def other_unit(claim: str, premise: str, generator: random.Random) -> str | None:
    """A number gets another unit of the same kind."""
    found = [(match, to) for unit, to in _UNITS for match in re.finditer(rf"(?<=\d )(?:{unit})\b", claim)]
    return _placed(claim, *generator.choice(found)) if found else None


def everything(claim: str, premise: str, generator: random.Random) -> str | None:
    """What holds of some is said of all."""
    changed = _LIMITED.sub(lambda match: "All " if match.group()[0].isupper() else "all ", claim, count=1)
    return None if changed == claim else changed


def as_in_copies(claim: str, premise: str, generator: random.Random) -> str | None:
    """A direction turned, a negation that comes or goes, another number."""
    return generator.choice((turned, denied, renumbered))(claim, generator)


def disturbed(claim: str, premise: str, generator: random.Random) -> str | None:
    """The claim made false in one thing; None where six tries find nothing to change."""
    for _ in range(6):
        change = generator.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
        found = change(claim, premise, generator)
        if found and found != claim:
            return found
    return None


def _things(claim: str) -> list[re.Match[str]]:
    return [match for match in _WORD.finditer(claim) if _is_thing(match.group())]


def _is_thing(word: str) -> bool:
    lower = word.lower()
    return not _NO_THING.match(lower) and lower not in COMMON and stem(lower) not in _ONE_AND_THE_SAME


def _exchangeable(one: str, other: str) -> bool:
    if stem(one.lower()) == stem(other.lower()):
        return False
    if _NAMED.match(one) or _NAMED.match(other):
        return bool(_NAMED.match(one) and _NAMED.match(other))
    return one[-ENDING:].lower() == other[-ENDING:].lower()


WEIGHTS: dict[Disturbance, int] = {
    other_thing: 45, as_in_copies: 30, exchanged_things: 12, other_unit: 8, everything: 5,
}  # fmt: skip
"""How often each is tried, of 100."""
