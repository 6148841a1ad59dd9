"""When the next request may go: politely spaced, and later after a failure."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass

DELAY = 0.34
"""Seconds from one request to the next. Three a second is what NCBI allows without a key
(https://www.ncbi.nlm.nih.gov/books/NBK25497/); Europe PMC names no number."""

_FIRST_WAIT = 1.0
_LONGEST_WAIT = 60.0


@dataclass(frozen=True, slots=True)
class Time:
    """Where time comes from; tests bring their own, which does not pass.

    Attributes:
        now: Seconds that only grow.
        sleep: Waits that many seconds.
        jitter: A number from 0 to 1 by chance, so that clients that failed together do not come back together.
    """

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    jitter: Callable[[], float] = random.random


class Pace:
    """Spaces the requests to one server.

    Args:
        delay: Seconds from one request to the next.
        time: Where time comes from.
    """

    def __init__(self, delay: float = DELAY, time: Time | None = None) -> None:
        self._delay = delay
        self._time = time or Time()
        self._next = self._time.now()

    @property
    def remaining(self) -> float:
        """Seconds until the next request may go; at most 0 when it may."""
        return self._next - self._time.now()

    def wait(self) -> None:
        """Wait until a request may go; the next one may go ``delay`` later."""
        if (remaining := self.remaining) > 0:
            self._time.sleep(remaining)
        self._next = self._time.now() + self._delay

    def hold(self, seconds: float) -> None:
        """Let no request go for so long, because the server asked for it."""
        self._next = max(self._next, self._time.now() + seconds)

    def back_off(self, failures: int) -> None:
        """Let no request go for a while after failures in a row: 1 s, 2 s, 4 s … and up to half as long again."""
        wait = min(_FIRST_WAIT * 2 ** (failures - 1), _LONGEST_WAIT)
        self.hold(wait * (1 + self._time.jitter() / 2))

    def deadline(self, seconds: float) -> Callable[[], bool]:
        """Whether so many seconds have gone by since now."""
        end = self._time.now() + seconds
        return lambda: self._time.now() > end
