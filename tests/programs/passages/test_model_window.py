"""A model with a small window gets fewer passages, and the result says so."""

from __future__ import annotations

import dspy
import pytest
from dspy.utils.exceptions import ContextWindowExceededError

from programs.multi_signal import MultiSignal
from programs.paper_retriever import PaperRetriever
from programs.rag_fusion import RagFusion
from programs.retrieval.index import Index
from tests.hashing_embedder import HashingEmbedder
from tests.papers import paper
from tests.scripted_lm import Script

MOST = 9_000
SELECTED = {"selections": [{"paper": 1, "relevance": 9, "reason": "it weighed them"}]}
REPLIES = {
    MultiSignal: ("answer", {"answerable": False, "conflicts": [], "answer": ""}),
    RagFusion: ("topic", {"answerable": False, "summary": "", "bullets": [], "topic": ""}),
    PaperRetriever: ("answer", {"answerable": False, "answer": ""}),
}


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    sentences = [f"Sample {number} weighed {number * 7 % 1000} grams in flight." for number in range(900)]
    place = tmp_path_factory.mktemp("window") / "papers.idx"
    with Index.open(place, create=True, embedder=HashingEmbedder()) as made:
        made.add([paper("long", *sentences, title="Samples in flight")])
        yield made


@pytest.mark.parametrize("program", REPLIES)
def test_passages_are_halved_until_the_model_can_read_them(index, program):
    step, reply = REPLIES[program]

    def at_most(call):
        if len(call.user) > MOST:
            raise ContextWindowExceededError(message="too long")
        return reply

    script = Script(
        **{
            "selections": SELECTED,
            "queries": {"queries": ["samples"]},
            "hypothetical_passage": {"hypothetical_passage": "Samples."},
            step: at_most,
        }
    )
    with dspy.context(lm=script.lm()):
        prediction = program(index)(question="What did the samples in flight weigh?")
    assert len(script.asked(step)) > 1
    assert 0 < sum(len(each.text) for each in prediction.passages) < MOST
    assert any("tokens of passages instead of 6,000" in note for note in prediction.notes)


def test_a_window_for_nothing_is_an_error(index):
    script = Script(answer=ContextWindowExceededError(message="too long"))
    with dspy.context(lm=script.lm()), pytest.raises(ContextWindowExceededError):
        MultiSignal(index)(question="What did the samples in flight weigh?")
