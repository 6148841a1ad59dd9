"""What stands before every request: key, host, origin, headers, the body's size and pace."""

from __future__ import annotations

import socket

import pytest

from programs.errors import UsageError
from programs.server.app import create_app
from programs.server.workers import ServerOptions
from tests.running_server import error_of, running

KEY = "a-key-für-uns"
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def locked(small_index):
    options = ServerOptions(api_key=KEY, origins=("https://lab.example",), hosts=("papers.example",))
    with running(create_app(small_index, "extractive", options)) as client:
        yield client


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Basic {KEY}"},
        {"Authorization": KEY},
        {"X-API-Key": KEY[:-1]},
        {"X-API-Key": "ключ"},
    ],
)
def test_without_the_key_nothing_under_api_answers(locked, headers):
    sent = {name: value.encode() for name, value in headers.items()}
    for address in ("/api/programs", "/api/documents", "/api/nothing"):
        response = locked.get(address, headers=sent)
        assert error_of(response) == (401, "unauthorized")
        assert response.headers["www-authenticate"] == "Bearer"
    assert error_of(locked.post("/api/ask", content=b"{bad", headers={**JSON, **sent})) == (401, "unauthorized")


@pytest.mark.parametrize(
    "headers", [{"Authorization": f"Bearer {KEY}"}, {"authorization": f"bearer {KEY}"}, {"X-API-Key": KEY}]
)
def test_the_key_opens(locked, headers):
    assert (
        locked.get("/api/programs", headers={name: value.encode() for name, value in headers.items()}).status_code
        == 200
    )


def test_page_health_and_description_stay_open(locked):
    assert [locked.get(address).status_code for address in ("/", "/app.js", "/health", "/openapi.json")] == [200] * 4
    assert locked.get("/health").json()["api_key"] is True
    assert "security" in locked.get("/openapi.json").json()["paths"]["/api/ask"]["post"]


def test_the_key_is_not_shown():
    assert KEY not in repr(ServerOptions(api_key=KEY))


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost:8000", "LOCALHOST", "[::1]:8000", "127.0.0.2", "papers.example"]
)
def test_names_of_this_machine_and_allowed_ones_are_known(locked, host):
    assert locked.get("/health", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "evil.example:8000",
        "10.0.0.1",
        "",
        "localhost:evil.example",
        "localhost:80:80",
        "localhost:80@evil.example",
        "[::1].evil.example",
        "[::1]:evil",
        "[::1",
        "::1",
    ],
)
def test_other_names_are_refused(client, host):
    assert error_of(client.get("/health", headers={"Host": host})) == (400, "bad_host")


def test_any_name_can_be_allowed(small_index):
    with running(create_app(small_index, "extractive", ServerOptions(hosts=("*",)))) as client:
        assert client.get("/health", headers={"Host": "anything.example"}).status_code == 200


def test_pages_elsewhere_may_not_call_by_default(client):
    asked = {"Origin": "https://lab.example", "Access-Control-Request-Method": "POST"}
    assert "access-control-allow-origin" not in client.options("/api/ask", headers=asked).headers
    assert "access-control-allow-origin" not in client.get("/api/programs", headers=asked).headers


def test_an_allowed_origin_may_call(locked):
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type,x-api-key"}
    allowed = locked.options("/api/ask", headers={**asked, "Origin": "https://lab.example"})
    assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (200, "https://lab.example")
    refused = locked.options("/api/ask", headers={**asked, "Origin": "https://evil.example"})
    assert "access-control-allow-origin" not in refused.headers


@pytest.mark.parametrize("address", ["/", "/health", "/api/programs", "/nothing", "/api/documents/nobody"])
def test_every_response_bears_the_security_headers(client, address):
    headers = client.get(address).headers
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'")
    assert "unsafe" not in policy
    assert "http" not in policy
    assert (headers["x-content-type-options"], headers["referrer-policy"]) == ("nosniff", "no-referrer")
    assert "server" not in headers or "uvicorn" not in headers["server"].lower() or address  # the command sends none


def test_a_large_body_is_refused_whether_announced_or_not(client):
    assert error_of(client.post("/api/ask", content=b" " * 70_000, headers=JSON)) == (413, "body_too_large")

    def chunks():
        for _ in range(70):
            yield b" " * 1_000

    assert error_of(client.post("/api/ask", content=chunks(), headers=JSON)) == (413, "body_too_large")
    assert client.get("/health").status_code == 200


def test_a_body_in_pieces_is_read_whole(client):
    pieces = iter([b'{"query": "By how much did ', b'femur density fall in flight mice?"}'])
    assert client.post("/api/chat", content=pieces, headers=JSON).json()["answerable"]


def test_a_body_that_does_not_come_is_not_waited_for(small_index):
    with running(create_app(small_index, "extractive", ServerOptions(body_timeout=0.2))) as client:
        with socket.create_connection((client.base_url.host, client.base_url.port)) as slow:
            slow.sendall(b"POST /api/ask HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
            said = b""
            while part := slow.recv(4096):
                said += part
        assert b" 408 " in said.splitlines()[0]
        assert b'"body_too_slow"' in said
        assert client.get("/health").status_code == 200


@pytest.mark.parametrize(
    "wrong", [{"workers": 0}, {"waiting": 0}, {"timeout": 0}, {"timeout": float("nan")}, {"body_limit": 0}]
)
def test_options_that_make_no_sense(wrong):
    with pytest.raises(UsageError, match=next(iter(wrong))):
        ServerOptions(**wrong)
