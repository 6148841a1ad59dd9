"""What a question weighs, and which brackets of a sentence are citations."""

import dspy
import pytest

from programs.lm import LM
from programs.lm.extractive.sources import quoted
from programs.lm.extractive.words import weighted_terms
from signatures.verification import ProveAnswer

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
