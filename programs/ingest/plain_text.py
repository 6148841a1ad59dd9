"""Reads plain text: typed papers, and text extracted by other programs.

Lines are paragraphs, unless the file is wrapped at a width; then lines are joined to paragraphs at empty lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from programs.ingest.decoding import decode
from programs.ingest.document import Document, DocumentBuilder
from programs.ingest.front_matter import find_doi, find_pmcid, opening_of, printed_year
from programs.ingest.line_shapes import (
    classify,
    is_known_heading,
    is_numbered_heading,
    is_shouted,
    numbering_level,
    split_caption,
)
from programs.ingest.text_repair import join_lines, repair_characters, vocabulary

# Editors wrap at 65 to 100 characters; a file whose lines are nearly all shorter than this is wrapped.
_WIDEST_WRAP = 120
_MIN_WRAP = 40
# A line ends a paragraph when the next line's first word would have fitted; ragged and justified text leave this slack.
_SLACK = 0.15
_MAX_TITLE = 300


def read(path: str | Path) -> Document:
    """Read a plain text file; errors are of the classes that ``formats.read`` names."""
    path = Path(path)
    pmcid = find_pmcid(path.stem)
    return document_of(decode(path), pmcid or path.stem, pmcid=pmcid, source=path.name)


def document_of(text: str, document_id: str, *, pmcid: str = "", source: str = "") -> Document:
    """Make a document of text that is already in memory."""
    lines = repair_characters(text).split("\n")
    words = vocabulary(lines)
    title, paragraphs = _split_title(list(_paragraphs(lines, words)))
    builder = DocumentBuilder()
    for paragraph in paragraphs:
        if _is_heading(paragraph):
            is_main = classify(paragraph.rstrip(":")) != "other"
            builder.add_section(paragraph.rstrip(":"), level=numbering_level(paragraph) or (1 if is_main else 2))
        elif caption := split_caption(paragraph):
            builder.add_figure(caption.label, caption.text)
        else:
            builder.add_paragraph(paragraph)
    lines = opening_of("\n".join([title, *paragraphs]))
    year, doi = printed_year(lines), find_doi("\n".join(lines))
    return builder.build(id=document_id, title=title, year=year, doi=doi, pmcid=pmcid, source=source)


def _paragraphs(lines: Sequence[str], words: Mapping[str, int]) -> Iterator[str]:
    """Lines joined where a file is wrapped at a width; else each is a paragraph."""
    lengths = sorted(len(line.rstrip()) for line in lines if line.strip())
    widest = lengths[int(0.98 * (len(lengths) - 1))] if lengths else 0
    width = widest if _MIN_WRAP <= widest <= _WIDEST_WRAP else None
    block: list[str] = []
    for line in (*lines, ""):
        if block and (not line.strip() or width is None or _starts_paragraph(block, line, width)):
            yield join_lines(block, words)
            block = []
        if line.strip():
            block.append(line)


def _starts_paragraph(block: Sequence[str], line: str, width: int) -> bool:
    """Whether a line continues with something new after the lines before it."""
    if any(_is_heading(text) for text in (block[-1], line)) or split_caption(line) is not None:
        return True
    first_word = line.split(maxsplit=1)[0]
    would_have_fitted = len(block[-1].rstrip()) + 1 + len(first_word) < (1 - _SLACK) * width
    return would_have_fitted and not first_word[0].islower()


def _is_heading(line: str) -> bool:
    return is_known_heading(line) or is_numbered_heading(line) or is_shouted(line)


def _split_title(paragraphs: list[str]) -> tuple[str, list[str]]:
    """The title and the paragraphs after it: a first line that is neither sentence nor heading."""
    if len(paragraphs) < 2:
        return "", paragraphs
    first, *rest = paragraphs
    if named := re.match(r"title:\s*(\S.*)", first, re.IGNORECASE):
        return named[1], rest
    is_title = len(first) <= _MAX_TITLE and first[-1] not in ".;," and not is_known_heading(first)
    return (first, rest) if is_title else ("", paragraphs)
