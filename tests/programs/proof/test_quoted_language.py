"""Quotations in another language than the question's are said to be such; and which languages are read."""

from __future__ import annotations

import dspy
import pytest

from programs.lm import LM
from programs.results.result import ENGLISH_ONLY, QUOTED_AS_PRINTED, language_notes

QUOTED = "“Femur density fell by 12 percent in flight mice” [1]. “Osteoclast counts of the mice doubled” [2]."


@pytest.mark.parametrize(
    ("question", "answer", "is_noted"),
    [
        ("¿Qué le pasó a la densidad del fémur?", QUOTED, True),
        ("Wie wird die Knochendichte von Mäusen verändert?", QUOTED, True),
        ("骨密度は低下したか", QUOTED, True),
        ("What happened to the femur?", QUOTED, False),
        ("¿Qué le pasó a la densidad del fémur?", "La densidad del fémur bajó un 12 por ciento [1].", False),
        ("¿Qué le pasó a la densidad del fémur?", "“La densidad del fémur bajó un 12 por ciento” [1].", False),
        ("¿Qué le pasó a la densidad del fémur?", "", False),
    ],
)
def test_a_note_stands_where_quotations_are_in_another_language(question, answer, is_noted):
    assert language_notes(question, answer) == ([QUOTED_AS_PRINTED] if is_noted else [])


@pytest.mark.parametrize(
    "question",
    [
        "太空飞行对小鼠股骨密度有什么影响?",
        "骨密度は低下したか",
        "Как изменилась плотность бедренной кости мышей?",
        "هل انخفضت كثافة العظام؟",
        "Quels sont les effets du vol spatial sur la densité des os?",
        "Qual è la densità del femore nei topi della missione?",
        "Qual foi a densidade do fêmur dos camundongos?",
        "¿Qué le pasó a la densidad del fémur?",
        "Wie wird die Knochendichte von Mäusen verändert?",
    ],
)
def test_without_a_model_no_answer_to_another_language_says_that_english_is_read(question):
    with dspy.context(lm=LM("extractive")):
        assert language_notes(question, "") == [ENGLISH_ONLY]
    with dspy.context(lm=dspy.utils.DummyLM([])):
        assert language_notes(question, "") == []


@pytest.mark.parametrize(
    "question",
    [
        "Did femur density fall in mice?",
        "zinc common cold duration",
        "Does β-carotene lower TNF-α in naïve T cells?",
        "Which of Ménière's disease and São Paulo do the authors name?",
        "Do adults on no diet lose as much as those on a Mediterranean one?",
    ],
)
def test_an_english_question_is_taken_for_one(question):
    with dspy.context(lm=LM("extractive")):
        assert language_notes(question, "") == []
