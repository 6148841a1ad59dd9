"""A run's judgements: every new one is written down, a claim that a judge has no verdict on is not put to it again."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict

from metrics.judgements import GuardedFactCheck, Judge, Judgement, Ledger
from metrics.passages import Passage
from metrics.support.judged import GuardedCheck
from programs.budget import CircuitBreaker
from programs.errors import CorroborateError
from programs.files import Journal

FIRST = 10
"""So many claims without a verdict are put up with before the judge's share of them counts."""

MOST_FAILED = 0.5
"""A judge that has no verdict on more of its claims than this is none."""


class Unjudged(Exception):
    """The judge has no verdict on a claim: what rests on it fails. It goes no further than ``measuring.scoring``."""


class KeptLedger(Ledger):
    """A ledger that writes every new judgement to the run's file, so that nothing is judged twice.

    Judgements of the checker are written together by ``write``; those that had to be paid for, each at
    once. Safe to share between threads.

    Args:
        journal: ``judgements.jsonl``.
        judge: By default the checker under guards.
    """

    def __init__(self, journal: Journal, judge: Judge | None = None) -> None:
        super().__init__(judge, (Judgement.from_dict(line) for line in journal.read()))
        self._journal = journal
        self._unwritten: list[Judgement] = []
        # Those that are kept count too: a judge that is asked again about the few that it failed on is still a judge.
        self._asked = sum(each.judge == self.judge.name for each in self.judgements)
        self._failed: dict[str, str] = {}
        self._breaker = CircuitBreaker()
        self._turns: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._lock = threading.Lock()

    @property
    def failures(self) -> int:
        """Claims that the judge had no verdict on."""
        return len(self._failed)

    def write(self) -> None:
        """Append what was judged since the last time."""
        with self._lock:
            unwritten, self._unwritten = self._unwritten, []
            self._journal.extend(asdict(each) for each in unwritten)

    def check_judge(self) -> None:
        """See whether the judge is one.

        Raises:
            CorroborateError: It had no verdict on most of what it was asked.
        """
        self._check(at_least=1)

    def _ask(self, judge: Judge, claim: str, passages: Sequence[Passage], question: str, key: str) -> Judgement:
        if isinstance(judge, GuardedCheck | GuardedFactCheck):
            return self._noted(super()._ask(judge, claim, passages, question, key))
        with self._turn(key):  # of two threads with the same claim the second takes what the first was told
            if key in self._by_key:
                return self._by_key[key]
            if key in self._failed:
                raise Unjudged(self._failed[key])
            try:
                found = super()._ask(judge, claim, passages, question, key)
            except Exception as error:  # whatever a model or its server does, the other claims go on
                self._breaker.bear(error)
                raise self._gave_up(key, error) from error
            self._breaker.answered()
            self._noted(found)
            self.write()
            return found

    def _turn(self, key: str) -> threading.Lock:
        with self._lock:
            return self._turns[key]

    def _noted(self, judgement: Judgement) -> Judgement:
        with self._lock:
            self._asked += 1
            self._unwritten.append(judgement)
        return judgement

    def _gave_up(self, key: str, error: Exception) -> Unjudged:
        with self._lock:
            self._asked += 1
            self._failed[key] = f"the judge gave no verdict ({type(error).__name__}: {error})"
        self._check(at_least=FIRST)
        return Unjudged(self._failed[key])

    def _check(self, at_least: int) -> None:
        failed = len(self._failed)
        if failed >= at_least and failed > MOST_FAILED * self._asked:
            raise CorroborateError(
                f"{self.judge.name} is not a judge: it gave no verdict on {failed} of {self._asked} claims, the last "
                f"time because {next(reversed(self._failed.values()))}. The answers are kept: fix the judge or name "
                "another, then go on with --resume, or with `python -m optimize score RUN` if the run is finished"
            )
