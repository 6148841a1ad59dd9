"""Tells headings from text by their shape, for formats that do not mark them.

    "METHODS"   "Results and discussion:"   "2.1 Study population"   "IV. RELATED WORK"

Names of sections count most: a line that is nothing but one of them is a heading in any print.
"""

from __future__ import annotations

import re

from programs.ingest.captions import split_caption
from programs.ingest.document import SectionKind
from programs.ingest.sections import classify, named_kind, strip_numbering

# "2.1 Study population": a number of one or two digits a level, then a capital. "2001 Patients" and "3.5 mg" are text.
_DECIMAL = re.compile(r"(\d{1,2}(?:\.\d{1,2})*)\.?\s+(?:\|\s*)?(?=[A-Z])")
_MAX_CHARACTERS = 120
_MAX_WORDS = 16
_SENTENCE_END = re.compile(r"[.!;,]$")


def numbering_level(line: str) -> int | None:
    """1 for "2. Methods", 2 for "2.1 Animals"; None without decimal numbering."""
    number = _DECIMAL.match(line)
    return number[1].count(".") + 1 if number else None


def may_be_heading(line: str) -> bool:
    """Whether a line is short enough, holds a word and does not end like a sentence."""
    text = line.strip()
    return (
        len(text) <= _MAX_CHARACTERS
        and len(text.split()) <= _MAX_WORDS
        and re.search(r"[^\W\d_]{2}", text) is not None
        and not _SENTENCE_END.search(text)
        and split_caption(text) is None
    )


def heading_kind(text: str) -> SectionKind | None:
    """The kind of section that a heading names, also where spaces part its letters: "A B S T R A C T"."""
    words = text.rstrip(":.").split()
    unspaced = "".join(words) if words and max(map(len, words)) < len("references") else ""
    return named_kind(" ".join(words)) or (named_kind(unspaced) if unspaced else None)


def is_known_heading(line: str) -> bool:
    """Whether a line alone is the name of a section of a paper, such as "Results" or "3. MATERIALS AND METHODS:"."""
    text = line.strip().rstrip(":.")
    starts_high = strip_numbering(text)[:1].isupper()
    return starts_high and len(text.split()) <= 6 and may_be_heading(text) and classify(text) != "other"


def is_numbered_heading(line: str) -> bool:
    """Whether a line alone is a heading by its decimal numbering, such as "2.1 Study population"."""
    return may_be_heading(line) and numbering_level(line.strip()) is not None


def is_shouted(line: str) -> bool:
    """Whether a line alone is in capitals, such as "STUDY POPULATION"; single words and formulas are not enough."""
    text = strip_numbering(line.strip())
    return may_be_heading(line) and text.isupper() and len(text.split()) > 1 and sum(map(str.isalpha, text)) > 8
