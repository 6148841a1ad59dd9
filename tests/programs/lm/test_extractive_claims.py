"""Conflicts between papers, the parts of a question, and which brackets of a sentence are citations."""

from __future__ import annotations

import dspy
import pytest

from programs.lm import LM
from programs.lm.extractive.sources import quoted
from programs.lm.extractive.weighted_terms import weighted_terms
from signatures.multi_signal import SynthesizeWithCitations
from signatures.verification import ProveAnswer

HIGHER = "Serum CTX was 31 % higher in flight animals than in controls (p = 0.009)."
SAME = "Serum CTX did not differ between flight animals and ground controls (p = 0.71)."
QUESTION = "Was serum CTX higher in flight animals than in controls?"
TWO_PAPERS = "[1] Bone on a satellite (2014)\n[2] Bone on the station (2019)"


def conflicts(*passages, papers=TWO_PAPERS, section="results", question=QUESTION):
    shown = "\n".join(f"[{number}] ({section}) {text}" for number, text in enumerate(passages, start=1))
    with dspy.context(lm=LM("extractive"), adapter=dspy.ChatAdapter(use_json_adapter_fallback=False)):
        found = dspy.Predict(SynthesizeWithCitations)(passages=shown, papers=papers, question=question)
    return found.conflicts


def test_sentences_of_two_papers_that_contradict_each_other_are_a_conflict():
    (found,) = conflicts(HIGHER, SAME)
    assert found.passages == [1, 2]
    assert found.statement == (
        "“Serum CTX was 31 % higher in flight animals than in controls (p = 0.009)” [1]. "
        "In contrast, “Serum CTX did not differ between flight animals and ground controls (p = 0.71)” [2]."
    )


@pytest.mark.parametrize(
    "given",
    [
        {"papers": "[1][2] Bone on a satellite (2014)"},
        {"papers": ""},
        {"section": "methods"},
        {"question": "Which colour had the telescope?"},
    ],
    ids=["one paper", "papers unknown", "no findings", "nobody asked"],
)
def test_what_is_no_conflict(given):
    assert conflicts(HIGHER, SAME, **given) == []


@pytest.mark.parametrize(
    "other",
    [
        "Serum CTX was 29 % higher in flight animals than in controls (p = 0.02).",
        "Tail length did not differ between flight animals and ground controls (p = 0.71).",
        "Flight animals did not differ from controls in mass.",
    ],
    ids=["the same direction", "another thing", "few words in common"],
)
def test_agreement_and_other_topics_are_none(other):
    assert conflicts(HIGHER, other) == []


ORGANS = "How did axolotl organ weight change in orbit?"
GECKOS = "How did gecko adhesion change in orbit?"


@pytest.mark.parametrize(
    ("question", "one", "other", "is_conflict"),
    [
        (ORGANS, "Axolotl liver weight decreased by 17 % after 14 days in orbit.",
         "Axolotl spleen weight increased by 22 % after 14 days in orbit.", False),
        (ORGANS, "Axolotl liver weight decreased by 17 % after 14 days in orbit.",
         "Axolotl liver weight increased by 22 % after 14 days in orbit.", True),
        (GECKOS, "Gecko adhesion fell by 8 % in orbit.", "Gecko adhesion rose by 18 % in orbit.", True),
        (GECKOS, "Gecko adhesion fell by 8 % in orbit.", "In orbit, gecko adhesion rose by 18 %.", True),
        (GECKOS, "Gecko adhesion fell by 8 % in orbit.", "Gecko speed rose by 18 % in orbit.", False),
        (GECKOS, "Gecko adhesion fell by 8 % in orbit.", "Gecko adhesion fell by 18 % in orbit.", False),
        ("Did flight change muscle mass in mice?", "Flight reduced soleus muscle mass in mice after 30 days.",
         "Flight increased heart muscle mass in mice after 30 days.", False),
        ("Did flight change muscle mass in mice?", "Flight reduced soleus muscle mass in mice after 30 days.",
         "Flight increased soleus muscle mass in mice after 30 days.", True),
        ("Did femur density change?", "Femur bone density fell by 8 % in mice.",
         "Femur bone density rose by 18 % in rats.", False),
    ],
)  # fmt: skip
def test_only_what_is_said_of_one_thing_is_a_conflict(question, one, other, is_conflict):
    assert bool(conflicts(one, other, question=question)) is is_conflict


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
    ],
)
def test_only_citations_are_left_out_of_a_quotation(sentence, quotation):
    assert quoted(sentence, ["1"]) == quotation


@pytest.mark.parametrize("measure", ["a median of 4 [1–8] wk", "a hazard ratio [95%CI] of 2.1 [1.5–3.0]"])
def test_a_measurement_in_brackets_is_part_of_the_claim(measure):
    passage = f"Viral rebound took {measure} in treated mice."
    with dspy.context(lm=LM("extractive"), adapter=dspy.ChatAdapter(use_json_adapter_fallback=False)):
        answer = f"“{passage[:-1]}” [1]."
        found = dspy.Predict(ProveAnswer)(
            passages=f"[1] (results) {passage}", question="How long?", answer=answer, sentences=f"1. {answer}"
        )
    assert [each.verdict for each in found.proofs] == ["proved"]
