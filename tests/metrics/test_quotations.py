"""What a quotation may leave out of the paper's words."""

from __future__ import annotations

import pytest

from metrics.support.quotations import misquoted

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
