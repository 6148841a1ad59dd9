"""A claim that joins what two sentences say, taken apart: each part is a copy of its own sentence.

quotes   "Pain fell by 5 points." "No one died."     claim   "Pain fell by 5 points, and no one died."
parts    "Pain fell by 5 points"   "no one died"
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from metrics.sentences import sentence_texts
from metrics.support.clauses import WORD, words_of
from metrics.support.near_copies import nearest
from metrics.support.sentence_features import content, normalised

FEWEST_PART = 4
"""Words of a part of a claim that is looked at by itself."""

FEWEST_SHARED = 2
"""Words with content that a part in other words shares with a sentence at least."""

_JOINT = re.compile(r";\s+|,?\s+(?:and|but|while|whereas|although|though|yet)\s+", re.IGNORECASE)
"""What joins two statements."""


def parts_of(claim: str, quotes: Sequence[str]) -> tuple[str, ...]:
    """A claim, or what is joined in it: a copy of one sentence, and what another sentence says.

    "Pain fell by 5 points, and no one died" of "Pain fell by 5 points." and "No one died." does not deny the first.
    """
    found = [(claim[: each.start()], claim[each.end() :]) for each in _JOINT.finditer(normalised(claim))]
    long = [each for each in found if min(len(WORD.findall(part)) for part in each) >= FEWEST_PART]
    one, other = max(long, key=lambda each: _apart(each[0], each[1], quotes), default=(claim, ""))
    return (one, *parts_of(other, quotes)) if other and _apart(one, other, quotes) else (claim,)


def _apart(one: str, other: str, quotes: Sequence[str]) -> int:
    """How plainly two parts are of two sentences, 0 if they are not: whether one ends or begins its own."""
    copies = [nearest(each, quotes) for each in (one, other)]
    first, second = copies
    if first and second and _bag(first.text) == _bag(second.text):
        return 0
    if not (first and second) and not any(
        copied and _is_in_another_sentence(rest, copied.text, quotes)
        for copied, rest in zip(copies, (other, one), strict=True)
    ):
        return 0
    ends = first is not None and WORD.search(first.text, first.end) is None
    begins = second is not None and WORD.search(second.text[: second.start]) is None
    return 1 + ends + begins


def _is_in_another_sentence(rest: str, text: str, quotes: Sequence[str]) -> bool:
    """Whether more of what a part says is in another sentence than in one that the other part copies."""
    own = content(rest)
    held = {_bag(each): len(own & content(each)) for each in sentence_texts(*map(normalised, quotes))}
    there = held.pop(_bag(text), 0)
    return max(held.values(), default=0) >= max(FEWEST_SHARED, len(own) / 2, there + 1)


def _bag(text: str) -> tuple[str, ...]:
    return tuple(sorted(words_of(text)))
