"""First step of an evaluation: a program answers questions; with what that will cost, and has cost.

    dspy.cache ── answer kept? ── yes → free
                       └─ no → Meter.begin(): counted, or BudgetSpent → the model → Meter.paid(tokens, price)

Every answer is written down as it comes. The meter and what is left for it travel in DSPy's context, which is passed on
to every thread.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import asdict, dataclass, fields
from functools import partial
from typing import Any, Literal, TypeAlias

import dspy

from optimize.tasks import CallCount, TaskInput
from programs.atomic_files import Journal
from programs.budget import CircuitBreaker, Spent
from programs.lm.adapters import is_without_model
from programs.program import Program, in_threads
from programs.results.rendering import as_json


class QuestionMeter:
    """Counts what a question pays for, and hands it on to the run's meter."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._calls = 0
        self._money: float | None = 0.0
        self._counting = threading.Lock()

    def begin(self, calls: int, gate: Gate | None) -> None:
        """Count calls that are about to be made, if the run's meter lets them pass."""
        self._meter.begin(calls, gate)
        with self._counting:
            self._calls += calls

    def paid(self, tokens: int, money: float | None) -> None:
        """Count what a call took; one call without a price leaves the question without one."""
        self._meter.paid(tokens, money)
        with self._counting:
            self._money = None if self._money is None or money is None else self._money + money

    def of(self, prediction: Mapping[str, Any]) -> dict[str, Any]:
        """What to add to the ``metrics`` of the question's prediction, JSON-ready."""
        calls = int(prediction.get("metrics", {}).get("lm_calls", 0))
        return {"cached_calls": max(0, calls - self._calls), "money": self._money}

    @classmethod
    def of_question(cls) -> QuestionMeter | None:
        """A meter of one question; None where calls do not pass the run's meter."""
        meter = dspy.settings.get("meter", None)
        return cls(meter) if meter is not None and getattr(dspy.settings.lm, "cache", False) else None


Key: TypeAlias = tuple[str, str, str]
"""Candidate, split, id of the example."""


@dataclass(frozen=True, slots=True)
class Record:
    """What a program made of one question; a line of ``predictions.jsonl``.

    Attributes:
        candidate: Name of the program's version.
        status: Whether there is a prediction. A failure is never a wrong answer: it is counted as a failure.
        error: Class and message, empty unless it failed.
        prediction: The result, JSON-ready; empty if it failed.
    """

    candidate: str
    split: str
    id: str
    status: Literal["answered", "failed"]
    error: str
    prediction: Mapping[str, Any]

    @property
    def key(self) -> Key:
        """What the record answers."""
        return self.candidate, self.split, self.id

    @property
    def as_scored(self) -> Mapping[str, Any]:
        """The prediction as metrics read it: a failure has an ``error``."""
        return {"error": self.error} if self.status == "failed" else self.prediction


class Records:
    """The records of a run; of a question that was asked again after a failure, the last one counts."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        names = [each.name for each in fields(Record)]
        records = (Record(**{name: line[name] for name in names}) for line in journal.read())
        self._by_key = {record.key: record for record in records}

    def add(self, record: Record) -> None:
        """Write a record down."""
        self._journal.append(asdict(record))
        self._by_key[record.key] = record

    def of(self, candidate: str, split: str, ids: Iterable[str]) -> list[Record]:
        """The records of a candidate's questions, in the order of the ids."""
        return [self._by_key[candidate, split, each] for each in ids]

    def __iter__(self) -> Iterator[Record]:
        return iter(self._by_key.values())


def generate(
    program: Program[Any],
    candidate: str,
    split: str,
    questions: Sequence[TaskInput],
    records: Records,
    *,
    threads: int = 1,
    on_done: Callable[[int], None] = lambda _: None,
) -> list[Record]:
    """Have a program answer questions, one record each; those that have an answer already are not asked again.

    Raises:
        UsageError, LMUnavailable …: The next question would meet it too, see ``programs.budget``; what
            was answered is kept.
    """
    answered = {each.key for each in records if each.status == "answered"}
    waiting = [each for each in questions if (candidate, split, each.example.id) not in answered]
    done, breaker = len(questions) - len(waiting), CircuitBreaker()
    answer = partial(_answer, program, candidate, split, breaker)
    with closing(in_threads(answer, waiting, threads, as_they_come=True)) as found:
        for record in found:
            records.add(record)
            done += 1
            on_done(done)
    return records.of(candidate, split, [each.example.id for each in questions])


def _answer(program: Program[Any], candidate: str, split: str, breaker: CircuitBreaker, posed: TaskInput) -> Record:
    breaker.check()
    try:
        program.prepare(**posed.inputs)
        meter = QuestionMeter.of_question()
        with dspy.context(meter=meter) if meter else nullcontext():
            prediction = as_json(program(**posed.inputs))
    except Exception as error:  # noqa: BLE001 - whatever a model or its server does, the other questions continue
        breaker.record(error)
        return Record(candidate, split, posed.example.id, "failed", f"{type(error).__name__}: {error}", {})
    if is_without_model(dspy.settings.lm) or prediction["metrics"].get("lm_calls"):
        breaker.answered()  # a question that asked no model says nothing of its server
    more = meter.of(prediction) if meter else {}
    measured = {**prediction, "metrics": {**prediction.get("metrics", {}), **more}}
    return Record(candidate, split, posed.example.id, "answered", "", measured)


@dataclass(frozen=True, slots=True)
class WorkPlan:
    """What a compilation or an evaluation will cost, before it starts.

    runs of the program = building candidates + candidates × val + 2 × test
    calls of the model  = runs × calls of one run, between the fewest and the most that one can take, + instructions
                          + what is done once before the first run

    The most is a bound that only papers longer than the model's context exceed, which are read in parts. How often a
    model that judges is asked depends on the answers, so only the answers are counted here.

    Attributes:
        candidates: Programs to choose from, the uncompiled one among them.
        building, choosing, reporting: Runs to build them, at most; on val; on the split of the report.
        writing: Calls of the model that writes instructions, at most.
        judged: Answers whose claims another model judges, at most.
        seconds: Of one usual run, at the pace that the model was timed at; None where that is not known.
    """

    candidates: int
    building: int
    choosing: int
    reporting: int
    calls: CallCount
    writing: int = 0
    judged: int = 0
    seconds: float | None = None

    @property
    def runs(self) -> int:
        """Runs of the program, at most."""
        return self.building + self.choosing + self.reporting

    @property
    def least_calls(self) -> int:
        """Calls of the model, at least: candidates may be built without a run."""
        return (self.choosing + self.reporting) * self.calls.least

    @property
    def most_calls(self) -> int:
        """Calls of models, at most."""
        return self.runs * self.calls.most + self.writing + self.calls.before

    @property
    def uncompiled_calls(self) -> int:
        """Calls that the uncompiled program takes on val and test, at most: the least that a budget must allow."""
        return (self.choosing // self.candidates + self.reporting // 2) * self.calls.most + self.calls.before

    @property
    def reserved_calls(self) -> int:
        """Calls that a budget keeps back for the report, at most; less once questions of val have shown their cost."""
        return self.reporting * self.calls.most

    @property
    def minutes(self) -> int | None:
        """About how long its runs take, one after another; None where the pace is not known."""
        return None if self.seconds is None else math.ceil(self.runs * self.seconds / 60)

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values, the sums included."""
        sums = {name: getattr(self, name) for name in ("runs", "least_calls", "most_calls", "minutes")}
        return {**asdict(self), **sums}

    def __str__(self) -> str:
        written = f", and at most {self.writing:,} calls to write instructions" if self.writing else ""
        before = f", and at most {self.calls.before:,} before the first" if self.calls.before else ""
        judged = f"; the judge is asked besides, about up to {self.judged:,} answers" if self.judged else ""
        work = f"{self.reporting:,} questions"
        if self.choosing:
            work = (
                f"{self.candidates} candidates: at most {self.building:,} runs to build them, {self.choosing:,} to "
                f"choose, {self.reporting:,} for the report"
            )
        if not self.calls.most:
            return f"{work}; no calls of the language model{written}{judged}"
        time = "how long that takes is not known yet: `python -m programs check --lm MODEL` times a model of your own"
        if self.minutes is not None:
            time = f"about {self.minutes:,} min at the pace that was measured, one question at a time"
        return (
            f"{work}; {self.calls.least} to {self.calls.most} calls each{before}{written}, so between "
            f"{self.least_calls:,} and {self.most_calls:,} calls of the language model{judged}; {time}"
        )


Gate: TypeAlias = Callable[[Spent], None]
"""Called with what is spent before every call; raises to forbid it."""

UNWRITTEN = 10
"""Calls after which they are written down: of a run that is killed, that many are missing from what it cost."""


class Meter:
    """What a run has cost, over all its sessions; with ``counts_time`` also one that asks nothing is counted."""

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
        """Count calls that are about to be made, all or none of them: none where the gate raises BudgetSpent."""
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


class MeteredCache:
    """DSPy's cache with a meter behind it: what is not kept has to be paid for."""

    def __init__(self, cache: Any) -> None:  # noqa: ANN401 - DSPy's cache, or its substitute
        self._cache = cache

    def get(self, request: Mapping[str, Any], *more: Any) -> Any:  # noqa: ANN401 - as DSPy's
        """The answer that is kept, or None, in which case DSPy asks the model."""
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
