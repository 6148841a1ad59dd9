"""Reads a printed paper: PDF with text.

``pdf_text`` takes the text off the pages with its place and size, ``page_layout`` brings it into reading order,
``printed_blocks`` makes headings, captions and paragraphs of it; here they become a document.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

from programs.errors import NoText
from programs.ingest.author_names import split_authors
from programs.ingest.builder import DocumentBuilder
from programs.ingest.captions import Caption, split_caption
from programs.ingest.document import Document
from programs.ingest.identifiers import find_doi, find_pmcid, find_year
from programs.ingest.page_layout import Line, Run, lines_of, reading_order
from programs.ingest.pdf_text import extract
from programs.ingest.printed_blocks import Block, blocks
from programs.ingest.printed_outline import outlined
from programs.ingest.printed_tables import with_tables
from programs.ingest.sections import classify
from programs.ingest.text_repair import is_page_number, margin_key, mend_characters, running_lines, vocabulary

# Running heads and feet stand in the outermost rows of a page.
_MARGIN_ROWS = 2
# Names that programs give files, found where a title should be.
_NOT_A_TITLE = re.compile(r"microsoft word|untitled|\.(?:docx?|tex|pdf|indd|dvi|qxd|rtf)\s*$", re.IGNORECASE)
_MIN_TITLE_WORDS = 3
_TITLE_SIZE = 1.15
_MAX_TITLE = 400
_FRONT_PAGES = 1


def read(path: str | Path) -> Document:
    """Read a PDF file.

    Raises:
        NoText: It has no text but page numbers, as a scan.
        EmptyFile, UnsupportedFormat, EncryptedFile, UnsafeFile, IngestError: As ``extract`` does.
    """
    path = Path(path)
    printed = extract(path)
    runs = _without_margins(_repaired([page.runs for page in printed.pages]))
    pages = reading_order(with_tables(*page) for page in zip(runs, (page.rules for page in printed.pages), strict=True))
    words = vocabulary(line.text for page in pages for line in page)
    found = blocks(pages)
    if not found:
        raise NoText(path, f"no text on its {len(pages)} pages, which look scanned", "run OCR on it, such as ocrmypdf")
    title, found = _split_title(found, mend_characters(printed.title), words)
    builder = DocumentBuilder()
    _fill(builder, outlined(found, words), words)
    front = "\n".join(run.text for page in printed.pages[:_FRONT_PAGES] for run in page.runs)
    pmcid = find_pmcid(path.stem)
    return builder.build(
        id=pmcid or path.stem,
        title=title,
        authors=split_authors(mend_characters(printed.author)),
        year=find_year(front),
        doi=find_doi(front),
        pmcid=pmcid,
        source=path.name,
    )


def _repaired(pages: Iterable[Sequence[Run]]) -> list[list[Run]]:
    """The pages with ligatures taken apart and control characters removed."""
    return [[_mended(run) for run in page] for page in pages]


def _mended(run: Run) -> Run:
    text = mend_characters(run.text)
    if text == run.text:
        return run
    return replace(run, text=text, words=tuple(word._replace(text=mend_characters(word.text)) for word in run.words))


def _without_margins(pages: Sequence[Sequence[Run]]) -> list[list[Run]]:
    """The pages without running heads, running feet and page numbers.

    A title is repeated in running heads, and stays where it stands in larger print than they.
    """
    margins = [_margin(lines_of(page)) for page in pages]
    repeated = running_lines([[line.text for line in margin] for margin in margins])
    usual_size = median([line.size for margin in margins for line in margin] or [0.0])
    dropped = {
        run
        for margin in margins
        for line in margin
        if (margin_key(line.text) in repeated or is_page_number(line.text)) and line.size <= _TITLE_SIZE * usual_size
        for run in line.runs
    }
    return [[run for run in page if run not in dropped] for page in pages]


def _margin(lines: Sequence[Line]) -> list[Line]:
    """The outermost rows of a page."""
    return [*lines[:_MARGIN_ROWS], *lines[_MARGIN_ROWS:][-_MARGIN_ROWS:]]


def _split_title(found: list[Block], stated: str, words: Mapping[str, int]) -> tuple[str, list[Block]]:
    """The title and the blocks without it: what the metadata state, else what is printed largest on the first page."""
    printed = _printed_title(found, words)
    text = printed.text(words) if printed else ""
    is_usable = len(stated.split()) >= _MIN_TITLE_WORDS and not _NOT_A_TITLE.search(stated)
    title = stated if is_usable else text
    if printed is None or _letters(title) != _letters(text):
        return title, found
    return text, [block for block in found if block is not printed]


def _printed_title(found: Sequence[Block], words: Mapping[str, int]) -> Block | None:
    """The first block of the first page in its largest print; a journal's name in larger print has too few words."""
    body_size = median([line.size for block in found for line in block.lines])
    large = [
        (block, len(text.split()))
        for block in found
        if block.page == 0 and block.kind != "caption" and block.size >= _TITLE_SIZE * body_size
        if len(text := block.text(words)) <= _MAX_TITLE and classify(text.rstrip(":")) == "other"
    ]
    worded = [block for block, count in large if count >= _MIN_TITLE_WORDS]
    return max(worded or [block for block, _ in large], key=lambda block: block.size, default=None)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


def _fill(builder: DocumentBuilder, found: Iterable[Block], words: Mapping[str, int]) -> None:
    """Add all blocks as what they are; a label alone ("Table 1") takes the next paragraph as its caption."""
    found = list(found)
    label: Caption | None = None
    for block in found:
        if block.kind == "notice":
            continue
        text = block.text(words)
        if label is not None:
            builder.add_figure(label.label, text if block.kind == "text" else "")
            label, is_used = None, block.kind == "text"
            if is_used:
                continue
        caption = split_caption(text) if block.kind == "caption" else None
        if caption and not caption.text:
            label = caption
        elif caption:
            builder.add_figure(caption.label, caption.text)
        elif block.kind == "table":
            builder.add_paragraph(text, keep_lines=True)
        elif block.kind == "heading":
            builder.add_section(text.rstrip(":"), level=block.level)
        else:
            builder.add_paragraph(text)
    if label is not None:
        builder.add_figure(label.label, "")
    notices = [block.text(words) for block in found if block.kind == "notice"]
    if notices:
        builder.add_section("", kind="notice")
    for notice in notices:
        builder.add_paragraph(notice)
