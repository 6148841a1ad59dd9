"""Questions for several papers: a sentence of each that is on the subject, of no other."""

import re

import pytest

from signatures.rag_fusion import SummarizeEvidence
from tests.baseline import answered, passage

DIABETES, LESSONS = "Zinc and glucose in type 2 diabetes: a trial", "Lessons on diet for patients with type 2 diabetes"
ZINC = passage(
    "Adults with type 2 diabetes took zinc for twelve weeks, which lowered their fasting glucose.", title=DIABETES
)
PLAN = passage(
    "Patients with type 2 diabetes were taught about their diet in four lessons by a nurse.", "methods", title=LESSONS
)
EXCLUDED = "Exclusion criteria were pregnancy, cancer and type 2 diabetes at the time of screening."
BACK = passage(EXCLUDED, "methods", title="Manual treatment of back pain")
GOUT = passage(
    "Gout flares were fewer with rilonacept than with placebo after twelve weeks of treatment.",
    title="Rilonacept in gout",
)
SHOWN = ZINC, PLAN, BACK, GOUT
QUESTION = "Which trials studied people with type 2 diabetes?"


def cited(*texts):
    return re.findall(r"\[\d\]", " ".join(texts))


def test_each_paper_on_the_subject_is_quoted_once_and_no_other():
    answer = answered(QUESTION, *SHOWN).answer
    assert sorted(cited(answer)) == ["[1]", "[2]"]
    assert answer.count("“") == 2


def test_a_paper_whose_title_does_not_name_the_subject_has_to_speak_of_it_twice():
    twice = passage(f"{EXCLUDED} Insulin was given in type 2 diabetes.", "methods", title=BACK.title)
    assert "[3]" in answered(QUESTION, ZINC, PLAN, twice).answer


def test_a_paper_whose_title_names_the_subject_is_listed_though_what_is_shown_of_it_does_not():
    bran = "Bran lowered cholesterol by a tenth against placebo after eight weeks of eating it daily."
    titled = passage(bran, title="Bran for adults with type 2 diabetes")
    assert f"“{bran.rstrip('.')}” [5]" in answered(QUESTION, *SHOWN, titled).answer


@pytest.mark.parametrize("question", ["Did zinc lower fasting glucose in type 2 diabetes?", "What is rilonacept for?"])
def test_other_questions_are_answered_as_before(question):
    assert "[2]" not in answered(question, *SHOWN).answer


def test_what_the_answer_leaves_is_told_in_bullets():
    third = passage(
        "Insulin was given to all patients with type 2 diabetes in the third trial.",
        "abstract",
        title="Insulin for type 2 diabetes",
    )
    said = answered(QUESTION, ZINC, PLAN, third, signature=SummarizeEvidence)
    assert said.answer.count("“") == 2
    assert [bullet.count("“") for bullet in said.bullets] == [1]
    assert sorted(cited(said.answer, *said.bullets)) == ["[1]", "[2]", "[3]"]


def test_a_subject_that_no_paper_has_is_not_answered():
    said = answered("Which trials tested semaglutide?", *SHOWN)
    assert (said.answerable, said.answer) == (False, "")


def test_papers_on_a_or_b_are_those_on_either_each_once():
    answer = answered("Which trials studied diabetes or gout?", *SHOWN, ZINC).answer
    assert sorted(set(cited(answer))) == ["[1]", "[2]", "[4]"]
    assert answer.count("“") == 3
