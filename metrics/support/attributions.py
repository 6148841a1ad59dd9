"""What a claim gives to another thing than its quotes do: numbers, and the sides of comparisons.

    quote   "Cure was seen in 12 % of the drug group and in 18 % of controls."     12 %: drug   18 %: controls
    claim   "Of the controls 12 % were cured."                                      12 %: controls

Of every number of the quotes it is known which words belong to it and to no other number of its sentence. A number
that the claim gives to words of another one, and to none of the same, is in the wrong place. Where numbers, words or
places are not plain nothing is said.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import permutations

from metrics.sentences import sentence_texts
from metrics.support import lexicon
from metrics.support.assigned_numbers import PERCENT, Assigned, assigned_numbers, content_words, measured
from metrics.support.directions import Statement, statements
from metrics.support.sentence_features import normalised, read
from metrics.support.verdict import Veto

_SHARE = r"(?P<share>\d+(?:\.\d+)?)\s?%"
_STRENGTHS = (
    re.compile(rf"\b(?P<thing>[A-Za-z][\w-]{{3,}})\s\(?{_SHARE}"),
    re.compile(rf"{_SHARE}\s(?P<thing>[A-Za-z][\w-]{{3,}})(?![\w-]|\s\(?\d)"),
)
CHANGES = re.compile(
    r"\b(?:reduc\w+|decreas\w+|declin\w+|fell|fall\w*|los[st]\w*|chang\w+|improv\w+|drop\w*|ratio|difference\w*|(?-i:OR|HR|RR|IRR))\b",
    re.IGNORECASE,
)
"""Words of a sentence whose numbers may tell how much less of something there is."""
_NO_MEASURES = frozenset({"", "percent"})
"""Counts and shares, which tell of no pace or length."""


def misplaced_numbers(claim: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """Numbers that the claim gives to what another number of the quotes, but for rows of tables, belongs to."""
    whole = [clause for text in sentence_texts(*map(_without_rows, quotes)) for clause in _clauses(text)]
    given = [assigned_numbers(text) for text in whole]
    plain, claimed, strengths = normalised(claim), _strengths(claim), _strengths(" ".join(quotes))
    yield from _exchanged(claimed, strengths)
    named = {share for share, _ in claimed & strengths}
    for own in _claimed(claim):
        if own.value.dimension == "percent" and f"{own.value.printed:g}" in named:
            continue
        if _is_difference(own, plain, given):
            continue
        if found := _misplaced(own, given):
            number, rival = found
            yield Veto("place", f"the quotes say {number} of something else; there they say {rival}")


def _without_rows(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("|"))


def _clauses(text: str) -> list[str]:
    """A sentence cut at semicolons, if each part has several numbers: "25 for A and 26 for B; 38 weeks for A and …"."""
    parts = text.split(";")
    return parts if all(len(assigned_numbers(part)) > 1 for part in parts) else [text]


def _is_difference(own: Assigned, claim: str, given: Sequence[Sequence[Assigned]]) -> bool:
    """Whether a claim calls a number the difference of two that one sentence of the quotes has."""
    value = abs(own.value.printed)
    number, word = re.escape(own.token.text), r"(?:difference|gap|margin)"
    named = rf"(?<![\d.]){number}[-\s](?:[\w%]+[-\s]){{0,2}}?{word}\b|\b{word} of (?:\w+ )?{number}(?![\d.])"
    pairs = (pair for numbers in given for pair in permutations(numbers, 2))
    return re.search(named, claim) is not None and any(
        math.isclose(value, one.value.printed - other.value.printed, abs_tol=1e-9) for one, other in pairs
    )


def _exchanged(claimed: set[tuple[str, str]], strengths: set[tuple[str, str]]) -> Iterator[Veto]:
    """Two things that a claim gives each other's strength."""
    for (share, thing), (other, rival) in permutations(sorted(claimed - strengths), 2):
        if {(share, rival), (other, thing)} <= strengths and share != other:
            yield Veto("place", f"the quotes say {share}% of {rival}; {thing} has {other}%")


def _strengths(text: str) -> set[tuple[str, str]]:
    """Shares with the thing that they are beside, as of solutions: "2% chlorhexidine" and "chlorhexidine 2%"."""
    plain = PERCENT.sub("%", normalised(text))
    found = [match for pattern in _STRENGTHS for match in pattern.finditer(plain)]
    named = {(f"{float(each['share']):g}", each["thing"].lower()) for each in found}
    return {(share, thing) for share, thing in named if thing not in lexicon.STOP_WORDS}


def _of_value(own: Assigned, given: Sequence[Sequence[Assigned]]) -> list[tuple[Assigned, Sequence[Assigned]]]:
    """The numbers of the quotes that are equal to one of the claim, each with all of its sentence."""
    value = abs(own.value.printed)
    return [(each, of) for of in given for each in of if math.isclose(value, abs(each.value.printed))]


def _misplaced(own: Assigned, given: Sequence[Sequence[Assigned]]) -> tuple[str, str] | None:
    """The number of the quotes that a claim gives to something else, and the one that belongs there."""
    equal = _of_value(own, given)
    if len(equal) != 1 or not any(map(str.isdigit, equal[0][0].token.text)):
        return None
    number, others = equal[0]
    rival = _rival(own.words, number, [each for each in others if each is not number])
    return None if rival is None else (number.token.text, rival.token.text)


def wrong_orders(claim: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """Comparisons that the numbers of the quotes turn around: "more often with A than with B" of 12 % and 18 %."""
    for own in statements(claim):
        if not (own.sign and own.base) or own.kind == "worth":
            continue
        signs = {sign for quote in quotes for sign in _orders(own, quote)}
        if signs == {-own.sign}:
            yield Veto("course", f'the numbers of the quotes are the other way round than "{own.text}"', opposed=True)


def _orders(own: Statement, quote: str) -> Iterator[int]:
    """1 where a quote has a larger number for the one than for the other, -1 for a smaller one; a pace has measures."""
    one, other, matter = own.words, frozenset(own.base), own.near
    for text in sentence_texts(_without_rows(quote)):
        if CHANGES.search(text) or not matter & frozenset(content_words(read(text).tokens)):
            continue
        numbers = [each for each in assigned_numbers(text) if each.value.value > 0]
        for first, second in permutations(numbers, 2):
            if not _beside(first, second) or (own.kind == "pace" and first.value.dimension in _NO_MEASURES):
                continue
            here, there = first.words - second.words, second.words - first.words
            if one & here and other & there and not one & there and not other & here:
                yield (first.value.value > second.value.value) - (first.value.value < second.value.value)


def _rival(words: frozenset[str], own: Assigned, others: Sequence[Assigned]) -> Assigned | None:
    """The number to which the words belong, if it is another one and they have none themselves."""
    for each in others:
        here, there = own.words - each.words, each.words - own.words
        if _beside(each, own) and here and words & there and not words & here:
            return each
    return None


def _beside(one: Assigned, other: Assigned) -> bool:
    """Whether two numbers of one measure have their words on the same side."""
    return (one.value.dimension, one.side) == (other.value.dimension, other.side)


def _claimed(claim: str) -> list[Assigned]:
    """The claim's numbers; a single one belongs to all that the claim says."""
    values = measured(claim)
    return (
        assigned_numbers(claim)
        if len(values) != 1
        else [Assigned(values[0], frozenset(content_words(read(claim).tokens)), "")]
    )
