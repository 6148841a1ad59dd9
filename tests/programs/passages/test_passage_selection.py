"""Which passages of a ranking are shown, and as what."""

from __future__ import annotations

from collections import Counter

import dspy
import pytest
from dspy.utils.exceptions import ContextWindowExceededError
from hypothesis import given
from hypothesis import strategies as st

from programs.ingest.document import Chunk, Document
from programs.multi_signal import MultiSignal
from programs.paper_retriever import PaperRetriever
from programs.passages.passage_selection import FEWEST, Limits, RankedPassage, chosen, shown_passages, tokens
from programs.rag_fusion import RagFusion
from programs.retrieval.index import Index
from tests.hashing_embedder import HashingEmbedder
from tests.papers import paper
from tests.scripted_lm import Script, saying

SEED = {"top_k": 6, "shortlist": 12, "max_per_document": 2, "min_sources": 3, "merge": False}


def ranked(name, text="", start=0, relevance=None, heading="Results", kind="text"):
    """A candidate called PAPER.NUMBER."""
    text = text or f"What {name} says."
    chunk = Chunk(name, name.partition(".")[0], "results", kind, text, start, start + len(text), heading)
    return RankedPassage(chunk, {"fused": 1.0}, f"{name} is near", relevance)


def names(candidates, **limits):
    return [each.best.chunk.id for each in chosen(candidates, Limits(**limits))]


def choose(*ids, **limits):
    return names([ranked(each) for each in ids], **{**SEED, **limits})


def cut(text, *spans, **about):
    """A paper and some of its passages, in the order of the spans."""
    document = Document("p", text, title="Paper")
    passages = [ranked(f"p.{at}", text[start:end], start, **about) for at, (start, end) in enumerate(spans)]
    return document, passages


def shown(document, candidates, **limits):
    wanted = Limits(**limits)
    return shown_passages(chosen(candidates, wanted), {document.id: document}, wanted)


# A number of passages: the rules of the systems as they were described


@pytest.mark.parametrize(
    ("ids", "limits", "found"),
    [
        # a paper brings no more than it may
        ("a.1 a.2 a.3 b.1 b.2 b.3 c.1", {}, "a.1 a.2 b.1 b.2 c.1"),
        # behind the shortlist nothing is taken while there are papers enough
        ("a.1 b.1 c.1 d.1", {"shortlist": 3, "top_k": 3}, "a.1 b.1 c.1"),
        ("a.1 a.2 a.3 b.1 c.1 d.1", {"shortlist": 5, "top_k": 5}, "a.1 a.2 b.1 c.1"),
        # missing papers are fetched from behind it
        (" ".join(f"a.{number}" for number in range(12)) + " b.1 b.2 c.1 d.1", {}, "a.0 a.1 b.1 c.1"),
        # and take the place of the lowest passage that its paper can spare
        ("a.1 b.1 a.2 b.2 c.1", {"top_k": 4}, "a.1 b.1 a.2 c.1"),
        ("a.1 a.2 b.1", {"top_k": 2, "min_sources": 2}, "a.1 b.1"),
        ("a.1 a.2 b.1 c.1 d.1", {"top_k": 2}, "a.1 b.1"),
    ],
)
def test_a_number_of_passages_comes_from_several_papers(ids, limits, found):
    assert choose(*ids.split(), **limits) == found.split()


@given(
    st.lists(st.sampled_from("abcde"), max_size=40),
    st.integers(1, 8),
    st.integers(1, 12),
    st.integers(1, 3),
    st.integers(1, 4),
)
def test_the_rules_hold_for_any_ranking(documents, count, shortlist, most, sources):
    ids = [f"{name}.{number}" for number, name in enumerate(documents)]
    found = choose(*ids, top_k=count, shortlist=shortlist, max_per_document=most, min_sources=sources)
    papers = Counter(name.partition(".")[0] for name in found)
    assert len(found) <= count
    assert all(number <= most for number in papers.values())
    assert len(papers) >= min(sources, count, len(set(documents)))
    assert found == sorted(found, key=ids.index)
    assert not ids or ids[0] in found


# A number of tokens


def test_a_token_is_three_quarters_of_a_word():
    assert tokens("one two three") == 4


def test_passages_fill_the_tokens_and_shorter_ones_may_follow():
    candidates = [ranked("a.1", "one two three"), ranked("b.1", "four five six"), ranked("c.1", "seven")]
    assert names(candidates, context_tokens=10) == ["a.1", "b.1", "c.1"]
    assert names(candidates, context_tokens=7) == ["a.1", "c.1"]
    assert names([]) == []


def test_one_paper_does_not_crowd_out_the_others():
    candidates = [ranked(f"a.{number}", f"number {number} here", 99 * number) for number in range(5)]
    candidates.append(ranked("b.1", "one of another"))
    assert names(candidates, context_tokens=12) == ["a.0", "a.1", "a.2"]
    assert names(candidates, context_tokens=12, min_sources=2) == ["a.0", "a.1", "b.1"]


def test_what_no_longer_bears_on_the_question_is_left_out():
    candidates = [ranked(f"{name}.1", relevance=0.5 / 4**rank) for rank, name in enumerate("abcdefghij")]
    assert len(names(candidates, least_relevance=0.02, min_sources=9)) == FEWEST
    assert len(names(candidates, least_relevance=0.0)) == 10
    assert len(names(candidates, least_relevance=0.02, top_k=9)) == 9, "what is asked for is given where it exists"
    unjudged = [ranked(f"{name}.1") for name in "abcdefghij"]
    assert len(names(unjudged, least_relevance=0.9)) == 10


def test_a_table_of_the_best_paper_is_not_left_out_for_its_low_probability():
    text = [ranked(f"a.{number}", start=100 * number, relevance=0.5) for number in range(FEWEST)]
    tables = [ranked(f"{paper}.table", relevance=0.001, kind="table") for paper in "ab"]
    assert names([*text, *tables], least_relevance=0.02) == [*(each.chunk.id for each in text), "a.table"]


def test_a_first_passage_that_is_too_long_is_cut_at_a_sentence_or_a_word():
    document, passages = cut("One sentence stands here. Another stands behind it, longer.", (0, 59))
    (found,) = shown(document, passages, context_tokens=8)
    assert (found.text, found.start, found.end) == ("One sentence stands here.", 0, 25)
    document, passages = cut("one two three four five six", (0, 27))
    assert [each.text for each in shown(document, passages, context_tokens=4)] == ["one two three"]


# Stretches


TEXT = "Mice flew for a month. Femurs lost a tenth of their density. Controls lost none.\n\nMuscles were not weighed."


def test_passages_that_touch_or_overlap_are_shown_as_one():
    document, passages = cut(TEXT, (23, 60), (61, 80), (50, 80), (82, len(TEXT)), (0, 22))
    (found,) = shown(document, passages)
    assert (found.text, found.id) == (TEXT, f"p::0-{len(TEXT)}")
    assert found.relevance_reason == "p.0 is near; joined with 4 next to it"
    assert [each.id for each in shown(document, passages, merge=False)] == ["p.0", "p.1", "p.2", "p.3", "p.4"]
    apart = shown(document, [passages[4], passages[1]])
    assert [each.text for each in apart] == ["Mice flew for a month.", "Controls lost none."]


def test_what_stands_under_another_heading_or_in_a_table_is_not_joined():
    document, (one, two) = cut(TEXT, (0, 22), (23, 60))
    assert len(shown(document, [one, ranked("p.1", two.chunk.text, 23, heading="Methods")])) == 2
    assert len(shown(document, [one, ranked("p.1", two.chunk.text, 23, kind="table")])) == 2


def test_so_many_passages_are_shown_as_were_asked_for_when_some_are_joined():
    document, passages = cut(TEXT, (23, 60), (61, 80), (82, len(TEXT)), (0, 22))
    assert len(shown(document, passages[::3], top_k=2)) == 1
    other = ranked("q.1", "Rats flew too.")
    assert [(each.best.document_id, len(each.members)) for each in chosen([*passages, other], Limits(top_k=2))] == [
        ("p", 4),
        ("q", 1),
    ]


def test_each_of_chosen_papers_has_passages_whatever_their_relevance():
    candidates = [ranked(f"a.{number}", start=99 * number, relevance=0.9) for number in range(9)]
    candidates += [ranked(f"b.{number}", start=99 * number, relevance=0.001) for number in range(4)]
    assert not any(each.startswith("b") for each in names(candidates, min_sources=2))
    assert names(candidates, min_sources=2, of_each=2)[-2:] == ["b.0", "b.1"]
    assert names(candidates, min_sources=2, of_each=2, context_tokens=16) == ["a.0", "a.1", "b.0", "b.1"]
    others = [ranked("c.0", relevance=0.001), ranked("d.0", relevance=0.001)]
    assert names([*candidates, *others], min_sources=2, of_each=2)[-2:] == ["b.0", "b.1"], "others are owed nothing"


def test_a_text_that_stands_in_a_better_one_is_not_shown_again_but_a_changed_number_is():
    texts = ["Density fell by 12 percent.", "density fell by 12 percent", "Density fell by 13 percent."]
    candidates = [ranked(f"{name}.1", text) for name, text in zip("abc", texts, strict=True)]
    assert names(candidates, min_sources=3) == ["a.1", "c.1"]
    assert names(candidates, merge=False) == ["a.1", "b.1", "c.1"]


# A model with a small window gets fewer passages, and the result says so.

MOST = 9_000
SELECTED = {"selections": [{"paper": 1, "relevance": 9, "reason": "it weighed them"}]}
STEPS = {MultiSignal: "answer", RagFusion: "bullets", PaperRetriever: "answer"}


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    further = " and so did the next" * 20
    sentences = [f"Sample {number} weighed {number * 7} grams in flight{further}." for number in range(90)]
    place = tmp_path_factory.mktemp("window") / "papers.idx"
    with Index.open(place, create=True, embedder=HashingEmbedder()) as made:
        made.add([paper("long", *sentences, title="Samples in flight")])
        yield made


@pytest.mark.slow
@pytest.mark.parametrize("program", STEPS)
def test_passages_are_halved_until_the_model_can_read_them(index, program):
    step = STEPS[program]

    def at_most(call):
        if len(call.user) > MOST:
            raise ContextWindowExceededError(message="too long")
        return saying()

    script = Script(
        **{
            "selections": SELECTED,
            "queries": {"queries": ["samples"]},
            "hypothetical_passage": {"hypothetical_passage": "Samples."},
            step: at_most,
        }
    )
    asked = program(index)
    asked.set_parameters(evidence=500)
    with dspy.context(lm=script.lm()):
        prediction = asked(question="What did the samples in flight weigh?")
    assert len(script.asked(step)) > 1
    assert 0 < sum(len(each.text) for each in prediction.passages) < MOST
    assert any("tokens of passages instead of 6,000" in note for note in prediction.notes)


def test_a_window_for_nothing_is_an_error(index):
    script = Script(answer=ContextWindowExceededError(message="too long"))
    with dspy.context(lm=script.lm()), pytest.raises(ContextWindowExceededError):
        MultiSignal(index)(question="What did the samples in flight weigh?")
