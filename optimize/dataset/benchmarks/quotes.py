"""Finds a benchmark's evidence in the text of the paper as this project reads it.

Annotators saw another rendering of the paper: other dashes, spaces and quotation marks, citations taken out. Letters
and digits are compared, and the exact piece of the document's text that they span is what is quoted.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from optimize.dataset.example import Evidence
from programs.ingest.builder import one_line
from programs.ingest.document import Document

SHORTEST = 8
"""Letters and digits; what is shorter stands in a paper by chance."""

_CLOSING = re.compile(r" ?[.!?;:)\]%\"”’]+")
"""What ends a quote whose text ends in more than letters."""


@dataclass(frozen=True)
class Quotable:
    """A document in which texts are looked for.

    Attributes:
        document: The document.
    """

    document: Document

    def find(self, text: str) -> str | None:
        """The piece of the document's text that says the same letter for letter, or None."""
        exact = one_line(text)
        if exact and exact in self.document.text:
            return exact
        wanted, _ = _folded(text)
        letters, offsets = self._letters
        start = letters.find(wanted) if len(wanted) >= SHORTEST else -1
        if start < 0:
            return None
        end = offsets[start + len(wanted) - 1] + 1
        closed = None if text.rstrip()[-1].isalnum() else _CLOSING.match(self.document.text, end)
        return self.document.text[offsets[start] : closed.end() if closed else end]

    @cached_property
    def _letters(self) -> tuple[str, list[int]]:
        return _folded(self.document.text)


@dataclass(frozen=True, slots=True)
class Quoted:
    """Evidence of one question.

    Attributes:
        evidence: Texts that were found, each once.
        missing: How many were not.
    """

    evidence: tuple[Evidence, ...]
    missing: int


def quoted(paper: Quotable, texts: Iterable[str]) -> Quoted:
    """Quote texts from a paper."""
    found = [paper.find(text) for text in dict.fromkeys(texts)]
    quotes = dict.fromkeys(quote for quote in found if quote)
    return Quoted(tuple(Evidence(paper.document.id, quote) for quote in quotes), sum(not quote for quote in found))


def missing_note(missing: int, total: int) -> tuple[str, ...]:
    """What the report says of evidence that was not found."""
    return (
        (f"left out of {total} evidence texts, because the papers as read do not hold them: {missing}",)
        if missing
        else ()
    )


def _folded(text: str) -> tuple[str, list[int]]:
    """Lower-case letters and digits without accents, and the offset of each in the text."""
    letters: list[str] = []
    offsets: list[int] = []
    for offset, character in enumerate(text):
        for each in unicodedata.normalize("NFKD", character).casefold():
            if each.isalnum():
                letters.append(each)
                offsets.append(offset)
    return "".join(letters), offsets
