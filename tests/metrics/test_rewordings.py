"""Other orders of a sentence's words: those that say the same pass, those that do not are refused."""

import pytest

from metrics.support.guards import vetoes

FEVER = (
    "In the protocol group, median time to cure was 92 hours (84–114 hours) for the drug and 138 hours (105–164 hours) "
    "for cefixime (hazard ratio 2.17)."
)
LOSS = "Overall, the rate of loss was lower in the single group than in the combined group."
AGE = "There were no significant differences in age and weight between the 28 women and the 30 men of the study."
RATES = "At day 7 the rate of cure was 73.9% (67.0% – 80.3 %) in the cefixime group and 94.2% (90.2% – 96.9%) in men."
SAMPLES = (
    "Although only 288 of the 374 samples were kept, survival analyses confirmed the benefit of the drug in women."
)
REMITTED = (
    "Within the group with therapy the remission after treatment was significant, which was not the case for care."
)
LEFT = "Seventeen patients (5.7%) were lost to follow-up, four patients withdrew consent."
COUNTED = (
    "All counts were measured by a Coulter system, while white cells were determined by flow cytometry with a laser."
)
OXIDE = "The diet raised blood flow by an increase in nitric oxide (NO) availability and less oxidative stress in men."
STUDY = "The trial was registered as NCT01 (May 30 2012) and as NCT02 (April 20 2012) before anyone was recruited."
TRAINED = "The women were asked to train twice a week (45 min/session) for 16 weeks at the university of sport."
SCORE = "In this group the score was nearing significance (p = 0.06)."
COST = "Of all patients referred (n = 9,362), sufficient data for a judgement were available on 88% (n = 8,224)."
TROPONIN = "Mean troponin rose in both groups (control group, 3.0 SD 2.0; cell group mean troponin, 3.3 SD 1.9)."
SIZES = "With Ocimum the rats did not show any significant activity against apoptosis."


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        (
            "Median time to cure was 92 hours (84–114 hours) for the drug and 138 hours (105–164 hours) for cefixime "
            "(hazard ratio 2.17) in the protocol group.",
            FEVER,
        ),
        ("Overall, the rate of loss was higher in the combined group than in the single group.", LOSS),
        ("Age and weight did not differ significantly between the 28 women and the 30 men of the study.", AGE),
        ("At day 7 the rate of cure was 73.9% in the cefixime group and 94.2% in men.", RATES),
        ("At day 7 the rate of cure was 73.9 percent in the cefixime group and 94.2 percent in men.", RATES),
        ("Survival analyses confirmed the benefit of the drug in women.", SAMPLES),
        ("Within the group with therapy the remission after treatment was significant.", REMITTED),
        ("The diet raised blood flow by an increase in nitric oxide availability and less oxidative stress.", OXIDE),
        ("The trial was registered as NCT01 and as NCT02 before anyone was recruited.", STUDY),
        ("The women were asked to train twice a week for 16 weeks at the university of sport.", TRAINED),
        (SCORE.replace("In this group the", "The"), SCORE),
        (
            "Of all patients referred (n = 9362), sufficient data for a judgement were available on 88% (n = 8224).",
            COST,
        ),
        ("Ocimum did not protect rats from apoptosis to a significant degree.", SIZES),
        ("Four patients withdrew consent.", LEFT),
        ("Cure came earlier in men than in the cefixime group.", RATES),
        ("No fewer than 94.2% of men were cured at day 7.", "At least 94.2% of men were cured at day 7."),
        ("Of the men 40% (n = 12) relapsed within a year.", "Of the men 12 (40%) relapsed within a year."),
        (
            "The first program was free of charge.",
            "Fewer may come than in the first program, which was free of charge.",
        ),
        ("It was 3.3 (SD 1.9) against 3.0 (SD 2.0) in the control group, whereas a table lists others.", TROPONIN),
        ("AB+CD costs roughly a quarter of AB+EF.", "AB+EF (0.51 $) is four times more expensive than AB+CD (0.13 $)."),
    ],
)
def test_the_same_in_another_order_passes(claim, quote):
    assert vetoes(claim, [quote]) == []


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        (
            "Median time to cure was 138 hours (84–114 hours) for the drug and 92 hours (105–164 hours) for cefixime "
            "(hazard ratio 2.17) in the protocol group.",
            FEVER,
        ),
        ("Overall, the rate of loss was lower in the combined group than in the single group.", LOSS),
        ("Overall, the rate of loss was higher in the single group than in the combined group.", LOSS),
        ("Age and weight differed significantly between the 28 women and the 30 men of the study.", AGE),
        ("At day 7 the rate of cure was 73.9% in men and 94.2% in the cefixime group.", RATES),
        ("Cure was seen in 73.9% of men and in 94.2% with cefixime.", RATES),
        ("Seventeen patients withdrew consent.", LEFT),
        ("All counts were determined by flow cytometry with a laser.", COUNTED),
        ("3 fell ill with CQ, and 5 with AQ.", "With AQ, 3 fell ill, and 5 with CQ."),
        ("Pain fell with zinc in men.", "In men, pain fell with zinc (but not significantly)."),
        ("The score was significant in this group (p = 0.06).", SCORE),
    ],
)
def test_another_statement_in_the_same_words_is_refused(claim, quote):
    assert vetoes(claim, [quote])
