"""Guards look at what can be looked at: not at claims without end, nor at other words where much is quoted."""

import pytest

from metrics.support.guards import MOST_QUOTED, MOST_WORDS, vetoes

FILLER = "The trial was registered. " * MOST_QUOTED
FELL = "Bone density fell in mice after flight."
ROSE = "After flight the bone density of mice increased."
TIME = "The median time to recovery was 6.1 s with the tube and 39.4 s with the mask (hazard ratio 0.33)."


def rules(claim, *quotes):
    return {veto.rule for veto in vetoes(claim, quotes)}


def test_a_claim_of_ten_thousand_words_is_refused_at_once():
    (veto,) = vetoes("and so on " * 3_334, [FELL])
    assert (veto.rule, str(MOST_WORDS) in veto.reason) == ("length", False)


def test_nothing_is_said_of_other_words_where_much_is_quoted():
    assert "course" in rules(ROSE, FELL)
    assert "course" not in rules(ROSE, FELL, FILLER)


def test_another_unit_is_refused_however_much_is_quoted():
    assert "measure" in rules("With the mask, recovery took 39.4 minutes.", TIME, FILLER)


UNREAD = "The tube was 180 \ufffdm wide, the change was \ufffd0.4 g, and 12 hens were weighed."


@pytest.mark.parametrize(
    ("claim", "is_refused"),
    [
        (UNREAD, True),
        ("The tube was 180 m wide.", True),
        ("The change was 0.4 g.", True),
        ("The change was -0.4 g in 12 hens.", True),
        ("12 hens were weighed.", False),
        ("The hens were weighed.", False),
    ],
)
def test_a_number_beside_a_sign_that_was_not_read_proves_nothing(claim, is_refused):
    assert ("unread" in rules(claim, UNREAD)) is is_refused


def test_another_quote_that_holds_the_number_proves_it():
    assert not rules("The tube was 180 µm wide.", UNREAD, "The tube was 180 µm wide.")
