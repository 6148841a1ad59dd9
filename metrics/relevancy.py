"""Whether an answer is about what was asked, by an embedding model; a diagnostic, never an objective.

An answer that repeats the question is as near to it as an answer can be, so a program that is tuned on this learns to
echo. Beside other metrics it tells answers that are grounded in the passages and beside the point.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from metrics.fields import read
from metrics.outcome import answer_of, outcome
from metrics.passages import citable_ids, passages_of
from metrics.score import Score
from signatures import citation_markers

Embed: TypeAlias = Callable[[Sequence[str]], Iterable[Iterable[float]]]
"""Texts into rows of unit length, in their order."""


def answer_relevancy(example: object, prediction: object, embed: Embed) -> Score:
    """Cosine similarity of question and answer without its citations, 0 where it is negative; undefined without answer.

    Args:
        example: With a ``question``, else the prediction's is taken.
        prediction: With ``answer`` and ``passages``.
        embed: Asked for two vectors.
    """
    found = outcome(prediction)
    if found == "failed":
        return Score.failed()
    if found == "abstained":
        return Score.abstained("the program abstained")
    question = str(read(example, "question", read(prediction, "question", ""))).strip()
    answer = citation_markers.strip(answer_of(prediction), citable_ids(passages_of(prediction)) or None).strip()
    if not question or not answer:
        return Score.not_applicable("no answer" if question else "the example has no question")
    first, second = embed([question, answer])
    cosine = math.fsum(float(one) * float(other) for one, other in zip(first, second, strict=True))
    return Score(min(1.0, max(0.0, cosine)))
