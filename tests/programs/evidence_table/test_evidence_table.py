"""A cell, from question to value, driven by a model that says what the test wrote down."""

from __future__ import annotations

import json

import dspy
import pytest

from programs.errors import UsageError
from programs.evidence_table import EvidenceTable, EvidenceTableParameters
from programs.evidence_table.cell_values import Value, ValueType
from programs.evidence_table.table import NOT_FOUND, Cell
from programs.lm import LM
from programs.replay import replay
from programs.results.rendering import as_json
from programs.retrieval.index import Index
from tests.hashing_embedder import HashingEmbedder
from tests.papers import PAPERS, paper
from tests.scripted_lm import Script, evidence

QUESTION = "How did femur density change?"
FINDING = "Femur density fell by 12 percent in flight mice."
NUMBER = ValueType("number")


def said(text=FINDING, value="12 percent", *, answerable=True):
    """A model that reads the right sentence, and writes what the test wants."""

    def reply(call):
        number = next(number for number, sentence in evidence(call).items() if sentence == FINDING)
        return {"answerable": answerable, "answer": [{"text": text, "evidence": [number]}], "value": value}

    return reply


@pytest.fixture
def index(tmp_path):
    with Index.open(tmp_path / "papers.idx", create=True, embedder=HashingEmbedder()) as opened:
        opened.add(PAPERS)
        yield opened


SAID = said()


def cell(index, reply=SAID, wanted=NUMBER, paper="bone"):
    script = Script(value=reply)
    with dspy.context(lm=script.lm()):
        return EvidenceTable(index)(question=QUESTION, paper=paper, wanted=wanted), script


def test_a_cell_takes_one_call_and_holds_value_quote_and_certificate(index):
    found, script = cell(index)
    assert found.value == Value("12 percent", 12.0, "percent")
    assert found.citations[0].quote == FINDING
    assert found.citations[0].verdict == "supported"
    assert found.metrics["lm_calls"] == len(script.calls) == 1
    assert {each.document_id for each in found.passages} == {"bone"}
    assert replay(json.loads(json.dumps(as_json(found))), index.document) == []


def test_a_sentence_that_is_not_proved_gives_way_to_the_papers_own(index):
    found, _ = cell(index, said("Femur density fell by 90 percent in flight mice."))
    assert found.answer == "“Femur density fell by 12 percent in flight mice” [1]."
    assert found.value == Value("12 percent", 12.0, "percent")
    assert replay(json.loads(json.dumps(as_json(found))), index.document) == []


def test_a_number_that_was_not_shown_proves_nothing(index):
    found, _ = cell(
        index, lambda _: {"answerable": True, "answer": [{"text": FINDING, "evidence": [900]}], "value": ""}
    )
    assert (found.value, found.answer) == (None, "")


def test_a_model_is_shown_the_best_sentences_alone(index):
    script = Script(value=said())
    with dspy.context(lm=script.lm()):
        found = EvidenceTable(index, EvidenceTableParameters(evidence=1))(
            question=QUESTION, paper="bone", wanted=NUMBER
        )
    assert list(evidence(script.calls[0]).values()) == [FINDING]
    assert found.value is not None


@pytest.mark.parametrize(
    ("reply", "note"),
    [
        (said(answerable=False), "the passages do not report it"),
        (said("  "), "the passages do not report it"),
        (said(value="13 percent"), "“13 percent” is not a number that is in what was quoted"),
        (said(value="a lot"), "“a lot” is not a number"),
    ],
)
def test_there_is_no_value_without_a_passage_that_bears_it(index, reply, note):
    found, _ = cell(index, reply)
    assert (found.value, found.answer, found.citations) == (None, "", [])
    assert note in found.notes[0]
    assert found.passages[0].relevance_reason.startswith("the nearest evidence")
    assert replay(json.loads(json.dumps(as_json(found))), index.document) == []


@pytest.mark.parametrize(
    ("wanted", "written", "value"),
    [
        (ValueType(), "a twelfth less", FINDING),
        (ValueType(), "flight mice", "flight mice"),
        (ValueType("direction"), "decreased", "decreased"),
    ],
)
def test_a_text_that_is_no_quote_gives_way_to_the_proved_sentence_and_a_label_is_a_choice(
    index, wanted, written, value
):
    found, script = cell(index, said(value=written), wanted)
    assert (found.value, found.label) == (Value(value), value if wanted.labels else "")
    assert not wanted.labels or f"one of: {'; '.join(wanted.labels)}" in script.calls[0].values["form"]


def test_what_cannot_be_asked(index):
    with pytest.raises(UsageError, match="the question is empty"):
        EvidenceTable(index)(question=" ", paper="bone")
    with pytest.raises(UsageError, match="has no document 'gone'"):
        EvidenceTable(index)(question=QUESTION, paper="gone")


COUNTED = paper(
    "trial",
    "Of 310 people who were screened, 120 adult patients were randomised. The wound had 8 × 8 cm in 80 % of patients. "
    "Zinc was given at 10 mg daily to all of them for 12 weeks. Other trials found the same. "
    "The design was approved by the Ethical Review Committee of the city. It was a crossover.",
)


@pytest.mark.parametrize(
    ("question", "wanted", "value"),
    [
        ("How many hospitals took part?", NUMBER, None),
        ("How many patients were randomised?", NUMBER, None),
        ("Which design had the trial?", ValueType("choices", ("parallel", "other")), None),
        ("By whom was the design approved?", ValueType("choices", ("review", "survey")), None),
        ("How were the crossovers done?", ValueType("choices", ("crossovers", "review")), None),
        ("Was it a crossover?", ValueType("choices", ("crossover", "review")), "crossover"),
    ],
)
def test_without_a_model_a_cell_has_what_a_sentence_says_or_nothing(tmp_path, question, wanted, value):
    with Index.open(tmp_path / "t.idx", create=True, embedder=HashingEmbedder()) as opened:
        opened.add([COUNTED])
        with dspy.context(lm=LM("extractive")):
            found = EvidenceTable(opened)(question=question, paper="trial", wanted=wanted)
    assert (found.value and found.value.text) == value
    assert value or found.notes[0].startswith("Not found without a model: ")
    assert Cell("not reported", "", as_json(found)).text == (NOT_FOUND if value is None else value)


def test_without_a_model_the_note_of_a_number_quotes_the_nearest_sentence(tmp_path):
    with Index.open(tmp_path / "t.idx", create=True, embedder=HashingEmbedder()) as opened:
        opened.add([COUNTED])
        with dspy.context(lm=LM("extractive")):
            found = EvidenceTable(opened)(question="How many patients were randomised?", paper="trial", wanted=NUMBER)
    assert "numbers are read by a language model" in found.notes[0]
    assert "120 adult patients were randomised" in found.notes[0]
