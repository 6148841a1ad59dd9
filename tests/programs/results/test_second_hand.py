"""A note where a paper is cited for what it cites others for itself."""

import dspy
import pytest

from programs.lm import LM
from programs.main_points import MainPoints
from programs.passages import Passage
from programs.proof.sentence_proof import Quote
from programs.results.result import secondary_findings

PAPER = """# Elephants and farms

## Results

The farms were on average 7.2 km away from the border of the park.

## Discussion

Damage of crops by elephants rose near water points (Botey & Perea, 2021).
"""


class Cited:
    """What the note reads of a certificate."""

    def __init__(self, *quotes, verdict="supported"):
        self.marker, self.verdict, self.sentence = "2", verdict, "- Damage rose [2]."
        self.quotes = tuple(Quote("p", "P1", section, text, 0, len(text)) for section, text in quotes)


def test_an_answer_that_rests_on_the_finding_of_others_says_so():
    with dspy.context(lm=LM("extractive")):
        result = MainPoints()(question="Does crop damage by elephants rise near water points?", paper=PAPER)
    assert "rose near water points" in result.answer
    (note,) = result.notes
    assert note.endswith("”: for this [1] cites Botey & Perea, 2021; the finding may be theirs.")


@pytest.mark.parametrize(
    "citation",
    [
        Cited(("results", "Damage rose (Botey, 2021).")),
        Cited(("discussion", "In our study damage rose, as others found [18].")),
        Cited(("discussion", "Damage rose.")),
        Cited(("discussion", "Damage rose [18]."), ("results", "Damage rose by 12 %.")),
        Cited(("discussion", "Damage rose [18]."), verdict="unverifiable"),
        Cited(),
    ],
)
def test_nothing_is_said_of_what_a_paper_found_itself(citation):
    assert secondary_findings([citation]) == []


def test_the_paper_is_named_by_its_authors_where_they_are_known():
    source = Passage("P1::0", "P1", "discussion", "", "Damage rose.", 0, 12, authors=("Okafor, N",), year=2014)
    (note,) = secondary_findings([Cited(("discussion", "Damage rose [18]."))], [source])
    assert note == "“Damage rose.”: for this Okafor (2014) cites [18]; the finding may be theirs."


def test_works_are_named_once_for_a_sentence():
    twice = [Cited(("introduction", "Damage rose [18, 19].")), Cited(("introduction", "It fell [18, 19]."))]
    assert secondary_findings(twice) == ["“Damage rose.”: for this [2] cites [18, 19]; the finding may be theirs."]
