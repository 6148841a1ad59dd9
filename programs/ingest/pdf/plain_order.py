"""Reads a PDF in the order of the file, whatever the places of its letters: for pages that ``pdf`` reads badly.

Producers write most files in the order of reading, so the order may tell what the layout does not. Headings are known
by their words alone, as in plain text.
"""

from __future__ import annotations

import re
from pathlib import Path

from programs.ingest.document import Document
from programs.ingest.identifiers import find_pmcid
from programs.ingest.pdf.text import plain_pages
from programs.ingest.plain_text import document_of
from programs.ingest.text_repair import is_page_number, margin_key, running_lines

# PDFium puts one of these in place of a hyphen at the end of a line, and leaves the line's end out.
_LINE_END_HYPHEN = re.compile("[\ufffe\x02](?:\r?\n)?")
_MARGIN_LINES = 2


def read(path: str | Path) -> Document:
    """Read a PDF file that ``programs.ingest.pdf`` has read before, and found to hold text.

    Raises:
        IngestError: As ``plain_pages`` does.
    """
    path = Path(path)
    pages = [_LINE_END_HYPHEN.sub("-\n", page).splitlines() for page in plain_pages(path)]
    repeated = running_lines([[*page[:_MARGIN_LINES], *page[-_MARGIN_LINES:]] for page in pages])
    lines = (line for page in pages for line in page if margin_key(line) not in repeated and not is_page_number(line))
    pmcid = find_pmcid(path.stem)
    return document_of("\n".join(lines), pmcid or path.stem, pmcid=pmcid, source=path.name)
