"""Numbers of tables that a claim gives to another column or row."""

import pytest

from metrics.support.guards import vetoes

HEAD = "| Outcome | Drug (n = 40) | Placebo (n = 41) | P |"
RELAPSE = "| Relapse, n (%) | 12 (30) | 20 (49) | 0.04 |"
TURNED = ["| Group | Relapse | Pain |", "| Drug | 14 | 3.2 |", "| Placebo | 27 | 4.1 |"]
SPANNED = [
    "| Biomarker | Almond diet | | Control diet |",
    "| | Pre | Post | Pre | Post |",
    "| LDL-C, mg/dL | 78.7 ± 28.6 | 80.3 ± 26.2 | 82.67 ± 36.3 | 77.9 ± 26.3 |",
]
ARMS = ["| Cure | AQ | AQ+SP | SP |", "| Day 28 (%) | 35/36 (97.2) | 76/79 (96.2) | 29/38 (76.3) |"]


def rules(claim, *quotes):
    return {each.rule for each in vetoes(claim, quotes)}


@pytest.mark.parametrize(
    ("claim", "quotes"),
    [
        ("Relapse was seen in 20 patients (49%) on the drug and in 12 (30%) on placebo.", [HEAD, RELAPSE]),
        ("With placebo 12 relapsed, with the drug 20.", [HEAD, RELAPSE]),
        ("30% relapsed on placebo against 49% on the drug.", [f"{HEAD}\n{RELAPSE}"]),
        ("Relapses were fewer with placebo than with the drug (12 versus 20).", [HEAD, RELAPSE]),
        ("12 (placebo) against 20 (drug) relapsed.", [HEAD, RELAPSE]),
        ("In the drug group relapses were 27, in the placebo group they were 14.", TURNED),
        ("After the control diet LDL-C was 80.3 mg/dL.", SPANNED),
        ("Cure on day 28 was 97.2% with AQ+SP and 96.2% with AQ.", ARMS),
    ],
)
def test_a_number_under_another_name_is_refused(claim, quotes):
    assert "place" in rules(claim, *quotes)


@pytest.mark.parametrize(
    ("claim", "quotes"),
    [
        ("Relapse was seen in 12 patients (30%) on the drug and in 20 (49%) on placebo.", [HEAD, RELAPSE]),
        ("Relapses were fewer with the drug than with placebo (12 versus 20).", [HEAD, RELAPSE]),
        ("Relapse differed between placebo (20) and drug (12; P = 0.04).", [HEAD, RELAPSE]),
        ("Compared with placebo, 12 patients relapsed with the drug.", [HEAD, RELAPSE]),
        ("20 (placebo) against 12 (drug) relapsed.", [HEAD, RELAPSE]),
        ("Pain was 3.2 with the drug and 4.1 with placebo, relapses 14 and 27.", TURNED),
        ("LDL-C was 80.3 mg/dL after almonds and 77.9 mg/dL after the control diet.", SPANNED),
        ("Cure on day 28 was 97.2% with AQ and 96.2% with AQ+SP.", ARMS),
        ("Weight fell by 3.4 from baseline.", ["| | Baseline | Change from baseline |", "| Weight | 82.1 | 3.4 |"]),
        ("After 12 weeks of the drug relapse was seen in 20.", ["| | Drug | Placebo |", "| Relapse | 20 | 12 |"]),
        ("De mediaan was 12 onder placebo en 20 onder drug.", [HEAD, RELAPSE]),
    ],
)
def test_a_number_where_the_table_has_it_is_left_alone(claim, quotes):
    assert rules(claim, *quotes) == set()


@pytest.mark.parametrize(
    ("claim", "quotes"),
    [
        ("Relapse was more frequent with the drug than with placebo.", [HEAD, RELAPSE]),
        ("Relapse was lower with placebo than with the drug.", [HEAD, RELAPSE]),
        ("Pain was higher in the drug group than in the placebo group.", TURNED),
    ],
)
def test_a_comparison_that_the_numbers_of_the_table_turn_around_is_refused(claim, quotes):
    assert "course" in rules(claim, *quotes)


@pytest.mark.parametrize(
    ("claim", "quotes"),
    [
        ("Relapse was less frequent with the drug than with placebo.", [HEAD, RELAPSE]),
        ("Pain was higher in the placebo group than in the drug group.", TURNED),
        (
            "Relapse was more frequent with the drug than with placebo.",
            [HEAD, "| Relapse, n (%) | 12 (50) | 20 (49) | 0.9 |"],
        ),
        (
            "Change in relapse was larger with the drug than with placebo.",
            [HEAD, RELAPSE.replace("Rel", "Change in rel")],
        ),
        ("Relapse was higher with the drug than with placebo.", [HEAD, "| Relapse | ↓ 12 | ↓ 20 | 0.9 |"]),
    ],
)
def test_a_comparison_that_they_bear_out_or_leave_open_is_left_alone(claim, quotes):
    assert rules(claim, *quotes) == set()


def test_counts_alone_compare_no_groups_of_other_sizes():
    counts = ("| | Drug (n = 30) | Placebo (n = 80) |", "| Relapse | 12 | 20 |")
    assert rules("Relapse was more frequent with the drug than with placebo.", *counts) == set()


def test_the_size_of_a_group_is_not_taken_for_the_count_of_a_share():
    quotes = ("Of 80, 41 (51%) were given placebo.", "Relapse occurred in 20 (49%) women on placebo.")
    assert rules("Relapse occurred in 20 women out of 41 on placebo (49%).", *quotes) == set()


def test_nothing_is_said_where_a_number_stands_twice_or_prose_tells_it():
    claim = "With placebo 12 relapsed."
    assert rules(claim, HEAD, "| Relapse | 12 (30) | 12 (29) | 0.9 |") == set()
    assert rules(claim, HEAD, RELAPSE, "With placebo 12 relapsed in the second year.") == set()


SHARES = "Of nontrial children 14/1,140 (1.2%) died, of those in the trial 4/527 (0.8%), and elsewhere 2/200 (1%)."


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("4 of 527 trial participants (1.2%) died, and 14 of 1,140 others (0.8%).", True),
        ("0.8% (14/1,140) and 1.2% (n = 4) died.", True),
        ("4 of 527 trial participants (0.8%) died, and 14 of 1,140 others (1.2%).", False),
        ("4 of 527 trial participants (1%) died, and 14 of 1,140 others (1%).", False),
        ("14 of 1,140 children (about 1 %) and 4 (0.8%) died.", False),
    ],
)
def test_a_count_with_the_share_of_another_is_refused(claim, expected):
    assert ("place" in rules(claim, SHARES)) is expected
