"""What was written by hand on papers: that it is whole, and that it fits the papers it was written on."""

import json
from importlib.resources import files

import pytest

from optimize.training.labelled_claims import LABELS, reported_documents, scifact_reported, written
from tests.benchmarks import BENCHMARKS, needs_benchmarks

ROWS = [
    json.loads(line) for line in (files("optimize.training") / "written.jsonl").read_text(encoding="utf-8").splitlines()
]


def test_every_row_has_a_question_of_its_own_its_answers_and_three_different_claims():
    for row in ROWS:
        assert set(row) == {"paper", "question", "answers", *LABELS}
        assert len({row[label] for label in LABELS}) == len(LABELS)
        assert row["answers"]
        assert all(spans and all(start < end for start, end in spans) for _, spans in row["answers"])
    assert len({row["question"] for row in ROWS}) == len(ROWS)


@pytest.mark.slow
@needs_benchmarks
def test_answers_stand_in_their_passages_no_paper_is_reported_on_and_claims_have_their_premises():
    found = written(BENCHMARKS)
    for item in found.items:
        for passage, spans in item.answers:
            assert passage.document == item.document
            for start, end in spans:
                assert passage.text[start:end].strip()
                assert any(first < end and start < last for first, last in passage.sentences)
    apart = reported_documents(BENCHMARKS) | {f"scifact:{each}" for each in scifact_reported(BENCHMARKS)}
    assert not {row["paper"] for row in ROWS} & apart
    assert len(found.items) == len(ROWS)
    claims, evidence = found.pairs(60), found.evidence_pairs()
    assert len(claims) == len(evidence) == 3 * len(ROWS)
    assert {pair.label for pair in claims} == set(LABELS)
    assert all(pair.premise.strip() for pair in (*claims, *evidence))
