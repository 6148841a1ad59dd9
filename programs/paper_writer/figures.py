"""Figures in a draft: each of the concept's plots once, under its number, in Results and nowhere else.

    ![Bone volume by group](bone.png)
    *Figure 1: Bone volume fraction of the tibia by group.*

Numbers are the plots' places in the concept, so that every section can refer to them before Results is written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from programs.paper_writer.concept import Plot

_CAPTION = r"[ \t]*[*_]{1,3}[ \t]*(?:Figure|Fig\.?)[ \t]*\d+[^\n]*[*_]{1,3}[ \t]*(?=\n|$)"
_IMAGE = re.compile(
    r"[ \t]*!\[(?P<alt>[^\]\n]*)\]\([ \t]*<?(?P<file>[^)>\n\"]*?)>?(?:[ \t]+\"[^\"\n]*\")?[ \t]*\)[ \t]*"
    rf"(?:\s*\n{_CAPTION})?"
)
_ORPHAN = re.compile(rf"^{_CAPTION}", re.MULTILINE)
_EMPHASIS = re.compile(r"([*_\\])")
_BRACKETS = re.compile(r"[\[\]\\`<>]")
_GAPS = re.compile(r"\n{3,}")


@dataclass(frozen=True, slots=True)
class SectionWithFigures:
    """A section's text with its figures, and what had to be changed."""

    text: str
    notes: tuple[str, ...] = ()


def figure_markdown(number: int, plot: Plot) -> str:
    """The two lines that place a figure."""
    caption = _EMPHASIS.sub(r"\\\1", " ".join(plot.caption.split()))
    alt = _BRACKETS.sub("", " ".join((plot.alt or plot.caption).split()))
    return f"![{alt}]({plot.filename})\n*Figure {number}: {caption}*"


def figures_shown(plots: Sequence[Plot]) -> str:
    """All figures as they stand in a prompt; what is shown is what is to be copied."""
    return "\n\n".join(figure_markdown(number, plot) for number, plot in enumerate(plots, start=1))


def place(text: str, plots: Sequence[Plot]) -> SectionWithFigures:
    """Bring the figures of a section into order.

    Args:
        text: As a model wrote it.
        plots: What the section is to show; none for every section but Results.

    Returns:
        The text with every plot once: where the model placed it, else at the end. Other images are taken out.
    """
    numbers = {plot.filename.casefold(): number for number, plot in enumerate(plots, start=1)}
    placed: list[int] = []
    notes: list[str] = []

    def replacement(match: re.Match[str]) -> str:
        name = match["file"].strip().replace("\\", "/").rpartition("/")[2]
        number = numbers.get(name.casefold())
        if number is None:
            notes.append(f"The image {name or 'without a file'} was taken out: it is not a figure of this section")
            return ""
        if number in placed:
            return ""
        placed.append(number)
        return f"\n\n{_HELD.format(number)}\n\n"

    held = _ORPHAN.sub("", _IMAGE.sub(replacement, text))
    for number, plot in enumerate(plots, start=1):
        if number not in placed:
            notes.append(f"Figure {number} ({plot.filename}) was not placed by the model and stands at the end")
            held += f"\n\n{_HELD.format(number)}"
        held = held.replace(_HELD.format(number), figure_markdown(number, plot))
    return SectionWithFigures(_GAPS.sub("\n\n", held).strip(), tuple(notes))


_HELD = "\x00figure {}\x00"
"""Stands for a placed figure while captions without an image are taken out."""
