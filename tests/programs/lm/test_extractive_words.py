"""The parts of a question, and which brackets of a sentence are citations."""

from __future__ import annotations

import pytest

from programs.lm.extractive.sources import quoted
from programs.lm.extractive.weighted_terms import weighted_terms
from programs.rag_fusion import topic

PARTS = {"zinc": 0.4, "appetit": 1.0, "placebo": 0.2}


@pytest.mark.parametrize(
    "question",
    [
        "What was the effect of zinc on appetite compared with placebo?",
        "What was the effect of zinc compared with placebo on appetite?",
        "What is the impact of zinc versus placebo upon appetite?",
        "Effects of zinc vs. placebo on appetite",
    ],
)
def test_the_outcome_weighs_most_wherever_the_comparison_stands(question):
    assert dict(weighted_terms(question)) == PARTS


def test_a_comparison_without_an_outcome_is_asked_for_itself():
    assert dict(weighted_terms("Is zinc better than iron compared to placebo?"))["iron"] == 1.0


@pytest.mark.parametrize(
    ("sentence", "quotation"),
    [
        ("It rose [12, 13] in mice [4].", "“It rose in mice” [1]."),
        ("Rebound took a median of 4 [1–8] wk in mice.", "“Rebound took a median of 4 [1–8] wk in mice” [1]."),
        ("Hazard ratio [95%CI] was 2.1 [1.5–3.0].", "“Hazard ratio [95%CI] was 2.1 [1.5–3.0]” [1]."),
        ("The level of [Ca2+] rose.", "“The level of [Ca2+] rose” [1]."),
        ("FIGURE 2. Bone fell in mice.", "“Bone fell in mice” [1]."),
    ],
)
def test_only_citations_and_labels_are_left_out_of_a_quotation(sentence, quotation):
    assert quoted(sentence, "1") == quotation


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What does PMC0000004 say about femur density?", "Femur Density"),
        ("What is the effect of zinc on DNA?", "Zinc DNA"),
        ("Was it safe?", "Safe"),
        ("?", ""),
    ],
)
def test_a_topic_is_what_a_question_names(question, expected):
    assert topic(question) == expected
