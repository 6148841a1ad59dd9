"""What a small model is told of numbers that it cannot compare itself."""

import pytest

from programs.models.checker import pair_read
from programs.models.checker.numbers_in_words import with_numbers_in_words


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (
            "Mortality was 26% with statins and 45% with placebo (P = 0.17).",
            "Mortality was 26% lower with statins and 45% higher with placebo (P = 0.17 not significant).",
        ),
        ("It fell (p < 0.001).", "It fell (p < 0.001 significant)."),
        ("It fell (p<0.1).", "It fell (p<0.1)."),
        ("It differed (P = 0/03).", "It differed (P = 0/03 significant)."),
        ("It was alike (NS).", "It was alike (NS not significant)."),
        ("HR 0.75, 95% CI 0.60–0.94.", "HR 0.75, 95% CI 0.60–0.94 significant."),
        (
            "The odds ratio was 1.1 (95% CI, 0.9 to 1.3).",
            "The odds ratio was 1.1 (95% CI, 0.9 to 1.3 not significant).",
        ),
        (
            "The mean difference was −2.1 kg (95% CI −4.0 to 0.3).",
            "The mean difference was −2.1 kg (95% CI −4.0 to 0.3 not significant).",
        ),
        ("Coughing was rarer (60 vs. 87%).", "Coughing was rarer (60 lower vs. 87% higher)."),
        (
            "Movements were seen in 34.3%, 40.1% and 8.6%.",
            "Movements were seen in 34.3%, 40.1% highest and 8.6% lowest.",
        ),
        ("Falls were 5.4 ± 1.1 vs 3.3 ± 1.4.", "Falls were 5.4 higher ± 1.1 vs 3.3 lower ± 1.4."),
        ("Both had 4.0 versus 4.0.", "Both had 4.0 versus 4.0 equal."),
    ],
)
def test_what_numbers_mean_is_said(text, read):
    assert with_numbers_in_words(text) == read


@pytest.mark.parametrize(
    "text",
    [
        "No number at all.",
        "It rose from 7.7% to 8.9%.",
        "Doses of 30 mg and 40 mg were given at week 8 and week 12.",
        "Of 45 patients 12 of 30 and 10 of 15 relapsed.",
        "| Falls | 5.4 vs 3.3 |",
        "The range was 1.2 to 3.4.",
        "The NS group drank saline.",
    ],
)
def test_what_is_no_result_is_left_alone(text):
    assert with_numbers_in_words(text) == text


def test_words_are_added_and_nothing_is_taken_away():
    text = "Pain was 2.1 vs 3.4 (p = 0.02). It was 4.0 and 5.5, respectively.\nThe end, 7."
    read = with_numbers_in_words(text)
    kept = [word for word in read.split() if word not in ("lower", "higher", "significant).")]
    assert [word.rstrip(".,)") for word in kept] == [word.rstrip(".,)") for word in text.split()]


def test_the_claim_is_read_as_it_stands():
    assert pair_read("It was 26% and 45%.", "It was 26.1% vs 45.2%.") == (
        "It was 26% and 45%.",
        "It was 26.1% lower vs 45.2% higher.",
    )
