"""What a model that reads claim and premise gives, and which one is used.

    with use(checker):                            # or once, at start-up: use(lambda: SmallChecker())
        current().judge([("Relapses fell.", "Relapses halved (p = 0.01).")])
        # [Judgement(supported=0.93, contradicted=0.02, neither=0.05)]

This package runs no model itself: whoever has one hands it in. Without one there is none, and nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol

from signatures.values import Verdict


@dataclass(frozen=True, slots=True)
class Judgement:
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

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Judgement]:
        """Judge (claim, premise) pairs, any number of any length, in order; what does not fit is cut at the end."""

    def verdict(self, judgement: Judgement) -> Verdict:
        """The verdict that a judgement is sure enough of; "unverifiable" below the thresholds."""


Provider = Callable[[], "Checker | None"]
_provider: ContextVar[Provider | None] = ContextVar("checker", default=None)
_installed: list[Provider] = []


def install(provider: Provider) -> None:
    """Choose the checker of this process; the provider is called at the first judgement.

    Args:
        provider: Gives the checker, the same one each time, or None where there is none.
    """
    _installed[:] = [provider]


@contextmanager
def use(checker: Checker | None) -> Iterator[None]:
    """Use another checker, or none, within a block and what it calls in the same thread or task."""
    token = _provider.set(lambda: checker)
    try:
        yield
    finally:
        _provider.reset(token)


def current() -> Checker | None:
    """The checker in use: the block's, else the process's, else None."""
    provider = _provider.get() or (_installed[-1] if _installed else None)
    return provider() if provider else None
