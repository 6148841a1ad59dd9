"""Conflicts that the extractive LM finds between sentences of different papers."""

from __future__ import annotations

import dspy
import pytest

from programs.lm import LM
from signatures.multi_signal import SynthesizeWithCitations

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
