"""`multi_signal` from question to result, driven by a model that says what the test wrote down."""

from __future__ import annotations

import json
import logging
import re

import dspy
import pytest

from programs.answering import FromEvidence, unread_papers
from programs.errors import MalformedOutput, UnknownFilterField, UsageError
from programs.ingest.document import DocumentBuilder
from programs.lm import LM
from programs.multi_signal import MultiSignal, MultiSignalParameters
from programs.passages.asked import Asked
from programs.passages.evidence import NO_EVIDENCE
from programs.progress import listening
from programs.replay import replay
from programs.results.rendering import as_json
from programs.retrieval.index import Index
from programs.retrieval.query_expansion import TagDictionary, TagEntry
from programs.retrieval.reranking import SignalWeights
from tests.hashing_embedder import HashingEmbedder
from tests.papers import PAPERS, paper
from tests.scripted_lm import Script, evidence, resting, saying

QUESTION = "What happened to femur density in mice?"
TRUE = "Femur density fell by 12 percent in flight mice."
FALSE = TRUE.replace("12", "90")
KEPT = "Femur density did not fall in flight mice that exercised."
CONFLICT = "Femur density fell by 12 percent in flight mice, but it did not fall in flight mice that exercised."
RESTED = paper(
    "rested",
    KEPT,
    "They ran for an hour a day.",
    title="Bone kept in flight mice",
    year=2020,
    organism=["Mus musculus"],
    mission_env="ISS",
)
DICTIONARY = TagDictionary((TagEntry("mouse", "organisms", ("mouse", "mice", "Mus musculus")),))


@pytest.fixture
def index(tmp_path):
    with Index.open(tmp_path / "papers.idx", create=True, embedder=HashingEmbedder()) as opened:
        opened.add([*PAPERS, RESTED])
        yield opened


def truly(call):
    """What the evidence with the finding says; without it an abstention."""
    return saying(*[TRUE] * any("12 percent" in each for each in evidence(call).values()))(call)


def numbers_of(call, *parts):
    """Numbers of the sentences of the prompt that hold these words."""
    return [next(number for number, text in evidence(call).items() if part in text) for part in parts]


def ask(index, script, question=QUESTION, filters=None, top_k=None, answer=True, **parameters):
    with dspy.context(lm=script.lm()):
        program = MultiSignal(index, MultiSignalParameters(**parameters), DICTIONARY)
        return program(question=question, filters=filters, top_k=top_k, answer=answer)


def search(index, question=QUESTION, **options):
    return ask(index, Script(), question, answer=False, **options)


def test_a_clean_answer_takes_one_call_and_replays(index):
    script = Script(answer=truly)
    prediction = ask(index, script)
    assert re.sub(r" \[\d\]", "", prediction.answer) == TRUE
    assert (prediction.answerable, prediction.notes) == (True, [])
    assert script.steps == ["answer"]
    assert prediction.metrics["lm_calls"] == 1
    assert prediction.metrics["grounded_ratio"] == 1.0
    assert prediction.passages[0].document_id in ("bone", "rested")
    saved = json.loads(json.dumps(as_json(prediction)))
    assert replay(saved, index.document) == []


def test_an_answer_cites_passages_whatever_number_its_sentence_has(index):
    script = Script(answer=truly)
    prediction = ask(index, script)
    [number] = numbers_of(script.calls[0], "12 percent")
    place = 1 + [each.document_id for each in prediction.passages].index("bone")
    assert number > place
    assert prediction.answer.endswith(f" [{place}].")
    assert [each.passage for each in prediction.citations] == [prediction.passages[place - 1].id]


def test_every_citation_carries_its_signals(index):
    script = Script(answer=truly)
    (citation,) = ask(index, script, now=2026, mode="raw").citations
    assert set(citation.retrieval) == {
        *("sim", "bm25", "keyword_overlap", "sec_boost", "recency", "authority", "length_fit", "duplicate_penalty"),
        *("cross_encoder", "final"),
    }
    scores = citation.retrieval
    assert citation.relevance_reason.startswith(
        f"Sim: {scores['sim']:.3f} | Sec: 0.100 | Keyword: {scores['keyword_overlap']:.3f} | Authority: 0.000 | "
        f"Final: {scores['final']:.3f}"
    )


def test_the_expansion_is_searched_for_and_returned(index):
    script = Script(answer=truly)
    assert ask(index, script).expansion == {
        "matched": ["mouse"],
        "added": ["mouse", "Mus musculus"],
        "query": f"{QUESTION} mouse Mus musculus",
    }
    assert ask(index, script, expansion=False).expansion == {"matched": [], "added": [], "query": QUESTION}


def test_the_answering_step_has_its_own_temperature_and_a_retry_is_warmer(index):
    script = Script(answer=["no field at all", truly])
    ask(index, script, num_tries=2, temperature=0.2)
    assert [call.temperature for call in script.asked("answer")] == [0.2, 0.3]
    with pytest.raises(MalformedOutput, match="num_tries"):
        ask(index, Script(answer="no field at all"))


def test_filters_leave_only_what_matches(index):
    script = Script(answer=truly)
    prediction = ask(index, script, filters={"organism": ["Mus musculus"], "mission_env": ["ISS"]})
    assert {passage.document_id for passage in prediction.passages} == {"bone", "rested"}
    with pytest.raises(UnknownFilterField):
        ask(index, script, filters={"colour": "red"})


def test_nothing_retrieved_asks_no_model(index):
    script = Script()
    prediction = ask(index, script, filters={"year": {"gte": 2100}})
    assert (prediction.answer, prediction.answerable, prediction.passages) == ("", False, [])
    assert prediction.notes == [NO_EVIDENCE]
    assert (prediction.conflicts, script.calls) == ([], [])


def test_an_answer_that_abstains_says_nothing_that_the_model_wrote(index):
    script = Script(
        numbers={"numbers": [1, 2]}, answer=lambda call: {**saying(TRUE, CONFLICT)(call), "answerable": False}
    )
    prediction = ask(index, script)
    assert (prediction.answer, prediction.conflicts) == (f"“{KEPT[:-1]}” [1].", [])
    assert (prediction.unsupported_claims, script.steps) == ([], ["answer"])
    prediction = ask(index, script, reader="model")
    assert (prediction.answer, prediction.answerable, prediction.conflicts) == ("", False, [])


def test_an_unsupported_claim_is_repaired(index):
    script = Script(answer=saying(FALSE), corrected=lambda call: {"corrected": resting(call, TRUE)})
    prediction = ask(index, script, max_iterations=1)
    assert "fell by 12 percent" in prediction.answer
    assert (len(prediction.repairs), prediction.unsupported_claims) == (1, [])
    assert script.steps == ["answer", "corrected"]
    unchecked = ask(index, Script(answer=saying(FALSE)), verify=False)
    assert unchecked.answer == ""
    assert "none of its sentences is proved" in unchecked.notes[0]


def conflicting(*found):
    """A model that answers from two papers, and tells conflicts: a sentence, and words of those that it rests on."""

    def conflicts(call):
        return {"conflicts": [{"text": text, "evidence": numbers_of(call, *parts)} for text, *parts in found]}

    return Script(answer=saying(TRUE, KEPT), conflicts=conflicts)


def test_a_conflict_is_named_in_the_prose_with_both_numbers(index):
    script = conflicting((CONFLICT, "12 percent", "did not fall"))
    prediction = ask(index, script, least_support=0.6)
    [conflict] = prediction.conflicts
    assert script.steps == ["answer", "conflicts"]
    assert {prediction.passages[number - 1].document_id for number in conflict.passages} == {"bone", "rested"}
    assert re.sub(r"\[\d\]", "[n]", conflict.statement) == f"{CONFLICT[:-1]} [n][n]."
    assert prediction.answer.endswith(conflict.statement)
    assert prediction.metrics["grounded_ratio"] == 1.0
    assert replay(json.loads(json.dumps(as_json(prediction))), index.document) == []


@pytest.mark.parametrize(
    "found",
    [
        (CONFLICT, "12 percent"),
        (CONFLICT,),
        (" ", "12 percent", "did not fall"),
        (CONFLICT.replace("12", "90"), "12 percent", "did not fall"),
        (CONFLICT.replace("did not fall", "rose"), "12 percent", "did not fall"),
    ],
)
def test_what_is_of_one_paper_or_not_proved_is_no_conflict(index, found):
    prediction = ask(index, conflicting(found))
    assert prediction.conflicts == []
    assert re.sub(r" \[\d\]", "", prediction.answer) == f"{TRUE} “{KEPT[:-1]}”."


def test_conflicts_are_asked_for_where_an_answer_rests_on_several_papers(index):
    assert ask(index, script := Script(answer=truly)).conflicts == []
    assert script.steps == ["answer"]
    assert ask(index, conflicting()).conflicts == []


def test_the_steps_are_told_and_logged(index, caplog):
    script = Script(answer=truly)
    replay_report = []
    with caplog.at_level(logging.INFO, "programs"), listening(replay_report.append):
        ask(index, script)
    assert [step.name for step in replay_report] == [
        *("question", "tags", "expand", "retrieve", "rerank", "answer", "verify", "done"),
    ]
    messages = [step.message for step in replay_report]
    assert messages[:3] == [f"Original query: {QUESTION}", "Tag matches: mouse", "Expanded terms: mouse, Mus musculus"]
    assert messages[-1].startswith("Pipeline completed in ")
    assert messages[-1].endswith(" ms (grounding: 100.0%)")
    assert [record.getMessage() for record in caplog.records] == messages


@pytest.mark.parametrize("top_k", [0, -1, 41, 1_000_000])
def test_top_k_out_of_range_is_refused(index, top_k):
    with pytest.raises(UsageError, match=rf"top_k must be from 1 to 40, got {top_k}"):
        ask(index, Script(), top_k=top_k)


def figured(document_id):
    builder = DocumentBuilder()
    builder.add_section("Results")
    for number in range(4):
        builder.add_paragraph(f"Femur density of mice fell in group {number} " + "and so on " * 110 + "(Fig. 1).")
    builder.add_figure("Figure 1", "Femur density of every mouse.")
    return builder.build(id=document_id, pmcid=document_id, title="Femur density in mice")


def test_fewer_passages_than_wanted_are_explained(tmp_path):
    with Index.open(tmp_path / "few.idx", create=True, embedder=HashingEmbedder()) as index:
        index.add([figured("PMC1"), figured("PMC2")])
        asked = {"max_per_document": 2, "merge": False}
        prediction = search(index, top_k=6, **asked)
        assert len(prediction.passages) == 4
        assert prediction.notes == ["4 passages instead of 6: at most 2 of a paper, at most 6,000 tokens in all."]
        assert search(index, top_k=4, **asked).notes == []
        assert search(index, **asked).notes == [], "nobody asked for six"


def test_a_paper_may_bring_all_that_it_has_and_what_touches_is_one_passage(tmp_path):
    with Index.open(tmp_path / "much.idx", create=True, embedder=HashingEmbedder()) as index:
        index.add([figured("PMC1")])
        passages = search(index).passages
        assert [each.id for each in passages] == [f"PMC1::9-{passages[0].end}", "PMC1::fig1"]
        assert "in group 0" in passages[0].text
        assert "in group 3" in passages[0].text
        assert passages[0].relevance_reason.startswith("Sim: ")
        within = search(index, context_tokens=200).passages
        assert [each.id for each in within] != [each.id for each in passages]


class Named:
    """A cross-encoder that finds that one paper answers."""

    def __init__(self, title):
        self.title = title

    def scores(self, question, passages, about=()):
        return [float(place.startswith(self.title)) for place in about]

    def parts(self, passage):
        return ()


def test_the_ninth_signal_reads_title_and_heading_and_can_be_switched_off(index, monkeypatch):
    monkeypatch.setattr("programs.multi_signal.cross_encoder", lambda name: Named("Root growth in orbit. Results"))
    found = search(index)
    assert found.passages[0].document_id == "roots"
    assert found.passages[0].scores["cross_encoder"] == pytest.approx(1.0)
    monkeypatch.undo()
    without = search(index, cross_encoder="")
    assert all("cross_encoder" not in each.scores for each in without.passages)


def test_the_preset_seed_has_the_numbers_of_the_system_as_described(index):
    seed = MultiSignalParameters.seed()
    assert (seed.candidates, seed.rerank_k, seed.top_k, seed.max_per_document, seed.min_sources) == (40, 12, 6, 2, 3)
    assert (seed.context_tokens, seed.cross_encoder, seed.weights) == (4000, "", SignalWeights())
    assert (seed.merge, seed.least_relevance, seed.same_meaning, seed.mode) == (False, 0.0, 0.95, "scaled")
    with dspy.context(lm=Script(answer=saying()).lm()):
        found = MultiSignal(index, seed, DICTIONARY)(question=QUESTION)
    assert len(found.passages) == 4


def test_figures_of_the_passages_are_returned_and_missing_ones_noted(tmp_path):
    with Index.open(tmp_path / "figures.idx", create=True, embedder=HashingEmbedder()) as index:
        index.add([figured("PMC1"), *PAPERS])
        prediction = ask(index, Script(answer=saying()), question="Femur density of mice: Figures 1 and 2 of PMC1?")
        assert [(each.document_id, each.label) for each in prediction.figures] == [("PMC1", "Figure 1")]
        assert prediction.notes == ["Figure 2 was not found in PMC1."]
        assert replay(json.loads(json.dumps(as_json(prediction))), index.document) == []


def test_programs_and_indexes_are_a_line_each(index):
    assert repr(index) == f"Index({index.place!r}, {index.manifest.embedder!r}, {index.manifest.chunking!r})"
    assert repr(MultiSignal(index, MultiSignalParameters(top_k=3))) == f"MultiSignal({index!r}, top_k=3)"


def test_without_a_model_papers_with_words_that_nothing_read_has_are_read_before_it_refuses(index):
    asked, read = "What is known of auxin in zebrafish?", Asked.of("What is known of auxin transport?")
    with dspy.context(lm=LM("extractive")):
        qa = MultiSignal(index, MultiSignalParameters(candidates=2), DICTIONARY)
        assert unread_papers(read, FromEvidence.nothing([]), index, None) == ["roots"]
        assert unread_papers(read, FromEvidence.nothing([]), index, {"document": ["bone"]}) == []
        assert "roots" in {each.document_id for each in qa(question=asked).passages}
    with dspy.context(lm=Script().lm()):
        assert unread_papers(read, FromEvidence.nothing([]), index, None) == []
