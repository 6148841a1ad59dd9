"""Questions of other languages: put in English where a model can translate them."""

from __future__ import annotations

import dspy
import pytest

from programs.lm import LM
from programs.lm.adapters import adapter_for
from programs.passages.asked import Asked
from programs.translation import InEnglish
from tests.scripted_lm import Script

SPANISH = "¿Qué le pasó a la densidad del fémur de los ratones?"
ENGLISH = "What happened to the femur density of the mice?"


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


def test_in_english_it_is_a_question_by_itself():
    asked = in_english(SPANISH, Script(english={"english": ENGLISH}).lm())
    assert (asked.as_english.question, asked.as_english.is_english) == (ENGLISH, True)


@pytest.mark.parametrize("said", ["", SPANISH])
def test_it_stays_as_it_is_where_its_english_form_is_none(said):
    asked = in_english(SPANISH, Script(english={"english": said}).lm())
    assert asked.as_english is asked
