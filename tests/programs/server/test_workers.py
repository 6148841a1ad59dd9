from __future__ import annotations

import threading
from concurrent.futures import CancelledError
from contextvars import ContextVar

import pytest

from programs.server.errors import Refusal
from programs.server.workers import Workers

WHERE = ContextVar("where", default="nowhere")


@pytest.fixture
def gate():
    gate = threading.Event()
    yield gate
    gate.set()


@pytest.fixture
def workers():
    workers = Workers(threads=1, waiting=2)
    yield workers
    workers.close()


def busy(workers, gate):
    """Keep the only thread waiting at the gate."""
    started = threading.Event()

    def work():
        started.set()
        return gate.wait(300)

    outcome = workers.submit(work)
    assert started.wait(300)
    return outcome


def test_work_is_done_in_order(workers, gate):
    busy(workers, gate)
    done = []
    outcomes = [workers.submit(lambda number=number: done.append(number)) for number in range(2)]
    gate.set()
    assert [outcome.result(300) for outcome in outcomes] == [None, None]
    assert done == [0, 1]


def test_what_goes_wrong_is_the_outcome_and_the_thread_goes_on(workers):
    with pytest.raises(ZeroDivisionError):
        workers.submit(lambda: 1 / 0).result(300)
    assert workers.submit(lambda: 1).result(300) == 1


def test_a_full_queue_refuses(workers, gate):
    busy(workers, gate)
    kept = [workers.submit(int) for _ in range(2)]
    with pytest.raises(Refusal, match="2 questions are waiting already"):
        workers.submit(int)
    gate.set()
    assert [outcome.result(300) for outcome in kept] == [0, 0]


def test_what_is_cancelled_makes_room_at_once(workers, gate):
    busy(workers, gate)
    kept = [workers.submit(int) for _ in range(2)]
    assert kept[0].cancel()
    assert workers.waiting == 1
    workers.submit(int)


def test_a_job_sees_the_context_it_was_given_in(workers):
    token = WHERE.set("here")
    try:
        outcome = workers.submit(WHERE.get)
    finally:
        WHERE.reset(token)
    assert outcome.result(300) == "here"
    assert workers.submit(WHERE.get).result(300) == "nowhere"


def test_closed_workers_drop_what_waits_and_take_no_more(workers, gate):
    first = busy(workers, gate)
    waiting = workers.submit(int)
    workers.close()
    with pytest.raises(CancelledError):
        waiting.result(300)
    with pytest.raises(Refusal):
        workers.submit(int)
    gate.set()
    assert first.result(300) is True
