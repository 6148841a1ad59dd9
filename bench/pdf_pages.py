"""Draws pages of PDFs with what the reader has read where: python -m bench.pdf_pages OUT paper.pdf[:PAGE] …

Boxes of headings are red, of captions green, of a table's rows blue, of notices grey, of references orange and of other
text black, each with its place in the order of reading. Print without a box was not read as text.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pypdfium2
from PIL import Image, ImageDraw

from programs.ingest.document import Document, Place
from programs.ingest.pdf import read

SCALE = 1.6


def main(out: str, *papers: str) -> None:
    Path(out).mkdir(parents=True, exist_ok=True)
    for name in papers:
        path, _, number = name.partition(":")
        for image, page in drawn(Path(path), int(number) if number else None):
            target = Path(out) / f"{Path(path).stem}-{page}.png"
            image.save(target)
            print(target)


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
    main(*sys.argv[1:])
