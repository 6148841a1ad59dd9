"""What the prompts of `rag_fusion` promise to models, which the program relies on."""

import pytest

from programs.rag_fusion import MOST_QUERIES, MOST_WORDS
from signatures.rag_fusion import RewriteQuestion, SummarizeEvidence, WriteHypotheticalPassage


def test_evidence_stands_before_the_question():
    assert list(SummarizeEvidence.input_fields) == ["evidence", "question"]


def test_whether_there_is_an_answer_is_decided_before_it_is_written():
    assert list(SummarizeEvidence.output_fields) == ["answerable", "answer", "bullets"]


def test_rewrites_are_asked_for_as_the_program_keeps_them():
    desc = RewriteQuestion.output_fields["queries"].json_schema_extra["desc"]
    assert f"up to {MOST_QUERIES}" in desc
    assert f"under {MOST_WORDS + 1} words" in desc


@pytest.mark.parametrize("signature", [RewriteQuestion, WriteHypotheticalPassage])
def test_searching_is_done_in_english(signature):
    assert "in English" in signature.instructions


@pytest.mark.parametrize("signature", [RewriteQuestion, WriteHypotheticalPassage, SummarizeEvidence])
def test_what_is_given_is_data(signature):
    assert "never" in signature.instructions.rpartition("data")[2]
