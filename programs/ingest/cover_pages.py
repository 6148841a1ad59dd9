"""Tells the covers that repositories put before a paper from the paper's own first page."""

from __future__ import annotations

import re
from collections.abc import Sequence

from programs.ingest.page_layout import Run, lines_of
from programs.ingest.sections import named_kind

_MOST_COVERS = 2
_WORDING = re.compile(
    r"view metadata, citation|core\.ac\.uk|provided by|this is (?:the|an?) (?:author|accepted|peer|published|post|pre)"
    r"|citation for (?:the )?published version|link to (?:published|publication|publisher)|version of record"
    r"|to cite this version|hal id|hal-\d{6,}|submitted on \d|l’archive ouverte|multi-disciplinary open access archive"
    r"|document version|general rights|take down policy|terms of use|repository|eprints?\b|downloaded from"
    r"|postprint|self-archiv|research explorer|university of .{3,40} research|this version is available"
    r"|rights statement",
    re.IGNORECASE,
)
_MIN_SIGNS = 2
_MOST_LINES = 60


def number_of_covers(pages: Sequence[Sequence[Run]]) -> int:
    """How many of the first pages are covers: short, in a repository's words, without a section of a paper."""
    count = 0
    while count < min(_MOST_COVERS, len(pages) - 1) and _is_cover(pages[count]):
        count += 1
    return count


def _is_cover(page: Sequence[Run]) -> bool:
    lines = [line.text for line in lines_of(page)]
    signs = {found.lower() for line in lines for found in _WORDING.findall(line)}
    opens = any(
        named_kind(line.rstrip(":")) in ("abstract", "introduction") for line in lines if len(line.split()) <= 4
    )
    return len(signs) >= _MIN_SIGNS and len(lines) <= _MOST_LINES and not opens
