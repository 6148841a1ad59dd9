"""Quotations in another language than the question's are said to be such."""

from __future__ import annotations

import pytest

from programs.quoted_language import QUOTED_AS_PRINTED, language_notes

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
