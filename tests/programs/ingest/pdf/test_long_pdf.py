"""A PDF of 500 pages is read to its end, within the budget of a file."""

from __future__ import annotations

from pathlib import Path
from textwrap import wrap

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from programs.ingest.reader import read
from tests.programs.ingest.test_readability import ENGLISH

pytestmark = pytest.mark.slow

PAGES = 500


@pytest.mark.timeout(240)
def test_a_thesis_is_read_to_its_last_page(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "thesis.pdf"), pagesize=A4)
    words = ENGLISH.split()
    for page in range(1, PAGES + 1):
        canvas.setFont("Times-Roman", 11)
        turned = words[37 * page % len(words) :] + words[: 37 * page % len(words)]
        for line, text in enumerate(wrap(f"Trial number {page} began. {' '.join(turned)}"[:900], 88)):
            canvas.drawString(60, 760 - 14 * line, text)
        canvas.showPage()
    canvas.save()
    document = read(tmp_path / "thesis.pdf")
    assert document.places[-1].page == PAGES
    start = document.text.index(f"Trial number {PAGES} began")
    assert {place.page for place in document.places_of(start, start + 20)} == {PAGES}
