"""Which reader reads which format, and its version, which the index keeps with every paper."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

# Modules by name, each with a ``read(path) -> Document``: loaded when the first such file is read.
READERS: Final[Mapping[str, str]] = {
    ".docx": "programs.ingest.docx",
    ".htm": "programs.ingest.html",
    ".html": "programs.ingest.html",
    ".json": "programs.ingest.article_json",
    ".markdown": "programs.ingest.markdown",
    ".md": "programs.ingest.markdown",
    ".nxml": "programs.ingest.jats",
    ".pdf": "programs.ingest.pdf",
    ".txt": "programs.ingest.plain_text",
    ".xhtml": "programs.ingest.html",
    ".xml": "programs.ingest.jats",
}
VERSIONS: Final[Mapping[str, int]] = {
    "programs.ingest.article_json": 1,
    "programs.ingest.docx": 1,
    "programs.ingest.html": 1,
    "programs.ingest.jats": 2,
    "programs.ingest.markdown": 3,
    "programs.ingest.pdf": 7,
    "programs.ingest.plain_text": 1,
}
"""Raise a reader's number when it makes a different document from the same file; indexes then read such files again."""
# A second reader of a format, for files whose text the first one garbles.
SECOND_READERS: Final[Mapping[str, str]] = {".pdf": "programs.ingest.pdf.plain_order"}


def reading(name: str) -> str:
    """The reader for files of this name and its version, such as "pdf 4"; empty if there is none."""
    module = READERS.get(Path(name).suffix.lower())
    return f"{module.rpartition('.')[2]} {VERSIONS[module]}" if module else ""


def readings() -> list[str]:
    """All values that ``reading`` can return."""
    return sorted({reading(f"paper{ending}") for ending in READERS} | {""})
