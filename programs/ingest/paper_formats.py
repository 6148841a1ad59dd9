"""The formats of papers: what each is called, how its files end, who reads them.

A new format is one row here and its reader.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class PaperFormat:
    """A format.

    Attributes:
        name: What users call it.
        endings: Of its files, in lower case.
        reader: A module with ``read(path) -> Document``, loaded when the first such file is read.
        version: Raise it when the same file gives a different document or other passages; indexes then read such files
            again.
        by_content: Whether the first element of a file, where it has one, decides over its ending: HTML under ``.txt``.
    """

    name: str
    endings: tuple[str, ...]
    reader: str
    version: int
    by_content: bool = False


FORMATS: Final = (
    PaperFormat("PDF", (".pdf",), "programs.ingest.pdf", 17),
    PaperFormat("JATS or TEI XML", (".nxml", ".xml"), "programs.ingest.jats", 9, by_content=True),
    PaperFormat("HTML", (".htm", ".html", ".xhtml"), "programs.ingest.html", 9, by_content=True),
    PaperFormat("DOCX", (".docx",), "programs.ingest.docx", 8),
    PaperFormat("Markdown", (".markdown", ".md"), "programs.ingest.markdown", 12, by_content=True),
    PaperFormat("text", (".txt",), "programs.ingest.plain_text", 5, by_content=True),
    PaperFormat("article.json", (".json",), "programs.ingest.article_json", 3),
)

READERS: Final[Mapping[str, str]] = {ending: each.reader for each in FORMATS for ending in each.endings}
BY_CONTENT: Final = frozenset(each.reader for each in FORMATS if each.by_content)
VERSIONS: Final[Mapping[str, int]] = {each.reader: each.version for each in FORMATS}

NAMES: Final = ", ".join(each.name for each in FORMATS[:-1]) + f" or {FORMATS[-1].name}"
"""For messages: "PDF, …, text or article.json"."""

PAPER_ENDING: Final = re.compile(rf"(?:{'|'.join(map(re.escape, READERS))})$", re.IGNORECASE)
"""The end of a name that is a paper's file."""
