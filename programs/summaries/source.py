"""What is read of a paper: to summarize it, and in place of a summary that is missing."""

from __future__ import annotations

import re
from itertools import groupby

from programs.ingest.document import Document
from programs.ingest.regions import Region, regions

READING_VERSION = "1"
"""Raise it when ``body`` gives other text for the same paper, and papers are summarized again."""

OPENING_WORDS = 200
"""About as long as a summary."""

_BACK_MATTER = re.compile(
    r"(?:authors?.{0,3} )?(?:contributions?|information|details|roles)\b"
    r"|(?:competing|conflicts?|declarations?).{0,5} (?:of )?interests?"
    r"|acknowledge?ments?|funding|financial|(?:list of )?abbreviations|ethic|compliance|consent|(?:data )?availability"
    r"|disclosure|supplement|supporting information|additional file|provenance|trial registration|pre-publication"
    r"|(?:foot|end)notes|publisher.{0,2} note",
    re.IGNORECASE,
)
"""Headings of what stands behind a paper's conclusion."""


def body(document: Document) -> str:
    """Title and sections under their headings, without references, figures, tables and what is said of the authors."""
    parts = [document.title]
    told = (region for region in regions(document) if region.kind != "other" or not _BACK_MATTER.match(region.heading))
    for is_abstract, group in groupby(told, key=lambda region: region.kind == "abstract"):
        texts = [(region.heading, _text(document, region)) for region in group]
        # Parts of an abstract are headed like those of the paper (Methods, Results), which would pass for these.
        parts += (
            ["Abstract", *(text for _, text in texts)] if is_abstract else [part for pair in texts for part in pair]
        )
    return "\n\n".join(filter(None, parts))


def opening(document: Document) -> str:
    """The abstract, or the first words of a paper that has none."""
    found = list(regions(document))
    chosen = [region for region in found if region.kind == "abstract"] or found
    return " ".join(" ".join(_text(document, region) for region in chosen).split()[:OPENING_WORDS])


def _text(document: Document, region: Region) -> str:
    return "\n\n".join(document.text[span.start : span.end].strip() for span in region.spans)
