"""Counting what models cost where it is certain that they are asked: behind the answers that a run has kept.

    dspy.cache ── answer kept? ── yes → free
                       └─ no → Meter.begin(): counted, or BudgetSpent → the model → Meter.paid(tokens, price)

The meter and what is left for it travel in DSPy's context, which every thread of DSPy and of ours carries on.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias

import dspy

from programs.budget import Spent
from programs.files import Journal

Gate: TypeAlias = Callable[[Spent], None]
"""Told what is spent before every call; raises to forbid it."""

UNWRITTEN = 10
"""Calls after which they are written down: of a run that is killed, that many are missing from what it cost."""


class Meter:
    """What a run has cost, over all its sessions; safe to share between threads.

    Args:
        sessions: ``sessions.jsonl``: what was spent is read from there, and written down there.
        counts_time: Whether a session that asks nothing is written down for the time it took.
    """

    def __init__(self, sessions: Journal, *, counts_time: bool = True) -> None:
        self._sessions = sessions
        self._counts_time = counts_time
        self._before = spent_in(sessions)
        self._now = Spent()
        self._started = time.perf_counter()
        self._counting = threading.RLock()

    @property
    def spent(self) -> Spent:
        """So far, with the sessions before this one."""
        with self._counting:
            return self._before + self._session

    @property
    def _session(self) -> Spent:
        return self._now + Spent(seconds=time.perf_counter() - self._started)

    def begin(self, calls: int, gate: Gate | None) -> None:
        """Count calls that are about to be made, all or none of them.

        Raises:
            BudgetSpent: The gate is closed; nothing was counted.
        """
        with self._counting:
            if gate is not None:
                gate(self.spent)
            self._now += Spent(calls=calls)
            if self._now.calls >= UNWRITTEN:
                self.write()

    def paid(self, tokens: int, money: float | None) -> None:
        """Count what a call took."""
        with self._counting:
            self._now += Spent(tokens=tokens, money=money)

    def write(self) -> None:
        """Write down what was spent since the last time, for the session may be killed: a session has several lines."""
        with self._counting:
            if self._now != Spent() or self._counts_time:
                self._sessions.append(self._session.as_dict())
            self._before, self._now, self._started = self.spent, Spent(), time.perf_counter()


def spent_in(sessions: Journal) -> Spent:
    """What the sessions of a run have cost together."""
    return sum((Spent.from_dict(line) for line in sessions.read()), Spent())


@contextmanager
def gated(gate: Gate) -> Iterator[None]:
    """Let a gate decide on every call that is made inside the block."""
    with dspy.context(gate=gate):
        yield


class MeteredCache:
    """DSPy's cache with a meter behind it: what is not kept has to be paid for."""

    def __init__(self, cache: Any) -> None:  # noqa: ANN401 - DSPy's cache, or what stands for it
        self._cache = cache

    def get(self, request: Mapping[str, Any], *more: Any) -> Any:  # noqa: ANN401 - as DSPy's
        """The answer that is kept, or None, whereupon DSPy asks the model."""
        found = self._cache.get(request, *more)
        meter = dspy.settings.get("meter", None)
        if found is None and meter is not None:
            meter.begin(int(request.get("n") or 1), dspy.settings.get("gate", None))
        return found

    def put(self, request: Mapping[str, Any], value: Any, *more: Any) -> None:  # noqa: ANN401 - as DSPy's
        """Keep an answer that was paid for."""
        meter = dspy.settings.get("meter", None)
        if meter is not None:
            meter.paid(*_price(value))
        self._cache.put(request, value, *more)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever DSPy's cache has
        return getattr(self._cache, name)


def _price(answer: Any) -> tuple[int, float | None]:  # noqa: ANN401 - DSPy's record, or LiteLLM's response
    """Tokens and dollars of an answer; no dollars where its provider has no known price."""
    if isinstance(answer, Mapping):
        return _tokens(answer.get("usage") or {}), answer.get("cost")
    usage = dict(getattr(answer, "usage", None) or {})
    return _tokens(usage), getattr(answer, "_hidden_params", {}).get("response_cost")


def _tokens(usage: Mapping[str, Any]) -> int:
    both = (usage.get("prompt_tokens") or 0) + (usage.get("completion_tokens") or 0)
    return int(usage.get("total_tokens") or both)
