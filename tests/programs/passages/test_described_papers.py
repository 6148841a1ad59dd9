"""Papers that a question describes beside each other: both bring passages."""

from __future__ import annotations

import pytest

from programs.passages.asked import Asked
from programs.passages.named_papers import descriptions_in
from programs.retrieval.index import Index
from tests.hashing_embedder import HashingEmbedder
from tests.papers import PAPERS, paper

QUESTION = "Which limits do the authors of the ginger tea trial and of the writing therapy trial name?"


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """A paper that has much to say of limits, and one on writing that has little."""
    place = tmp_path_factory.mktemp("described") / "papers.idx"
    much = " ".join(f"The authors of the trial of ginger tea name limit {number}." for number in range(40))
    with Index.open(place, create=True, embedder=HashingEmbedder()) as made:
        made.add(
            [
                paper("ginger", much, title="Ginger tea for cough: a trial"),
                paper("writing", "Few patients wrote to the end.", title="Structured writing therapy for trauma"),
                *PAPERS,
            ]
        )
        yield made


@pytest.mark.parametrize(
    ("question", "described"),
    [
        (QUESTION, ["ginger tea", "writing therapy"]),
        ("How were patients blinded in the diet trial of 2012 and in the zinc study?", ["diet", "zinc"]),
        ("Was the zinc trial larger than the iron trial?", ["zinc", "iron"]),
        ("What did the trial of ginger find?", []),
        ("Did the zinc trial report harms and drop-outs?", []),
        ("Do the studies agree?", []),
    ],
)
def test_two_papers_that_a_question_describes_are_told(question, described):
    assert descriptions_in(question) == described


def test_each_is_the_paper_that_fits_and_none_where_no_paper_does(index):
    assert Asked.of(QUESTION).named_in(index, None) == ["ginger", "writing"]
    one = Asked.of("Was the lithium trial larger than the ginger tea trial?")
    assert one.named_in(index, None) == ["ginger"]
    assert Asked.of(QUESTION).named_in(index, {"document": ["bone"]}) == []


def test_described_papers_are_searched_apart_as_named_ones_are(index):
    assert Asked.of(f"{QUESTION} And what of bone1?").named_in(index, None) == ["ginger", "writing"]
