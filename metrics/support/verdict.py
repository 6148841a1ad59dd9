"""What is said of a claim: by a guard, by a model, and by both together.

This package runs no model itself: a caller that has one hands it in (`claim_check.GuardedCheck`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from signatures.values import Verdict


Rule: TypeAlias = Literal[
    "numbers", "measure", "place", "course", "effect", "denial", "negation", "direction", "opposite", "name",
    "exchange", "doubt", "units", "clipped", "length", "unrelated", "addition", "quotation", "disguise",
    "unread",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Veto:
    """One thing that is certainly wrong with a claim against the quotes that are to prove it."""

    rule: Rule  # which guard speaks
    reason: str  # both sides in a few words
    opposed: bool = False  # whether the quotes say the opposite; otherwise they only do not say it
    certain: bool = True  # of what a copy adds: whether it is wrong, not only something that words cannot judge


IN_OTHER_WORDS: frozenset[Rule] = frozenset({"course", "effect"})
"""Rules on paraphrases. What they object to is wrong; that it is the opposite is certain only of quotes that were given
to prove the claim (17 of 17 in development), not of quotes that were merely found (18 of 25)."""


@dataclass(frozen=True, slots=True)
class PremiseJudgement:
    """How a premise relates to a claim: calibrated probabilities in [0, 1] that add up to 1.

    Attributes:
        supported: The premise proves the claim.
        contradicted: The premise says the opposite.
        neither: It leaves the claim, or part of it, open.
    """

    supported: float
    contradicted: float
    neither: float


class Checker(Protocol):
    """A model that judges claims by premises."""

    @property
    def name(self) -> str:
        """Name with the hash of the weights: judgements of checkers with different names are never compared."""

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[PremiseJudgement]:
        """Judge (claim, premise) pairs, any number of any length, in order; what does not fit is cut at the end."""

    def verdict(self, judgement: PremiseJudgement) -> Verdict:
        """The verdict that a judgement is sure enough of; "unverifiable" below the thresholds."""


@dataclass(frozen=True, slots=True)
class Support:
    """What the passages say of a claim.

    Attributes:
        verdict: supported, contradicted or unverifiable.
        score: How well the passages support the claim, in [0, 1].
        passage: Index of the passage that decided, or None when none did.
        quote: Whole sentences, exactly as in the passage: ``passages[passage][start:end]``.
        start: Offset of the quote in the passage.
        end: Offset after it.
        reason: What differs, or what supports it.
    """

    verdict: Verdict
    score: float
    passage: int | None
    quote: str
    start: int
    end: int
    reason: str


class Judge(Protocol):
    """Decides what passages say of a claim."""

    @property
    def name(self) -> str:
        """Name and version; whatever changes verdicts, such as a prompt, changes it."""
        ...

    def check(self, claim: str, passages: Sequence[str], question: str = "") -> Support:
        """Judge one claim against the passages taken together."""
        ...

    def __hash__(self) -> int:
        """Equal for equal judges, so that what one said can be remembered."""
        ...
