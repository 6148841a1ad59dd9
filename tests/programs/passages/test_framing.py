"""Who asks, and that papers are to say it, is not sought in their sentences."""

from __future__ import annotations

import pytest

from programs.errors import UsageError
from programs.passages.asked import Asked
from programs.passages.framing import alternatives, sought


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("Please tell me about the weight of mice in orbit.", "the weight of mice in orbit."),
        ("My supervisor asked whether orbit thins bone.", "orbit thins bone."),
        ("We would like to know if orbit thins bone", "orbit thins bone"),
        ("Could you summarise how lettuce grows in orbit?", "how lettuce grows in orbit?"),
        ("According to the authors, does orbit thin bone?", "does orbit thin bone?"),
        ("What do the authors acknowledge as a limitation?", "a limitation?"),
        ("Do the papers disagree on bone loss?", "bone loss?"),
        ("Which studies tested zoledronate?", "zoledronate?"),
        ("Which papers are about the sperm of rats?", "the sperm of rats?"),
        ("Is there any evidence that orbit thins bone in these papers?", "orbit thins bone?"),
    ],
)
def test_what_frames_a_question_is_not_sought(question, rest):
    assert sought(question) == rest


@pytest.mark.parametrize(
    "question",
    [
        "Does orbit thin bone?",
        "Can you smell burnt toast after a stroke?",
        "What is the design of the study?",
        "How many mice did the authors weigh?",
        "Do studies agree?",
        "Explain.",
        "¿Qué estudios midieron la masa ósea?",
        "Which trials from India tested garlic?",
    ],
)
def test_a_question_that_is_all_about_its_subject_stays(question):
    assert sought(question) == question


def test_without_a_model_the_subject_is_looked_for_but_a_question_for_papers_stays_whole():
    asked = Asked.of("Do the papers agree that orbit thins bone?")
    assert asked.searched == asked.without_a_model == asked.question
    assert Asked.of("Tell me whether orbit thins bone.").without_a_model == "orbit thins bone."


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Does zinc or iron help?", ("Does zinc help?", "Does iron help?")),
        ("Which papers are on roots, or yeast?", ("Which papers are on roots?", "Which papers are on yeast?")),
        ("Does it help with or without zinc?", ()),
        ("Do zinc or iron or salt help?", ()),
        ("Does zinc help?", ()),
    ],
)
def test_a_or_b_is_two_searches(question, parts):
    assert alternatives(question) == parts
    assert Asked.of(question).searches == (question, *parts)


def test_an_empty_question_is_refused():
    with pytest.raises(UsageError, match="the question is empty; ask something of the papers"):
        Asked.of(" \n")
