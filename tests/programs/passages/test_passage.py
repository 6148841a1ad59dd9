"""Passages as a model reads them."""

from __future__ import annotations

import pytest

from programs.passages import Passage, shown


def passage(text):
    return Passage("p::1", "p", "results", "", text, 0, len(text))


def test_the_papers_own_citation_marks_are_left_out_and_measurements_stay():
    text = "Density fell [5, 7–9] in mice [12].\nRebound took a median of 4 [1–8] wk in mice."
    assert shown([passage(text)]) == (
        "[1] (results) Density fell in mice.\n    Rebound took a median of 4 [1–8] wk in mice."
    )


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("Background", "abstract introduction"),
        ("Methods:", "abstract methods"),
        ("Methods and Findings", "abstract"),
        ("Results", "abstract"),
        ("", "abstract"),
    ],
)
def test_the_parts_of_an_abstract_that_report_nothing_are_told(heading, kind):
    part = Passage("p::1", "p", "abstract", heading, "Mice lose bone in flight.", 0, 25)
    assert shown([part]) == f"[1] ({kind}) Mice lose bone in flight."
