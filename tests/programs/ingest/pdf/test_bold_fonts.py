"""Which fonts are bold: by name, and by weight where the name says nothing."""

import pytest

from programs.ingest.pdf.text import is_bold


@pytest.mark.parametrize(
    ("name", "weight", "bold"),
    [
        ("MinionPro-Regular", 712, False),  # as Frontiers prints its text
        ("ABCDEF+Times-Roman", 700, False),
        ("AdvOT1234", 712, True),
        ("AdvOT1234", 400, False),
        ("MinionPro-Bold", 400, True),
        ("Lato-Regular-Bold", 400, True),
    ],
)
def test_a_font_is_bold_by_its_name_else_by_its_weight(name, weight, bold):
    assert is_bold(name, weight) is bold
