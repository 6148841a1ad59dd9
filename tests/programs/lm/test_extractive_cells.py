"""Labels decided by the best findings, and cells of a table: one sentence that says the value."""

from __future__ import annotations

import dspy
import pytest

from programs.evidence_table.cell_values import ValueType
from programs.lm import LM
from programs.lm.adapters import adapter_for
from programs.lm.extractive.labels import stated_label
from programs.lm.extractive.relevance import rank
from programs.lm.extractive.sources import source_sentences
from programs.main_points import Labelling
from programs.passages import Passage
from signatures.evidence_table import FillCell
from tests.baseline import asked

QUESTION = "Does flight reduce femur density in mice?"
LOST = "Femur density of the mice fell by 12 % in flight (p < 0.01)."
KEPT = "Femur density of the mice did not differ between flight and ground (p = 0.6)."
ASIDE = "Muscle strength was not affected by the diet."
SETTING = "It is not known whether flight may reduce the femur density of mice, which was the aim."


def answer(*sentences):
    text = " ".join(sentences)
    passage = Passage("P::1", "P", "results", "Results", text, 0, len(text))
    with dspy.context(lm=LM("extractive"), adapter=adapter_for(LM("extractive"))):
        return Labelling()([passage], QUESTION, ("yes", "no", "maybe"))


@pytest.mark.parametrize(
    ("sentences", "label"),
    [
        ((SETTING, LOST), "yes"),
        ((SETTING, KEPT), "no"),
        ((LOST, KEPT), "no"),
        ((LOST, ASIDE), "yes"),
        (("Rats ate seeds and barley in the evening.",), "maybe"),
    ],
)
def test_findings_on_the_question_decide(sentences, label):
    assert answer(*sentences) == label


@pytest.mark.parametrize(
    ("question", "text", "labels", "stated"),
    [
        ("Was the trial double-blind?", "It was a randomised, double blind trial with placebo.", ("yes", "no"), "yes"),
        ("Was the trial double-blind?", "The trial was not double-blind for practical reasons.", ("yes", "no"), "no"),
        ("Was the trial double-blind?", "The rats got double that dose. It was single-blinded.", ("yes", "no"), None),
        ("Was it a crossover trial?", "Nine women dropping out were replaced.", ("yes", "no"), None),
        ("How was it designed?", "A randomised crossover study was done.", ("parallel", "crossover"), "crossover"),
        ("How was it designed?", "It was crossover or parallel.", ("parallel", "crossover"), None),
        ("How was it designed?", "Healthy males took part.", ("parallel", "crossover"), None),
    ],
)
def test_a_cell_has_a_label_only_where_a_sentence_states_it(question, text, labels, stated):
    found = stated_label(question, rank(question, source_sentences(f"[1] {text}")).sentences, labels)
    assert (found and found[0]) == stated


def cell(question, sentences, wanted, demos=()):
    """The cell of a paper whose results are these sentences, under numbers from 1."""
    signature = FillCell.with_updated_fields("value", type_=wanted.annotation)
    lines = [f"({number}) {text}" for number, text in enumerate(sentences, 1)]
    evidence = "\n".join(["Paper: Bone", "[results] Results", *lines])
    return asked(signature, demos, evidence=evidence, question=question, form=wanted.form)


def said(found):
    """The numbers of the sentences that a cell quotes."""
    return [number for each in found.answer for number in each.evidence]


def test_the_sentence_of_a_direction_reports_it():
    sentences = (
        "Pain scores in the two groups were recorded at six weeks after treatment with aspirin.",
        "Pain scores after treatment with aspirin were significantly lower than with placebo.",
    )
    found = cell("What was the effect of aspirin treatment on pain scores?", sentences, ValueType("direction"))
    assert found.value == "decreased"
    assert said(found) == [2]
