"""Measures how faithfully PDFs that lie beside their JATS are read: python -m bench.pdf_reading [FOLDER]

body      5-word sequences of the paragraphs that stand in the text of the PDF
numbers   numbers with a decimal point, % or ± that stand there as printed
captions  figures and tables whose label is known
rows      rows of tables, three cells or more, that stand in order within 400 characters
places    lines of the text whose page and box are known, as a share of the text
seconds   a paper, on this machine as it is now

The reader never sees the JATS, which is the key that is measured against.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import mean

from lxml import etree

from bench.gates import Gate, load, report
from programs.ingest.document import Document
from programs.ingest.reader import read

PAPERS = Path(__file__).parents[2] / "shared" / "benchmarks" / "pdfs"
PARSER = etree.XMLParser(resolve_entities=False, huge_tree=True, recover=True, no_network=True)
OUTSIDE = {"ref-list", "fn-group", "ack", "back", "caption", "table-wrap", "fig", "author-notes", "boxed-text"}
LEFT_OUT = {"inline-formula", "disp-formula", "table-wrap", "fig"}
FLOORS = {"body": 0.938, "numbers": 0.995, "captions": 0.98, "rows": 0.84, "places": 0.95}
LOWEST_BODY = 0.855
WITHIN = 400


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else PAPERS
    papers = sorted(folder.glob("*.pdf"))
    if not papers:
        print(f"No papers at {folder}; skipped")
        return
    print(load())
    measured, started = [], time.perf_counter()
    documents = [read(path) for path in papers]
    seconds = (time.perf_counter() - started) / len(papers)
    for path, document in zip(papers, documents, strict=True):
        measured.append(_measured(document, etree.parse(path.with_suffix(".nxml"), PARSER)))
        print(f"{path.stem:14}" + "  ".join(f"{name} {value:.2f}" for name, value in measured[-1].items()))
    gates = [Gate(f"{name}, mean of {len(papers)}", _mean(measured, name), least) for name, least in FLOORS.items()]
    gates.append(Gate("body, lowest", min(each["body"] for each in measured), LOWEST_BODY))
    gates.append(Gate("seconds a paper", seconds))
    sys.exit(not report(gates))


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
        "rows": (sum(_stands(row, document.text) for row in rows), len(rows)),
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


def _stands(row: list[str], text: str) -> bool:
    """Whether the beginnings of all cells stand behind one another near some place where the first one stands."""
    for start in re.finditer(re.escape(row[0][:20]), text):
        place = start.start()
        for cell in row:
            place = text.find(cell[:12], place, start.start() + WITHIN)
            if place < 0:
                break
        else:
            return True
    return False


if __name__ == "__main__":
    main()
