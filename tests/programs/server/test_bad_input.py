"""Whatever is sent, the answer is an error with a stable code, and the server goes on."""

from __future__ import annotations

import json

import pytest

from tests.running_server import error_of

JSON = {"Content-Type": "application/json"}
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


@pytest.mark.parametrize(("body", "expected"), RAW.values(), ids=RAW)
@pytest.mark.parametrize("address", ["/api/chat", "/api/ask"])
def test_bodies_that_cannot_be_read(client, address, body, expected):
    if address == "/api/ask":
        body = body.replace(b'"query"', b'"question"')
    assert error_of(client.post(address, content=body, headers=JSON)) == expected


def test_details_name_the_field(client):
    response = client.post("/api/chat", json={"query": "", "top_k": 0})
    details = {each["field"]: each["message"] for each in response.json()["error"]["details"]}
    assert set(details) == {"query", "top_k"}
    assert "greater than or equal to 1" in details["top_k"]


def test_what_was_sent_is_not_sent_back(client):
    response = client.post("/api/chat", json={"query": "Bone?", "top_k": "<script>" * 1_000})
    assert "<script>" not in response.text


def test_text_that_only_browsers_may_send_across_sites_is_no_json(client):
    response = client.post("/api/ask", content=b'{"question": "Bone?"}', headers={"Content-Type": "text/plain"})
    assert error_of(response) == (400, "malformed_json")


@pytest.mark.parametrize("query", ["limit=0", "limit=501", "offset=-1", "offset=99999999999999999999", "limit=x"])
def test_pages_that_do_not_fit(client, query):
    assert error_of(client.get(f"/api/documents?{query}")) == (422, "invalid_request")


def test_addresses_and_methods_that_are_not_there(client):
    assert error_of(client.get("/api/nothing")) == (404, "not_found")
    wrong = client.get("/api/ask")
    assert error_of(wrong) == (405, "method_not_allowed")
    assert wrong.headers["allow"] == "POST"
