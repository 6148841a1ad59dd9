"""Yes, no or maybe by the extractive LM: the best findings decide."""

import dspy
import pytest

from programs.lm import LM
from programs.main_points import Labelling
from programs.passages import Passage

QUESTION = "Does flight reduce femur density in mice?"
LOST = "Femur density of the mice fell by 12 % in flight (p < 0.01)."
KEPT = "Femur density of the mice did not differ between flight and ground (p = 0.6)."
ASIDE = "Muscle strength was not affected by the diet."
SETTING = "It is not known whether flight may reduce the femur density of mice, which was the aim."
HEDGED = "Femur density of the mice in flight may have been lower, but the evidence is mixed."


def answer(*sentences):
    text = " ".join(sentences)
    passage = Passage("P::1", "P", "results", "Results", text, 0, len(text))
    with dspy.context(lm=LM("extractive")):
        return Labelling()([passage], QUESTION, ("yes", "no", "maybe"))


@pytest.mark.parametrize(
    ("sentences", "label"),
    [
        ((SETTING, LOST), "yes"),
        ((SETTING, KEPT), "no"),
        ((LOST, KEPT), "no"),
        ((LOST, ASIDE), "yes"),
        ((HEDGED,), "maybe"),
        (("Rats ate seeds and barley in the evening.",), "maybe"),
    ],
)
def test_findings_on_the_question_decide(sentences, label):
    assert answer(*sentences) == label
