"""Questions of other languages: searched in English where a model can translate them, answered as they were asked."""

from __future__ import annotations

import dspy
import pytest

from programs.lm import LM
from programs.lm.adapters import adapter_for
from programs.multi_signal import MultiSignal
from programs.passages.asked import Asked
from programs.question_in_english import InEnglish
from programs.retrieval.index import Index
from tests.hashing_embedder import HashingEmbedder
from tests.papers import PAPERS
from tests.scripted_lm import Script, evidence

SPANISH = "¿Qué le pasó a la densidad del fémur de los ratones?"
ENGLISH = "What happened to the femur density of the mice?"
FELL = "Femur density fell by 12 percent in flight mice."


def in_english(question, lm):
    with dspy.context(lm=lm, adapter=adapter_for(lm)):
        return InEnglish()(Asked.of(question), 1)


def test_a_question_in_english_is_not_translated():
    script = Script()
    assert in_english(ENGLISH, script.lm()).searched == ENGLISH
    assert script.calls == []


def test_another_is_searched_in_english_and_stays_as_it_was_asked():
    asked = in_english(SPANISH, Script(english={"english": ENGLISH}).lm())
    assert (asked.question, asked.searched, asked.reads_english, asked.is_english) == (SPANISH, ENGLISH, True, False)


def test_what_it_asks_of_papers_is_read_in_english_too():
    said = "Which papers report bone loss, and what does Figure 2 show?"
    asked = in_english("¿Qué trabajos informan de pérdida ósea?", Script(english={"english": said}).lm())
    assert asked.several
    assert asked.figures == ("2",)


@pytest.mark.parametrize("said", ["", "  "])
def test_without_a_translation_it_is_searched_as_it_is(said):
    asked = in_english(SPANISH, Script(english={"english": said}).lm())
    assert (asked.searched, asked.reads_english) == (SPANISH, False)


def test_without_a_model_nobody_translates():
    assert in_english(SPANISH, LM("extractive")).searched == SPANISH


def test_the_answer_is_in_the_questions_language_and_proved_by_english_sentences(tmp_path):
    said = "La densidad del fémur cayó un 12 por ciento en los ratones de vuelo."

    def write(call):
        number = next(number for number, text in evidence(call).items() if text == FELL)
        return {"answerable": True, "answer": [{"text": said, "evidence": [number]}]}

    script = Script(english={"english": ENGLISH}, answer=write, verdict={"verdict": "all of it"})
    with Index.open(tmp_path / "papers.idx", create=True, embedder=HashingEmbedder()) as index:
        index.add(PAPERS)
        with dspy.context(lm=script.lm()):
            found = MultiSignal(index)(question=SPANISH)
    assert found.answer == f"{said[:-1]} [1]."
    assert (found.citations[0].verdict, found.citations[0].quote) == ("supported", FELL)
    assert script.steps == ["english", "answer", "verdict"]
    assert script.asked("answer")[0].values["question"] == SPANISH
