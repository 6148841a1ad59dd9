"""A number answers "how many" only where it counts what is asked for."""

from __future__ import annotations

import pytest

from programs.evidence_table.counting import counted, counted_thing


@pytest.mark.parametrize(
    ("question", "sentence", "number"),
    [
        ("How many patients were randomised?", "Of 310 screened, 120 adult patients were randomised.", "120"),
        ("How many patients were randomised?", "Patients (n = 120) were randomised in 4 weeks.", "120"),
        ("How many patients were there?", "102 women took part.", "102"),
        ("How many women were there?", "102 patients were included, 52 women.", "52"),
        ("What was the sample size?", "The sample size was 395.", "395"),
        ("What was the sample size?", "We visited 395 households in seven villages.", "395"),
        ("What was the sample size?", "The size of the drops was 120 nm.", ""),
        ("What was the sample size?", "Thirty male rats were used.", "Thirty"),
        ("What was the number of camera sites?", "We used 24 camera sites for 30 days.", "24"),
        ("How many participants took part?", "| Participants | 120 |", "120"),
        ("How many patients were there?", "There were 20 patients on zinc, and 22 patients on iron.", ""),
        ("How many patients were randomised?", "Of 310 people screened, 120 patients were randomised.", "120"),
        ("How many animals were there?", "They were divided into four groups of thirteen animals each.", ""),
        ("How many people took part?", "Telomeres of ten crew members and ten ground participants.", ""),
        ("How many animals were there?", "There were 13 bird species.", ""),
        ("How many patients were there?", "80 % of patients had an 8 × 8 cm wound.", ""),
        ("How many patients were there?", "10 mg was given to patients in group 2.", ""),
        ("How many patients dropped out?", "In total 3 of 40 patients dropped out.", ""),
        ("How many animals took part?", "There were six packs in early 2025 and several individuals were seen.", ""),
        ("How many patients were there?", "In 2014, patients came from twelve trials.", ""),
    ],
)
def test_a_number_counts_the_noun_that_is_asked_for_or_none(question, sentence, number):
    assert counted(sentence, question) == number


@pytest.mark.parametrize(
    "question", ["By how many percent did it fall?", "How many weeks did it last?", "What was the dose?"]
)
def test_a_share_or_a_length_of_time_counts_nothing(question):
    assert counted_thing(question) == frozenset()
