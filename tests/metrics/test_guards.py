"""Guards on copies, names and quotations."""

from __future__ import annotations

import pytest

from metrics.support.guards import MOST_WORDS, misquoted, unheld_names, vetoes

QUOTE = (
    "Femur density fell by 12.4 % (p < 0.05) within 24 hours in flight mice given IL-6 but not TNF, "
    "which may explain the loss of 8 of 10 animals."
)


def rules(claim, *quotes):
    return [veto.rule for veto in vetoes(claim, quotes or (QUOTE,))]


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("12.4", "21.4", "numbers"),
        ("12.4", "0.4", "numbers"),
        ("24 hours", "24 days", "units"),
        ("fell", "rose", "direction"),
        ("fell", "never fell", "negation"),
        ("but not", "and", "negation"),
        ("IL-6", "IL-10", "numbers"),
        ("TNF", "LPS", "name"),
        ("8 of 10", "10 of 8", "exchange"),
        ("IL-6 but not TNF", "TNF but not IL-6", "exchange"),
        ("may explain", "explains", "doubt"),
    ],
)
def test_a_copy_with_one_thing_changed_is_refused(old, new, rule):
    assert rule in rules(QUOTE.replace(old, new))


@pytest.mark.parametrize(
    "claim",
    [
        QUOTE,
        "Femur density fell by 12.4 % in flight mice",
        "Density of the femur dropped by about an eighth in flown mice",
        "Two of the ten animals were kept",
        "Density fell by roughly 12 percent within a day",
        "La densidad del fémur cayó un 12,4 % en 24 horas",
        "87.6 % of femur density was left",
        "飛行マウスの大腿骨密度は12.4%低下した",
    ],
)
def test_what_is_true_is_left_alone(claim):
    assert rules(claim) == []


@pytest.mark.parametrize(
    ("claim", "paper"),
    [
        ("The mean density of the flown mice", "The mean density of the flown mice was 12 % lower."),
        ("The mean density of all the flown mice", "The mean density of all the flown mice significantly decreased."),
        ("the drug reduced the deaths in one year", "It is unclear whether the drug reduced the deaths in one year."),
        ("any effect on mortality was seen in either group", "Not any effect on mortality was seen in either group."),
    ],
)  # fmt: skip
def test_a_clipped_copy_is_refused(claim, paper):
    assert "clipped" in rules(claim, paper)


def test_a_copy_may_stop_where_its_clause_does():
    assert rules("Femur density fell in all the mice", "Femur density fell in all the mice, but muscle did not.") == []
    longer = "The drug did not change weight but lowered the density of bones in all mice."
    assert rules("The drug lowered the density of bones in all mice", longer) == []


def test_a_claim_that_shares_no_word_with_its_quotes_is_refused():
    assert rules("Acid cures cancer") == ["unrelated"]


def test_a_claim_of_ten_thousand_words_is_refused_at_once():
    (veto,) = vetoes("and so on " * 3_334, [QUOTE])
    assert (veto.rule, str(MOST_WORDS) in veto.reason) == ("length", False)


@pytest.mark.parametrize("quotes", [[""], ["…"], ["1"]])
def test_quotes_without_words_prove_nothing(quotes):
    assert rules("Femur density fell by 12.4 % in flight mice", *quotes) != []


def test_the_label_of_a_thing_is_no_number():
    assert rules("Patients with type 2 diabetes lost weight", "Diabetic patients lost weight.") == []


TRUE_ONES = {
    "a sign for a word": (
        "PaO2 was measured with n = 29 patients in the trial of phenylephrine infusion.",
        ["PaO2 was measured with n 29 patients in the trial of phenylephrine infusion."],
    ),
    "an interval spelled otherwise": (
        "Efficacy of the vaccine was 93.3% (95% CI 62.5% to 99.7%).",
        ["Estimated efficacy of the vaccine was 93·3% (95%CI = 62·5% to 99·7%)."],
    ),
    "a number of another quote, with its word": (
        "The 32 participants were given 3 g of the drug or placebo 3 times a day for 4 weeks.",
        [
            "A total of 32 participants with anorexia were randomized.",
            "Participants were given 3 g of the drug or placebo 3 times a day for 4 weeks.",
        ],
    ),
    "words in another order": (
        "Post-hoc analysis revealed that distress increased significantly in the exercise group (p=0.04).",
        ["Post-hoc analysis revealed a significant increase of distress in the exercise group (p=0.04)."],
    ),
    "a number that names a week": (
        "Lean mass rose from 58.5 kg at baseline to 61.0 kg at week 8 with rice protein.",
        ["There was an increase of lean mass (58.5 kg, baseline; 61.0 kg, week 8) with rice protein."],
    ),
    "a day written otherwise": (
        "All regimens but the old one gave corrected cure rates above 97% by day 14 and 92% by day 28.",
        ["All regimens but the old one gave cure rates above 97% by day-14 and 92% by day-28 (corrected)."],
    ),
    "another form of a verb": (
        "Both drugs were taken for a week, giving cure rates above 97% by day 14.",
        ["Both drugs were taken for a week, and gave cure rates above 97% by day 14."],
    ),
    "the only denial at the beginning": (
        "Nor did the marker add to the predictive value of the older score.",
        ["Also, the marker did not add to the predictive value of the older score."],
    ),
    "what does not matter": (
        "Whatever the order, all three instruments indicated a poorer quality of life in weaker patients.",
        ["All three instruments indicated a poorer quality of life in weaker patients regardless of the order."],
    ),
    "without what it is for": (
        "The trend towards higher precision needs to be investigated in a larger study.",
        [
            "However there was a trend towards higher precision that needs to be investigated in a larger study to "
            "determine if it can improve the search."
        ],
    ),
    "a number that is rated": (
        "Two days after injection the marker ranged from 0.8 to 82.5 in the controls but only from 0.9 to 5.7 in the "
        "treated group.",
        [
            "Two days after injection the marker ranged from 0.8 to 82.5 in the controls and from 0.9 to 5.7 in the "
            "treated group."
        ],
    ),
    "what a probability says": (
        "Time to return was 283 days in the support group and 239 days in controls, which was not a significant "
        "difference (p = 0.52).",
        ["Time to return was 283 days in the support group and 239 days in controls (log rank test; p = 0.52)."],
    ),
}


@pytest.mark.parametrize("name", TRUE_ONES)
def test_true_sentences_that_a_reader_wrote_pass(name):
    claim, quotes = TRUE_ONES[name]
    assert [veto.reason for veto in vetoes(claim, quotes)] == []


@pytest.mark.parametrize(("told", "probability"), [("a", "0.52"), ("not a", "0.01"), ("no", "0.03; secondary p = 0.6")])
def test_significance_against_a_probability_is_refused(told, probability):
    quote = (
        f"Time to return was 283 days in the support group and 239 days in controls (log rank test; p = {probability})."
    )
    claim = quote.replace("(log rank test; ", f", which was {told} significant difference (")
    assert rules(claim, quote) != []


def test_what_a_title_says_is_not_added():
    quote = "Aerobic exercise can promote an increase in anxiety acutely."
    claim = "In patients with panic disorder aerobic exercise can promote an increase in anxiety acutely."
    assert {veto.rule for veto in vetoes(claim, [quote])} == {"addition"}
    assert vetoes(claim, [quote], ["Exercise in patients with panic disorder"]) == []


MANY = (
    "Values before and after were "
    + ", ".join(f"{n * n / 7:.2f} and {n * n / 7 + 0.4 + n / 9:.2f}" for n in range(3, 18))
    + " mg/dL."
)


@pytest.mark.parametrize("fall", ["0.73", "0.84", "2.29"])
def test_the_difference_of_two_neighbours_follows_from_many_numbers(fall):
    assert rules(f"It fell by {fall} mg/dL with the drug.", MANY) == []


@pytest.mark.parametrize("fall", ["1.53", "2.44", "5.43", "8.03"])
def test_what_follows_from_any_two_of_many_numbers_by_chance_is_refused(fall):
    assert "numbers" in rules(f"It fell by {fall} mg/dL with the drug.", MANY)


CLOTS = "Platelets stored with the extract formed fewer clots than those of controls."


@pytest.mark.parametrize(
    ("claim", "refused"),
    [
        ("A 2016 study found fewer clots of platelets stored with the extract.", False),
        ("A randomized trial published in 2016 found fewer clots of platelets stored with the extract.", False),
        ("A 2015 study found fewer clots of platelets stored with the extract.", True),
        ("In 2016 platelets stored with the extract formed fewer clots.", True),
        ("In a study of 2016 patients platelets stored with the extract formed fewer clots.", True),
        ("In 2016 patients of a study platelets stored with the extract formed fewer clots.", True),
    ],
)
def test_a_study_may_be_told_by_the_year_of_its_paper(claim, refused):
    assert "numbers" in rules(claim, CLOTS)
    assert any(veto.rule == "numbers" for veto in vetoes(claim, [CLOTS], ["Clots (2016)"])) == refused


def test_a_number_may_stand_in_the_title():
    claim = "Over 8 weeks platelets stored with the extract formed fewer clots."
    assert "numbers" in rules(claim, CLOTS)
    assert vetoes(claim, [CLOTS], ["Effects of 8 weeks of the extract (2016)"]) == []


def test_a_sign_before_the_same_number_is_added():
    quote = "Body mass at landing was 27.9 g in flight and 28.4 g on the ground, which is no difference."
    assert [veto.reason for veto in vetoes(quote.replace("28.4", "~28.40"), [quote])] == ['it adds "~"']


@pytest.mark.parametrize(
    ("told", "refused"),
    [("depression", True), ("healthy", True), ("elevated", True), ("the same", False), ("not changed", False)],
)
def test_what_stands_for_unchanged_at_a_copys_end(told, refused):
    quote = "Bone formation was depressed and a serum marker of resorption was unchanged."
    assert bool(rules(quote.replace("unchanged", told), quote)) == refused


def test_a_name_changed_at_a_copys_end_is_refused():
    quote = "Soleus mass fell by 34 % in animals given saline and by 19 % in animals given MN-7."
    assert rules(quote.replace("MN-7", "MN-17"), quote) != []


@pytest.mark.parametrize("part", ["One third", "Three quarters", "Two fifths"])
def test_another_fraction_in_a_short_claim_is_refused(part):
    assert "numbers" in rules(f"{part} of the animals exposed revived.", "Two thirds of the animals exposed revived.")


@pytest.mark.parametrize(
    "text",
    [
        "Time off work was 9±2.35 days in group B and 13.5±4. (P=0.0001).",
        "A score was not calculated when none was given. 6No analyses could be made, and 7none were planned.",
        "In the drug group 159 patients ended the course, 149 the control treatment and 159 both of them [33].",
    ],
)
def test_what_a_quote_says_word_for_word_is_never_refused(text):
    assert vetoes(text, [f"Before it. {text} Behind it."]) == []


GARDEN = "Fresh parts of the plant were collected in February from the Botanical Garden of the University of Pretoria."
GIVEN = (GARDEN, "Chelidonium grows in rural China, where Alzheimer's disease is treated with it.", "Effects of neem")


def names(claim, given=GIVEN):
    return [veto.reason for veto in unheld_names(claim, given)]


@pytest.mark.parametrize(
    ("claim", "name"),
    [
        ("The plants came from the garden of the University of Cape Town.", "Cape"),
        ("In the garden the plant grew next to Sutherlandia.", "Sutherlandia"),
    ],
)
def test_a_name_that_nothing_given_holds_is_refused(claim, name):
    assert f'no passage names "{name}"' in names(claim)
    assert "name" in {veto.rule for veto in vetoes(claim, [GARDEN], given=GIVEN)}
    assert not any("no passage names" in veto.reason for veto in vetoes(claim, [GARDEN]))


@pytest.mark.parametrize(
    "claim",
    [
        "The plants came from the garden of the University of Pretoria.",
        "Chinese patients with Alzheimer disease were treated with the plant.",
        "Sutherlandia is a word that a sentence may begin with.",
        "It was so: Fresh parts of the plant were taken, as is shown in Table 2.",
        "The plant of the garden is known to Turkish and to Danish readers.",
        "Die Pflanzen kamen aus dem Garten der Stadt Kapstadt und wurden im Sommer gesammelt.",
        "Wie viel vom E-Mail-Text in Gruppe A gelesen wurde, konnte nicht gemessen werden.",
    ],
)
def test_names_that_are_held_or_are_none_are_left_alone(claim):
    assert names(claim) == []


def test_without_anything_given_nothing_is_said():
    assert names("The plants came from the garden of the University of Cape Town.", ()) == []


PRINTED = (
    "The extract inhibited the protease (Figure 2) as shown before [12, 13], and its IC50 was 49.8 μg/mL (Table 1)."
)


@pytest.mark.parametrize(
    "quotation",
    [
        PRINTED,
        "The extract inhibited the protease as shown before, and its IC50 was 49.8 μg/mL.",
    ],
)
def test_printed_citations_and_callouts_may_be_left_out(quotation):
    assert list(misquoted(f"“{quotation}”", [PRINTED])) == []


@pytest.mark.parametrize(
    "altered", ["IC50 was 48.9 μg/mL", "the IC50 was 49.8 mg/mL", "inhibited the protein as shown"]
)
def test_other_words_are_refused(altered):
    assert [each.rule for each in misquoted(f"It says “{altered}”.", [PRINTED])] == ["quotation"]


@pytest.mark.parametrize(
    ("bracket", "may_go"),
    [
        ("(Smith et al., 2010)", True),
        ("(Smith et al. 2010a; Lee and Kim, 2011)", True),
        ("(see Table 2, Fig. S3)", True),
        ("(Smith et al., 2010; but not in women, in whom it rose)", False),
        ("(Not in women; Smith et al., 2010)", False),
        ("(Figure 2; not in women)", False),
    ],
)
def test_only_brackets_that_hold_nothing_else_may_be_left_out(bracket, may_go):
    vetoed = list(misquoted("“Bone density fell by 5 %.”", [f"Bone density fell {bracket} by 5 %."]))
    assert (vetoed == []) == may_go


@pytest.mark.parametrize("claim", ["…", "«»", ""])
def test_a_claim_without_a_word_is_no_copy(claim):
    assert "length" not in {veto.rule for veto in vetoes(claim, ["Femur density fell."])}


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("Mice died.", "No mice died."),
        ("Zinc is safe.", "Zinc is safe?"),
        ("Zinc cures cancer.", "The hypothesis that zinc cures cancer was rejected."),
        ("Zinc is safe.", "Smith et al. claimed that zinc is safe, which we could not confirm."),
        ("All treated mice survived the trial.", "If the dose was doubled, all treated mice survived the trial."),
        ("Zinc lowered blood pressure.", "Only in smokers, zinc lowered blood pressure."),
        ("Zinc lowered blood pressure in adults.", "Zinc lowered blood pressure in adults who smoked."),
        ("The drug works.", "The drug works in theory."),
    ],
)
def test_part_of_a_sentence_does_not_stand_without_what_makes_it_less(claim, quote):
    assert "clipped" in {each.rule for each in vetoes(claim, [quote])}


@pytest.mark.parametrize(
    ("claim", "quotes"),
    [
        ("Relapses fell with the drug.", ["Relapses fell with the drug, but not with placebo."]),
        ("Relapses fell by half.", ["Only two patients died, and relapses fell by half."]),
        ("Zinc is safe.", ["We conclude that zinc is safe."]),
        ("Zinc is safe.", ["The hypothesis that zinc is safe was tested.", "Zinc is safe."]),
        ("If the dose was doubled, mice survived.", ["If the dose was doubled, mice survived."]),
    ],
)
def test_part_of_a_sentence_that_says_so_itself_stands(claim, quotes):
    assert vetoes(claim, quotes) == []


ALL_RETREATED = (
    "All 11 of 12 patients who reinitiated therapy retained suppressive ability of their respective regimens."
)
DOSE = (
    "The hazard ratios for 1 to 9, 10 to 19 and 20 years were 0.66, 0.41 and 0.40 (P < 0.05 for trend) in 36,978 "
    "people from 2019 on."
)


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("U wszystkich, którzy wznowili leczenie, dotychczasowy schemat zachował zdolność hamowania.", ALL_RETREATED),
        ("The longer it was used, the lower the hazard ratio: 0.66, 0.41 and 0.40.", DOSE),
        ("Cuanto más se usó, más bajo fue el riesgo: 0,66, 0,41 y 0,40.", DOSE),
        ("Набор состоит из 36 978 человек с 2019 года.", DOSE),
        ("En total fueron seguidas 36.978 personas por los autores de la serie.", DOSE),
        ("Some 37,000 people were followed.", DOSE),
    ],
)
def test_other_languages_tests_for_trend_and_rounded_numbers_pass(claim, quote):
    assert vetoes(claim, [quote]) == []


@pytest.mark.parametrize(
    "claim",
    [
        "It began in 2020 with these people.",
        "There were 37,100 people in all.",
        "Cuanto más se usó, más bajo fue el riesgo: 0,65, 0,41 y 0,40.",
    ],
)
def test_numbers_that_are_near_are_others(claim):
    assert {each.rule for each in vetoes(claim, [DOSE])} == {"numbers"}
