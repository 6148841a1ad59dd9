"""Findings are quoted before aims, captions, plans, other people's results, and sentences without what is asked for."""

from __future__ import annotations

import pytest

from programs.lm.extractive.cues import LOSS, bears_out, cues_of

FINDING = "Zinc reduced the duration of the common cold by 33% compared with placebo."


@pytest.mark.parametrize(
    "other",
    [
        "We aimed to assess whether zinc reduces the duration of the common cold.",
        "This study investigated the effect of zinc on the duration of the common cold.",
        "Fig. 2. Effect of zinc on the duration of the common cold.",
        "Effect of zinc and placebo on the duration of the common cold.",
        "The duration of the common cold under zinc is shown in Table 2.",
        "Hemilä et al. (2017) found that zinc reduced the duration of the common cold.",
        "Previous studies found that zinc shortened the common cold.",
        "Adults with a common cold were randomly allocated to zinc or placebo.",
        "| Group | Duration | P |",
    ],
)
def test_what_is_no_finding_loses(other):
    cues = cues_of("Does zinc shorten the common cold?")
    assert (bears_out(FINDING, cues), bears_out(other, cues)) == (1.0, LOSS)


@pytest.mark.parametrize(
    ("question", "answers", "lacks"),
    [
        ("How many colds were reported?", "In 2010, 524 new colds were reported.", "Colds were reported by 31 adults."),
        ("By how much did zinc shorten colds?", "Zinc shortened colds by 33%.", "Zinc shortened colds of 10 adults."),
        ("What percentage of adults had a cold?", "A cold was seen in 12 of 40.", "Colds were seen in 2010."),
        ("What is the hazard ratio of colds?", "The ratio was 0.42.", "The ratio was lower under zinc."),
        ("What was the LC50 of zinc?", "| Zinc | 200.79 |", "| Metal | LC50 |"),
    ],
)
def test_a_number_that_is_asked_for_is_needed(question, answers, lacks):
    cues = cues_of(question)
    assert bears_out(answers, cues) == 1.0
    assert bears_out(lacks, cues) <= LOSS


def test_what_an_introduction_says_loses():
    assert bears_out(FINDING, (), "introduction") == LOSS
