"""What a copy says beyond the sentence that it copies: a word, a clause, a sign, a bound, a question mark.

    quote   "Bone volume was 18 % lower in flight mice."
    claim   "Bone volume was 18 % lower in flight mice, which proves that the drug works."     addition: proves
    claim   "Bone volume was at least 18 % lower in flight mice."                               bound: at least 18
    claim   "Bone volume was 18 % lower in diabetic mice."                                      exchange: diabetic

What it says in other words is added, if none of the quotes holds it. Grammar, words of reporting and other names of
one thing add nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from metrics.sentences import sentence_texts
from metrics.support import lexicon
from metrics.support.alignment import FEWEST_WORDS, Alignment, Change, nearest, words_of
from metrics.support.lexicon import stem, word_set
from metrics.support.quantities import MULTIPLES, UNITS, Quantity, same
from metrics.support.sentence_features import Token, acronyms, direction_key, family, read, word_keys
from metrics.support.significance import follows_from_probability
from metrics.support.verdict import Veto

_ASKS = re.compile(r"[?？][.!?\s\"'”’»*_)]*$")
_AGE = frozenset({"age", "aged", "old"})
_NUMBER = re.compile(r"\d+(?:\.\d*)?")
_HARMLESS = word_set(
    "author authors investigator investigators researcher researchers scientist scientists team work paper article "
    "experiment experiments addition notably importantly interestingly specifically namely accordingly "
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
_JOINS = frozenset({"by", "from", "to", "±"})
"""What a number has before it, each of another meaning."""
_BOUNDS = word_set(
    "up least most almost nearly twice thrice half double over under above below beyond exceeding than more less "
    "fewer within per"
)
_SIGNS = frozenset("<>≤≥~≈%×±&=°+-→®™")
"""Signs that may stand for a word."""
_ALIKE = word_set("<≤ >≥ ~≈ ≈~ ·× x× +±")
"""Signs of which the second may stand for the first."""
_KINDS = (
    word_set("may might can could would should must will shall possibly perhaps likely potentially"),
    word_set("because since therefore thus hence due owing so consequently"),
    word_set("if unless until whether"),
    frozenset({"median"}),
    word_set("few hardly little"),
    word_set("most majority mostly mainly largely predominantly"),
    word_set("too"),
    word_set("lead leads led cause causes caused resulted"),
)
"""Small words that a copy may have only where the sentence has one of the same kind."""
_PARTS = word_set(
    "half halves third thirds quarter quarters fifth fifths tenth tenths twice thrice double triple halved halving"
) | frozenset(MULTIPLES)
_MORE = lexicon.ADVERBS_OF_DEGREE | {"fewer"}


def additions(claim: str, quotes: Sequence[str], titles: Sequence[str] = (), context: str = "") -> Iterator[Veto]:
    """What a copy adds to the sentence that it copies, and the titles of the papers do not say.

    Words in the place of others may be true ones for the same thing: of these only few are certain. ``context``, the
    text of the quotes, may explain short forms.
    """
    copied = nearest(claim, quotes)
    if copied is None:
        return
    known = _Known.of(claim, [*quotes, *titles], context)
    shares_in_column = any("(%)" in quote for quote in quotes)
    for change in copied.changes:
        if not change.ours or follows_from_probability(" ".join(change.ours), quotes):
            continue
        certain = copied.is_whole or not _CERTAIN.isdisjoint(change.ours)
        yield from (replace(each, certain=certain) for each in _words(change, copied, known))
        yield from _signs_and_numbers(change, copied, known, shares_in_column=shares_in_column)
        yield from _beside_numbers(change, copied)
        if not _APART.isdisjoint(change.theirs) and _APART.isdisjoint(change.ours) and "and" in change.ours:
            yield Veto("negation", 'it says "and" where the sentence that it copies says "rather than" or "instead"')
        for word in _small_words(change, copied):
            yield Veto("addition", f'it says "{word}", which the quotes do not say there', certain=False)
    yield from _unproven(copied)
    if copied.is_whole:
        yield from _denied(copied)
    if copied.is_whole and _ASKS.search(claim) and not any("?" in quote for quote in quotes):
        yield Veto("addition", "it asks what the quotes say")


def own_words(claim: str, quotes: Sequence[str], context: str = "", titles: Sequence[str] = ()) -> str:
    """The first thing that a copy adds, certainly or not, which a judge that knows only words cannot judge.

    Empty if the claim is not a copy or adds nothing.
    """
    return next((each.reason for each in additions(claim, quotes, titles, context)), "")


def words_beside(claim: str, text: str, context: str = "") -> list[str]:
    """Words of a claim that say something and that a text holds in no form, whatever their place."""
    known, theirs = _Known.of(claim, [text], context), words_of(text)
    return [
        word for word in words_of(claim) if word[0].isalpha() and _says_something(word, theirs) and not known.hold(word)
    ]


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
        said, sources = {*words_of(claim)} - lexicon.STOP_WORDS, sentence_texts(*quotes)
        denials = (each for each in sources if any(token.denies for token in read(each).tokens))
        sets_apart = len(sources) > 1 and any(len(said.intersection(words_of(each))) > 1 for each in denials)
        return cls(frozenset(words_of(text)), keys, sets_apart)

    def hold(self, word: str) -> bool:
        """Whether the quotes say a word in any form."""
        return word in self.words or stem(word) in self.keys or any(map(self._holds, read(word).tokens))

    def _holds(self, token: Token) -> bool:
        return not self.keys.isdisjoint((token.key, family(token))) or (
            bool(token.direction) and direction_key(token.direction) in self.keys
        )


def _words(change: Change, copied: Alignment, known: _Known) -> Iterator[Veto]:
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


def _is_unit(word: str) -> bool:
    found = read(f"2 {word}").tokens
    return len(found) == 1 and found[0].quantity is not None and bool(found[0].quantity.dimension)


def _signs_and_numbers(change: Change, copied: Alignment, known: _Known, *, shares_in_column: bool) -> Iterator[Veto]:
    """Signs and bounds that a copy adds, and what looks like a number and is none; other guards judge numbers."""
    ours, theirs = _numbers(change.ours), _numbers(change.theirs)
    if unread := [each for each in ours if isinstance(each, str) and each not in {*theirs, *known.words}]:
        yield Veto("numbers", f"the sentence that it copies does not hold {unread[0]}")
    is_told_otherwise = bool(ours and theirs) and ours != theirs
    numbers = {each for each in change.ours if each[0].isdigit()}
    if is_told_otherwise or (len(change.ours) >= FEWEST_WORDS and numbers <= known.words):  # a separate clause
        return
    for sign in change.ours:
        if (sign[0].isalnum() and sign.isascii()) or sign[0].isalpha() or sign[0].isdecimal():
            continue
        is_spelled = sign in _SIGNS and any(each.isalpha() or f"{each}{sign}" in _ALIKE for each in change.theirs)
        is_held = sign in "=®™" or (sign == "°" and sign in known.words) or (sign == "%" and shares_in_column)
        if not is_spelled and not is_held:
            yield Veto("addition", f'it adds "{sign}"')
    is_bound = _BOUNDS.isdisjoint(change.theirs) and {*"<>≤≥"}.isdisjoint(change.theirs)
    for place, word in enumerate(change.ours if is_bound else (), start=change.first):
        if word not in _BOUNDS or (word in copied.theirs and copied.ours[place - 1 : place] == ("and",)):
            continue  # "above 97 % and 92 %" says it of both
        behind = copied.ours[max(0, place - 3) : place - 1] if copied.ours[place - 1 : place] == ("or",) else ()
        if _has_number((*copied.ours[place + 1 : place + (2 if word == "than" else 3)], *behind)):
            yield Veto("addition", f'it adds "{word}" to a number')


def _beside_numbers(change: Change, copied: Alignment) -> Iterator[Veto]:
    """A number that something fell to, where the sentence says by how much, or a spread; or one for each day."""
    behind = change.first + len(change.ours)
    ours, theirs = _JOINS.intersection(change.ours), _JOINS.intersection(change.theirs)
    if len(ours) == len(theirs) == 1 and ours != theirs and _has_number(copied.ours[behind : behind + 1]):
        yield Veto("numbers", f'it says "{min(ours)}" before a number, the sentence that it copies "{min(theirs)}"')
    for place, word in enumerate(change.ours, start=change.first):
        unit = copied.ours[place + 1 : place + 2]
        is_new = not _PERIODS.isdisjoint(unit) and not set(unit) & set(change.theirs)
        if word in _EACH and is_new and _has_number(copied.ours[max(0, place - 2) : place]):
            yield Veto("addition", f'it adds "{word} {unit[0]}" to a number')


def _denied(copied: Alignment) -> Iterator[Veto]:
    """A negation around the whole sentence: "it is false that"."""
    ours, theirs = ([each.text for each in read(text).tokens if each.denies] for text in (copied.claim, copied.text))
    if len(ours) > len(theirs) and len(ours) % 2 != len(theirs) % 2:
        yield Veto("negation", f'it says "{ours[0]}", the quotes do not', opposed=True)


def _numbers(words: Sequence[str]) -> list[float | str]:
    """Values of words that begin with a digit; what is not a number, such as the day "12.05.2014", stays as it is."""
    plain = [each.replace(",", "") for each in words if each[0].isascii() and each[0].isdigit()]
    return [float(each) if _NUMBER.fullmatch(each) else each for each in plain]


def _has_number(words: Sequence[str]) -> bool:
    return any(each[0].isdigit() for each in words)


def _unproven(copied: Alignment) -> Iterator[Veto]:
    """Tell "no significant change" as "no change": a doubt is left out."""
    if lexicon.PROVEN.intersection(copied.ours):
        return
    for one, word in zip(copied.theirs, copied.theirs[1:], strict=False):
        if one in ("no", "not") and word in lexicon.PROVEN and one in copied.ours:
            yield Veto("doubt", f'the quotes only say "{one} {word}"')


def _small_words(change: Change, copied: Alignment) -> Iterator[str]:
    """Small words of a copy that are missing in the sentence and change its meaning."""
    theirs = change.theirs
    values = [value for each in theirs if (value := _value(each))]
    units = [UNITS[each] for each in theirs if each in UNITS]
    for word in change.ours:
        value = _value(word)
        if word in theirs or (word in copied.theirs and value is None):
            continue
        if word in _PARTS:
            is_added = not _has_number(theirs) and not values
        elif word in _MORE:
            is_added = not any(each.direction or each.word in lexicon.DEGREES for each in read(" ".join(theirs)).tokens)
        else:
            is_added = any(word in kind and kind.isdisjoint(theirs) for kind in _KINDS)
        is_other = value is not None and bool(values) and not any(same(value, each) for each in values)
        unit = UNITS.get(word) if units and not _has_number((*change.ours, *theirs)) else None
        if is_added or is_other or (unit is not None and unit not in units):
            yield word


def _value(word: str) -> Quantity | None:
    """What a word for a number counts."""
    if not word.isalpha():
        return None
    found = read(f"x {'1' if word == 'one' else word}").tokens
    return found[-1].quantity if found else None
