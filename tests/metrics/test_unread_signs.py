"""A number beside a sign that was not read proves nothing, not even in a copy."""

import pytest

from metrics.support.guards import vetoes

QUOTE = "The tube was 180 \ufffdm wide, the change was \ufffd0.4 g, and 12 hens were weighed."


@pytest.mark.parametrize(
    "claim",
    [QUOTE, "The tube was 180 m wide.", "The change was 0.4 g.", "The change was -0.4 g in 12 hens.", QUOTE.lower()],
)
def test_a_number_beside_it_is_refused(claim):
    assert "unread" in {veto.rule for veto in vetoes(claim, [QUOTE])}


@pytest.mark.parametrize("claim", ["12 hens were weighed.", "The hens were weighed."])
def test_another_number_of_the_sentence_is_not(claim):
    assert "unread" not in {veto.rule for veto in vetoes(claim, [QUOTE])}


def test_another_quote_that_holds_the_number_proves_it():
    assert not vetoes("The tube was 180 µm wide.", [QUOTE, "The tube was 180 µm wide."])
