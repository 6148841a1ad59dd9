"""How passages stand in a prompt: as numbered data, one a line.

    [1] (results) Femur density fell by 12.4% in flight mice.
    [2] (discussion) The loss exceeded that of earlier missions.

A line can only be opened by this module: the text of a passage is folded onto its own line and its field markers are
broken, so that no sentence in a paper can pose as another passage or as another field of the prompt.
"""

from __future__ import annotations

from collections.abc import Iterable

_MARKER = "[[ ##"
_BROKEN_MARKER = "[ [ ##"


def as_data(text: str) -> str:
    """Break the field markers of DSPy's chat format inside text that is shown to a model."""
    return text.replace(_MARKER, _BROKEN_MARKER)


def numbered(passages: Iterable[tuple[str, str]]) -> str:
    """Lay out passages for a prompt.

    Args:
        passages: Pairs of a section name, which may be empty, and the passage's text.

    Returns:
        One line a passage, numbered from 1; empty when there are no passages.
    """
    lines = []
    for number, (section, text) in enumerate(passages, start=1):
        label = f"({section}) " if section else ""
        lines.append(f"[{number}] {label}{' '.join(as_data(text).split())}")
    return "\n".join(lines)
