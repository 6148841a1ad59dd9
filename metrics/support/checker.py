"""What a model that reads claim and premise gives.

This package runs no model itself: a caller that has one hands it in (`judged.ModelCheck`), or supplies it for all.

    checker.judge([("Relapses fell.", "Relapses were halved (p = 0.01).")])
    # [PremiseJudgement(supported=0.93, contradicted=0.02, neither=0.05)]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from signatures.values import Verdict


@dataclass(frozen=True, slots=True)
class PremiseJudgement:
    """How a premise bears on a claim: calibrated probabilities in [0, 1] that add up to 1.

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


class NoChecker(RuntimeError):
    """Claims must be judged, and no judge is configured."""


_makers: list[Callable[[], Checker]] = []


def supply(make: Callable[[], Checker]) -> None:
    """Say how the checker is made that judges where no other one is named.

    Args:
        make: Called once, when the first claim is judged.
    """
    _makers.append(make)
    supplied.cache_clear()


@cache
def supplied() -> Checker:
    """The checker that was supplied last.

    Raises:
        NoChecker: None was.
    """
    if not _makers:
        raise NoChecker(
            "no checker is there to judge claims: `import programs` supplies the one that is shipped, "
            "`metrics.support.checker.supply` another"
        )
    return _makers[-1]()
