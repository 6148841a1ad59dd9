"""Papers that a question names, in every form, and passages of them among others."""

from __future__ import annotations

from dataclasses import replace

import dspy
import numpy as np
import pytest

from programs.ingest.document import Chunk, Document, DocumentBuilder
from programs.lm import LM
from programs.multi_signal import MultiSignal
from programs.paper_retriever import PaperRetriever
from programs.passages import Passage
from programs.passages.asked import Asked
from programs.passages.evidence import first_of_each, joined, spread, within
from programs.passages.figure_numbers import figure_numbers
from programs.passages.figures import AskedFigures, figures_named
from programs.passages.framing import asks_for_several, ids_in
from programs.rag_fusion import RagFusion
from programs.retrieval.index import Index
from programs.retrieval.records import Hit
from programs.retrieval.retriever import SearchCandidates
from programs.summaries import summarize_index
from tests.hashing_embedder import HashingEmbedder
from tests.papers import BONE, PAPERS, paper

NUMBERED = paper("smith-2014", "Femur density fell.")
CENTRAL = paper("PMC77", "Snails kept their balance.")


def hit(name, document_id="A"):
    return Hit(Chunk(f"{document_id}::{name}", document_id, "results", "text", "", 0, 0), 0.5)


def ids(hits):
    return [each.chunk.id for each in hits]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What does Figure 2 of PMC77 show?", ["PMC77"]),
        ("pmc77's figure", ["PMC77"]),
        ("(PMC77, PMC78–PMC79)?", ["PMC77", "PMC78", "PMC79"]),
        ("図2はPMC77の", ["PMC77"]),
        ("Did smith-2014 weigh bones?", ["smith-2014"]),
        ("What of bone after 42 days?", []),
    ],
)
def test_what_may_be_an_id_is_read_out_of_a_question(question, found):
    assert [each for each in ids_in(question) if each in found] == found
    assert found or ids_in(question) == []


def test_an_index_says_which_papers_there_are(tmp_path):
    with Index.open(tmp_path / "papers.idx", create=True, embedder=HashingEmbedder()) as index:
        index.add([BONE, NUMBERED, CENTRAL])
        assert Asked.of("Do pmc77, PMC99 and smith-2014 agree on bone?").named_in(index, None) == [
            "PMC77",
            "smith-2014",
        ]
        assert Asked.of("What of bone?").named_in(index, None) == []
        assert Asked.of("What of PMC77?").named_in(index, {"document": ["bone"]}) == [], "filters choose the papers"
        assert within({"year": 2014}, "PMC77") == {"year": 2014, "document": ["PMC77"]}


@pytest.mark.parametrize(
    ("question", "is_meant"),
    [
        ("What did Petrosyan 2018 find?", True),
        ("Which figure of Petrosyan et al. (2018) shows it?", True),
        ("What did petrosyan and Smith, 2018, find?", True),
        ("What did Petrosyan 2017 find?", False),
        ("What was found in 2018 by Petrosyan?", False),
        ("What did Petrosyanov 2018 find?", False),
        ("What does X-1 say?", True),
        ("What does PMC5 say?", True),
        ("What does PMC55 say?", False),
    ],
)
def test_papers_at_hand_are_meant_by_id_or_by_author_and_year(question, is_meant):
    known = Document("X-1", "", authors=("Petrosyan, Ani", "Smith, Ann"), year=2018, pmcid="PMC5")
    other = Document("other", "")
    assert Asked.of(question).meant_among({"X-1": known, "other": other}) == ([known] if is_meant else [])


def test_named_papers_bring_their_share_and_the_best_of_all_fill_the_rest():
    everything = [hit(number) for number in range(6)]
    one, two = [hit(number, "B") for number in range(6)], [hit(0, "C")]
    assert ids(first_of_each(everything, [one], 4)) == ["B::0", "B::1", "A::0", "A::1"]
    assert ids(first_of_each(everything, [one, two], 3)) == ["B::0", "C::0", "A::0"]
    assert ids(first_of_each(everything, [one, two], 1)) == ["B::0"]
    assert ids(first_of_each(everything, [everything], 3)) == ["A::0", "A::1", "A::2"], "no passage twice"


def test_candidates_of_several_searches_keep_their_vectors():
    query = np.ones(2, dtype=np.float32)

    def found(*hits, value):
        return SearchCandidates(hits, np.full((len(hits), 2), value, dtype=np.float32), query, [value] * len(hits))

    both = joined([found(hit(0), hit(1), value=1.0), found(hit(1), hit(2), value=2.0)])
    assert ids(both.hits) == ["A::0", "A::1", "A::2"]
    assert both.vectors.tolist() == [[1, 1], [1, 1], [2, 2]]
    assert both.bm25 == [1.0, 1.0, 2.0]
    assert joined([found(value=1.0)]).hits == []


# Questions that ask for several papers get all of them, from every program over a collection.

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


@pytest.mark.slow
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


def test_two_passages_of_each_paper_come_before_further_ones(index):
    hits = index.search(QUESTION, 200)
    found = [hit.chunk.document_id for hit in hits]
    kept = [found[place] for place in spread((hit.chunk for hit in hits), len(hits))]
    few = sum(min(2, found.count(name)) for name in set(found))
    assert max(map(kept[:few].count, set(found))) == 2
    assert sorted(kept) == sorted(found)
    assert len(spread((hit.chunk for hit in hits), 3)) == 3


# Figures that a text names, in every form that papers and people write, and what they resolve to.


def document(name, *labels, text="Bone fell (Fig. 1).", **figure):
    builder = DocumentBuilder()
    builder.add_section("Results")
    builder.add_paragraph(text)
    for label in labels:
        builder.add_figure(label, f"Caption of {label}.", **figure)
    return builder.build(id=name, pmcid=name)


def passage(paper, start=None, end=None, name="sec0::chunk0"):
    start = paper.sections[0].start if start is None else start
    end = paper.text.index("\n\n", start) if end is None else end
    return Passage.of(paper, start, end, id=f"{paper.id}::{name}", section="results", key=paper.id)


def figure_ids(figures):
    return [figure.id for figure in figures]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("What does Figure 2 show?", ["2"]),
        ("It fell (Fig. 2A).", ["2A"]),
        ("Figures 1–3", ["1", "2", "3"]),
        ("as in figure 2.", ["2"]),
        ("Supplementary Figure 1", ["S1"]),
        ("Supplementary Figs. S1, S2 and S4", ["S1", "S2", "S4"]),
        ("Figures S1–3", ["S1", "S2", "S3"]),
        ("Extended Data Fig. 4b", ["ED4B"]),
        ("Fig. 2A–C", ["2A", "2B", "2C"]),
        ("(Figs 1, 3)", ["1", "3"]),
        ("Figure 2a and b", ["2A", "2B"]),
        ("Figures 2A, 3 and 4B-D show", ["2A", "3", "4B", "4C", "4D"]),
        ("Figures 1, 2, and 3", ["1", "2", "3"]),
        ("FIG. 2 and Fig.3", ["2", "3"]),
        ("Fig. (3)", ["3"]),
        ("¿Qué muestra la figura 2? Was zeigt Abbildung 3? 図4は", ["2", "3", "4"]),
    ],
)
def test_figures_are_read_in_every_form(text, numbers):
    assert figure_numbers(text) == numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("in Figure 2, 12 mice were flown", ["2"]),
        ("in Fig. 2 and 3 days later", ["2"]),
        ("Fig. 1–3 weeks", ["1"]),
        ("those are the figures. 11 of them", []),
        ("we configure 2 lamps; see Table 3", []),
        ("Figures 1–900", ["1", "900"]),
    ],
)
def test_other_numbers_are_no_figures(text, numbers):
    assert figure_numbers(text) == numbers


def test_a_panel_falls_back_to_its_figure_and_a_figure_to_its_panels():
    paper = document("PMC1", "Figure 1", "Fig. 2A", "Fig. 2B", "Figure S1")
    assert figure_ids(figures_named("Fig. 1C", paper)) == ["fig1"]
    assert figure_ids(figures_named("Fig. 2B", paper)) == ["fig2B"]
    assert figure_ids(figures_named("Figure 2", paper)) == ["fig2A", "fig2B"]
    assert figure_ids(figures_named("Supplementary Figure 1 and Fig. 1", paper)) == ["figS1", "fig1"]
    assert figure_ids(figures_named("Figures 1A and 1B", paper)) == ["fig1"]
    assert figures_named("Figure 7; Fig. 2C", paper) == []


def test_a_table_is_no_figure():
    assert figures_named("Figure 1", document("PMC1", "Table 1")) == []


def asked_for(question, passages, documents):
    found = AskedFigures.of(Asked.of(question), passages, documents).found
    return [(paper.id, figure.id) for paper, figure in found]


def figures_of(question, passages, documents):
    return AskedFigures.of(Asked.of(question), passages, documents).before(passages, documents)


def test_a_passage_brings_the_figures_of_its_own_paper_that_it_names_and_whose_caption_it_is():
    one, other = document("PMC1", "Figure 1"), document("PMC2", "Figure 1", text="Bone stayed.")
    found = figures_of("What of bone?", [passage(other), passage(one)], {"PMC1": one, "PMC2": other})
    assert [(each.document_id, each.id) for each in found] == [("PMC1", "fig1")]
    paper = document("PMC3", "Figure 1", "Figure 2", text="Bone stayed.")
    caption = passage(paper, paper.figures[1].start, paper.figures[1].end, "fig2")
    assert figure_ids(figures_of("What of bone?", [caption], {"PMC3": paper})) == ["fig2"]


def test_a_question_means_the_best_ranked_paper_that_has_the_figure():
    one, two, three = document("PMC1", "Figure 1"), document("PMC2", "Figure 2"), document("PMC3", "Figure 2")
    passages, documents = [passage(one), passage(two), passage(three)], {"PMC1": one, "PMC2": two, "PMC3": three}
    assert asked_for("Figure 2?", passages, documents) == [("PMC2", "fig2")]
    assert [(each.document_id, each.id) for each in figures_of("What does Figure 2 show?", passages, documents)] == [
        ("PMC2", "fig2"),
        ("PMC1", "fig1"),
    ]


def test_a_question_that_names_a_paper_means_its_figures():
    one, two = document("PMC1", "Figure 2"), document("PMC2", "Figure 2", "Figure 3")
    three = replace(document("PMC3", "Figure 2"), authors=("Petrosyan, Ani",), year=2018)
    passages, documents = [passage(one), passage(two), passage(three)], {"PMC1": one, "PMC2": two, "PMC3": three}

    def asked(question):
        return asked_for(question, passages, documents)

    assert asked("What does Figure 2 of PMC2 show?") == [("PMC2", "fig2")]
    assert asked("What does Figure 2 of Petrosyan et al. (2018) show?") == [("PMC3", "fig2")]
    assert asked("Do PMC1 and PMC2 agree in Figures 2 and 3?") == [("PMC1", "fig2"), ("PMC2", "fig2"), ("PMC2", "fig3")]
    assert asked("What does Figure 3 of PMC1 show?") == [], "of no other paper"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What of bone?", []),
        ("What does Figure 1 show?", []),
        ("What does Figure 1C show?", []),
        ("What does Figure 99 show?", ["Figure 99 was not found in any retrieved paper."]),
        ("Figures 98 and S1?", ["Figures 98 and S1 were not found in any retrieved paper."]),
        ("Figures 1–4?", ["Figures 2, 3 and 4 were not found in PMC1."]),
        ("Figure 1 of PMC2?", ["Figure 1 was not found in PMC2."]),
        ("Figure 5 of PMC2?", []),
    ],
)
def test_a_figure_that_is_not_there_is_said_to_be_missing(question, said):
    one, two = document("PMC1", "Figure 1"), document("PMC2", "Figure 5")
    passages, documents = [passage(one), passage(two)], {"PMC1": one, "PMC2": two}
    assert list(AskedFigures.of(Asked.of(question), passages, documents).missing) == said
    assert AskedFigures.of(Asked.of(question), [], {}) == AskedFigures()
