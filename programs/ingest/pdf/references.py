"""Finds lists of references by their entries, with or without a heading, and what follows them.

    "12. Doe J. The heat of summers. J Heat 2002;2:2-8."      "Adams, R. P. (2007). Identification of …"

A list may begin without a heading, and go on under another one: a column may end with thanks and begin with references.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import Final

from programs.ingest.pdf.blocks import BlockKind, PageBlock

_NUMBER: Final = r"[\[(]?\d{1,3}(?:[\]).]\s*|\s+)"
_FAMILY: Final = (
    r"(?:(?:van|von|de|del|della|di|da|dos|den|der|el|al|la|le|du|ten|ter)\s+)*[^\W\d_a-z][^\W\d_]*(?:[-’'‐][^\W\d_]+)*"
)
_INITIALS: Final = r"(?:[^\W\d_a-z]\.?[\s.-]*){1,4}(?![a-z])"
_YEAR = re.compile(r"(?<!\d)(?:1[89]|20)\d\d[a-z]?(?!\d)")
_NUMBERED = re.compile(rf"{_NUMBER}(?=[^\W_a-z“\"‘])")
_AUTHORED = re.compile(rf"(?:{_FAMILY}\s+){{0,2}}{_FAMILY},?\s+{_INITIALS}(?:,|;|&|\band\b|\(|\bet al|:|\.|\s|$)")
_SOURCE = re.compile(
    r"\d+\s*(?:\(\d+[^)]{0,12}\))?\s*[:,]\s*[eE]?\d+|\bdoi\b|10\.\d{4,}/|https?:|\bpp?\.\s*\d|\bet al\b|\bEds?\b"
    r"|\bJ\.?\s+[A-Z]|\bUniversity\b|\bPress\b|\bthesis\b|\d+\s*[–-]\s*\d+",
    re.IGNORECASE,
)
_LONGEST = 900
# A list without heading has this many entries one after the other, and no more than this share of other blocks.
_MIN_ENTRIES = 4
_MAX_BETWEEN = 2
# Behind a list, a paragraph in larger print than the entries goes on with the text, if it is this long.
_LARGER = 1.04
_MIN_TEXT = 150


def with_references(found: Sequence[PageBlock], words: Mapping[str, int]) -> list[PageBlock]:
    """The blocks, with the entries of lists of references marked, and text that goes on behind one as ``resumed``.

    Args:
        found: In reading order, headings named.
        words: What ``vocabulary`` counted in the whole document.
    """
    texts = [block.text(words) for block in found]
    entries = [block.kind in ("text", "notice") and is_entry(text) for block, text in zip(found, texts, strict=True)]
    listed = _lists(found, entries)
    size = median([block.size for block, entry in zip(found, entries, strict=True) if entry] or [math.inf])
    marked: list[PageBlock] = []
    for place, (block, text) in enumerate(zip(found, texts, strict=True)):
        resumes = block.kind == "text" and block.size > _LARGER * size and len(text) >= _MIN_TEXT
        kind: BlockKind = "reference" if place in listed else "resumed" if resumes else block.kind
        marked.append(replace(block, kind=kind))
    return marked


def is_entry(text: str) -> bool:
    """Whether a paragraph is an entry: it opens with a number or an author, and has a year or a place in a journal."""
    if len(text) > _LONGEST or not _YEAR.search(text):
        return False
    return bool(_AUTHORED.match(text)) or bool(
        (number := _NUMBERED.match(text)) and (_AUTHORED.match(text, number.end()) or _SOURCE.search(text))
    )


def _lists(found: Sequence[PageBlock], entries: Sequence[bool]) -> set[int]:
    """Places of the blocks of lists: runs of entries, with parts of broken entries between them."""
    listed: set[int] = set()
    run: list[int] = []
    for place, block in enumerate(found):
        if entries[place]:
            run.append(place)
        elif block.kind in ("heading", "caption", "table") or (run and place - run[-1] > _MAX_BETWEEN):
            listed |= _whole(run)
            run = []
    return listed | _whole(run)


def _whole(run: Sequence[int]) -> set[int]:
    """From the first to the last entry, and the rest of an entry that a gap interrupted."""
    return set(range(run[0], run[-1] + 1)) if len(run) >= _MIN_ENTRIES else set()
