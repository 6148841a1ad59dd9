"""Measures whether quotes are marked where they are printed: python -m bench.quote_places [FOLDER]

Of every PDF some sentences of its text, evenly spread, are highlighted as an answer's quotes are; the words that PDFium
finds under the boxes of the written copy are compared with the words of the quote, in their order.

recall      words of the quote that stand under its boxes
precision   words under the boxes that are the quote's
wrong       quotes with less than half of their words under their boxes

Letters are compared: how a line's end was hyphenated and where spaces stand is the reader's matter, not the place's.
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import pypdfium2

from bench.gates import Gate, load, report
from metrics.sentences import sentences
from programs.ingest.document import NOT_EVIDENCE, Document
from programs.ingest.reader import read
from programs.results.highlighting import Box, Marked, highlight

PAPERS = Path(__file__).parents[2] / "shared" / "benchmarks" / "pdfs"
QUOTES = 15
SHORTEST = 40
LEAST_RECALL = 0.985
LEAST_PRECISION = 0.97
MOST_WRONG = 0.005
LEAST_PAPERS = 20
PIECE = 4


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else PAPERS
    papers = sorted(folder.glob("*.pdf"))
    if not papers:
        print(f"No papers at {folder}; skipped")
        return
    print(load())
    found: list[tuple[float, float]] = []
    started = time.perf_counter()
    for path in papers:
        measured = _measured(path)
        found += measured
        recall, precision = (mean(each[place] for each in measured) for place in (0, 1)) if measured else (0.0, 0.0)
        print(f"{path.stem:14} {len(measured):3} quotes  recall {recall:.3f}  precision {precision:.3f}")
    print(f"{time.perf_counter() - started:.0f} s")
    gates = [
        Gate("papers", len(papers), at_least=LEAST_PAPERS),
        Gate("quotes", len(found)),
        Gate("recall, mean of quotes", mean(each[0] for each in found), at_least=LEAST_RECALL),
        Gate("precision, mean of quotes", mean(each[1] for each in found), at_least=LEAST_PRECISION),
        Gate("share of quotes marked elsewhere", mean(each[0] < 0.5 for each in found), at_most=MOST_WRONG),
    ]
    sys.exit(not report(gates))


def _measured(path: Path) -> list[tuple[float, float]]:
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


if __name__ == "__main__":
    main()
