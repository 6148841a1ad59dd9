"""What guards object to in free paraphrases of a few sentences, and what they leave alone."""

import pytest

from metrics.support.guards import MOST_QUOTED, vetoes

TIME = "The median time to recovery was 6.1 s with the tube and 39.4 s with the mask (hazard ratio 0.33)."
CURE = "Cure was seen in 12 % of the drug group and in 18 % of the controls (P = 0.01)."
COUNT = "Of 12 patients 3 relapsed."
LOWER = "Pain scores were significantly lower with the drug than with placebo at 6 weeks."
SIMILAR = "Weight loss was similar in both groups, and mortality did not differ between drug and placebo."
NONE = "There were no treatment-related adverse events."
AFTER = "The marker rose after radiotherapy but not after surgery."
DONE = "Of these, 11/18 patients completed the diet as planned."
FELL = "Bone density fell in mice after flight."
THINNER = "The muscle thinned less with the device (-0.10 ± 0.05 cm) than in controls (-0.29 ± 0.28 cm; P < 0.05)."
QUIT = "All included, 13.3% (80 out of 600) would have quit in the new course versus 14.6% (87 out of 597) in the old."
RESTED = "Distress rose after the run (Post-0= 3.8±0.8) and fell after 10 minutes of rest (Post-10= 1.6±0.5)."
ACUITY = "Acuity improved slightly with the dye, but not to a statistically significant degree."
TREND = "A non-significant trend (p = .083) was found for an improvement of mood in the treated group (+3%)."
DOSES = "Of the children 76/79 were cured by the drug and 70/76 by placebo."
SPRAY = (
    "The spray leads to a 59% decrease in pain with toxin injections and 64% decrease in pain with filler injections."
)
ASIDE = (
    "Sugar improved in the drug group (change 0.69, p = 0.001) but not in the placebo group (change 0.11, p = 0.33)."
)
INFECTED = (
    "Prevalence of infection in controls was 5·4% including typeable and untypeable types, 1·7% for infection with "
    "typeable types, 1·3% for infections with oncogenic types."
)
RETESTED = (
    "In the analysis excluding positive results from retested specimens, the efficacy was 100·0% (95% CI 74·0% to "
    "100·0%)."
)
DECREASED = [
    "For the therapy group a significant decrease was found from mid- to post-treatment (p = .007).",
    "For the usual group no significant decreases were found.",
]
ALLOTTED = (
    "In all 66 (38 men) were randomized: 21, placebo group; 23, low dose group to take it; and 22, high dose group."
)
FELL_ALIKE = [
    "Changes of systolic pressure were not significantly different from those of the MFS alone group (p = 0.500).",
    "The treatments were not significantly different in the reduction of diastolic pressure (p = 0.734).",
]
OPENED = "| Clicked on the link of the protocol | | 202 (3.3%) | 362 (6.1%) |"
CHANGED = "The change in LDL was larger with both drugs than with one (p < 0.001)."
RETURNED = "Median time to return was 283 days for the support group and 239 days for the controls (p = 0.52)."
SAVED = "Fat fell by 0.77% in the advised group, with no decrease in the control group 0.04% (p = 0.07)."
RATED = "Overall the drug (score 2.61) was more effective compared to placebo (score 4.23; p = 0.006)."
TALKED = (
    "Benefits were found for the number of positive and negative remarks (positive: ES = 3.35; negative: ES = -1.29)."
)
PEN = "In conclusion, a small incentive, in the form of a pen, may improve response rates by an important margin."
SITES = "The marker held 310 (86.8%) sites constant, 29 (8.1%) variable sites and 18 (5.0%) informative sites."
GREW = "In soil with diesel oil and waste engine oil a growth of the seeds was observed (137% and 120%, respectively)."
BLOCKED = "The extract inhibited the protease by more than 50%."
BEST = "Thymol, eugenol and menthol reduced decay, with thymol being the most effective at slowing it."
PLAQUE = "Plaque was equally improved by green tea and the mouthwash."
GUMS = "The gum reduced plaque and swelling compared to placebo; however, it had no effect on bleeding depth."
LEARNED = "The scores of all tuned models except the deep one are higher than the baseline."
EASED = (
    "Pain eased by 1.6 points with both drugs, not statistically significantly more than by 1.4 with one (P = 0.33)."
)
ALONE = "Pain eased less with the new drug alone than with the old one."
COUNTED = (
    "Lessons numbered 25.84 for speech and 25.67 for motor therapy; they took 38.69 weeks for speech and 37.40 for MT."
)
POWERED = "The sample was reckoned for a 1-point improvement in controls and a 2-point change with the drug."
VISITS = "More users came in the trained group, but it did not reach significance: 28.2% against 17.1% (P = 0.172)."
ANXIETY = "Both fell more with talks, although for anxiety the contrast was not statistically significant (p = .06)."
TOOK = "The scores agreed only moderately (r = 0.43 at T0 and r = 0.39 at T1)."
HURT = "The mean pain score was 3.47 ± 1.37 in the haloxin and 2.85 ± 1.05 in the midarol group (p = 0.025)."
SCANNED = "Fat and bone were determined on a Lumar Proxy DXA apparatus (software version 2) by one observer."
EXCEPT = (
    "All mice regimens, except for ZQ treatment, gave clinical cure rates above 97% by day-14 and 92% by day-28 "
    "(corrected)."
)
EXCEPT_AGAIN = EXCEPT.replace("ZQ treatment, gave", "the ZQ treatment group, resulted in")
ENROLLED = (
    "Of the 41 participants, 25 who met the criteria were enrolled and put in two groups: 12 put in the drug arm took "
    "capsules with 400 mg of leaf twice daily and 13 in the other arm took lettuce."
)
PRESSURE = "Compared with placebo, it caused a non-significantly decrease in pressure (5 mmHg, p = 0.12)."
INDEX = "| Well-being Index | 0.00 (-9.5; 5.0) | 0.27 |"
NEW_CASES = [
    "| Outcome | | ZQ | | AZ | | SZ | | AZ+SZ | | AZ+AS |",
    "| 28-day follow-up |",
    "| New infections (%) | | 4/36 (11.1) | | 4/36 (11.1) | | 1/38 (2.6) | | 1/79 (1.2)** | | 6/76 (7.9) |",
]
WASHED = "Infections were less frequent with chlorhexidine 2% than with povidone-iodine 10%."
CELLS = "The share of the cells (but not in absolute cell count) fell in the interrupted arm."
SURVIVED = "Median time to progression was less than 6 months."


def rules(claim, *quotes):
    return {veto.rule for veto in vetoes(claim, quotes)}


@pytest.mark.parametrize(
    ("claim", "quote", "rule"),
    [
        ("With the mask, recovery took 39.4 minutes.", TIME, "measure"),
        ("The hazard was 0.33 %.", TIME, "measure"),
        ("Three percent of the patients had a relapse.", COUNT, "measure"),
        ("Among controls 12 % were cured.", CURE, "place"),
        ("With the drug 18 % were cured, of the controls 12 %.", CURE, "place"),
        ("Die Werte stimmten nur mäßig überein (r = 0,39 bei T0 und r = 0,43 bei T1).", TOOK, "place"),
        ("10% chlorhexidine led to fewer infections than 2% povidone-iodine.", WASHED, "place"),
        ("The drug raised pain scores in comparison with placebo.", LOWER, "course"),
        ("Pain scores were lower with placebo than with the drug.", LOWER, "course"),
        ("After flight the bone density of mice increased.", FELL, "course"),
        ("Mortality was lower with the drug.", SIMILAR, "effect"),
        ("The cure rate was higher with the drug than in controls.", CURE, "course"),
        ("Some adverse events were related to the treatment.", NONE, "denial"),
        ("The marker rose after surgery.", AFTER, "denial"),
        ("The marker rose after surgery but not after radiotherapy.", AFTER, "denial"),
        ("Eleven of the 18 patients did not complete the diet.", DONE, "denial"),
        ("The bone density of mice did not fall after flight.", FELL, "effect"),
        ("With the dye acuity improved significantly.", ACUITY, "effect"),
        ("Treatment improved the mood.", TREND, "doubt"),
        ("The authors conclude that a pen improves response rates by an important margin.", PEN, "doubt"),
        ("Blood pressure fell by a significant amount in controls (p = .108).", "Pressure fell (p = .108).", "effect"),
        ("La presión tuvo descensos significativos (p = .34).", "The pressure did not fall (p = .34).", "effect"),
        ("The drug cured 74 of 79 children.", DOSES, "numbers"),
        ("The change in LDL was smaller with both drugs than with one.", CHANGED, "course"),
        ("Return took 239 days with support and 283 days in controls.", RETURNED, "place"),
        ("There were 29 constant sites and 310 variable ones.", SITES, "place"),
        ("Of the sites 8.1% were constant.", SITES, "place"),
        ("The gum reduced bleeding depth compared to placebo.", GUMS, "denial"),
        ("All tuned models had higher scores than the baseline.", LEARNED, "denial"),
        ("With interruptions the absolute cell count dropped.", CELLS, "denial"),
    ],
)
def test_what_is_wrong_in_other_words(claim, quote, rule):
    assert rule in rules(claim, quote)


@pytest.mark.parametrize(
    ("claim", "quotes"),
    [
        ("A quarter of the patients (25 %) relapsed.", [COUNT]),
        ("Three of twelve had a relapse.", [COUNT]),
        ("The drug cured 12 % and the control treatment 18 %.", [CURE]),
        ("Recovery took some 39 seconds with the mask.", [TIME]),
        ("The hazard was cut by 67 %.", [TIME]),
        ("Patients on placebo had higher pain scores than those on the drug.", [LOWER]),
        ("Six weeks on, pain was less with the drug.", [LOWER]),
        ("Mortality was about the same.", [SIMILAR]),
        ("The drug did not lower mortality.", [SIMILAR]),
        ("Density of bone declined after the flight, which mice had made.", [FELL]),
        ("Cure was less frequent with the drug than in controls.", [CURE]),
        ("No adverse event was due to the treatment.", [NONE]),
        ("Radiotherapy raised the marker, surgery did not.", [AFTER]),
        ("Seven of 18 patients did not complete the diet.", [DONE]),
        ("The muscle thinned by 0.10 ± 0.05 cm with the device and by 0.29 ± 0.28 cm in controls.", [THINNER]),
        ("In the old course 14.6% would have quit and 13.3% in the new course.", [QUIT]),
        ("Distress was 3.8±0.8 right after the run and 1.6±0.5 after 10 minutes of rest.", [RESTED]),
        ("With the dye acuity got slightly, not significantly better.", [ACUITY]),
        ("Mood tended to improve with treatment (+3%).", [TREND]),
        ("The drug cured 76 of 79 children, and 146 were cured in both arms together.", [DOSES]),
        ("The spray cut pain by 59% with toxin injections and by 64% with filler injections.", [SPRAY]),
        ("Sugar changed by 0.69 with the drug and by 0.11 with placebo (p = 0.33).", [ASIDE]),
        ("The reduction in LDL was larger with both drugs than with one.", [CHANGED]),
        ("Return took 283 days with the support and 239 days without it.", [RETURNED]),
        ("Advice cut fat by 0.77%, whereas controls showed no such decrease (0.04%, p = 0.07).", [SAVED]),
        ("The drug was more effective than placebo (score 2.61 against 4.23).", [RATED]),
        ("There were more positive (ES = 3.35) and fewer negative remarks (ES = -1.29) with the full class.", [TALKED]),
        ("The lack of a significant gain in acuity is told, and that it was slight.", [ACUITY]),
        ("A pen might improve response rates.", [PEN]),
        ("A pen improves response rates.", [PEN, "Response rates were improved by a pen."]),
        ("La presión no bajó de forma significativa (p = .34).", ["The pressure did not fall (p = .34)."]),
        ("Of the sites 310 (86.8%) were constant and 18 (5.0%) were informative.", [SITES]),
        ("Seeds grew to 137% in soil with diesel oil and to 120% with waste engine oil.", [GREW]),
        ("The extract blocked more than half of the activity of the protease.", [BLOCKED]),
        ("Thymol, eugenol and menthol all lessened decay, thymol slowing it more.", [BEST]),
        ("Green tea and the mouthwash did not differ in how well they improved plaque.", [PLAQUE]),
        ("Half of them progressed within half a year.", [SURVIVED]),
        ("The gum reduced plaque compared to placebo.", [GUMS]),
        (
            "Adding the drug did not relieve the pain of patients significantly more, and alone it relieved it less.",
            [EASED, ALONE],
        ),
        ("There were 25.84 lessons for speech and 25.67 in MT, over 38.69 and 37.40 weeks, respectively.", [COUNTED]),
        ("The trial was powered for a 1-point difference: 1 point in controls and 2 with the drug.", [POWERED]),
        ("It assumed 1 point in controls and 2 with the drug, that is, a difference of 1 point.", [POWERED]),
        ("Die Werte stimmten nur mäßig überein (r = 0,43 bei T0 und r = 0,39 bei T1).", [TOOK]),
        (
            "Pain was 2.85 ± 1.05 against 3.47 ± 1.37 with haloxin, a difference that the midarol authors call small.",
            [HURT],
        ),
        ("Fat and bone were determined by DXA on a Lumar Proxy apparatus by one observer.", [SCANNED]),
        ("All regimens except ZQ gave clinical cure rates above 97% by day 14 and above 92% by day 28.", [EXCEPT]),
        (
            "All mice regimens except ZQ gave clinical cure rates above 97% by day 14 and 92% by day 28 (corrected).",
            [EXCEPT, EXCEPT_AGAIN],
        ),
        ("Twelve participants took capsules with 400 mg of leaf twice daily and 13 took lettuce.", [ENROLLED]),
        ("De bloeddruk daalde met 5 mmHg (p = 0,12), wat niet significant was.", [PRESSURE]),
        ("De index bleef in beide groepen mediaan gelijk (p = 0,27).", [INDEX]),
        (
            "In the 28-day follow-up, new infections were 11.1% (4/36) with ZQ, 11.1% (4/36) with AZ, 2.6% (1/38) with "
            "SZ, 1.2% (1/79) with AZ+SZ and 7.9% (6/76) with AZ+AS.",
            NEW_CASES,
        ),
        ("Il y en avait 28,2 % et 17,1 %, sans différence significative (P = 0,172).", [VISITS]),
        ("Talks lowered avoidance more, while the advantage in anxiety missed significance.", [ANXIETY]),
        ("Das Programm hatte keine nachweisbare Wirkung auf die Rückkehr zur Arbeit.", ["We failed to show effects."]),
        ("2% chlorhexidine led to fewer infections than 10% povidone-iodine.", [WASHED]),
        ("Bleeding depth was lowered by the gum.", [GUMS, "In the other trial the gum reduced bleeding depth."]),
        ("All tuned models but the deep one had higher scores than the baseline.", [LEARNED]),
        ("All tuned models, with one exception, had higher scores than the baseline.", [LEARNED]),
        ("In controls 5.4% had any infection, 1.7% a typeable one and 1.3% an oncogenic one.", [INFECTED]),
        ("Without retest-positive results the efficacy was 100.0% (95% CI 74.0% to 100.0%).", [RETESTED]),
        ("Only in the therapy group was there a significant decrease, from mid- to post-treatment.", DECREASED),
        ("Das Protokoll öffneten 362 (6,1 %) gegenüber 202 Personen (3,3 %).", [OPENED]),
        ("Of 66 patients 21 were given placebo, 23 the low and 22 the high dose.", [ALLOTTED]),
        (
            "Compared with MFS, neither systolic (p = 0.500) nor diastolic pressure (p = 0.734) fell significantly.",
            FELL_ALIKE,
        ),
        ("Neither difference from fimasartan (MFS) alone was significant.", FELL_ALIKE),
        (
            "Bijwerkingen traden op bij 4 patiënten, zonder significant verschil (p = 0,755).",
            ["| ADRs | 4 | 3 | 0.755 |"],
        ),
    ],
)
def test_what_follows_is_left_alone(claim, quotes):
    assert rules(claim, *quotes) == set()


def test_numbers_before_the_items_of_a_list_are_not_those_of_the_next_item():
    assert "place" in rules("In the placebo group there were 23 patients.", ALLOTTED)
    assert "place" in rules("In the low dose group there were 22 patients.", ALLOTTED)
    assert rules("In the placebo group there were 21 patients.", ALLOTTED) == set()


@pytest.mark.parametrize("died", ["(54% drug; 65% placebo)", "(54% drug, 65% placebo)", "(54% drug vs 65% placebo)"])
def test_names_behind_numbers_are_theirs(died):
    told = f"Mortality at 60 days was reported {died}."
    assert rules("Mortality at 60 days was 54% with the drug and 65% with placebo.", told) == set()
    assert "place" in rules("Mortality at 60 days was 65% with the drug and 54% with placebo.", told)
    assert "place" in rules(
        "Mortality at 60 days was 54% with CVVHD.", told.replace("drug", "CVVH").replace("placebo", "CVVHD")
    )


def test_a_comparison_in_german_takes_no_number_over():
    rated = "Risperidone (2.61 ± 0.50) was significantly more effective compared to buspirone (4.23 ± 1.48; p=0.006)."
    assert rules("Risperidon war mit 2,61 ± 0,50 wirksamer als Buspiron mit 4,23 ± 1,48 (p = 0,006).", rated) == set()


def test_an_only_or_without_that_nothing_given_bears_out_is_refused():
    only = "Only in the therapy group was there a significant decrease, from mid- to post-treatment (p = .007)."
    assert "addition" in rules(only, DECREASED[0])
    assert "negation" in rules(
        "The efficacy was 100·0% without retested specimens.", RETESTED.replace("excluding", "of")
    )


def test_exchanged_sides_of_one_word_are_told_as_that():
    (veto,) = [each for each in vetoes("Scores were lower with placebo than with the drug.", [LOWER]) if each.opposed]
    assert veto.reason == 'the quotes say "lower" with the sides exchanged'


def test_nothing_is_said_of_other_words_where_much_is_quoted():
    filler = "The trial was registered. " * MOST_QUOTED
    assert "course" in rules("After flight the bone density of mice increased.", FELL)
    assert "course" not in rules("After flight the bone density of mice increased.", FELL, filler)


def test_another_unit_is_refused_however_much_is_quoted():
    filler = "The trial was registered. " * MOST_QUOTED
    assert "measure" in rules("With the mask, recovery took 39.4 minutes.", TIME, filler)


EFFECTIVE = "On the ground, carbon ions were 2.9 times as effective as X-rays."


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("On the ground, X-rays were 2.9 times as effective as carbon ions.", EFFECTIVE),
        ("X-rays were nearly three times as effective as carbon ions.", EFFECTIVE.replace("2.9", "nearly three")),
        ("The cortex was thicker than the midshaft.", "The midshaft was thicker than the cortex in all animals."),
    ],
)
def test_exchanged_sides_are_refused_whatever_they_are_compared_by(claim, quote):
    assert "exchange" in rules(claim, quote)


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("Carbon ions were 2.9 times as effective as X-rays.", EFFECTIVE),
        ("X-rays were as effective as carbon ions.", "Carbon ions were as effective as X-rays."),
        ("The cortex was no thicker than the midshaft.", "The midshaft was no thicker than the cortex."),
        ("Mice were heavier than rats.", "Rats were heavier than mice at birth; later, mice were heavier than rats."),
    ],
)
def test_comparisons_that_are_not_turned_are_left_alone(claim, quote):
    assert "exchange" not in rules(claim, quote)
