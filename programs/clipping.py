"""Texts at a length that a page can hold; what is left out is told."""

from __future__ import annotations


def clipped(text: str, most: int) -> str:
    """The beginning of a text, with a note of how much more there is."""
    left_out = len(text) - most
    return text if left_out <= 0 else f"{text[:most].rstrip()} … [{left_out:,} more characters]"
