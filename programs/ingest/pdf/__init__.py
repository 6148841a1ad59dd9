"""Reads a printed paper: PDF with text.

``pdf_text`` takes the text off the pages with its place and size, ``page_layout`` brings it into reading order,
``printed_blocks`` makes headings, captions and paragraphs of it; here they become a document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from programs.errors import NoText
from programs.extras import lacking
from programs.ingest.builder import DocumentBuilder
from programs.ingest.document import READ_BY_OCR, Document, Place
from programs.ingest.identifiers import find_pmcid
from programs.ingest.pdf.blocks import PageBlock, blocks
from programs.ingest.pdf.body import add_body
from programs.ingest.pdf.front import with_front_matter
from programs.ingest.pdf.front_page import FrontPage, front_page, number_of_covers
from programs.ingest.pdf.imprint import imprint_of
from programs.ingest.pdf.layout import Rule, TextRun, lines_of, reading_order
from programs.ingest.pdf.margins import sidebars, without_margins
from programs.ingest.pdf.ocr import with_scans_read
from programs.ingest.pdf.outline import outlined
from programs.ingest.pdf.places import places_of
from programs.ingest.pdf.references import with_references
from programs.ingest.pdf.run_in_headings import with_run_ins
from programs.ingest.pdf.tables import with_tables
from programs.ingest.pdf.text import PrintedPage, extract
from programs.ingest.readability import HOW_TO_READ_SCANS, SCANNED_PAGES
from programs.ingest.text_repair import join_lines, mend_characters, sign_for_th, vocabulary, with_th


def read(path: str | Path) -> Document:
    """Read a PDF file.

    Raises:
        NoText: It has no text but page numbers, as a scan.
        EmptyFile, UnsupportedFormat, EncryptedFile, UnsafeFile, IngestError: As ``extract`` does.
    """
    path = Path(path)
    printed = extract(path)
    sheets_read, by_ocr = with_scans_read(path, printed.pages)
    printed = replace(printed, pages=sheets_read)
    repaired = _repaired([page.runs for page in printed.pages])
    covers = number_of_covers(repaired)
    paper = repaired[covers:]
    if paper and all(page.is_scan for page in printed.pages[covers:]):
        raise NoText(path, _what_is_scanned(printed.pages, covers), _about_scans())
    front = front_page(paper, (mend_characters(printed.title), mend_characters(printed.author)))
    rules = [page.rules for page in printed.pages[covers:]]
    runs, around = _text_and_surroundings(paper, rules, front)
    pages = reading_order(runs)
    words = vocabulary(line.text for page in pages for line in page)
    found = with_front_matter(blocks(pages), words)
    if not found:
        raise NoText(path, f"no text on its {len(pages)} pages, which look scanned", "run OCR on it, such as ocrmypdf")
    builder = DocumentBuilder()
    found = with_run_ins(with_references(outlined(found, words), words), words)
    sheets = printed.pages[covers:]
    first = [block for block in found if not block.page]
    places = _add_notices(builder, [*repaired[:covers], *around], first, words, sheets)
    places += add_body(builder, found, words, sheets)
    places += _add_notices(builder, (), (block for block in found if block.page), words, sheets)
    imprint = imprint_of(paper, printed.doi)
    pmcid = find_pmcid(path.stem)
    scans = sorted({page.number + 1 for page in printed.pages if page.is_scan})
    return builder.build(
        id=pmcid or path.stem,
        title=front.title,
        authors=front.authors,
        year=imprint.year,
        journal=imprint.journal,
        doi=imprint.doi,
        pmcid=pmcid,
        source=path.name,
        metadata={**_pages_as(SCANNED_PAGES, scans), **_pages_as(READ_BY_OCR, [each + 1 for each in by_ocr])} or None,
        places=places,
    )


def _pages_as(name: str, numbers: Sequence[int]) -> dict[str, str]:
    """Metadata that names pages, where there are any."""
    return {name: ", ".join(map(str, numbers))} if numbers else {}


def _about_scans() -> str:
    """What to do about pages that are pictures."""
    return (
        HOW_TO_READ_SCANS
        if lacking("ocr")
        else "OCR found no text on them; get the paper in another form, or run `ocrmypdf --force-ocr`"
    )


def _what_is_scanned(pages: Sequence[PrintedPage], covers: int) -> str:
    count = len({page.number for page in pages[covers:]})
    behind = f" behind {'its cover' if covers == 1 else f'{covers} covers'}" if covers else ""
    stamped = ", with no more text on them than a stamp" if any(page.runs for page in pages[covers:]) else ""
    return f"the {count} pages{behind} are pictures{stamped}; it looks scanned"


def _text_and_surroundings(
    paper: Sequence[Sequence[TextRun]], rules: Sequence[Sequence[Rule]], front: FrontPage
) -> tuple[list[list[TextRun]], list[list[TextRun]]]:
    """What is text of the pages, and what stands above the title and beside the text; neither with running heads.

    Tables are found first, since what is repeated from row to row and page to page in them is not a running head.
    """
    runs = [[run for run in page if run not in front.runs] for page in paper]
    pages = without_margins([with_tables(*page) for page in zip(runs, rules, strict=True)])
    around = [list(front.above), *sidebars(pages)]
    apart = {run for runs in around for run in runs}
    kept = {run for page in pages for run in page}
    text = [[run for run in page if run not in apart] for page in pages]
    return text, [[run for run in runs if run in kept] for runs in around]


def _repaired(pages: Sequence[Sequence[TextRun]]) -> list[list[TextRun]]:
    """The pages with ligatures taken apart, those of a wrong character map too, and control characters removed."""
    sign = sign_for_th(run.text for page in pages for run in page)

    def mended(text: str) -> str:
        return with_th(mend_characters(text), sign)

    return [[_mended(run, mended) for run in page] for page in pages]


def _mended(run: TextRun, mended: Callable[[str], str]) -> TextRun:
    text = mended(run.text)
    if text == run.text:
        return run
    words = (word._replace(text=mended(word.text), bare=mended(word.bare)) for word in run.words)
    return replace(run, text=text, words=tuple(words))


def _add_notices(
    builder: DocumentBuilder,
    around: Iterable[Sequence[TextRun]],
    found: Iterable[PageBlock],
    words: Mapping[str, int],
    pages: Sequence[PrintedPage],
) -> list[Place]:
    """Add covers, sidebars and notices, which interrupt the text where they stand, as a section of their own.

    Returns:
        The places of the notices' lines.
    """
    texts = [join_lines((line.text for line in lines_of(runs)), words) for runs in around if runs]
    notices = [block for block in found if block.kind == "notice"]
    places: list[Place] = []
    if texts or notices:
        builder.add_section("", kind="notice")
    for text in texts:
        builder.add_paragraph(text)
    for block in notices:
        builder.add_paragraph(block.text(words))
        places += places_of(*builder.last, block.lines, pages)
    return places
