"""The learned order: how likely each of some passages answers a question. A small cross-encoder that is shipped.

    order = LearnedOrder()
    order.scores("Did relapses fall?", ["Relapses were halved (p = 0.01).", "Forty adults took part."])
    # [0.81, 0.02]

Beside this file: `model.onnx` (int8), `tokenizer.json`, `manifest.json` (hashes, calibration) and `README.md`, the
model card. Made by `python -m optimize order`. Nothing is loaded before the first question.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from metrics.sentences import sentences
from metrics.support.premise import premise_parts, premise_text
from programs.models import PairModel

WORDS = 50
"""Of a passage that are read."""
ABOUT_WORDS = 18
QUESTION_WORDS = 36
LONGEST = 20_000
"""Characters of a passage that are looked at."""


def question_read(question: str) -> str:
    """The words of a question that are read."""
    return " ".join(question[:LONGEST].split()[:QUESTION_WORDS])


def passage_read(question: str, passage: str, about: str = "") -> str:
    """The text of a passage of any length that is held against the question.

    ``about`` is the paper's title and the heading that the passage is under, as far as they are known.
    """
    passage = passage[:LONGEST]
    if len(passage.split()) > WORDS:
        parts = premise_parts(question, [passage], WORDS)
        passage = " ".join(premise_text(parts, [passage]).split()[: 2 * WORDS]) if parts else passage
    place = " ".join(about.split()[:ABOUT_WORDS])
    return f"{place}: {passage}" if place else passage


def _groups(lengths: Sequence[int]) -> list[tuple[int, int]]:
    """First and last of neighbours that hold ``WORDS`` words at most; what is longer stands alone."""
    groups: list[tuple[int, int]] = []
    held = 0
    for at, length in enumerate(lengths):
        if groups and held + length <= WORDS:
            groups[-1], held = (groups[-1][0], at), held + length
        else:
            groups.append((at, at))
            held = length
    return groups


LEARNED = "learned"
"""What parameters and options call the order that is shipped."""
SHIPPED = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class LogisticScale:
    """A logistic curve (Platt 1999): probability = 1 / (1 + exp(-(factor * value + shift)))."""

    factor: float
    shift: float

    def probability(self, value: float) -> float:
        """Of a value of any size, in (0, 1)."""
        return 0.5 * (1 + math.tanh(0.5 * (self.factor * value + self.shift)))


class LearnedOrder(PairModel):
    """A `CrossEncoder` from a folder; safe to share between threads and copies of a program.

    A passage's score does not depend on the other passages.
    """

    shipped = SHIPPED
    again = "install the package again, or make the order with `python -m optimize order`"

    def scores(self, question: str, passages: Sequence[str], about: Sequence[str] = ()) -> list[float]:
        """How likely each passage answers the question: calibrated probabilities in [0, 1], in order of the passages.

        Args:
            question: A question or a claim; an empty one is answered by nothing.
            passages: Of a long one the sentences nearest to the question are read; an empty one scores 0.
            about: "Title. Heading" of each passage where known ("" where not), beside the passage's own text; none, or
                as many as passages.
        """
        found = [0.0] * len(passages)
        for at, logit in self.logits(question, passages, about).items():
            found[at] = self.scale.probability(logit)
        return found

    def parts(self, passage: str) -> list[str]:
        """Whole sentences of a passage, up to ``WORDS`` words together; nothing of one that is read whole."""
        passage = passage[:LONGEST]
        if len(passage.split()) <= WORDS:
            return []
        texts = [passage[each.start : each.end] for each in sentences(passage)]
        return [" ".join(texts[first : last + 1]) for first, last in _groups([len(text.split()) for text in texts])]

    def logits(self, question: str, passages: Sequence[str], about: Sequence[str] = ()) -> dict[int, float]:
        """The model's raw scores by the position of the passage; empty ones have none."""
        if about and len(about) != len(passages):
            raise ValueError(f"about must name as many places as there are passages, {len(passages)}, not {len(about)}")
        asked = question_read(question)
        places = about or [""] * len(passages)
        texts = {
            at: passage_read(asked, passage, place)
            for at, (passage, place) in enumerate(zip(passages, places, strict=True))
            if asked and passage.strip()
        }
        if not texts:
            return {}
        found = self.pair_logits([(asked, text) for text in texts.values()])
        return {at: float(row[0]) for at, row in zip(texts, found, strict=True)}

    @functools.cached_property
    def scale(self) -> LogisticScale:
        """The curve that makes probabilities of the raw scores of passages, from the manifest."""
        return self.value(
            "calibration", lambda of: LogisticScale(float(of["passage"]["factor"]), float(of["passage"]["shift"]))
        )


@functools.cache
def shipped_order() -> LearnedOrder:
    """The order that is shipped, the same one each time; nothing is loaded before it is asked."""
    return LearnedOrder()
