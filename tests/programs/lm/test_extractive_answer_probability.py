"""Findings come before other sentences; what no passage speaks of is not answered; what names nothing gets findings."""

from __future__ import annotations

import pytest

from programs.lm.extractive.answer_probability import (
    is_unmentioned,
)
from programs.lm.extractive.cues import cues_of, is_finding, names_what_is_asked
from programs.lm.extractive.relevance import query_from, rank
from programs.lm.extractive.sources import source_sentences
from programs.lm.extractive.weighted_terms import given_words
from tests.baseline import answered, passage

FINDING = "Zinc reduced the duration of the common cold by 33% compared with placebo."


@pytest.mark.parametrize(
    "other",
    [
        "We aimed to assess whether zinc reduces the duration of the common cold.",
        "This study investigated the effect of zinc on the duration of the common cold.",
        "Fig. 2. Effect of zinc on the duration of the common cold.",
        "Figure-2. Zinc and the common cold compared after seven days.",
        "Supplementary Table S2. Zinc and the common cold compared after seven days.",
        "Effect of zinc and placebo on the duration of the common cold.",
        "+=Detected, Zn=Zinc given daily, CC=Common cold that was treated",
        "The duration of the common cold under zinc is shown in Table 2.",
        "Hemilä et al. (2017) found that zinc reduced the duration of the common cold.",
        "Zinc reduced the duration of the common cold (Hemilä, Petrus & Prasad, 2017).",
        "According to Prasad (2008), zinc reduced the duration of the common cold by four days.",
        "Previous studies found that zinc shortened the common cold.",
        "Adults with a common cold were randomly allocated to zinc or placebo.",
        "| Group | Duration | P |",
        "CC, common cold; PL, placebo; '-' denotes colds that were shorter than seven days with zinc",
        "ZN zinc given daily, CC common cold of adults, PL placebo that was given, D duration of the cold",
    ],
)
def test_an_aim_a_caption_or_a_result_of_others_is_no_finding(other):
    assert (is_finding(FINDING), is_finding(other)) == (True, False)


@pytest.mark.parametrize(
    ("question", "given"),
    [
        ("What was the mean age in the trial of memantine?", ["memantine"]),
        ("In the pilot trial of memantine, what was the mean age?", ["memantine"]),
        ("Is memantine better than placebo in dementia?", ["memantine"]),
        ("Does intermittent preventive treatment lower malaria incidence?", ["intermittent", "preventive"]),
        ("Does treatment lower malaria incidence?", ["treatment"]),
        ("How old were the patients?", []),
    ],
)
def test_what_a_question_says_is_given(question, given):
    assert given_words(question) == given


@pytest.mark.parametrize(
    ("question", "answers", "lacks"),
    [
        ("What side effects did zinc have?", "Nausea was the commonest adverse event.", "Zinc shortened colds by 33%."),
        ("How many dropped out of the zinc study?", "Two adults withdrew.", "Zinc shortened colds of 20 adults."),
        ("Who funded the zinc trial?", "The work was supported by a grant of the county.", "Zinc shortened colds."),
        ("What are the limitations of the trial?", "The study was limited by its size.", "Zinc shortened colds."),
    ],
)
def test_what_is_asked_for_by_its_kind_is_named_or_there_is_no_answer(question, answers, lacks):
    cues = cues_of(question)
    assert names_what_is_asked(answers, cues)
    assert not names_what_is_asked(lacks, cues)
    alone, beside = (passage(each, title="Zinc") for each in (lacks, f"{answers} Zinc was given."))
    assert answers.rstrip(".") in answered(question, alone, beside).answer
    assert answered(question, alone).answer == ""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Was it safe?", "No adverse events were seen."),
        ("How many participants were there?", "In all 40 patients were enrolled."),
        ("What did the authors conclude?", "Zinc shortened colds by 33% compared with placebo."),
    ],
)
def test_a_question_that_names_nothing_is_answered_by_its_kind(question, said):
    given = [passage(each, title="Zinc") for each in ("Zinc shortened colds by 33% compared with placebo.", said)]
    assert said.rstrip(".") in answered(question, *given).answer


def test_a_list_of_short_forms_is_no_sentence():
    listed = "+=A few, CRP=C-reactive protein and relapse, MS=Multiple sclerosis relapse rate in adults"
    said = "Relapses of multiple sclerosis were fewer in adults with high CRP."
    ranked = rank(
        "Does C-reactive protein tell the relapse rate of multiple sclerosis in adults?",
        source_sentences(f"[1] {listed}\n[2] {said}"),
    )
    assert ranked.sentences[0].sentence.text == said


WEIGHT = "Treatment with the feed supplement did not change body weight gain in rats."
COPD = "Household income was associated with the risk of chronic obstructive pulmonary disease (COPD)."


@pytest.mark.parametrize("opening", ["The opposite", "The same", "Similar losses", "Conversely, a loss"])
def test_a_sentence_that_leans_on_the_one_before_it_comes_behind_one_that_does_not(opening):
    replay_report = "{} of femur density was seen in the flight mice after thirty days."
    sentences = source_sentences(f"{replay_report.format(opening)}\n\n{replay_report.format('A loss')}")
    ranking = rank("Did femur density of flight mice change?", sentences).sentences
    assert ranking[0].sentence.text.startswith("A loss")
    assert ranking[1].score < 0.7 * ranking[0].score


def unspoken(question, *texts):
    return is_unmentioned(question, query_from(question, "\n".join(texts)), texts)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Does semaglutide reduce body weight?", WEIGHT),
        ("What is the effect of semaglutide on body weight?", WEIGHT),
        ("Can CRISPR edit E. faecalis?", "E. faecalis was found in 70% of canals."),
        ("Does aspirin prevent COPD?", COPD),
        ("What did rapamycin and metformin do?", WEIGHT),
        ("Does zinc reduce body weight?", f"Since then: {WEIGHT}"),
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


def test_what_was_found_is_said_of_a_question_that_names_nothing():
    passages = [
        ("methods", "Annual income was the main variable of our analysis in this study."),
        ("discussion", "It would be prudent to be cautious about the main findings of the study."),
        ("results", "Income was inversely associated with the risk of pulmonary disease in smokers."),
        ("results", "| Main findings | 3 | 4 |"),
        ("results", "The main findings are shown in Table 2 of this paper below."),
    ]
    shown = [passage(text, section, title="Income") for section, text in passages]
    said = answered("What were the main findings?", *shown)
    assert said.answer.startswith("“Income was inversely associated")
    assert "variable" not in said.answer
    assert "Table" not in said.answer
