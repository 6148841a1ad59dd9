"""What a copy says beyond the sentence that it copies: a word, a clause, a sign, a bound, a question mark.

    quote   "Bone volume was 18 % lower in flight mice."
    claim   "Bone volume was 18 % lower in flight mice, which proves that the drug works."     addition: proves
    claim   "Bone volume was at least 18 % lower in flight mice."                               bound: at least 18
    claim   "Bone volume was 18 % lower in diabetic mice."                                      exchange: diabetic

A claim is read as a copy when most of its words are in one sentence in their order, or most of a sentence's words in
it; what it says in other words is then added, if none of the quotes holds it. Grammar, words of reporting and
other names of one thing add nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from metrics.sentences import sentence_texts
from metrics.support import lexicon
from metrics.support.denials import follows_from_probability
from metrics.support.lexicon import stem, word_set, words
from metrics.support.near_copies import FEWEST_WORDS, NEAR_COPY, SHORT_SHARE
from metrics.support.quantities import MULTIPLES, UNITS, Quantity, same
from metrics.support.sentence_features import Token, acronyms, direction_key, family, normalised, read, word_keys
from metrics.support.verdict import Veto

FEWEST_OF_SHORT = 2
"""Words that a claim repeats at least where it copies a short sentence."""

MOST_WORDS = 400
"""Words of a claim, and of a sentence, up to which they are compared."""

DEGREES = "°"
_ASKS = re.compile(r"[?？][.!?\s\"'”’»*_)]*$")
_AGE = frozenset({"age", "aged", "old"})
_NUMBER = re.compile(r"\d+(?:\.\d*)?")
_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:'t)?|(?<![\w)\]])-(?=[\d.])|[^\w\s.,;:()\[\]{}\"'!?/…*_`#|\\-]")
_HARMLESS = word_set(
    "author authors investigator investigators researcher researchers scientist scientists team work paper article "
    "experiment experiments addition notably importantly interestingly specifically namely namely accordingly "
    "indeed according described describe describes noted note notes stated state states revealed reveal reveals "
    "percent percentage per cent degree degrees fold times give gives gave given giving"
)
"""Words by which a copy reports, links or spells, and which add nothing."""
_POPULATION = word_set(
    "human humans people person persons patient patients participant participants subject subjects individual "
    "individuals volunteer volunteers respondent respondents"
)
_PEOPLE = _POPULATION | word_set("man men woman women boy boys girl girls male males female females")
_ABSOLUTE = word_set(
    "only exclusively solely merely all every everyone always entirely completely wholly significantly once "
    "significant causes caused cause causing supposedly allegedly reportedly purportedly"
)
"""Words of grammar and method that change what is said where a copy adds them."""
_CERTAIN = _POPULATION | _ABSOLUTE
_EACH = word_set("a an each every")
_PERIODS = word_set("second minute hour day night week month year dose")
_APART = word_set("rather instead")
_BOUNDS = word_set(
    "up least most almost nearly twice thrice half double over under above below beyond exceeding than more less "
    "fewer within per"
)
_SPELLED = {
    "<": words("less below under fewer lower smaller than"),
    ">": words("more above over greater higher larger than exceeded exceeding"),
    "≤": words("most less equal up < than"),
    "≥": words("least more equal > than"),
    "~": words("about approximately around nearly roughly some almost ≈ ca"),
    "≈": words("about approximately around nearly roughly some almost ~ ca"),
    "%": words("percent percentage per cent half third thirds quarter quarters fifth fifths"),
    "×": words("times fold x ·"),
    "±": words("plus minus sd sem se deviation error +"),
    "&": ("and",),
    "=": (),
    "°": words("degrees degree c"),
    "+": words("and plus positive"),
    "-": words("minus negative"),
    "→": words("to"),
    "®": (),
    "™": (),
}


def additions(claim: str, quotes: Sequence[str], titles: Sequence[str] = ()) -> Iterator[Veto]:
    """What a copy certainly adds to the sentence that it copies, and the titles of the papers do not say.

    Words in the place of others may be true ones for the same thing: of these only few are certain, and `own_words`
    tells the others.
    """
    copied = _nearest(claim, quotes)
    if copied is None:
        return
    known = _Known.of(claim, [*quotes, *titles])
    for change in copied.changes:
        if follows_from_probability(" ".join(change.ours), quotes):
            continue
        if copied.is_whole or not _CERTAIN.isdisjoint(change.ours):
            yield from _words(change, copied, known)
        numbers, others = _numbers(change.ours), _numbers(change.theirs)
        told_otherwise = bool(numbers and others) and numbers != others  # which others judge, of what they can read
        if unread := [each for each in numbers if isinstance(each, str) and each not in {*others, *known.words}]:
            yield Veto("numbers", f"the sentence that it copies does not hold {unread[0]}")
        if not told_otherwise and not _is_clause(change, known):
            yield from _signs(change, known, shares_in_column=any("(%)" in quote for quote in quotes))
            yield from _bounds(change, copied)
        yield from _steps(change, copied)
        yield from _rates(change, copied)
        yield from _contrasts(change)
    yield from _unproven(copied)
    if copied.is_whole:
        yield from _denied(claim, copied)
    if copied.is_whole and _ASKS.search(claim) and not any("?" in quote for quote in quotes):
        yield Veto("addition", "it asks what the quotes say")


def own_words(claim: str, quotes: Sequence[str], context: str = "", titles: Sequence[str] = ()) -> str:
    """The first thing that a copy says in added words, which a judge that knows only words cannot judge.

    Empty if the claim is not a copy or adds nothing. ``context``, the text of the quotes, may explain short forms.
    """
    copied = _nearest(claim, quotes)
    if copied is None:
        return ""
    known = _Known.of(claim, [*quotes, *titles], context)
    changes = [each for each in copied.changes if not follows_from_probability(" ".join(each.ours), quotes)]
    found = (veto.reason for change in changes for veto in _words(change, copied, known))
    small = (each for change in changes for each in small_words(change.ours, change.theirs, copied.theirs))
    return next(found, "") or next((veto.reason for veto in additions(claim, quotes, titles)), "") or next(small, "")


def words_beside(claim: str, text: str, context: str = "") -> list[str]:
    """Words of a claim that say something and that a text holds in no form, whatever their place."""
    known, theirs = _Known.of(claim, [text], context), parts(text)
    return [
        word for word in parts(claim) if word[0].isalpha() and _says_something(word, theirs) and not known.hold(word)
    ]


@dataclass(frozen=True, slots=True)
class _Change:
    """Words of a copy that the sentence does not have there, and those that it has instead."""

    first: int  # place of the first of them among the copy's words
    ours: tuple[str, ...]  # of the copy
    theirs: tuple[str, ...]  # of the sentence


@dataclass(frozen=True, slots=True)
class _Copy:
    """A claim beside the sentence that it copies."""

    ours: tuple[str, ...]  # words and signs of the claim, in lower case
    theirs: tuple[str, ...]  # those of the sentence
    changes: tuple[_Change, ...]  # where the claim has added words
    left: frozenset[str]  # stems of the sentence's words that the claim does not have in their place

    @property
    def is_whole(self) -> bool:
        """Whether it repeats the whole sentence."""
        return not self.left


def _nearest(claim: str, quotes: Sequence[str]) -> _Copy | None:
    ours = parts(claim)
    best, most = None, FEWEST_OF_SHORT - 1
    if len(ours) > MOST_WORDS:
        return None
    for text in sentence_texts(*quotes):
        theirs = parts(text)
        if len(set(ours) & set(theirs)) < FEWEST_OF_SHORT or len(theirs) > MOST_WORDS:
            continue
        matcher = SequenceMatcher(None, theirs, ours, autojunk=False)
        repeated = sum(block.size for block in matcher.get_matching_blocks())
        if repeated > most and _is_copy(repeated, len(ours), len(theirs)):
            best, most = _copy(ours, theirs, matcher), repeated
    return best


def _is_copy(repeated: int, ours: int, theirs: int) -> bool:
    """Whether a claim copies a sentence: words in both in the same order, of the claim, and of the sentence."""
    if repeated >= FEWEST_WORDS:
        return repeated >= NEAR_COPY * min(ours, theirs)
    return repeated >= SHORT_SHARE * max(ours, theirs)


def _copy(ours: tuple[str, ...], theirs: tuple[str, ...], matcher: SequenceMatcher[str]) -> _Copy:
    opcodes = matcher.get_opcodes()
    changes = tuple(
        _Change(start, ours[start:end], theirs[first:last])
        for kind, first, last, start, end in opcodes
        if kind in ("insert", "replace")
    )
    left = (word for kind, first, last, *_ in opcodes if kind != "equal" for word in theirs[first:last])
    return _Copy(ours, theirs, changes, frozenset(map(stem, left)))


def parts(text: str) -> tuple[str, ...]:
    """Words, numbers and signs of a text, in lower case."""
    return tuple(each.lower() for each in _WORD.findall(normalised(text)))


@dataclass(frozen=True, slots=True)
class _Known:
    """Everything by which the quotes hold a word."""

    words: frozenset[str]  # as printed, in lower case
    keys: frozenset[str]  # stems, meanings, families and directions
    sets_apart: bool = False  # whether one of several sentences denies of something else what the claim says

    @classmethod
    def of(cls, claim: str, quotes: Sequence[str], context: str = "") -> _Known:
        text = "\n".join(quotes)
        keys = word_keys(read(text), {**acronyms(context), **acronyms(claim), **acronyms(text)})
        said, sources = {*parts(claim)} - lexicon.STOP_WORDS, sentence_texts(*quotes)
        denials = (each for each in sources if any(token.denies for token in read(each).tokens))
        sets_apart = len(sources) > 1 and any(len(said.intersection(parts(each))) > 1 for each in denials)
        return cls(frozenset(parts(text)), keys, sets_apart)

    def hold(self, word: str) -> bool:
        """Whether the quotes say a word in any form."""
        return word in self.words or stem(word) in self.keys or any(map(self._holds, read(word).tokens))

    def _holds(self, token: Token) -> bool:
        names = (token.key, token.stem, family(token))
        return any(each in self.keys for each in names) or (
            bool(token.direction) and direction_key(token.direction) in self.keys
        )


def _words(change: _Change, copied: _Copy, known: _Known) -> Iterator[Veto]:
    for place, word in enumerate(change.ours, start=change.first):
        if not word[0].isalpha() or not _says_something(word, change.theirs):
            continue
        rates = _has_number(copied.ours[place + 1 : place + 3])  # which is judged by none, truly or not
        if word == "only" and (rates or known.sets_apart):
            continue
        once_more = copied.ours.count(word) > copied.theirs.count(word) > 0 and bool(change.theirs)
        strangers = word in _PEOPLE and _PEOPLE.isdisjoint(change.theirs)
        as_printed = (bool(change.theirs) and not strangers) or word in known.words
        if word in _AGE and not _AGE.isdisjoint(known.words):
            continue
        if stem(word) in copied.left or (known.hold(word) and as_printed and not once_more):
            continue
        instead = next((each for each in change.theirs if each[0].isalpha() and each not in lexicon.STOP_WORDS), "")
        if instead:
            yield Veto("exchange", f'the quotes say "{instead}" there, it says "{word}"')
        else:
            yield Veto("addition", f'it adds "{word}", which the quotes do not say there')


def _says_something(word: str, theirs: Sequence[str]) -> bool:
    """Whether a word that the quotes do not hold changes what is said."""
    if word in _ABSOLUTE:
        return True
    if word in _POPULATION:
        return _POPULATION.isdisjoint(theirs)
    return not (
        word in lexicon.STOP_WORDS
        or word in _HARMLESS
        or word in lexicon.NEGATIONS  # whose parity other guards count
        or stem(word) in lexicon.GENERIC
        or (len(word) > 1 and read(f"x {word}").quantities)
        or _is_unit(word)  # which other guards compare
    )


def _is_clause(change: _Change, known: _Known) -> bool:
    """Whether words of a copy are its own clause on numbers that are elsewhere in the quotes."""
    numbers = [each for each in change.ours if each[0].isdigit()]
    return len(change.ours) >= FEWEST_WORDS and known.words.issuperset(numbers)


def _is_unit(word: str) -> bool:
    found = read(f"2 {word}").tokens
    return len(found) == 1 and found[0].quantity is not None and bool(found[0].quantity.dimension)


def _signs(change: _Change, known: _Known, *, shares_in_column: bool) -> Iterator[Veto]:
    for sign in change.ours:
        if (sign[0].isalnum() and sign.isascii()) or sign[0].isalpha() or sign[0].isdecimal():
            continue
        spelled = _SPELLED.get(sign)
        excused = spelled is not None and (not spelled or not set(spelled).isdisjoint(change.theirs))
        excused = excused or (sign == DEGREES and sign in known.words)
        excused = excused or (sign == "%" and shares_in_column)
        if not excused:
            yield Veto("addition", f'it adds "{sign}"')


def _bounds(change: _Change, copied: _Copy) -> Iterator[Veto]:
    """A bound before or behind a number that the sentence has without one."""
    for place, word in enumerate(change.ours, start=change.first):
        if word not in _BOUNDS or not _BOUNDS.isdisjoint(change.theirs) or not {*"<>≤≥"}.isdisjoint(change.theirs):
            continue
        if word in copied.theirs and copied.ours[place - 1 : place] == ("and",):
            continue  # "above 97 % and 92 %" says it of both
        reach = 1 if word == "than" else 2
        if _has_number(_around(copied.ours, place, reach)):
            yield Veto("addition", f'it adds "{word}" to a number')


def _steps(change: _Change, copied: _Copy) -> Iterator[Veto]:
    """A number that something fell to, where the sentence says by how much it fell, or the other way round."""
    ours, theirs = ({"by", "to"}.intersection(words) for words in (change.ours, change.theirs))
    behind = change.first + len(change.ours)
    if len(ours) == len(theirs) == 1 and ours != theirs and _has_number(copied.ours[behind : behind + 1]):
        yield Veto("numbers", f'it says "{min(ours)}" before a number, the sentence that it copies "{min(theirs)}"')


def _rates(change: _Change, copied: _Copy) -> Iterator[Veto]:
    """A number that is given for each day or the like, where the sentence has it once."""
    for place, word in enumerate(change.ours, start=change.first):
        unit = copied.ours[place + 1 : place + 2]
        is_new = not _PERIODS.isdisjoint(unit) and not set(unit) & set(change.theirs)
        if word in _EACH and is_new and _has_number(copied.ours[max(0, place - 2) : place]):
            yield Veto("addition", f'it adds "{word} {unit[0]}" to a number')


def _contrasts(change: _Change) -> Iterator[Veto]:
    """What the sentence sets apart, given as one: "fewer rather than thinner" as "fewer and thinner"."""
    if not _APART.isdisjoint(change.theirs) and _APART.isdisjoint(change.ours) and "and" in change.ours:
        yield Veto("negation", 'it says "and" where the sentence that it copies says "rather than" or "instead"')


def _around(words: Sequence[str], place: int, reach: int) -> Sequence[str]:
    """Where the number of a bound is: "at least 18", "18 or more"."""
    behind = words[max(0, place - 3) : place - 1] if words[place - 1 : place] == ("or",) else ()
    return (*words[place + 1 : place + 1 + reach], *behind)


def _denied(claim: str, copied: _Copy) -> Iterator[Veto]:
    """A negation around the whole sentence: "it is false that"."""
    ours, theirs = (
        [token.text for token in read(text).tokens if token.denies] for text in (claim, " ".join(copied.theirs))
    )
    if len(ours) > len(theirs) and len(ours) % 2 != len(theirs) % 2:
        yield Veto("negation", f'it says "{ours[0]}", the quotes do not', opposed=True)


def _numbers(words: Sequence[str]) -> list[float | str]:
    """Values of words that begin with a digit; what is not a number, such as the day "12.05.2014", stays as it is."""
    plain = [each.replace(",", "") for each in words if each[0].isascii() and each[0].isdigit()]
    return [float(each) if _NUMBER.fullmatch(each) else each for each in plain]


def _has_number(words: Sequence[str]) -> bool:
    return any(each[0].isdigit() for each in words)


def _unproven(copied: _Copy) -> Iterator[Veto]:
    """Tell "no significant change" as "no change": a doubt is left out."""
    if lexicon.PROVEN.intersection(copied.ours):
        return
    for one, word in zip(copied.theirs, copied.theirs[1:], strict=False):
        if one in ("no", "not") and word in lexicon.PROVEN and one in copied.ours:
            yield Veto("doubt", f'the quotes only say "{one} {word}"')


_KINDS = (
    word_set("may might could can would should must will shall possibly perhaps likely potentially"),
    word_set("because since therefore thus hence due owing so consequently"),
    word_set("if unless until whether"),
    frozenset({"median"}),
    word_set("few hardly little"),
    word_set("most majority mostly mainly largely predominantly"),
    word_set("too"),
    word_set("lead leads led cause causes caused resulted"),
)
"""What a copy may say only where the sentence has a word of the same kind."""
_PARTS = word_set(
    "half halves third thirds quarter quarters fifth fifths tenth tenths twice thrice double triple halved halving"
) | frozenset(MULTIPLES)
_MORE = lexicon.ADVERBS_OF_DEGREE | {"fewer"}


def small_words(ours: Sequence[str], theirs: Sequence[str], sentence: Sequence[str]) -> Iterator[str]:
    """Small words of a copy that are missing in the sentence and change its meaning, each with the reason."""
    for word in ours:
        if word in theirs or (word in sentence and _value(word) is None):
            continue
        if _is_added(word, theirs) or _is_other_number(word, theirs) or _is_other_unit(word, ours, theirs):
            yield f'it says "{word}", which the quotes do not say there'


def _is_added(word: str, theirs: Sequence[str]) -> bool:
    if word in _PARTS:
        return not _has_number(theirs) and not any(map(_value, theirs))
    if word in _MORE:
        return not any(token.direction or token.word in lexicon.DEGREES for token in read(" ".join(theirs)).tokens)
    return any(word in kind and kind.isdisjoint(theirs) for kind in _KINDS)


def _is_other_number(word: str, theirs: Sequence[str]) -> bool:
    """Whether a number in words is where the sentence has only others."""
    ours, others = _value(word), list(filter(None, map(_value, theirs)))
    return ours is not None and bool(others) and not any(same(ours, each) for each in others)


def _is_other_unit(word: str, ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether another unit is beside a number that is the same."""
    others = [UNITS[each] for each in theirs if each in UNITS]
    return word in UNITS and bool(others) and not _has_number((*ours, *theirs)) and UNITS[word] not in others


def _value(word: str) -> Quantity | None:
    if not word.isalpha():
        return None
    found = read(f"x {'1' if word == 'one' else word}").tokens
    return found[-1].quantity if found else None
