"""Papers of a column that contradict each other are found, named in every form of the table, and replayed."""

from __future__ import annotations

import copy
import json

import dspy
import pytest

from programs.errors import UsageError
from programs.evidence_table import EvidenceTable
from programs.evidence_table.cell_values import ValueType
from programs.evidence_table.columns import Column
from programs.evidence_table.filling import Cells, chosen_papers, fill
from programs.evidence_table.table import MOST_COMPARED, opposed_labels, opposed_texts
from programs.evidence_table.table_export import as_html, as_markdown_table, values
from programs.lm import LM
from programs.replay import replay_parts
from programs.results.exports import as_csv
from programs.retrieval.index import Index
from tests.hashing_embedder import HashingEmbedder
from tests.papers import paper

FELL, ROSE = "Femur density fell by 12 percent in flight mice.", "Femur density rose by 9 percent in flight mice."
COLUMNS = [
    Column("finding", "How did femur density change in flight mice?"),
    Column("effect", "How did femur density change in flight mice?", ValueType("direction")),
]


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    place = tmp_path_factory.mktemp("index") / "papers.idx"
    with Index.open(place, create=True, embedder=HashingEmbedder()) as opened:
        opened.add([paper("P1", FELL, title="One flight"), paper("P2", ROSE, title="Another flight")])
        yield opened


@pytest.fixture(scope="module")
def table(index):
    with dspy.context(lm=LM("extractive")):
        return fill(EvidenceTable(index), COLUMNS, chosen_papers(index), Cells("extractive"))


def test_opposed_labels_are_named_with_their_papers():
    labelled = {"increased": ["P1", "P2", "P3", "P4", "P5"], "decreased": ["P6"], "no significant difference": ["P7"]}
    (found,) = opposed_labels(labelled)
    assert str(found) == "increased (P1, P2, P3, 2 more) against decreased (P6)"
    assert opposed_labels({"yes": ["P1"], "no": []}) == []


@pytest.mark.parametrize(
    ("one", "other", "disagree"),
    [
        (FELL, ROSE, True),
        ("Aspirin reduced mortality against placebo.", "Aspirin did not reduce mortality against placebo.", True),
        (FELL, "Femur density fell by 3 percent in flight rats.", False),
        ("Mean age was 45 years.", "Mean age was 60 years.", False),
        ("Patients were randomised by envelopes.", "Patients were randomised by a computer.", False),
        (FELL, "Yeast lived shorter in acid.", False),
    ],
)  # fmt: skip
def test_sentences_disagree_where_the_checker_says_contradicted_both_ways(one, other, disagree):
    found, _ = opposed_texts([("P1", one), ("P2", other)])
    assert bool(found) is disagree
    if disagree:
        assert (found[0].says, found[0].papers, found[0].other, found[0].others) == (one, ["P1"], other, ["P2"])
        assert "guards/" in found[0].judge


def test_too_many_pairs_are_told():
    said = [(f"P{number}", f"Femur density was measured on day {number}.") for number in range(16)]
    assert opposed_texts(said) == ([], 16 * 15 // 2 - MOST_COMPARED)


def test_every_form_of_the_table_names_the_papers_that_disagree(table):
    finding, effect = table.summary()
    assert "papers disagree: P1 against P2" in str(finding)
    assert "papers disagree: increased (P2) against decreased (P1)" in str(effect)
    assert "papers disagree: P1 against P2" in as_csv(values(table))
    page, text = as_html(table), as_markdown_table(table)
    assert "Where papers disagree" in page
    assert "Papers disagree on finding" in text
    assert "fell by 12 percent" in text.split("Papers disagree on finding")[1].splitlines()[0]


def test_verify_finds_them_again(table, index):
    saved = json.loads(json.dumps(table.as_dict()))
    assert replay_parts(saved, index.document) == []
    hidden = copy.deepcopy(saved)
    hidden["summary"][0]["disagreements"] = []
    assert "papers disagree: P1 against P2" in str(replay_parts(hidden, index.document))
    judged = copy.deepcopy(saved)
    judged["summary"][0]["disagreements"][0]["judge"] = "another@sha256:0"
    assert "found by another@sha256:0" in str(replay_parts(judged, index.document))
    with pytest.raises(UsageError, match=r"give the table\.json of its folder"):
        replay_parts({**saved, "table": 1}, index.document)
