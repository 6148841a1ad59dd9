"""Claims that people found supported, each with one thing made false.

premise "Thymol, eugenol and menthol reduced decay, thymol most of all."
claim   "Thymol slowed decay best."      supported
made    "Eugenol slowed decay best."     not_supported

They are for paraphrases what altered copies are for copies: a small model that learns from copies alone which changes
matter overlooks the same changes where the rest is said in other words.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence

from metrics.support.lexicon import stem, words
from metrics.support.premise import COMMON
from optimize.training.generated_pairs import denied, renumbered, turned
from optimize.training.labelled_claims import Pair
from optimize.training.wording import phrase

SOURCE = "disturbed"
ENDING = 2
"""Letters at the end of two words that may take each other's place."""
_WORD = re.compile(r"(?<![\w-])[A-Za-z][A-Za-z0-9-]{3,}(?![\w-])")
_NAME = re.compile(r"[A-Z][a-z]*[A-Z0-9]|.*\d")
_NO_THING = re.compile(r".*(?:ed|ing|ly)$")
_ONE_AND_THE_SAME = frozenset(
    map(
        stem,
        words(
            """patient participant subject individual people person group study trial result finding treatment therapy
            control level effect outcome adult men women number rate risk data analysis evidence author"""
        ),
    )
)
"""Words that often stand for each other."""
_UNITS = (
    ("minutes", "hours"), ("hours", "days"), ("days", "weeks"), ("weeks", "months"), ("months", "years"),
    ("mg", "g"), ("kg", "g"), ("cm", "mm"), ("minute", "hour"), ("hour", "day"), ("day", "week"), ("week", "month"),
    ("month", "year"),
)  # fmt: skip
_LIMITED = re.compile(
    r"\b(?:[Ss]ome|[Ss]everal|[Mm]any|[Mm]ost|[Oo]nly (?:some|a few|one|two|three|half)|[Hh]alf) (?=of the |[a-z])"
)
_COMPARED = re.compile(r"\b(?:than|versus|compared (?:with|to)|rather than|but not|unlike)\b")

Disturbance = Callable[[str, str, random.Random], str | None]


def disturbed(pairs: Sequence[Pair], generator: random.Random) -> Iterator[Pair]:
    """Each claim that people labelled supported, and the same made false once."""
    for pair in pairs:
        if pair.label == "supported" and (false := _falsified(pair, generator)):
            yield Pair(pair.claim, pair.premise, "supported", SOURCE, pair.document)
            yield Pair(false, pair.premise, "not_supported", SOURCE, pair.document)


def _falsified(pair: Pair, generator: random.Random) -> str | None:
    for _ in range(6):
        change = generator.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
        found = change(pair.claim, pair.premise, generator)
        if found and found != pair.claim:
            return found
    return None


def other_thing(claim: str, premise: str, generator: random.Random) -> str | None:
    """A word that is in the premise becomes another one of the premise with the same ending, or another name."""
    there = {match.group() for match in _WORD.finditer(premise)}
    known, own = {stem(each.lower()) for each in there}, {stem(each.lower()) for each in _WORD.findall(claim)}
    places = [
        match for match in _WORD.finditer(claim) if _thing(match.group()) and stem(match.group().lower()) in known
    ]
    generator.shuffle(places)
    things = [each for each in sorted(there) if _thing(each) and stem(each.lower()) not in own]
    for match in places:
        if others := [each for each in things if _exchangeable(match.group(), each)]:
            return claim[: match.start()] + _placed(generator.choice(others), match.start()) + claim[match.end() :]
    return None


def exchanged_things(claim: str, premise: str, generator: random.Random) -> str | None:
    """Two words of a comparison change places."""
    comparison = _COMPARED.search(claim)
    if not comparison:
        return None
    found = [match for match in _WORD.finditer(claim) if _thing(match.group())]
    before = [match for match in found if match.end() <= comparison.start()]
    after = [match for match in found if match.start() >= comparison.end()]
    pairs = [(a, b) for a in before for b in after if _exchangeable(a.group(), b.group())]
    if not pairs:
        return None
    a, b = generator.choice(pairs)
    first, second = _placed(b.group(), a.start()), a.group() if a.start() else phrase(a.group())
    return claim[: a.start()] + first + claim[a.end() : b.start()] + second + claim[b.end() :]


def other_unit(claim: str, premise: str, generator: random.Random) -> str | None:
    """A number gets another unit of the same kind."""
    both_ways = [pair for one, other in _UNITS for pair in ((one, other), (other, one))]
    found = [(match, to) for unit, to in both_ways for match in re.finditer(rf"(?<=\d )(?:{unit})\b", claim)]
    if not found:
        return None
    match, unit = generator.choice(found)
    return claim[: match.start()] + unit + claim[match.end() :]


def everything(claim: str, premise: str, generator: random.Random) -> str | None:
    """What holds of some is said of all."""
    changed = _LIMITED.sub(lambda match: "All " if match.group()[0].isupper() else "all ", claim, count=1)
    return None if changed == claim else changed


def as_in_copies(claim: str, premise: str, generator: random.Random) -> str | None:
    """A direction turned, a negation that comes or goes, another number."""
    return generator.choice((turned, denied, renumbered))(claim, generator)


def _placed(word: str, start: int) -> str:
    """The word as it is written there: with a capital where a claim begins."""
    return word if start else word[0].upper() + word[1:]


def _thing(word: str) -> bool:
    lower = word.lower()
    return not _NO_THING.match(lower) and lower not in COMMON and stem(lower) not in _ONE_AND_THE_SAME


def _exchangeable(one: str, other: str) -> bool:
    if stem(one.lower()) == stem(other.lower()):
        return False
    if _NAME.match(one) or _NAME.match(other):
        return bool(_NAME.match(one) and _NAME.match(other))
    return one[-ENDING:].lower() == other[-ENDING:].lower()


WEIGHTS: dict[Disturbance, int] = {
    other_thing: 45, as_in_copies: 30, exchanged_things: 12, other_unit: 8, everything: 5,
}  # fmt: skip
