"""What a copy says in words of its own, and small words that turn it."""

import pytest

from metrics.support.added_content import own_words, small_words
from metrics.support.guards import vetoes
from metrics.support.lexicon import words

TIBIA = "Bone volume in the proximal tibia was 18.0 % lower in flight mice after 30 days (p = 0.002)."
NO_CHANGE = "The femoral midshaft of the flight mice showed no significant change in thickness."


def rules(claim, *quotes):
    return {veto.rule for veto in vetoes(claim, quotes or (TIBIA,))}


@pytest.mark.parametrize(
    "claim",
    [
        f"{TIBIA[:-1]}, which proves that the drug works in patients.",
        f"Contrary to fact, {TIBIA}",
        f"Critics doubt that {TIBIA}",
        f"{TIBIA[:-1]} in humans.",
        f"{TIBIA[:-1]} is wrong.",
        f"{TIBIA[:-1]}?!",
        TIBIA.replace("mice", "humans"),
        TIBIA.replace("18.0 %", "< 18.0 %"),
        TIBIA.replace("18.0", "18.0k"),
        TIBIA.replace("18.0", "−18.0"),
        TIBIA.replace("18.0", "at least 18.0"),
        TIBIA.replace("18.0 %", "18.0 % or more"),
        TIBIA.replace("lower", "significantly lower"),
        TIBIA.replace("lower", "≠ lower"),
    ],
)
def test_what_a_copy_certainly_adds_is_refused(claim):
    assert rules(claim) & {"addition", "exchange"}


@pytest.mark.parametrize(
    "claim",
    [
        TIBIA,
        TIBIA.replace("18.0 %", "18 percent"),
        TIBIA.replace("(p = 0.002)", "").replace("after 30 days", ""),
        f"The authors report that {TIBIA}",
        f"In addition, {TIBIA}",
        TIBIA.replace("was 18.0 % lower", "fell by 18.0 %"),
    ],
)
def test_what_a_true_copy_changes_is_not(claim):
    assert rules(claim) == set()
    assert own_words(claim, [TIBIA]) == ""


@pytest.mark.parametrize("other", ["rats", "fungi", "monkeys"])
def test_words_of_its_own_a_judge_of_words_cannot_judge(other):
    claim = TIBIA.replace("mice", other)
    assert rules(claim) == set()
    assert own_words(claim, [TIBIA]) != ""


def test_what_was_not_shown_is_not_told_as_absent():
    assert rules(NO_CHANGE.replace("significant ", ""), NO_CHANGE) == {"doubt"}


@pytest.mark.parametrize(
    ("claim", "held"),
    [
        ("It says that “bone volume in the proximal tibia was 18.0 % lower”.", True),
        ("“Bone volume … was 18.0 % lower in flight mice.”", True),
        ("“Bone volume was 18.0 % lower in flight mice.”", False),
        ('It says "bone volume in the distal tibia was 18.0 % lower".', False),
        ("“Bone volume in the proximal tibia was 81.0 % lower", False),
        ("volume in the proximal skull was 18.0 % lower”.", False),
        ("The “proximal skull” was 18.0 % lower.", True),
    ],
)
def test_quotation_marks_hold_the_quotes_words(claim, held):
    assert ("quotation" not in rules(claim)) == held


DISGUISED = "nоt nοt ոot nᴏt по n\u0336o\u0336t\u0336 n\u20e0ot ✗ 👎 ¬ n\u200bot ~~not~~ <s>not</s>".split()  # noqa: SIM905


@pytest.mark.parametrize("word", DISGUISED)
def test_a_disguise_is_refused(word):
    assert "disguise" in rules(f"Bone volume was {word} lower in flight mice.")


@pytest.mark.parametrize("word", ["ｎｏｔ", "𝐧𝐨𝐭", "ⁿᵒᵗ", "ⓝⓞⓣ"])
def test_letters_in_other_forms_are_read(word):
    assert "negation" in rules(TIBIA.replace("was", f"was {word}"))


@pytest.mark.parametrize(
    "claim", ["TGFβ and hν rose at 37 °C (±2 µm).", "Плотность кости снизилась.", "骨密度はIL6で低下した。"]
)
def test_scripts_that_science_mixes_are_no_disguise(claim):
    assert "disguise" not in rules(claim, "TGFβ, hν: density at 37 °C; снизилась IL6.")


FELL = "Trabecular number fell by 16.4 % (p = 0.004) in the tibia, from fewer trabeculae rather than thinner ones."


@pytest.mark.parametrize(
    ("claim", "rule"),
    [
        (FELL.replace("by 16.4", "to 16.4"), "numbers"),
        (FELL.replace("16.4 %", "16.4 % a day"), "addition"),
        (FELL.replace("16.4 %", "16.4 % each week"), "addition"),
        (FELL.replace("rather than", "and from"), "negation"),
    ],
)
def test_steps_rates_and_contrasts_of_a_copy_are_compared(claim, rule):
    assert rule in rules(claim, FELL)
    assert not rules(FELL, FELL)


def test_steps_and_rates_that_the_sentence_has_are_no_additions():
    weekly = "The mice were given 5 mg a day for 30 days, and their mass fell from 28.4 to 27.9 g."
    assert not rules(weekly, weekly)
    assert not rules("Trabecular number fell by 16.4 % (p = 0.004) in the tibia of the mice.", FELL + " The mice flew.")


SENTENCE = tuple(words("five mice lost 12 % while the others may have gained a millimetre by 3 %"))


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("because", "while"),
        ("would", ""),
        ("fifty", "five"),
        ("one", "five"),
        ("half", ""),
        ("twice", ""),
        ("centimetre", "millimetre"),
        ("more", ""),
        ("lead", "iron"),
        ("too", ""),
    ],
)
def test_what_turns_a_copy_is_named(ours, theirs):
    assert list(small_words(ours.split(), theirs.split(), SENTENCE)) != []


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("might", "may"),
        ("while", ""),
        ("half", "50 %"),
        ("more", "higher"),
        ("more", "increased"),
        ("millimeter", "millimetre"),
        ("the", "these"),
        ("two", ""),
        ("5", "five"),
    ],
)
def test_what_says_the_same_is_not(ours, theirs):
    assert list(small_words(ours.split(), theirs.split(), SENTENCE)) == []
