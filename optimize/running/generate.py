"""First step of an evaluation: a program answers questions, and every answer is written down as it comes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import asdict, dataclass, fields
from functools import partial
from typing import Any, Literal, TypeAlias

import dspy

from optimize.running.cost import Gate, Meter
from optimize.tasks.task import Posed
from programs.budget import CircuitBreaker
from programs.files import Journal
from programs.program import Program
from programs.results.rendering import as_json


class QuestionMeter:
    """Counts what a question pays for, and hands it on to the run's meter.

    Args:
        meter: The run's.
    """

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


@contextmanager
def metered() -> Iterator[QuestionMeter | None]:
    """Meter the question that is put inside the block; None where calls do not pass the run's meter."""
    meter = dspy.settings.get("meter", None)
    if meter is None or not getattr(dspy.settings.lm, "cache", False):
        yield None
        return
    own = QuestionMeter(meter)
    with dspy.context(meter=own):
        yield own


Key: TypeAlias = tuple[str, str, str]
"""Candidate, split, id of the example."""


@dataclass(frozen=True, slots=True)
class Record:
    """What a program made of one question; a line of ``predictions.jsonl``.

    Attributes:
        candidate: Name of the program's version.
        split: Of the example.
        id: The example's.
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
        self._by_key = {record.key: record for record in map(_record, journal.read())}

    def add(self, record: Record) -> None:
        """Write a record down."""
        self._journal.append(asdict(record))
        self._by_key[record.key] = record

    def of(self, candidate: str, split: str, ids: Iterable[str]) -> list[Record]:
        """The records of a candidate's questions, in the order of the ids."""
        return [self._by_key[candidate, split, each] for each in ids]

    def is_answered(self, key: Key) -> bool:
        """Whether there is an answer; what failed is asked again."""
        return key in self._by_key and self._by_key[key].status == "answered"

    def __iter__(self) -> Iterator[Record]:
        return iter(self._by_key.values())


def generate(
    program: Program[Any],
    candidate: str,
    split: str,
    questions: Sequence[Posed],
    records: Records,
    *,
    threads: int = 1,
    on_done: Callable[[int], None] = lambda _: None,
) -> list[Record]:
    """Have a program answer questions; those that have an answer already are not asked again.

    Args:
        program: To be asked.
        candidate: Its name in the records.
        split: The questions' split.
        questions: To be put to it.
        records: Where answers are and go.
        threads: How many questions at a time.
        on_done: Told how many of the questions have their answers.

    Returns:
        One record a question, in their order.

    Raises:
        UsageError, LMUnavailable …: The next question would meet it too, see ``programs.budget``; what
            was answered is kept.
    """
    waiting = [each for each in questions if not records.is_answered((candidate, split, each.example.id))]
    done, breaker = len(questions) - len(waiting), CircuitBreaker()
    with ThreadPoolExecutor(threads) as pool:
        # A plain pool does not hand on dspy.context, which holds the language model.
        answer = partial(_answer, program, candidate, split, breaker)
        running = [pool.submit(copy_context().run, answer, each) for each in waiting]
        try:
            for finished in as_completed(running):
                records.add(finished.result())
                done += 1
                on_done(done)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return records.of(candidate, split, [each.example.id for each in questions])


def _record(line: Mapping[str, Any]) -> Record:
    return Record(**{each.name: line[each.name] for each in fields(Record)})


def _answer(program: Program[Any], candidate: str, split: str, breaker: CircuitBreaker, posed: Posed) -> Record:
    breaker.check()
    try:
        program.prepare(**posed.inputs)
        with metered() as meter:
            prediction = as_json(program(**posed.inputs))
    except Exception as error:  # noqa: BLE001 - whatever a model or its server does, the other questions go on
        breaker.bear(error)
        return Record(candidate, split, posed.example.id, "failed", f"{type(error).__name__}: {error}", {})
    breaker.answered()
    more = meter.of(prediction) if meter else {}
    measured = {**prediction, "metrics": {**prediction.get("metrics", {}), **more}}
    return Record(candidate, split, posed.example.id, "answered", "", measured)
