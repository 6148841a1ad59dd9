"""What passages say of a claim, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from signatures.values import Verdict


@dataclass(frozen=True, slots=True)
class Support:
    """What the passages say of a claim.

    Attributes:
        verdict: supported, contradicted or unverifiable.
        score: How well the passages bear the claim out, in [0, 1].
        passage: Index of the passage that decided, or None when none did.
        quote: Whole sentences, exactly as in the passage: ``passages[passage][start:end]``.
        start: Offset of the quote in the passage.
        end: Offset after it.
        reason: What differs, or what bears it out.
    """

    verdict: Verdict
    score: float
    passage: int | None
    quote: str
    start: int
    end: int
    reason: str
