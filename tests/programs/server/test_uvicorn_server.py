"""Connections that bring no request, or too many of them."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
from contextlib import ExitStack

import pytest

from programs.server.app import create_app
from programs.server.uvicorn_server import MOST_CONNECTIONS, bounded, most_connections, quiet_accepting
from tests.running_server import error_of, running

HEALTH = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"


def connected(client) -> socket.socket:
    return socket.create_connection((client.base_url.host, client.base_url.port), timeout=300)


def is_closed(connection: socket.socket) -> bool:
    """Read until the other side closes or breaks off; a test that waits in vain fails by the time-out."""
    try:
        while connection.recv(4096):
            pass
    except ConnectionError:
        pass
    return True


@pytest.mark.parametrize(
    "sent", [b"", b"GET /health HTTP/1.1\r\nHost: local", HEALTH + b"GET /hea"], ids=["nothing", "half", "second"]
)
def test_a_head_that_does_not_come_is_not_waited_for(small_index, sent):
    with running(create_app(small_index), http=bounded(8, seconds=0.2), timeout_keep_alive=0.1) as client:
        with connected(client) as slow:
            slow.sendall(sent)
            assert is_closed(slow)
        assert client.get("/health").status_code == 200


def test_a_head_that_trickles_in_is_given_up(small_index):
    with running(create_app(small_index), http=bounded(8, seconds=0.3)) as client, connected(client) as slow:
        slow.settimeout(0.05)
        for _ in range(600):
            try:
                slow.sendall(b"G")
                if not slow.recv(1):
                    break
            except TimeoutError:
                continue
            except ConnectionError:
                break
        else:
            pytest.fail("it was let trickle")


def test_idle_connections_give_up_their_places(small_index):
    """With every place taken by connections that say nothing, or nothing more, a new one is answered at once."""
    with running(create_app(small_index), http=bounded(4, seconds=60)) as client, ExitStack() as stack:
        idle = [stack.enter_context(connected(client)) for _ in range(8)]
        assert client.get("/health").status_code == 200
        assert all(is_closed(each) for each in idle[:5])
        idle[7].sendall(HEALTH)
        assert idle[7].recv(4096).startswith(b"HTTP/1.1 200 ")


def test_when_every_connection_is_being_answered_others_are_told_to_come_back(small_index):
    announced = b"POST /api/ask HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n"
    with running(create_app(small_index), http=bounded(2, seconds=60)) as client:
        with connected(client) as first, connected(client) as second:
            for busy in (first, second):
                busy.sendall(announced)
                assert busy.recv(4096).startswith(b"HTTP/1.1 100 ")
            response = client.get("/health")
            assert error_of(response) == (503, "busy")
            assert (response.headers["retry-after"], response.headers["connection"]) == ("5", "close")
        assert freed(client).status_code == 200


def freed(client):
    """Ask until the server has noticed that the others have gone."""
    for _ in range(600):
        response = client.get("/health")
        if response.status_code != 503:
            break
    return response


def test_that_no_connection_can_be_taken_is_told_once_a_minute(caplog):
    loop, now = asyncio.new_event_loop(), [0.0]
    handle = quiet_accepting(lambda: now[0])
    failure = {
        "message": "socket.accept() out of system resource",
        "exception": OSError(errno.EMFILE, "Too many open files"),
    }
    with caplog.at_level(logging.ERROR):
        for now[0] in (0.0, 0.1, 59.0, 60.0):
            handle(loop, failure)
        handle(loop, {"message": "something else"})
    loop.close()
    replay_report = [record.getMessage() for record in caplog.records]
    assert [text.startswith("no connection can be taken") for text in replay_report] == [True, True, False]
    assert "Too many open files" in replay_report[0]
    assert all(record.exc_info is None for record in caplog.records[:2])


def test_connections_leave_open_files_to_the_rest():
    assert 0 < most_connections() <= MOST_CONNECTIONS
