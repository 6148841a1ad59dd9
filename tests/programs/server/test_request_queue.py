from __future__ import annotations

import asyncio
import threading
from contextvars import ContextVar

import pytest

from programs.server.error_responses import Refusal
from programs.server.request_queue import Workers

WHERE = ContextVar("where", default="nowhere")


@pytest.fixture
def gate():
    gate = threading.Event()
    yield gate
    gate.set()


async def busy(workers, gate):
    """Keep the only thread waiting at the gate."""
    started = threading.Event()

    def work():
        started.set()
        return gate.wait(300)

    outcome = workers.submit(work)
    assert await asyncio.to_thread(started.wait, 300)
    return outcome


def test_work_is_done_in_order(gate):
    async def scenario():
        workers, done = Workers(threads=1, waiting=2), []
        await busy(workers, gate)
        outcomes = [workers.submit(lambda number=number: done.append(number)) for number in range(2)]
        gate.set()
        assert await asyncio.gather(*outcomes) == [None, None]
        assert done == [0, 1]

    asyncio.run(scenario())


def test_what_comes_at_once_is_counted_before_it_begins():
    async def scenario():
        workers = Workers(threads=1, waiting=2)
        outcomes = [workers.submit(int) for _ in range(3)]
        with pytest.raises(Refusal):
            workers.submit(int)
        assert await asyncio.gather(*outcomes) == [0, 0, 0]

    asyncio.run(scenario())


def test_a_cancelled_thread_keeps_its_place_until_it_ends(gate):
    async def scenario():
        workers = Workers(threads=1, waiting=2)
        first = await busy(workers, gate)
        assert first.cancel()
        second = workers.submit(int)
        assert not (await asyncio.wait([second], timeout=0.1))[0]
        assert workers.waiting == 1
        gate.set()
        assert await second == 0

    asyncio.run(scenario())


def test_a_job_sees_the_context_it_was_given_in():
    async def scenario():
        workers = Workers(threads=1, waiting=2)
        token = WHERE.set("here")
        outcome = workers.submit(WHERE.get)
        WHERE.reset(token)
        assert await outcome == "here"
        assert await workers.submit(WHERE.get) == "nowhere"

    asyncio.run(scenario())
