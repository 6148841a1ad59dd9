"""How faithfully PDFs that lie beside their JATS are read, and whether quotes are marked where they are printed.

    python -m bench.pdf_reading [FOLDER]                        # both; or --only text, or quotes
    python -m bench.pdf_reading --pages OUT paper.pdf[:PAGE] …  # draws pages with what was read where

Of the text:

body      5-word sequences of the paragraphs that are in the text of the PDF
numbers   numbers with a decimal point, % or ± that are there as printed
captions  figures and tables whose label is known
rows      rows of tables, three cells or more, that are in order within 400 characters
places    lines of the text whose page and box are known, as a share of the text
seconds   a paper, on this machine as it is now

The reader never sees the JATS, which is the key that is measured against.

Of every PDF some sentences of its text, evenly spread, are highlighted as an answer's quotes are; what PDFium finds
under the boxes of the written copy is compared with the quote:

recall      letters of the quote that are under its boxes
precision   letters under the boxes that are the quote's
wrong       quotes with less than half of their letters under their boxes

Letters are compared: how a line's end was hyphenated and where spaces are is the reader's matter, not the place's.

On drawn pages the boxes of headings are red, of captions green, of a table's rows blue, of notices grey, of references
orange and of other text black, each with its place in the order of reading. Print without a box was not read as text.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import pypdfium2
from lxml import etree
from PIL import Image, ImageDraw

from bench.corpora import needs_benchmarks
from bench.gates import Gate, load, report
from metrics.sentences import sentences
from programs.ingest.document import NOT_EVIDENCE, Document, Place
from programs.ingest.formats import read
from programs.results.highlighting import Box, Marked, highlight
from tests.benchmarks import BENCHMARKS

PAPERS = BENCHMARKS / "pdfs"
PARSER = etree.XMLParser(resolve_entities=False, huge_tree=True, recover=True, no_network=True)
OUTSIDE = {"ref-list", "fn-group", "ack", "back", "caption", "table-wrap", "fig", "author-notes", "boxed-text"}
LEFT_OUT = {"inline-formula", "disp-formula", "table-wrap", "fig"}
FLOORS = {"body": 0.938, "numbers": 0.995, "captions": 0.98, "rows": 0.84, "places": 0.95}
LOWEST_BODY = 0.855
WITHIN = 400
QUOTES = 15
SHORTEST = 40
LEAST_RECALL = 0.985
LEAST_PRECISION = 0.97
MOST_WRONG = 0.005
LEAST_PAPERS = 20
PIECE = 4
SCALE = 1.6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=PAPERS)
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--pages", nargs="+", metavar=("OUT", "PAPER"))
    options = parser.parse_args()
    if options.pages:
        draw_pages(Path(options.pages[0]), options.pages[1:])
        return
    needs_benchmarks(options.folder)
    papers, held = sorted(options.folder.glob("*.pdf")), []
    for name in [options.only] if options.only else PARTS:
        print(f"\n{name}; {load()}", flush=True)
        held.append(report(PARTS[name](papers)))
    sys.exit(not all(held))


def text(papers: Sequence[Path]) -> list[Gate]:
    measured, started = [], time.process_time()
    documents = [read(path) for path in papers]
    seconds = (time.process_time() - started) / len(papers)
    for path, document in zip(papers, documents, strict=True):
        measured.append(_measured(document, etree.parse(path.with_suffix(".nxml"), PARSER)))
        print(f"{path.stem:14}" + "  ".join(f"{name} {value:.2f}" for name, value in measured[-1].items()))
    return [
        *(Gate(f"{name}, mean of {len(papers)}", _mean(measured, name), least) for name, least in FLOORS.items()),
        Gate("body, lowest", min(each["body"] for each in measured), LOWEST_BODY),
        Gate("processor seconds a paper", seconds),
    ]


def quotes(papers: Sequence[Path]) -> list[Gate]:
    found: list[tuple[float, float]] = []
    for path in papers:
        marked = _marked(path)
        found += marked
        recall, precision = (mean(each[place] for each in marked) for place in (0, 1)) if marked else (0.0, 0.0)
        print(f"{path.stem:14} {len(marked):3} quotes  recall {recall:.3f}  precision {precision:.3f}")
    return [
        Gate("papers", len(papers), at_least=LEAST_PAPERS),
        Gate("quotes", len(found)),
        Gate("recall, mean of quotes", mean(each[0] for each in found), at_least=LEAST_RECALL),
        Gate("precision, mean of quotes", mean(each[1] for each in found), at_least=LEAST_PRECISION),
        Gate("share of quotes marked elsewhere", mean(each[0] < 0.5 for each in found), at_most=MOST_WRONG),
    ]


PARTS = {"text": text, "quotes": quotes}


def draw_pages(out: Path, papers: Iterable[str]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for name in papers:
        path, _, number = name.partition(":")
        for image, page in drawn(Path(path), int(number) if number else None):
            target = out / f"{Path(path).stem}-{page}.png"
            image.save(target)
            print(target)


def _mean(measured: Iterable[dict[str, float]], name: str) -> float:
    return mean(each[name] for each in measured if name in each)


def _measured(document: Document, key: etree._ElementTree) -> dict[str, float]:
    """Each measure that the paper has anything for."""
    paragraphs = [_plain(each) for each in key.iter("p") if not any(up.tag in OUTSIDE for up in each.iterancestors())]
    have = _sequences(document.text)
    wanted = set().union(*map(_sequences, paragraphs))
    numbers = {each for text in paragraphs for each in re.findall(r"(?<![\w.])\d+\.\d+\s?%?|\d+\s?±\s?\d+", text)}
    squeezed = "".join(document.text.split())
    labels = {_label(each.findtext("label")) for each in key.iter("fig", "table-wrap") if each.findtext("label")}
    known = {_label(figure.label) for figure in document.figures}
    rows = [row for row in _rows(key) if len(row) > 2 and any(re.search(r"\d", cell) for cell in row)]
    shares = {
        "body": (len(wanted & have), len(wanted)),
        "numbers": (sum("".join(each.split()) in squeezed for each in numbers), len(numbers)),
        "captions": (len(labels & known), len(labels)),
        "rows": (sum(_is_in_order(row, document.text) for row in rows), len(rows)),
        "places": (sum(each.end - each.start for each in document.places), len(document.text)),
    }
    return {name: found / of for name, (found, of) in shares.items() if of}


def _plain(node: etree._Element) -> str:
    """The text of a paragraph without citation marks, formulas and floats."""
    if not isinstance(node.tag, str) or node.tag in LEFT_OUT or node.get("ref-type") == "bibr":
        return " "
    return (node.text or "") + "".join(_plain(child) + (child.tail or "") for child in node)


def _sequences(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"[a-z0-9]+", re.sub(r"(\w)[-‐–]\s*(\w)", r"\1\2", text).lower())
    return {tuple(words[place : place + 5]) for place in range(len(words) - 4)}


def _label(text: str | None) -> str:
    return re.sub(r"\W+", "", (text or "").lower().replace("figure", "fig"))


def _rows(key: etree._ElementTree) -> Iterator[list[str]]:
    for row in key.iter("tr"):
        cells = (" ".join("".join(cell.itertext()).split()) for cell in row if isinstance(cell.tag, str))
        yield [cell for cell in cells if cell]


def _is_in_order(row: list[str], text: str) -> bool:
    """Whether the beginnings of all cells are behind one another near some place that of the first one."""
    for start in re.finditer(re.escape(row[0][:20]), text):
        place = start.start()
        for cell in row:
            place = text.find(cell[:12], place, start.start() + WITHIN)
            if place < 0:
                break
        else:
            return True
    return False


def _marked(path: Path) -> list[tuple[float, float]]:
    """Recall and precision of each of the paper's quotes."""
    paper = read(path)
    spans = _spread(_sentences(paper))
    if not spans:
        return []
    with tempfile.TemporaryDirectory() as folder:
        marked = highlight([_result(paper, spans)], paper, path, Path(folder) / "marked.pdf")
        pdf = pypdfium2.PdfDocument(Path(folder) / "marked.pdf")
        try:
            return [_compared(each, pdf) for each in marked]
        finally:
            pdf.close()


def _sentences(paper: Document) -> list[tuple[int, int]]:
    """Sentences of what may be quoted, each on pages with places."""
    return [
        (section.start + span.start, section.start + span.end)
        for section in paper.sections
        if section.kind not in NOT_EVIDENCE
        for span in sentences(paper.text[section.start : section.end])
        if span.end - span.start >= SHORTEST and paper.places_of(section.start + span.start, section.start + span.end)
    ]


def _spread(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    step = max(len(spans) / QUOTES, 1)
    return [spans[int(number * step)] for number in range(min(QUOTES, len(spans)))]


def _result(paper: Document, spans: Iterable[tuple[int, int]]) -> Mapping[str, Any]:
    quotes = [{"start": start, "end": end, "quote": paper.text[start:end]} for start, end in spans]
    return {"citations": [{"sentence": "It is so.", "verdict": "supported", "quotes": quotes}]}


def _compared(marked: Marked, pdf: Any) -> tuple[float, float]:
    wanted, under = _pieces(marked.quote), _pieces(" ".join(_under(pdf, marked.boxes)))
    shared = (wanted & under).total()
    return shared / max(wanted.total(), 1), shared / max(under.total(), 1)


def _under(pdf: Any, boxes: Mapping[int, Sequence[Box]]) -> Iterable[str]:
    """The text under each box, as PDFium reads it."""
    for number, parts in boxes.items():
        page = pdf[number - 1]
        x, y = page.get_cropbox()[:2]
        text = page.get_textpage()
        for box in parts:
            yield text.get_text_bounded(box.left + x, box.bottom + y, box.right + x, box.top + y)
        text.close()


def _pieces(text: str) -> Counter[str]:
    """Runs of letters and digits: words would differ at every hyphen at a line's end."""
    letters = re.sub(r"[^\w]|_", "", unicodedata.normalize("NFKC", text).casefold())
    return Counter(letters[at : at + PIECE] for at in range(max(len(letters) - PIECE + 1, 1)))


def drawn(path: Path, only: int | None = None) -> Iterator[tuple[Image.Image, int]]:
    """Each page of a paper, or one of them by its number from 1, with its boxes."""
    document = read(path)
    with pypdfium2.PdfDocument(path) as file:
        for number, page in enumerate(file, start=1):
            if only in (None, number):
                page.set_rotation(0)
                image = page.render(scale=SCALE).to_pil().convert("RGB")
                _draw(image, document, number)
                yield image, number


def _draw(image: Image.Image, document: Document, number: int) -> None:
    pen = ImageDraw.Draw(image)
    for order, place in enumerate(document.places):
        if place.page == number:
            left, right = SCALE * place.left, SCALE * place.right
            top, bottom = image.height - SCALE * place.top, image.height - SCALE * place.bottom
            colour = _colour(document, place)
            pen.rectangle((left, top, right, bottom), outline=colour)
            pen.text((left - 16, top), str(order), fill=colour)


def _colour(document: Document, place: Place) -> str:
    if any(figure.start <= place.start < figure.end for figure in document.figures):
        return "green"
    if document.text.startswith("| ", document.text.rfind("\n", 0, place.start) + 1):
        return "blue"
    section = next((each for each in document.sections if each.start <= place.start < each.end), None)
    if section is None:
        return "red"
    return {"notice": "grey", "references": "darkorange"}.get(section.kind, "black")


if __name__ == "__main__":
    main()
