"""Figures: each once, under its number, with the authors' caption."""

import pytest

from programs.paper_writer.concept import Plot
from programs.paper_writer.section_text import figures_shown, place

BONE = Plot(file="plots/bone.png", caption="Bone by group.")
ROOT = Plot(file="root tip.png", caption="Roots * by day.", alt="Line [chart]")
FIRST = "![Bone by group.](bone.png)\n*Figure 1: Bone by group.*"
SECOND = "![Line chart](root_tip.png)\n*Figure 2: Roots \\* by day.*"


def test_the_prompt_shows_what_is_to_be_copied():
    assert figures_shown([BONE, ROOT]) == f"{FIRST}\n\n{SECOND}"


@pytest.mark.parametrize(
    "written",
    [
        f"It fell.\n\n{FIRST}\n\nIt grew.\n\n{SECOND}",
        "It fell.\n![whatever](bone.png)\nIt grew.\n![](./root_tip.png)",
        "It fell.\n\n![x](plots/bone.png)\n*Figure 7: Other.*\n\nIt grew.\n\n![x](<root_tip.png>)\n\n**Fig. 3. Y**",
        f"It fell. {FIRST}\n\nIt grew.\n\n{SECOND}\n\n{FIRST}",
        f"It fell.\n\n{FIRST}\n\n*Figure 9: of nothing.*\n\nIt grew.\n\n{SECOND}",
    ],
)
def test_figures_stand_where_the_model_put_them_and_look_alike(written):
    placed = place(written, [BONE, ROOT])
    assert placed.text == f"It fell.\n\n{FIRST}\n\nIt grew.\n\n{SECOND}"
    assert placed.notes == ()


def test_a_figure_that_the_model_forgot_stands_at_the_end():
    placed = place("It fell.", [BONE])
    assert placed.text == f"It fell.\n\n{FIRST}"
    assert placed.notes == ("Figure 1 (bone.png) was not placed by the model and stands at the end",)


def test_an_image_that_was_not_given_is_taken_out():
    placed = place("It fell.\n\n![x](https://example.org/spy.png)\n*Figure 3: Spy.*\n\nIt grew.", [])
    assert placed.text == "It fell.\n\nIt grew."
    assert placed.notes == ("The image spy.png was taken out: it is not a figure of this section",)


def test_a_backslash_at_the_end_of_a_text_keeps_the_image():
    assert figures_shown([Plot(file="a.png", caption="A.", alt="path C:\\")]).startswith("![path C:](a.png)")
