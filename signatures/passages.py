"""How passages appear in a prompt: as numbered data.

    [1] (results) Femur density fell by 12.4% in flight mice.
        Osteoclast counts doubled.
    [2] (discussion) The loss exceeded that of earlier missions.

Only this module opens a line at the margin: further paragraphs of a passage are indented and field markers are broken,
so that no sentence in a paper can pose as another passage or as another field of the prompt.
"""

from __future__ import annotations

from collections.abc import Iterable

_MARKER = "[[ ##"
_BROKEN_MARKER = "[ [ ##"
_CONTINUED = "\n    "


def as_data(text: str) -> str:
    """Break the field markers of DSPy's chat format inside text that is shown to a model."""
    return text.replace(_MARKER, _BROKEN_MARKER)


def numbered(passages: Iterable[tuple[str, str]]) -> str:
    """Lay out passages for a prompt.

    Args:
        passages: Pairs of a section name, which may be empty, and the passage's text.

    Returns:
        The passages, numbered from 1, each paragraph on one line; empty when there are no passages.
    """
    return labelled((str(number), section, text) for number, (section, text) in enumerate(passages, start=1))


def labelled(passages: Iterable[tuple[str, str, str]]) -> str:
    """Lay out passages under their own labels, such as the id of their paper; else like ``numbered``.

    Args:
        passages: Label, section name and text of each. A label holds neither spaces nor brackets; several passages of
            one paper may share it.
    """
    shown = []
    for label, section, text in passages:
        kind = f"({section}) " if section else ""
        # Markers are broken once white space is folded, which could close the gaps in "[[  ##" and make one.
        paragraphs = [as_data(" ".join(line.split())) for line in text.splitlines()]
        shown.append(f"[{label}] {kind}" + _CONTINUED.join(filter(None, paragraphs)))
    return "\n".join(shown)
