"""Questions that ask for several papers get all of them, from every program over a collection."""

from __future__ import annotations

import dspy
import pytest

from programs.lm import LM
from programs.multi_signal import MultiSignal
from programs.paper_retriever import PaperRetriever
from programs.passages.named import asks_for_several, spread
from programs.rag_fusion import RagFusion
from programs.retrieval.index import Index
from programs.summaries import summarize_index
from tests.hashing_embedder import HashingEmbedder
from tests.papers import PAPERS, paper

QUESTION = "Which trials tested ginger tea against placebo?"
HERBS = ("Cough", "Pain", "Sleep", "Nausea", "Fever", "Rash", "Stress", "Migraine")


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """Eight trials of one thing, one of which has much to say of it, and papers on other things."""
    place = tmp_path_factory.mktemp("several") / "papers.idx"
    with Index.open(place, create=True, embedder=HashingEmbedder()) as made:
        much = " ".join(
            f"Ginger tea was compared with placebo in part {number} of the trials." for number in range(250)
        )
        trials = [
            paper(each.lower(), f"We tested ginger tea against placebo for {each.lower()}.", title=f"{each} trial")
            for each in HERBS[1:]
        ]
        made.add([*trials, paper("cough", much, title="Cough trial"), *PAPERS])
        with dspy.context(lm=LM("extractive")):
            summarize_index(made)
        yield made


@pytest.mark.parametrize("program", [MultiSignal, RagFusion, PaperRetriever])
def test_every_paper_is_among_the_passages(index, program):
    with dspy.context(lm=LM("extractive")):
        passages = program(index)(question=QUESTION, answer=False).passages
    assert {each.document_id for each in passages} >= {each.lower() for each in HERBS}


@pytest.mark.parametrize(
    ("question", "several"),
    [
        (QUESTION, True),
        ("What randomised controlled trials used metformin?", True),
        ("How many studies measured bone density?", True),
        ("Do the studies agree that exercise helps?", True),
        ("Qué ensayos probaron hierbas?", True),
        ("Does simvastatin reduce deaths?", False),
        ("What did the trial of ginger find?", False),
        ("In trials of obesity, which dose of semaglutide was used?", False),
    ],
)
def test_such_questions_are_told_from_others(question, several):
    assert asks_for_several(question) is several


def test_few_passages_of_each_paper_are_looked_at(index):
    hits = index.search(QUESTION, 200)
    kept = [hits[place].chunk.document_id for place in spread((hit.chunk for hit in hits), 40)]
    assert kept.count("cough") == 2
    assert len(spread((hit.chunk for hit in hits), 3)) == 3
