"""Many clients at once, clients that hang up, and answers that do not come."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial

import httpx
import pytest

from programs.server.app import create_app
from programs.server.request_queue import ServerOptions
from tests.running_server import error_of, events, running
from tests.scripted_lm import Script, saying

QUESTIONS = (
    "By how much did femur density fall in flight mice?",
    "How did roots of thale cress grow in orbit?",
    "What shortened the chronological life span of yeast?",
    "By how much did muscle mass of flight rats fall?",
)
STREAM = {"Accept": "text/event-stream"}
ABSTAINS = {"answerable": False, "answer": []}


class Gate:
    """Holds a model at every answer until it is opened."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.reached = threading.Semaphore(0)

    def __call__(self, _: object) -> dict[str, object]:
        self.reached.release()
        assert self.open.wait(300), "nobody opened the gate"
        return ABSTAINS


@contextmanager
def held(index, **options) -> Iterator[tuple[httpx.Client, Gate, Script]]:
    """A server whose model waits at a gate, which is opened at the end."""
    gate = Gate()
    script = Script(answer=gate)
    with running(create_app(index, script.lm(), ServerOptions(**options))) as client:
        try:
            yield client, gate, script
        finally:
            gate.open.set()


def ask(client: httpx.Client, question: str, **headers: str) -> httpx.Response:
    return client.post("/api/ask", json={"question": question}, headers=headers)


def in_thread(work: Callable[[], httpx.Response], outcomes: list[httpx.Response]) -> threading.Thread:
    thread = threading.Thread(target=lambda: outcomes.append(work()), daemon=True)
    thread.start()
    return thread


@pytest.mark.parametrize("program", ["multi_signal", "rag_fusion", "main_points"])
def test_no_client_gets_anothers_answer_or_steps(client, program):
    def asked(question: str) -> dict:
        body = {"question": question, "program": program}
        with httpx.Client(base_url=client.base_url, timeout=300, trust_env=False) as own:
            told = events(own.post("/api/ask", json=body, headers=STREAM))
        assert {data["facts"]["question"] for _, data in told if data.get("name") == "question"} <= {question}
        return {**told[-1][1], "metrics": 0}

    alone = {question: asked(question) for question in QUESTIONS}
    assert len({result["answer"] for result in alone.values()}) == len(QUESTIONS)
    work = QUESTIONS * 3
    with ThreadPoolExecutor(6) as clients:
        for question, result in zip(work, clients.map(asked, work), strict=True):
            assert result == alone[question]


def test_health_and_the_catalogue_answer_while_every_worker_is_busy(small_index):
    with held(small_index, workers=1) as (client, gate, _):
        outcomes: list[httpx.Response] = []
        thread = in_thread(partial(ask, client, QUESTIONS[0]), outcomes)
        assert gate.reached.acquire(timeout=300)
        for address in ("/health", "/", "/api/documents", "/api/fields"):
            assert client.get(address).status_code == 200
        gate.open.set()
        thread.join()
    assert outcomes[0].status_code == 200


def test_beyond_the_queue_callers_are_told_to_come_back(small_index):
    with held(small_index, workers=1, waiting=1) as (client, gate, _):
        outcomes: list[httpx.Response] = []
        working = in_thread(partial(ask, client, QUESTIONS[0]), outcomes)
        assert gate.reached.acquire(timeout=300)
        waiting = in_thread(partial(ask, client, QUESTIONS[1]), outcomes)
        wait_for(client, waiting=1)
        for headers in ({}, STREAM):
            busy = ask(client, QUESTIONS[2], **headers)
            assert error_of(busy) == (503, "busy")
            assert int(busy.headers["retry-after"]) > 0
        gate.open.set()
        working.join()
        waiting.join()
        assert [response.status_code for response in outcomes] == [200, 200]
        assert ask(client, QUESTIONS[2]).status_code == 200


def wait_for(client: httpx.Client, *, waiting: int) -> None:
    """Until so many questions wait for a worker."""
    for _ in range(600):
        if client.get("/health").json()["waiting"] == waiting:
            return
        time.sleep(0.05)
    raise AssertionError(f"there were never {waiting} questions waiting")


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
def test_a_client_that_hangs_up_stops_its_work_and_what_waits_is_dropped(small_index, accept):
    with held(small_index, workers=1) as (client, gate, script):
        with sent(client, QUESTIONS[0], accept):
            assert gate.reached.acquire(timeout=300)
        with sent(client, QUESTIONS[1], accept), sent(client, QUESTIONS[2], accept):
            wait_for(client, waiting=2)
        wait_for(client, waiting=0)
        gate.open.set()
        assert ask(client, QUESTIONS[3]).status_code == 200
        questions = [call.values["question"] for call in script.asked("answer")]
    assert questions == [QUESTIONS[0], QUESTIONS[3]]


def sent(client: httpx.Client, question: str, accept: str = "application/json") -> socket.socket:
    """A connection on which a question was sent; leaving its block hangs up."""
    body = json.dumps({"question": question})
    head = f"POST /api/ask HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\nContent-Type: application/json\r\n"
    connection = socket.create_connection((client.base_url.host, client.base_url.port))
    connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
    return connection


def test_work_that_nobody_waits_for_ends_at_its_next_step(small_index):
    """The model is at the first call when the client goes; what translates its answer is never asked."""
    gate, asked_after = Gate(), []

    def answer(call):
        gate(call)
        return saying("Femur density fell by 12 percent in flight mice.")(call)

    def translate(call):
        asked_after.append(call)
        return {"translations": ["La densidad del fémur bajó un 12 por ciento en ratones en vuelo."]}

    spanish = "¿Qué le pasó a la densidad del fémur de los ratones?"
    script = Script(answer=answer, translations=translate, english={"english": QUESTIONS[0]})
    with running(create_app(small_index, script.lm(), ServerOptions(workers=1))) as client:
        with sent(client, spanish) as first:
            assert gate.reached.acquire(timeout=300)
            with sent(client, QUESTIONS[1]):
                wait_for(client, waiting=1)
                first.close()
        wait_for(client, waiting=0)  # the server has noticed that both have gone
        gate.open.set()
        result = ask(client, spanish).json()
    assert result["question"] == spanish
    assert len(asked_after) == 1


@pytest.mark.parametrize("headers", [{}, STREAM], ids=["json", "stream"])
def test_an_answer_that_takes_too_long_is_given_up(small_index, headers):
    with held(small_index, workers=1, timeout=0.3) as (client, _, _script):
        response = ask(client, QUESTIONS[0], **headers)
        if headers:
            name, data = events(response)[-1]
            assert (name, data["status"], data["error"]["code"]) == ("error", 504, "timeout")
        else:
            assert error_of(response) == (504, "timeout")


def test_a_server_that_stops_does_not_wait_for_a_model(small_index):
    gate = Gate()
    script = Script(answer=gate)
    try:
        with running(create_app(small_index, script.lm(), ServerOptions(workers=1))) as client:
            connection = sent(client, QUESTIONS[0])
            assert gate.reached.acquire(timeout=300)
        assert not gate.open.is_set()
        connection.close()
    finally:
        gate.open.set()
