"""The sentences of passages that a claim is read against: few enough for a small model, in the order of the text.

    claim     "Relapses were fewer with the drug than with placebo."
    passage   "Forty adults took part. … Relapses fell by half with the drug. … The trial was funded by …"
    premise   "Relapses fell by half with the drug."

Sentences are taken one by one, each time the one that adds most of the claim's words that are still missing, a rare
word counting more than a common one, until the premise is full. A table row brings its table's head with it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from metrics.sentences import sentences
from metrics.support.lexicon import stem, word_set

WORDS = 80  # words of a premise at most, unless its first sentence alone is longer
# A word already held counts so much again: two sentences on the same thing are better than one.
AGAIN = 0.25
# Longer sentences hold more words by chance: gain is divided by length to this power.
LENGTH_POWER = 0.25
# A sentence next to a taken one gets this share of that one's worth: evidence often continues in the next sentence.
BESIDE = 0.15

_WORD = re.compile(r"\d+(?:[.,·]\d+)*|[^\W\d_]+")
COMMON = word_set(
    "a an the of in on at by to for from with and or as is are was were be been has have had did do does that this "
    "these those it its than then their there which who whom into between among after before during while when both "
    "all any each not no nor but also more most less least very only such other others same so we our they he she"
)
"""English words that say nothing of what a text is on."""


@dataclass(frozen=True, slots=True)
class PremisePart:
    """A sentence of a passage: ``passages[passage][start:end]``."""

    passage: int
    start: int
    end: int


def premise_parts(claim: str, passages: Sequence[str], words: int = WORDS) -> list[PremisePart]:
    """The sentences that say most about a claim, in the order of the passages, with so many words together at most.

    The first one is taken at any length. A claim that shares no word with the passages gets their first sentences.
    """
    parts = [
        PremisePart(number, span.start, span.end)
        for number, passage in enumerate(passages)
        for span in _sentences(passage)
    ]
    texts = [passages[part.passage][part.start : part.end] for part in parts]
    held, lengths = list(map(keys, texts)), [len(text.split()) for text in texts]
    counts = Counter(key for each in held for key in each)
    weights = {key: math.log(1 + len(held) / (1 + counts[key])) + 0.1 for key in sorted(keys(claim))}
    taken: list[int] = []
    covered: set[str] = set()

    def gain(at: int) -> tuple[float, int]:
        own = sum(weight * (AGAIN if key in covered else 1.0) for key, weight in weights.items() if key in held[at])
        beside = BESIDE * sum(weights.values()) / 4 if {at - 1, at + 1}.intersection(taken) else 0.0
        return (own + beside) / (lengths[at] + 8) ** LENGTH_POWER, -at

    room = words
    while open_ := [at for at in range(len(parts)) if at not in taken and (not taken or lengths[at] <= room)]:
        best = max(open_, key=gain)
        head = best  # the first row of the table that a row is in
        while (
            texts[head][0] == "|"
            and head
            and parts[head - 1].passage == parts[head].passage
            and texts[head - 1][0] == "|"
        ):
            head -= 1
        new = {best, head}.difference(taken)
        taken += new
        covered |= held[best]
        room -= sum(lengths[at] for at in new)
        if room < words // 8:
            break
    return [parts[at] for at in sorted(taken)]


def premise_text(parts: Sequence[PremisePart], passages: Sequence[str]) -> str:
    """The sentences as one text; table rows stay on their own lines."""
    texts = [passages[part.passage][part.start : part.end] for part in parts]
    return "".join(("\n" if text.startswith("|") else " ") + text for text in texts).strip()


_sentences = lru_cache(maxsize=4096)(sentences)


@lru_cache(maxsize=65_536)
def keys(text: str) -> frozenset[str]:
    """Stems of a text's words but for the commonest, and its numbers."""
    return frozenset(stem(word) for word in _WORD.findall(text.lower()) if word not in COMMON)
