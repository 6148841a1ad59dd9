"""Papers of one column that cannot both be right, if they speak of the same.

    Disagreement("increased", ["PMC1", "PMC4"], "decreased", ["PMC2"])
    Disagreement("Femur density fell in flight.", ["PMC1"], "Femur density did not change in flight.", ["PMC2"],
                 "corroborate-checker-1@sha256:0473036aed48+guards/5")

Labels are opposed by their names. Of texts the proved sentences are compared: two papers disagree where the checker
says "contradicted" both ways, which it does above its threshold alone. Numbers are left out before: that patients of
two trials were 45 and 60 years old is no disagreement.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from metrics.support.judged import default_check
from metrics.words import words

OPPOSED = (("increased", "decreased"), ("yes", "no"))
"""Labels of which two papers cannot both be right."""
MOST_COMPARED = 100
"""Pairs of sentences of a column that the checker reads, the most alike first: some 40 ms a pair."""
_ALIKE = 0.3
"""Share of all words of two sentences that both hold, from which on they may speak of the same."""
_NAMED = 3
"""Papers of a side that are named in a line."""
_NUMBER = re.compile(r"\(?\s*[<>=≤≥±~≈]?\s*[-+−]?\d[\d.,]*\s*%?\s*\)?")


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two sides.

    Attributes:
        says: A label, or the sentence of a paper.
        papers: Ids of the papers that say it.
        other: What contradicts it.
        others: Ids of the papers that say that.
        judge: Who found it, by name and hash of its weights; empty for labels, which are opposed by name.
    """

    says: str
    papers: Sequence[str]
    other: str
    others: Sequence[str]
    judge: str = ""

    def __str__(self) -> str:
        if self.judge:
            return f"{_named(self.papers)} against {_named(self.others)}"
        return f"{self.says} ({_named(self.papers)}) against {self.other} ({_named(self.others)})"


def opposed_labels(labelled: Mapping[str, Sequence[str]]) -> list[Disagreement]:
    """Disagreements of a column with labels.

    Args:
        labelled: Ids of papers by label.
    """
    found = ((one, labelled.get(one), other, labelled.get(other)) for one, other in OPPOSED)
    return [Disagreement(one, list(those), other, list(these)) for one, those, other, these in found if those and these]


def opposed_texts(said: Sequence[tuple[str, str]]) -> tuple[list[Disagreement], int]:
    """Disagreements of a column of texts.

    Args:
        said: Papers by id, with the sentences that are proved of them.

    Returns:
        The disagreements, and how many pairs that speak of the like were not compared because there are too many.
    """
    pairs = _alike(said)
    return list(_contradicting(tuple(pairs[:MOST_COMPARED]))), max(len(pairs) - MOST_COMPARED, 0)


_Pair = tuple[tuple[str, str], tuple[str, str]]


def _alike(said: Sequence[tuple[str, str]]) -> list[_Pair]:
    """Pairs that may speak of the same, the most alike first."""
    held = [frozenset(words(_without_numbers(text))) for _, text in said]
    shares = [
        (len(held[one] & held[other]) / len(held[one] | held[other]), one, other)
        for one, other in itertools.combinations(range(len(said)), 2)
        if held[one] and held[other]
    ]
    ordered = sorted((each for each in shares if each[0] >= _ALIKE), key=lambda each: (-each[0], each[1:]))
    return [(said[one], said[other]) for _, one, other in ordered]


@lru_cache(maxsize=256)
def _contradicting(pairs: tuple[_Pair, ...]) -> tuple[Disagreement, ...]:
    if not pairs:
        return ()
    check = default_check()

    def denies(claim: str, text: str) -> bool:
        return check.check(_without_numbers(claim), [_without_numbers(text)]).verdict == "contradicted"

    return tuple(
        Disagreement(text, [paper], other_text, [other], check.name)
        for (paper, text), (other, other_text) in pairs
        if denies(text, other_text) and denies(other_text, text)
    )


def _without_numbers(text: str) -> str:
    return " ".join(_NUMBER.sub(" ", text).split())


def _named(papers: Sequence[str]) -> str:
    left = len(papers) - _NAMED
    return ", ".join([*papers[:_NAMED], *([f"{left} more"] if left > 0 else [])])
