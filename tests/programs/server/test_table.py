"""``POST /api/table``: a table at once and as events, and what is refused."""

from __future__ import annotations

import json

import pytest

from programs.evidence_table.table import FORM
from programs.replay import replay_parts
from programs.server.app import create_app
from programs.server.options import ServerOptions
from tests.running_server import running

COLUMNS = [
    {"name": "change", "question": "By how many percent did femur density fall?", "type": "number"},
    {"name": "effect", "question": "How did femur density change?", "type": "direction"},
]


def test_a_table_is_filled_and_replays(client, small_index):
    answer = client.post("/api/table", json={"columns": COLUMNS, "document_ids": ["bone", "yeast"]})
    assert answer.status_code == 200, answer.text
    table = answer.json()
    assert [row["document_id"] for row in table["rows"]] == ["bone", "yeast"]
    assert table["rows"][0]["cells"][0]["result"]["value"]["number"] == 12.0
    assert table["rows"][1]["cells"][0]["status"] == "not reported"
    assert "No language model was used" in table["notes"][0]
    assert replay_parts(table, small_index.document) == []


def test_cells_are_told_as_they_come(client):
    asked = {"columns": COLUMNS, "filters": {"mission_env": ["ISS"]}}
    answer = client.post("/api/table", json=asked, headers={"Accept": "text/event-stream"})
    events = [each.split("\ndata: ") for each in answer.text.split("\n\n") if each.startswith("event: ")]
    told = [json.loads(data) for name, data in events if name == "event: step"]
    counted = [each["facts"]["done"] for each in told if each["name"] == "table"]
    assert counted == list(range(counted[-1] + 1))
    assert events[-1][0] == "event: result"
    assert json.loads(events[-1][1])["table"] == FORM


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"columns": []}, "invalid_request"),
        ({"columns": COLUMNS, "more": 1}, "invalid_request"),
        ({"columns": [{**COLUMNS[0], "type": "colour"}]}, "bad_column"),
        ({"columns": [COLUMNS[0], COLUMNS[0]]}, "bad_column"),
        ({"columns": COLUMNS, "document_ids": ["gone"]}, "document_not_found"),
        ({"columns": COLUMNS, "filters": {"year": {"gte": 2999}}}, "no_papers"),
        ({"columns": COLUMNS, "filters": {"colour": ["red"]}}, "unknown_filter_field"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_name(client, asked, code):
    assert client.post("/api/table", json=asked).json()["error"]["code"] == code


def test_a_table_that_would_take_too_long_is_refused(small_index):
    with running(create_app(small_index, "extractive", ServerOptions(table_cells=3))) as client:
        refused = client.post("/api/table", json={"columns": COLUMNS})
    assert refused.json()["error"]["code"] == "table_too_large"
