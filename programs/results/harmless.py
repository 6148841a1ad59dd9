"""Texts of papers, models and users where people read them: harmless in terminals and Markdown, at a length to show."""

from __future__ import annotations

import re


def clipped(text: str, most: int) -> str:
    """The beginning of a text, with a note of how much more there is."""
    left_out = len(text) - most
    return text if left_out <= 0 else f"{text[:most].rstrip()} … [{left_out:,} more characters]"


LONGEST = 600
"""Characters of one such text in Markdown."""

_STEERING = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, those that turn the order of letters around, and halves of characters."""

_MARKS = re.compile(r"[\\`*\[\]<>~$]|(?<!\w)_|_(?!\w)|&(?=#|\w+;)")
"""What Markdown reads in the middle of a line, "_" only at the edge of a word; tables see to "|" themselves."""


def visible(text: str) -> str:
    """The text with a replacement character (U+FFFD) for each that would steer what shows it; lines stay lines."""
    return _STEERING.sub("\N{REPLACEMENT CHARACTER}", text)


def as_markdown(text: str) -> str:
    """The text as one line of Markdown that reads as it is written; its end is left out where it is long."""
    line = " ".join(visible(clipped(text, LONGEST)).split())
    return _MARKS.sub(r"\\\g<0>", line)
