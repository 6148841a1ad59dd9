"""Nothing is answered about what no passage speaks of, and a question that names nothing gets what was found."""

from __future__ import annotations

import dspy
import pytest

from programs.lm import LM
from programs.lm.extractive.bearing import is_unspoken
from programs.lm.extractive.relevance import query_from
from programs.lm.extractive.words import given_words, named_words
from signatures.multi_signal import SynthesizeWithCitations
from signatures.passages import numbered

WEIGHT = "Treatment with the feed supplement did not change body weight gain in rats."
COPD = "Household income was associated with the risk of chronic obstructive pulmonary disease (COPD)."


def unspoken(question, *texts):
    return is_unspoken(question, query_from(question, "\n".join(texts)), texts)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Does semaglutide reduce body weight?", WEIGHT),
        ("What is the effect of semaglutide on body weight?", WEIGHT),
        ("Can CRISPR edit E. faecalis?", "E. faecalis was found in 70% of canals."),
        ("Does aspirin prevent COPD?", COPD),
        ("What did rapamycin and metformin do?", WEIGHT),
    ],
)
def test_a_subject_that_no_passage_names_is_missed(question, text):
    assert unspoken(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Does the feed supplement reduce body weight?", WEIGHT),
        ("Is household income associated with COPD?", COPD),
        ("Is income associated with chronic obstructive pulmonary disease?", "Income and COPD were associated."),
        ("Did haemoglobin fall?", "Hemoglobin fell in both arms."),
        ("Are the supplements mutagenic?", "No mutagenicity of the supplements was seen."),
        ("Did leucocytes rise?", "Leukocyte counts rose."),
        ("What were the main findings?", WEIGHT),
    ],
)
def test_a_subject_in_another_form_is_found(question, text):
    assert not unspoken(question, text)


def test_a_title_speaks_of_its_subject():
    question = "Does semaglutide reduce body weight?"
    assert not unspoken(question, WEIGHT, "[1] Semaglutide in rats: a trial")


def test_what_is_given_and_what_is_named_are_told_from_the_rest():
    question = "What was the effect of 400 mg zinc on the results of the study on appetite?"
    assert given_words(question) == ["mg", "zinc"]
    assert named_words(question) == ["mg", "zinc", "appetite"]


def test_the_answer_is_withheld_with_its_passages_at_hand():
    with dspy.context(lm=LM("extractive")):
        said = dspy.Predict(SynthesizeWithCitations)(
            passages=numbered([("results", WEIGHT)]),
            papers="[1] A feed supplement in rats",
            question="Does semaglutide reduce body weight?",
        )
    assert not said.answerable
    assert said.answer == ""


def test_what_was_found_is_said_of_a_question_that_names_nothing():
    passages = [
        ("methods", "Annual income was the main variable of our analysis in this study."),
        ("discussion", "It would be prudent to be cautious about the main findings of the study."),
        ("results", "Income was inversely associated with the risk of pulmonary disease in smokers."),
        ("results", "| Main findings | 3 | 4 |"),
        ("results", "The main findings are shown in Table 2 of this paper below."),
    ]
    with dspy.context(lm=LM("extractive")):
        said = dspy.Predict(SynthesizeWithCitations)(
            passages=numbered(passages), papers="[1-5] Income", question="What were the main findings?"
        )
    assert said.answer.startswith("“Income was inversely associated")
    assert "variable" not in said.answer
    assert "Table" not in said.answer
