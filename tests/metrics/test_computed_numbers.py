"""Numbers that stand in no quote: which of them follow from two that do, as the claim tells it."""

import pytest

from metrics.support.guards import vetoes

COUNTS = "Of 40 mice 30 were flown; 12 of these lost bone, of the others 3%."
RATIO = "The hazard ratio was 0.33 (95% CI 0.21 to 0.50; p = 0.004)."
SCORES = "Scores were 8.4 ± 1.2 with the drug and 5.6 ± 1.1 with placebo after 24 weeks."
EXACT = "Coefficients were 0.866 in one form and 0.934 in the other."


def refused(claim, quote):
    return "numbers" in {veto.rule for veto in vetoes(claim, [quote])}


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("Bone was lost in 40% of the flown mice.", COUNTS),
        ("In total 70 were looked at.", COUNTS),
        ("The remaining 10 mice stayed on the ground.", COUNTS),
        ("Of the others 97% lost no bone.", COUNTS),
        ("The hazard was cut by 67%.", RATIO),
        ("Scores were 2.8 points higher with the drug.", SCORES),
        ("Scores with the drug were 1.5 times those with placebo.", SCORES),
        ("Los valores fueron 2,8 puntos más altos con el fármaco.", SCORES),
        ("The 194 employees were split evenly.", "Employees got advice (n = 97) or a course (n = 97)."),
        ("Coefficients exceeded 0.86 in both forms.", EXACT),
    ],
)
def test_what_is_reckoned_and_told_so_follows(claim, quote):
    assert not refused(claim, quote)


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("There were 70 mice.", COUNTS),
        ("Bone was lost in 45% of the flown mice.", COUNTS),
        ("Of the mice 97% lost bone.", COUNTS),
        ("The hazard ratio was 0.33 (67% CI 0.21 to 0.50).", RATIO),
        ("The hazard ratio was 0.33 (95% CI 0.21 to 0.71).", RATIO),
        ("The hazard ratio was lower, 0.33 (p = 0.12).", RATIO),
        ("Scores were 8.4 ± 2.3 with the drug, higher than with placebo.", SCORES),
        ("Scores were 2.8 with the drug.", SCORES),
        ("Scores were 14.0 with the drug after 24 weeks.", SCORES),
        ("After 48 weeks scores were 8.4 with the drug.", SCORES),
        ("The 194 employees were split.", "Employees got advice (n = 97) or a course (n = 95)."),
        ("Coefficients exceeded 0.96 in both forms.", EXACT),
    ],
)
def test_what_only_some_two_numbers_lead_to_is_refused(claim, quote):
    assert refused(claim, quote)
