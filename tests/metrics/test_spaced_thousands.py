"""Numbers of English papers with a space for thousands: one number, not two."""

import pytest

from metrics.support.guards import vetoes
from metrics.support.sentence_features import read

COHORT = (
    "Specimens were given by 91·9% (5 840 out of 6 352), and 5 834 women (2 910 in the vaccine arm and 2 924 in the "
    "control arm) formed the full cohort."
)


@pytest.mark.parametrize(
    "claim", ["Of 6352 women 5840 (91.9%) gave a specimen.", "The full cohort comprised 5,834 women (2910 and 2924)."]
)
def test_they_are_held_however_they_are_spelled(claim):
    assert vetoes(claim, [COHORT]) == []


@pytest.mark.parametrize(
    "claim",
    [
        "The full cohort comprised 834 women.",
        "Of 352 women 840 (91.9%) gave a specimen.",
        "6 women gave a specimen.",
        "910 women in the vaccine arm and 924 in the control arm formed the full cohort.",
    ],
)
def test_their_parts_are_no_numbers(claim):
    assert "numbers" in {each.rule for each in vetoes(claim, [COHORT])}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("At week 8 120 patients were seen.", [8, 120]),
        ("They took 2 500 mg tablets.", [2, 0.5]),
        ("Codons 12, 13, 61, 117 146 were read.", [12, 13, 61, 117, 146]),
        ("The ratio was 9:3 120 times.", [9, 3, 120]),
        ("In all 17\u202f863 were asked.", [17863]),
    ],
)
def test_two_numbers_beside_each_other_stay_two(text, values):
    assert [each.value for each in read(text).quantities] == pytest.approx(values)
