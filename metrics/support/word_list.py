"""Word lists written as running text."""

from __future__ import annotations


def words(text: str) -> tuple[str, ...]:
    """The words of a text, parted by white space."""
    return tuple(text.split())
