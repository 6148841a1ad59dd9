"""Questions for several papers: a sentence of each that is on the subject, of no other."""

import pytest

from signatures.multi_signal import SynthesizeWithCitations
from signatures.passages import labelled, numbered
from signatures.rag_fusion import AnswerFromSources
from tests import baseline

ZINC = "Adults with type 2 diabetes took zinc for twelve weeks, which lowered their fasting glucose."
PLAN = "Patients with type 2 diabetes were taught about their diet in four lessons by a nurse."
EXCLUDED = "Exclusion criteria were pregnancy, cancer and type 2 diabetes at the time of screening."
GOUT = "Gout flares were fewer with rilonacept than with placebo after twelve weeks of treatment."
PAPERS = "\n".join(
    [
        "[1] Zinc and glucose in type 2 diabetes: a trial (2011)",
        "[2] Lessons on diet for patients with type 2 diabetes (2012)",
        "[3] Manual treatment of back pain (2013)",
        "[4] Rilonacept in gout (2014)",
    ]
)
PASSAGES = numbered([("results", ZINC), ("methods", PLAN), ("methods", EXCLUDED), ("results", GOUT)])
QUESTION = "Which trials studied people with type 2 diabetes?"


def asked(signature, question=QUESTION, passages=PASSAGES, papers=PAPERS):
    return baseline.asked(signature, passages=passages, papers=papers, question=question)


def test_each_paper_on_the_subject_is_quoted_once_and_no_other():
    answer = asked(SynthesizeWithCitations).answer
    assert [marker for marker in ("[1]", "[2]", "[3]", "[4]") if marker in answer] == ["[1]", "[2]"]
    assert answer.count("“") == 2


def test_a_paper_whose_title_does_not_name_the_subject_has_to_speak_of_it_twice():
    spoken = numbered(
        [("results", ZINC), ("methods", PLAN), ("methods", f"{EXCLUDED} Insulin was given in type 2 diabetes.")]
    )
    assert "[3]" in asked(SynthesizeWithCitations, passages=spoken).answer


def test_a_paper_whose_title_names_the_subject_is_listed_though_what_is_shown_of_it_does_not():
    papers = f"{PAPERS}\n[5] Bran for adults with type 2 diabetes (2015)"
    bran = "Bran lowered cholesterol by a tenth against placebo after eight weeks of eating it daily."
    shown = numbered(
        [("results", ZINC), ("methods", PLAN), ("methods", EXCLUDED), ("results", GOUT), ("results", bran)]
    )
    assert f"“{bran.rstrip('.')}” [5]" in asked(SynthesizeWithCitations, passages=shown, papers=papers).answer


@pytest.mark.parametrize("question", ["Did zinc lower fasting glucose in type 2 diabetes?", "What is rilonacept for?"])
def test_other_questions_are_answered_as_before(question):
    answer = asked(SynthesizeWithCitations, question).answer
    assert "[2]" not in answer


def test_what_the_summary_leaves_is_told_in_bullets():
    third = "Insulin was given to all patients with type 2 diabetes in the third trial."
    papers = PAPERS.replace("[3] Manual treatment of back pain", "[3] Insulin for type 2 diabetes")
    shown = numbered([("results", ZINC), ("methods", PLAN), ("abstract", third)])
    said = asked(AnswerFromSources, passages=shown, papers=papers)
    assert said.summary.count("“") == 2
    assert [bullet.count("“") for bullet in said.bullets] == [1]
    assert {marker for marker in ("[1]", "[2]", "[3]") if marker in f"{said.summary} {said.bullets}"} == {
        "[1]",
        "[2]",
        "[3]",
    }


def test_a_subject_that_no_paper_has_is_not_answered():
    said = asked(SynthesizeWithCitations, "Which trials tested semaglutide?")
    assert not said.answerable
    assert said.answer == ""


def test_a_paper_on_another_species_of_the_genus_is_not_listed():
    papers = "\n".join(
        [
            "[1] Leaves of Ocimum sanctum against cancer cells (2014)",
            "[2] Extracts of Ocimum micranthum leaves (2018)",
            "[3] Plant extracts against Candida (2017)",
        ]
    )
    shown = labelled(
        [
            ("1", "results", "The oil of Ocimum sanctum lowered the migration of cancer cells by half within a day."),
            ("2", "methods", "Leaves of Ocimum micranthum were identified by a biologist of the herbarium in Merida."),
            ("2", "discussion", "Others found that Ocimum sanctum inhibits bacteria as Ocimum micranthum did here."),
            ("3", "methods", "Leaves of Ocimum sanctum were collected. Ocimum sanctum was dried for three days."),
        ]
    )
    answer = asked(SynthesizeWithCitations, "Which papers study Ocimum sanctum?", shown, papers).answer
    assert [marker for marker in ("[1]", "[2]", "[3]") if marker in answer] == ["[1]", "[3]"]
