"""What a quotation may leave out of the paper's words."""

from __future__ import annotations

import pytest

from metrics.support.guards import misquoted

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
