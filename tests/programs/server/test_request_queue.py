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


def test_several_threads_work_at_once():
    async def scenario():
        workers, met = Workers(threads=2, waiting=1), threading.Barrier(2)
        outcomes = [workers.submit(lambda: met.wait(300)) for _ in range(2)]
        assert sorted(await asyncio.gather(*outcomes)) == [0, 1]

    asyncio.run(scenario())


def test_an_error_is_the_outcome_and_others_are_answered():
    async def scenario():
        workers = Workers(threads=1, waiting=2)
        with pytest.raises(ZeroDivisionError):
            await workers.submit(lambda: 1 / 0)
        assert await workers.submit(lambda: 1) == 1

    asyncio.run(scenario())


def test_a_full_queue_refuses(gate):
    async def scenario():
        workers = Workers(threads=1, waiting=2)
        await busy(workers, gate)
        kept = [workers.submit(int) for _ in range(2)]
        with pytest.raises(Refusal, match="2 questions are waiting already"):
            workers.submit(int)
        gate.set()
        assert await asyncio.gather(*kept) == [0, 0]
        assert workers.waiting == 0

    asyncio.run(scenario())


def test_what_comes_at_once_is_counted_before_it_begins():
    async def scenario():
        workers = Workers(threads=1, waiting=2)
        outcomes = [workers.submit(int) for _ in range(3)]
        with pytest.raises(Refusal):
            workers.submit(int)
        assert await asyncio.gather(*outcomes) == [0, 0, 0]

    asyncio.run(scenario())


def test_what_is_cancelled_makes_room_at_once(gate):
    async def scenario():
        workers = Workers(threads=1, waiting=2)
        await busy(workers, gate)
        kept = [workers.submit(int) for _ in range(2)]
        assert kept[0].cancel()
        await asyncio.wait([kept[0]])
        assert workers.waiting == 1
        workers.submit(int)

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


def test_a_loop_that_ends_waits_for_no_thread(gate):
    """What waits is dropped, and the thread that is at work ends by itself."""
    done = []

    async def scenario():
        workers = Workers(threads=1, waiting=2)
        await busy(workers, gate)
        workers.submit(lambda: done.append(1))
        await asyncio.sleep(0)

    asyncio.run(scenario())
    assert not gate.is_set()
    gate.set()
    assert done == []
