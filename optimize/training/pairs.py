"""A claim, the text it is held against, and what the text says of it.

{"claim": "Relapses fell.", "premise": "Relapses halved (p = 0.01).", "label": "supported",
 "source": "trials", "document": "PMC123"}
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

Label = Literal["supported", "contradicted", "unverifiable", "not_supported"]
LABELS: tuple[Label, ...] = ("supported", "contradicted", "unverifiable")
"""The classes, in the order of the model's outputs; "not_supported" is either of the last two."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One example.

    Attributes:
        claim: A sentence to judge.
        premise: What it is judged by; several sentences at most.
        label: What the premise says of the claim. "not_supported" where only that is known.
        source: The data set or the way it was made.
        document: The paper that the premise is from; documents, not pairs, are parted into splits.
    """

    claim: str
    premise: str
    label: Label
    source: str
    document: str


def valid_label(text: str) -> Label:
    """The label that a text names.

    Raises:
        ValueError: It names none.
    """
    for label in get_args(Label):
        if label == text:
            return label  # type: ignore[no-any-return]
    raise ValueError(f"{text!r} is not a label; give one of {', '.join(get_args(Label))}")


def held_out(pairs: Sequence[Pair], share: float, salt: str) -> tuple[list[Pair], list[Pair]]:
    """Part pairs by document: (kept, held out).

    Args:
        pairs: Any pairs.
        share: About how much of the documents to hold out, in [0, 1].
        salt: Another salt gives another, independent split; the same one the same split everywhere.
    """
    apart = {document for document in {pair.document for pair in pairs} if fraction(salt + document) < share}
    return (
        [pair for pair in pairs if pair.document not in apart],
        [pair for pair in pairs if pair.document in apart],
    )


def sampled(pairs: Iterable[Pair], count: int, generator: random.Random) -> list[Pair]:
    """So many pairs at random without repetition, or all of them in random order where there are fewer."""
    pool = list(pairs)
    return generator.sample(pool, min(count, len(pool)))


def fraction(text: str) -> float:
    """A number in [0, 1) that a text always gets, evenly spread over texts."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) / 2**64
