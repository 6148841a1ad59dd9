"""What stands before every request: key, host, origin, headers, the body's size."""

from __future__ import annotations

import json

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

from programs.errors import UsageError
from programs.server.app import create_app
from programs.server.request_queue import ServerOptions
from tests.programs.server.conftest import SCRIPT
from tests.running_server import error_of, running

KEY = "a-key-für-uns"
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def locked(small_index):
    options = ServerOptions(api_key=KEY, origins=("https://lab.example",), hosts=("papers.example",))
    with running(create_app(small_index, "extractive", options)) as client:
        yield client


@pytest.mark.parametrize(
    ("headers", "opens"),
    [
        ({}, False),
        ({"Authorization": "Bearer"}, False),
        ({"Authorization": "Bearer wrong"}, False),
        ({"Authorization": f"Basic {KEY}"}, False),
        ({"Authorization": KEY}, False),
        ({"X-API-Key": KEY[:-1]}, False),
        ({"X-API-Key": "ключ"}, False),
        ({"Authorization": f"Bearer {KEY}"}, True),
        ({"authorization": f"bearer {KEY}"}, True),
        ({"X-API-Key": KEY}, True),
    ],
)
def test_without_the_key_nothing_under_api_answers(locked, headers, opens):
    sent = {name: value.encode() for name, value in headers.items()}
    if opens:
        assert locked.get("/api/programs", headers=sent).status_code == 200
        return
    for address in ("/api/programs", "/api/documents", "/api/nothing"):
        response = locked.get(address, headers=sent)
        assert error_of(response) == (401, "unauthorized")
        assert response.headers["www-authenticate"] == "Bearer"
    assert error_of(locked.post("/api/ask", content=b"{bad", headers={**JSON, **sent})) == (401, "unauthorized")


def test_page_health_and_description_stay_open_and_do_not_show_the_key(locked):
    assert [locked.get(address).status_code for address in ("/", "/app.js", "/health", "/openapi.json")] == [200] * 4
    assert locked.get("/health").json()["api_key"] is True
    assert "security" in locked.get("/openapi.json").json()["paths"]["/api/ask"]["post"]
    assert KEY not in repr(ServerOptions(api_key=KEY))


KNOWN = ("127.0.0.1", "localhost:8000", "LOCALHOST", "[::1]:8000", "127.0.0.2", "papers.example")
UNKNOWN = (
    *("evil.example", "127.0.0.1.evil.example", "evil.example:8000", "10.0.0.1", "", "localhost:evil.example", "::1"),
    *("localhost:80:80", "localhost:80@evil.example", "[::1].evil.example", "[::1]:evil", "[::1"),
)


@pytest.mark.parametrize("host", [*KNOWN, *UNKNOWN])
def test_names_of_this_machine_and_allowed_ones_are_known_and_no_others(locked, host):
    response = locked.get("/health", headers={"Host": host})
    assert response.status_code == 200 if host in KNOWN else error_of(response) == (400, "bad_host")


def test_any_name_can_be_allowed(small_index):
    with running(create_app(small_index, "extractive", ServerOptions(hosts=("*",)))) as client:
        assert client.get("/health", headers={"Host": "anything.example"}).status_code == 200


def test_only_pages_of_an_allowed_origin_may_call(client, locked):
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type,x-api-key"}
    lab, evil = ({**asked, "Origin": f"https://{name}.example"} for name in ("lab", "evil"))
    allowed = locked.options("/api/ask", headers=lab)
    assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (200, "https://lab.example")
    refused = (
        *(locked.options("/api/ask", headers=evil), client.options("/api/ask", headers=lab)),
        client.get("/api/programs", headers=lab),
    )
    assert not any("access-control-allow-origin" in each.headers for each in refused)


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


@pytest.mark.parametrize(
    "wrong", [{"workers": 0}, {"waiting": 0}, {"timeout": 0}, {"timeout": float("nan")}, {"body_limit": 0}]
)
def test_options_that_make_no_sense(wrong):
    with pytest.raises(UsageError, match=next(iter(wrong))):
        ServerOptions(**wrong)


# Whatever is sent, the answer is an error with a stable code, and the server goes on.

BAD = {
    "an empty question": ({"query": ""}, (422, "invalid_request")),
    "a blank question": ({"query": " \n\t"}, (422, "invalid_request")),
    "a question of zero width": ({"query": "\u200b\u200d\ufeff\u2060"}, (422, "invalid_request")),
    "a question of fillers": ({"query": "\u3164 \u2800\u0301"}, (422, "invalid_request")),
    "a long question": ({"query": "a" * 2_001}, (422, "invalid_request")),
    "no question": ({}, (422, "invalid_request")),
    "no object": ([1, 2], (400, "malformed_json")),
    "null": (None, (400, "malformed_json")),
    "a number for a question": ({"query": 7}, (422, "invalid_request")),
    "top_k 0": ({"query": "Bone?", "top_k": 0}, (422, "invalid_request")),
    "top_k of a million": ({"query": "Bone?", "top_k": 1_000_000}, (422, "invalid_request")),
    "top_k as text": ({"query": "Bone?", "top_k": "8"}, (422, "invalid_request")),
    "top_k true": ({"query": "Bone?", "top_k": True}, (422, "invalid_request")),
    "a field nobody knows": ({"query": "Bone?", "temperature": 2}, (422, "invalid_request")),
    "filters that are none": ({"query": "Bone?", "filters": ["organism"]}, (422, "invalid_request")),
    "an unknown filter": ({"query": "Bone?", "filters": {"yaer": 1}}, (400, "unknown_filter_field")),
    "a filter on nothing": ({"query": "Bone?", "filters": {"": 1}}, (400, "unknown_filter_field")),
    "a filter with null": ({"query": "Bone?", "filters": {"year": None}}, (400, "bad_filter")),
    "a filter that nests": ({"query": "Bone?", "filters": {"year": {"gte": {"gte": 1}}}}, (400, "bad_filter")),
    "a filter with a huge number": ({"query": "Bone?", "filters": {"year": 10**400}}, (400, "bad_filter")),
    "a filter out of range": ({"query": "Bone?", "filters": {"year": {"gte": float("inf")}}}, (400, "bad_filter")),
    "a filter that is not a number": ({"query": "Bone?", "filters": {"year": float("nan")}}, (400, "bad_filter")),
    "a NUL": ({"query": "Bone\0?"}, (422, "invalid_request")),
    "a lone surrogate": ({"query": "Bone \ud800?"}, (422, "invalid_request")),
    "a lone surrogate in a filter": ({"query": "Bone?", "filters": {"organism": "\udfff"}}, (422, "invalid_request")),
    "a lone surrogate in a name": ({"query": "Bone?", "filters": {"\ud800": 1}}, (422, "invalid_request")),
}
RAW = {
    "no JSON": (b"{bad", (400, "malformed_json")),
    "nothing": (b"", (400, "malformed_json")),
    "bytes that are no text": (b'{"query": "\xff\xfe"}', (400, "malformed_json")),
    "surrogates as bytes": (b'{"query": "\xed\xa0\x80"}', (422, "invalid_request")),
    "deep lists": (b"[" * 30_000 + b"]" * 30_000, (400, "malformed_json")),
    "deep filters": (b'{"query": "x", "filters": ' + b'{"a":' * 300 + b"1" + b"}" * 301, (422, "invalid_request")),
    "a number of 5,000 digits": (b'{"query": "x", "top_k": ' + b"9" * 5_000 + b"}", (400, "malformed_json")),
    "100 kB": (json.dumps({"query": "a" * 100_000}).encode(), (413, "body_too_large")),
}


@pytest.mark.parametrize(("body", "expected"), BAD.values(), ids=BAD)
def test_values_that_do_not_fit(client, body, expected):
    assert error_of(client.post("/api/chat", content=json.dumps(body), headers=JSON)) == expected
    assert client.get("/health").status_code == 200


def test_text_that_only_browsers_may_send_across_sites_is_no_json(client):
    response = client.post("/api/ask", content=b'{"question": "Bone?"}', headers={"Content-Type": "text/plain"})
    assert error_of(response) == (400, "malformed_json")


@pytest.mark.parametrize(("body", "expected"), RAW.values(), ids=RAW)
@pytest.mark.parametrize("address", ["/api/chat", "/api/ask"])
def test_bodies_that_cannot_be_read(client, address, body, expected):
    if address == "/api/ask":
        body = body.replace(b'"query"', b'"question"')
    assert error_of(client.post(address, content=body, headers=JSON)) == expected


def test_details_name_the_field_and_what_was_sent_is_not_sent_back(client):
    response = client.post("/api/chat", json={"query": "", "top_k": "<script>" * 1_000})
    details = {each["field"]: each["message"] for each in response.json()["error"]["details"]}
    assert set(details) == {"query", "top_k"}
    assert "<script>" not in response.text
    refused = client.post("/api/chat", json={"query": "Bone?", "top_k": 0}).json()["error"]["details"]
    assert "greater than or equal to 1" in refused[0]["message"]


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        *((f"/api/documents?{query}", (422, "invalid_request")) for query in ("limit=0", "limit=501", "limit=x")),
        *((f"/api/documents?offset={offset}", (422, "invalid_request")) for offset in (-1, 10**20 - 1)),
        ("/api/nothing", (404, "not_found")),
        ("/api/ask", (405, "method_not_allowed")),
    ],
)
def test_addresses_that_do_not_fit(client, address, expected):
    response = client.get(address)
    assert error_of(response) == expected
    assert address != "/api/ask" or response.headers["allow"] == "POST"


# The description of the API, and the API held against it by Schemathesis: whatever it thinks of, no 500.

OPERATIONS = (
    ("/api/ask", "post"),
    ("/api/chat", "post"),
    ("/api/table", "post"),
    ("/api/programs", "get"),
    ("/api/fields", "get"),
    ("/api/documents", "get"),
    ("/api/documents", "post"),
    ("/api/documents/{document_id}", "get"),
    ("/api/documents/{document_id}", "delete"),
    ("/api/documents/{document_id}/pages/{page}", "get"),
    ("/api/documents/{document_id}/figures/{figure_id}", "get"),
    ("/api/export", "post"),
    ("/health", "get"),
    ("/ready", "get"),
)

WITHOUT_INPUTS = ("/api/programs", "/api/fields", "/health", "/ready")
CASES = [
    (path, method, mode)
    for path, method in OPERATIONS
    for mode in GenerationMode
    if mode is GenerationMode.POSITIVE or path not in WITHOUT_INPUTS  # where there is nothing wrong to send
]

bounded = settings(
    max_examples=12, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)


@pytest.fixture(scope="module")
def described(client):
    return schemathesis.openapi.from_url(f"{client.base_url}/openapi.json")


@pytest.mark.parametrize(("path", "method", "mode"), CASES)
def test_the_api_keeps_to_its_description(described, path, method, mode):
    @bounded
    @given(described[path][method].as_strategy(generation_mode=mode))
    def kept(case):
        # Which programs, papers and filter fields there are no description can know.
        case.call_and_validate(excluded_checks=[positive_data_acceptance])

    kept()


def test_every_address_is_described(client):
    paths = client.get("/openapi.json").json()["paths"]
    assert {(path, method) for path, methods in paths.items() for method in methods} == set(OPERATIONS)


def test_the_description_holds_limits_and_codes(client):
    described = client.get("/openapi.json").json()
    question = described["components"]["schemas"]["AskRequest"]["properties"]["question"]
    assert (question["minLength"], question["maxLength"]) == (1, 2_000)
    responses = described["paths"]["/api/ask"]["post"]["responses"]
    assert "unknown_filter_field" in responses["400"]["description"]
    assert "lm_unavailable" in responses["503"]["description"]
    assert SCRIPT not in str(described)
