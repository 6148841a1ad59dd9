"""Calls side by side: bounded, in order, and stopped together."""

import contextvars
import threading

import pytest

from programs.paper_writer.resources import Calls

WHERE = contextvars.ContextVar("where", default="nowhere")


@pytest.mark.parametrize("threads", [1, 3])
def test_results_are_in_the_order_of_the_items(threads):
    with Calls(threads) as calls:
        assert calls.map(lambda number: number * number, range(20)) == [number * number for number in range(20)]


def test_never_more_at_a_time_than_allowed_also_from_several_tasks():
    most, running, lock, met = 0, 0, threading.Lock(), threading.Barrier(3, timeout=300)

    def call(_):
        nonlocal most, running
        with lock:
            running += 1
            most = max(most, running)
        met.wait()  # passes only when three calls run at the same time
        with lock:
            running -= 1

    with Calls(3) as calls:
        calls.side_by_side({name: lambda: calls.map(call, range(6)) for name in "abcd"})
    assert most == 3


def test_calls_carry_the_context_of_their_caller():
    with Calls(2) as calls:
        WHERE.set("here")
        assert calls.side_by_side({"task": lambda: calls.one(WHERE.get)}) == {"task": "here"}


@pytest.mark.parametrize("threads", [1, 4])
def test_a_task_waits_for_those_it_needs(threads):
    done = []
    with Calls(threads) as calls:
        tasks = {name: lambda name=name: calls.one(lambda: done.append(name)) for name in "abcd"}
        calls.side_by_side(tasks, after={"c": "ab", "d": "c"})
    assert set(done[:2]) == {"a", "b"}
    assert done[2:] == ["c", "d"]


def test_a_failure_stops_what_waits_for_it_and_nothing_else():
    done = []

    def fail():
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"), Calls(2) as calls:
        calls.side_by_side({"a": fail, "b": lambda: done.append("b"), "c": lambda: done.append("c")}, after={"c": "a"})
    assert done == ["b"]
