"""Numbers that a claim gives to another thing than its quotes do, and comparisons that their numbers turn around.

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
from metrics.support.assigned_numbers import Assigned, assigned_numbers, content_words, measured
from metrics.support.directions import Statement, statements
from metrics.support.sentence_features import normalised, read
from metrics.support.verdict import Veto

CHANGES = re.compile(
    r"\b(?:reduc\w+|decreas\w+|declin\w+|fell|fall\w*|los[st]\w*|chang\w+|improv\w+|drop\w*|ratio|difference\w*|(?-i:OR|HR|RR|IRR))\b",
    re.IGNORECASE,
)
"""Words of a sentence whose numbers may tell how much less of something there is."""
_NO_MEASURES = frozenset({"", "percent"})
"""Counts and shares, which tell of no pace or length."""
_DIFFERENCES = re.compile(
    r"(?P<before>\d[\d.]*)[-\s](?:[\w%]+[-\s]){0,2}?(?:difference|gap|margin)\b"
    r"|\b(?:difference|gap|margin) of (?:\w+ )?(?P<after>\d[\d.]*\d|\d)"
)
"""Numbers that are called the difference of two."""


def misplaced_numbers(claim: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """Numbers that the claim gives to what another number of the quotes, but for rows of tables, belongs to."""
    given = [assigned_numbers(part) for text in sentence_texts(*map(_without_rows, quotes)) for part in _clauses(text)]
    differences = {each["before"] or each["after"] for each in _DIFFERENCES.finditer(normalised(claim))}
    for own in _claimed(claim):
        value = abs(own.value.printed)
        equal = [(each, of) for of in given for each in of if math.isclose(value, abs(each.value.printed))]
        if len(equal) != 1 or own.token.text in differences:
            continue
        number, others = equal[0]
        if not any(map(str.isdigit, number.token.text)):
            continue
        rivals = (each for each in others if _are_beside(each, number) and number.words - each.words)
        if rival := next((each for each in rivals if _is_of(own.words, each.words, number.words)), None):
            reason = f"the quotes say {number.token.text} of something else; there they say {rival.token.text}"
            yield Veto("place", reason)


def names_other(said: frozenset[str], mine: frozenset[str], theirs: frozenset[str]) -> bool:
    """Whether words are of another name and not of mine; of names of which one holds the other, all of the other."""
    if mine - theirs and theirs - mine:
        return _is_of(said, theirs, mine)
    return bool(mine and theirs and mine != theirs) and said & (mine | theirs) == theirs


def _is_of(said: frozenset[str], name: frozenset[str], other: frozenset[str]) -> bool:
    """Whether words are of what one name has and the other has not, and none the other way round."""
    return bool(said & (name - other)) and not said & (other - name)


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
    for text in sentence_texts(_without_rows(quote)):
        if CHANGES.search(text) or own.near.isdisjoint(content_words(read(text).tokens)):
            continue
        numbers = [each for each in assigned_numbers(text) if each.value.value > 0]
        for first, second in permutations(numbers, 2):
            if not _are_beside(first, second) or (own.kind == "pace" and first.value.dimension in _NO_MEASURES):
                continue
            if are_sides(own, first.words, second.words):
                yield (first.value.value > second.value.value) - (first.value.value < second.value.value)


def are_sides(said: Statement, first: frozenset[str], second: frozenset[str]) -> bool:
    """Whether one name is of what a statement compares, and the other of what it is compared with."""
    here, there, base = first - second, second - first, frozenset(said.base)
    return bool(said.words & here and base & there) and not (said.words & there or base & here)


def _without_rows(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("|"))


def _clauses(text: str) -> list[str]:
    """A sentence cut at semicolons, if each part has several numbers: "25 for A and 26 for B; 38 weeks for A and …"."""
    parts = text.split(";")
    return parts if all(len(assigned_numbers(part)) > 1 for part in parts) else [text]


def _are_beside(one: Assigned, other: Assigned) -> bool:
    """Whether two numbers of one measure have their words on the same side."""
    return (one.value.dimension, one.side) == (other.value.dimension, other.side)


def _claimed(claim: str) -> list[Assigned]:
    """The claim's numbers; a single one belongs to all that the claim says."""
    values = measured(claim)
    if len(values) != 1:
        return assigned_numbers(claim)
    return [Assigned(values[0], frozenset(content_words(read(claim).tokens)), "")]
