"""The record of careless models: what a judge of the future is trained and measured on has to be what it says."""

from __future__ import annotations

import json
from collections import defaultdict

from bench.careless_record import LABELS, RECORD, half

ROWS = [json.loads(line) for line in RECORD.read_text("utf-8").splitlines()]


def test_every_line_has_its_evidence_and_two_readers():
    assert len(ROWS) > 200
    for row in ROWS:
        shown = {each["number"] for each in row["evidence"]}
        assert row["sentence"].strip()
        assert shown or row["kind"] == "quoted"
        assert row["kind"] == "quoted" or set(row["numbers"]) <= shown
        assert len(row["readers"]) == 2
        assert set(row["readers"]) <= set(LABELS)


def test_a_paper_is_in_one_half():
    halves = defaultdict(set)
    for row in ROWS:
        halves[row["pmcid"]].add(row["half"])
    assert all(found == {half(paper)} for paper, found in halves.items())
    assert {each for found in halves.values() for each in found} == {"open", "closed"}


def test_a_quotation_is_never_judged_false():
    assert {label for row in ROWS if row["kind"] == "quoted" for label in row["readers"]} == {"true", "beside"}
