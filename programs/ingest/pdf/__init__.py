"""Reads a printed paper: PDF with text.

    pages.py, ocr.py                     characters, lines drawn and scans of each page
    characters.py, composing.py          the characters as runs of text with places
    fonts.py                             signs of fonts whose maps say nothing or something else
    tables.py, table_cells.py            tables taken out
    reading_order.py                     the rest in the order of reading
    front.py, margins.py                 title and authors; running heads; year, journal and DOI
    blocks.py, headings.py               headings, captions, paragraphs and references

Here the blocks become a document, and the lines of print get their places in its text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

from programs.errors import NoText
from programs.extras import lacking
from programs.ingest.document import READ_BY_OCR, Document, DocumentBuilder, Place
from programs.ingest.front_matter import find_pmcid
from programs.ingest.line_shapes import heading_kind, is_continued, split_caption
from programs.ingest.pdf.blocks import PageBlock, blocks, with_references
from programs.ingest.pdf.front import FrontPage, front_page, number_of_covers, with_front_matter
from programs.ingest.pdf.headings import outlined, with_run_ins
from programs.ingest.pdf.margins import imprint_of, sidebars, without_margins
from programs.ingest.pdf.ocr import with_scans_read
from programs.ingest.pdf.pages import PrintedPage, extract, plain_pages, turned
from programs.ingest.pdf.reading_order import PrintedLine, Rule, TextRun, box_around, lines_of, reading_order
from programs.ingest.pdf.tables import with_tables
from programs.ingest.plain_text import document_of
from programs.ingest.readability import HOW_TO_READ_SCANS, SCANNED_PAGES
from programs.ingest.text_repair import (
    is_cyrillic,
    is_page_number,
    join_lines,
    margin_key,
    repair_characters,
    running_lines,
    sign_for_th,
    vocabulary,
    with_cyrillic,
    with_th,
)

# PDFium puts one of these in place of a hyphen at the end of a line, and leaves the line's end out.
_LINE_END_HYPHEN = re.compile("[\ufffe\x02](?:\r?\n)?")
_MARGIN_LINES = 2


def read_in_file_order(path: str | Path) -> Document:
    """Read a PDF file that ``programs.ingest.pdf`` has read before, and found to hold text."""
    path = Path(path)
    pages = [_LINE_END_HYPHEN.sub("-\n", page).splitlines() for page in plain_pages(path)]
    repeated = running_lines([[*page[:_MARGIN_LINES], *page[-_MARGIN_LINES:]] for page in pages])
    lines = (line for page in pages for line in page if margin_key(line) not in repeated and not is_page_number(line))
    pmcid = find_pmcid(path.stem)
    return document_of("\n".join(lines), pmcid or path.stem, pmcid=pmcid, source=path.name)


def read(path: str | Path) -> Document:
    """Read a PDF file; errors are of the classes that ``formats.read`` names, ``NoText`` for a scan."""
    path = Path(path)
    printed = extract(path)
    sheets_read, by_ocr = with_scans_read(path, printed.pages)
    printed = replace(printed, pages=sheets_read)
    repaired = _repaired([page.runs for page in printed.pages])
    covers = number_of_covers(repaired)
    paper = repaired[covers:]
    if paper and all(page.is_scan for page in printed.pages[covers:]):
        unread = "OCR found no text on them; get the paper in another form, or run `ocrmypdf --force-ocr`"
        raise NoText(path, _what_is_scanned(printed.pages, covers), HOW_TO_READ_SCANS if lacking("ocr") else unread)
    front = front_page(paper)
    cover = front_page(repaired[:1]) if covers else front
    rules = [page.rules for page in printed.pages[covers:]]
    runs, around = _text_and_surroundings(paper, rules, front)
    pages = reading_order(runs, rules)
    words = vocabulary(line.text for page in pages for line in page)
    found = with_front_matter(blocks(pages, words))
    if not found:
        raise NoText(path, f"no text on its {len(pages)} pages, which look scanned", "run OCR on it, such as ocrmypdf")
    builder = DocumentBuilder()
    found = with_run_ins(with_references(outlined(found)))
    sheets = printed.pages[covers:]
    first = [block for block in found if not block.page]
    beside = [join_lines((line.text for line in lines_of(runs)), words) for runs in (*repaired[:covers], *around)]
    places = _add_notices(builder, beside, first, sheets)
    places += _add_body(builder, found, sheets)
    places += _add_notices(builder, [], [block for block in found if block.page], sheets)
    imprint = imprint_of(paper, printed.doi)
    on_cover = imprint_of(repaired[:covers], "") if covers else imprint
    pmcid = find_pmcid(path.stem)
    scans = sorted({page.number + 1 for page in printed.pages if page.is_scan})
    pictures = {SCANNED_PAGES: scans, READ_BY_OCR: [each + 1 for each in by_ocr]}
    return builder.build(
        id=pmcid or path.stem,
        title=front.title or cover.title,
        authors=front.authors or cover.authors,
        year=imprint.year or on_cover.year,
        journal=imprint.journal,
        doi=imprint.doi or on_cover.doi,
        pmcid=pmcid,
        source=path.name,
        metadata={name: ", ".join(map(str, numbers)) for name, numbers in pictures.items() if numbers},
        places=places,
    )


def _what_is_scanned(pages: Sequence[PrintedPage], covers: int) -> str:
    count = len({page.number for page in pages[covers:]})
    behind = f" behind {'its cover' if covers == 1 else f'{covers} covers'}" if covers else ""
    stamped = ", with no more text on them than a stamp" if any(page.runs for page in pages[covers:]) else ""
    return f"the {count} pages{behind} are pictures{stamped}; it looks scanned"


def _text_and_surroundings(
    paper: Sequence[Sequence[TextRun]], rules: Sequence[Sequence[Rule]], front: FrontPage
) -> tuple[list[list[TextRun]], list[list[TextRun]]]:
    """The pages' running text, and what is printed above the title and beside the text; both without running heads."""
    runs = [[run for run in page if run not in front.runs] for page in paper]
    # What is repeated from row to row and page to page in a table is not a running head.
    pages = without_margins([with_tables(*page) for page in zip(runs, rules, strict=True)])
    around = [list(front.above), *sidebars(pages)]
    apart = {run for runs in around for run in runs}
    kept = {run for page in pages for run in page}
    text = [[run for run in page if run not in apart] for page in pages]
    return text, [[run for run in runs if run in kept] for runs in around]


def _repaired(pages: Sequence[Sequence[TextRun]]) -> list[list[TextRun]]:
    """The pages with ligatures and Cyrillic as printed, also those of a wrong map, and control characters removed."""
    sign = sign_for_th(run.text for page in pages for run in page)
    as_cyrillic = with_cyrillic if is_cyrillic(run.text for page in pages for run in page) else str

    def cleaned(text: str) -> str:
        return as_cyrillic(with_th(repair_characters(text), sign))

    def repaired(run: TextRun) -> TextRun:
        text = cleaned(run.text)
        if text == run.text:
            return run
        words = (word._replace(text=cleaned(word.text), bare=cleaned(word.bare)) for word in run.words)
        return replace(run, text=text, words=tuple(words))

    return [[repaired(run) for run in page] for page in pages]


def _add_notices(
    builder: DocumentBuilder, texts: Iterable[str], found: Iterable[PageBlock], pages: Sequence[PrintedPage]
) -> list[Place]:
    """Add texts of covers and sidebars, and notices, which interrupt the text in their place, as a separate section."""
    notices: list[tuple[str, tuple[PrintedLine, ...]]] = [(text, ()) for text in texts if text]
    notices += [(block.text, block.lines) for block in found if block.kind == "notice"]
    if notices:
        builder.add_section("", kind="notice")
    places: list[Place] = []
    for text, lines in notices:
        builder.add_paragraph(text)
        places += _places_of(*builder.last, lines, pages)
    return places


def _places_of(text: str, start: int, lines: Iterable[PrintedLine], pages: Sequence[PrintedPage]) -> Iterator[Place]:
    """The place of each line that a text was made of: joining lines changes no letter and no digit, and these count."""
    counted = [place for place, character in enumerate(text) if character.isalnum()]
    done = 0
    for line in lines:
        for row in line.runs[0].parts or (None,):
            count = sum(map(str.isalnum, row.text if row else line.text))
            if not count or done + count > len(counted):
                continue
            first = _border(text, counted, done)
            done += count
            end = _border(text, counted, done)
            sheet = pages[line.page]
            box = turned(box_around((row,) if row else line.runs), -sheet.turns)
            left, bottom, right, top = (round(at - off, 1) for at, off in zip(box, sheet.origin * 2, strict=True))
            yield Place(start + first, start + len(text[:end].rstrip()), sheet.number + 1, left, bottom, right, top)


def _border(text: str, counted: Sequence[int], done: int) -> int:
    """Where the line begins whose letters and digits follow so many of a text's: behind a break, if there is one."""
    if done == 0:
        return 0
    if done == len(counted):
        return len(text)
    between = text.rfind("\n", counted[done - 1], counted[done])
    return between + 1 if between >= 0 else counted[done]


def _add_body(builder: DocumentBuilder, found: Iterable[PageBlock], pages: Sequence[PrintedPage]) -> list[Place]:
    """Add all blocks but notices as what they are, and return the places of their lines."""
    places: list[Place] = []
    now = before = builder.add_section("", kind="other")  # before: what is resumed after references
    for block, text, label in _with_labels([block for block in found if block.kind != "notice"]):
        in_references = now == "references"
        if label:
            builder.add_figure(label, text)
        elif block.kind == "heading":
            before = before if in_references else now
            title, hint = text.rstrip(" .:—–"), heading_kind(text) or ""
            now = builder.add_section(title, level=block.level, hint=hint)
        else:
            if block.kind == "abstract":
                now = builder.add_section("", kind="abstract")
            elif block.kind == "reference" and not in_references:
                before, now = now, builder.add_section("", kind="references")
            elif block.kind == "resumed" and in_references:
                now = builder.add_section("", kind=before)
            builder.add_paragraph(text, keep_lines=block.kind == "table")
        places += _places_of(*builder.last, block.lines, pages)
    return places


def _with_labels(found: Sequence[PageBlock]) -> Iterator[tuple[PageBlock, str, str]]:
    """Blocks with their texts, and labels of captions; a label alone ("Table 1") takes the next paragraph."""
    is_taken = False
    for block, after in zip_longest(found, found[1:]):
        if is_taken:
            is_taken = False
            continue
        caption = split_caption(block.text) if block.kind == "caption" else None
        if caption is None:
            yield block, block.text, ""
        elif not caption.text and after is not None and after.kind == "text":
            is_taken = True
            yield replace(block, lines=(*block.lines, *after.lines)), after.text, caption.label
        elif not is_continued(caption):
            yield block, caption.text, caption.label
