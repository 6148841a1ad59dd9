"""What a run may cost and has cost, and which errors of a language model end it.

    Budget(calls=2_000, minutes=30)      calls, tokens, minutes and money; the first limit that is reached counts
    Spent(calls, tokens, seconds, money) of a run, all its sessions together

A call counts when it is made: an answer that the run has stored costs nothing.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from dspy.utils.exceptions import (
    LMAuthError,
    LMBillingError,
    LMConfigurationError,
    LMRateLimitError,
    LMServerError,
    LMTransportError,
    LMUnsupportedModelError,
)

from programs.errors import EmbedderUnavailable, LMUnavailable, ModelNotFound, UsageError

STOPPED = "Stopped by its budget"
"""Start of the warning that a search could have continued."""


class BudgetSpent(BaseException):
    """The next call of a model would go beyond the budget.

    Not an ``Exception``, so that nothing treats it as a failed question and continues with the next.
    """


@dataclass(frozen=True, slots=True)
class Spent:
    """What models have cost, failed calls included: tokens as far as they report them, seconds of work, US dollars.

    The money is None where a model reports no price.
    """

    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    money: float | None = 0.0

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Spent:
        """Read a line of ``sessions.jsonl``."""
        return cls(values["lm_calls"], values.get("tokens", 0), values["seconds"], values.get("money", 0.0))

    def as_dict(self) -> dict[str, Any]:
        """A line of ``sessions.jsonl``."""
        return {"seconds": round(self.seconds, 2), "lm_calls": self.calls, "tokens": self.tokens, "money": self.money}

    def __add__(self, other: Spent) -> Spent:
        money = None if self.money is None or other.money is None else self.money + other.money
        return Spent(self.calls + other.calls, self.tokens + other.tokens, self.seconds + other.seconds, money)

    def for_calls(self, calls: int) -> Spent:
        """What so many calls will cost, at the mean of those so far."""
        share = calls / self.calls if self.calls else 0.0
        money = None if self.money is None else self.money * share
        return Spent(calls, math.ceil(self.tokens * share), self.seconds * share, money)

    def __str__(self) -> str:
        paid = f", ${self.money:,.4f}" if self.money else ""
        return f"{self.calls:,} calls, {self.tokens:,} tokens, {self.seconds / 60:.1f} minutes{paid}"


@dataclass(frozen=True, slots=True)
class Budget:
    """What may be spent; None for no limit. Minutes are of work, money is by the prices that DSPy knows, in US dollars.

    Raises:
        UsageError: A limit is 0, negative or not a number.
    """

    calls: int | None = None
    tokens: int | None = None
    minutes: float | None = None
    money: float | None = None

    def __post_init__(self) -> None:
        for name, limit in self.limits():
            if not (math.isfinite(limit) and limit > 0):
                raise UsageError(f"--budget-{name}={limit} leaves nothing to spend; give more than 0, or leave it out")

    def limits(self) -> Iterator[tuple[str, float]]:
        """The limits that are set, by name."""
        for each in fields(self):
            limit = getattr(self, each.name)
            if limit is not None:
                yield each.name, limit

    def exceeded(self, spent: Spent) -> str:
        """The first limit that is reached, in words; empty while none is."""
        for name, limit in self.limits():
            used = spent.seconds / 60 if name == "minutes" else getattr(spent, name)
            if used is not None and used >= limit:
                return _shown(name, limit)
        return ""

    def as_dict(self) -> dict[str, float]:
        """The limits that are set."""
        return {name: limit for name, limit in asdict(self).items() if limit is not None}

    def __bool__(self) -> bool:
        return bool(self.as_dict())

    def __str__(self) -> str:
        return " and ".join(_shown(name, limit) for name, limit in self.limits()) or "no limit"


@dataclass(frozen=True, slots=True)
class Allowance:
    """What may be spent before something else, for which some calls are kept back; a gate for ``metering.gated``."""

    budget: Budget
    reserved: int = 0

    def __call__(self, spent: Spent) -> None:
        """Let the next call pass or not.

        Raises:
            BudgetSpent: It would take what is kept back; the message is the limit.
            UsageError: The budget is in money, and a call had no known price.
        """
        if self.budget.money is not None and spent.money is None:
            raise UsageError(
                "--budget-money cannot be kept: the model reports no price; use --budget-calls, --budget-tokens or "
                "--budget-minutes"
            )
        limit = self.budget.exceeded(spent + spent.for_calls(self.reserved))
        if limit:
            raise BudgetSpent(limit)


def _shown(name: str, limit: float) -> str:
    return f"${limit:,.4g}" if name == "money" else f"{limit:,} {name}"


FATAL = (
    UsageError,
    ModelNotFound,
    EmbedderUnavailable,
    LMConfigurationError,
    LMAuthError,
    LMBillingError,
    LMUnsupportedModelError,
)
"""Errors, ours and DSPy's, that the next question would meet too: the run stops, and can be resumed later."""

UNAVAILABLE = (LMUnavailable, LMTransportError, LMServerError, LMRateLimitError)
"""Errors that the next question may meet too, after DSPy's retries."""

MOST_IN_A_ROW = 3


class CircuitBreaker:
    """Tells an error of one question from one that ends the run; safe to share between threads.

    A wrong model name or a missing server would fail every question: FATAL. A server that could not run the model, or
    was interrupted, may have failed on this question alone, and one question of 1,000 must not keep the others from
    being answered. When several questions in a row fail like that, the model is gone, and the run ends.
    """

    def __init__(self) -> None:
        self._in_a_row = 0
        self._counting = threading.Lock()
        self._end: Exception | None = None

    def check(self) -> None:
        """Raise the error that ended the run: start nothing more, also in threads that have not noticed yet."""
        if self._end is not None:
            raise self._end

    def record(self, error: Exception) -> None:
        """Treat an error as that of one question, or raise it: one of FATAL, or several of UNAVAILABLE in a row."""
        if isinstance(error, FATAL):
            self._end = error
            raise error
        if isinstance(error, UNAVAILABLE):
            with self._counting:
                self._in_a_row += 1
                if self._in_a_row >= MOST_IN_A_ROW:
                    self._end = error
                    raise error

    def answered(self) -> None:
        """Record that the model answers: earlier failures were those of single questions."""
        self._in_a_row = 0
