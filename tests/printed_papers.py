"""PDF files as reportlab prints them: lines of text at their places, and papers whose text flows through columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Frame, PageBreak, PageTemplate, Paragraph


def write_lines(path: Path, *pages: Iterable[str], leading: float = 12, **options: Any) -> Path:
    """Pages of lines in Helvetica, from the top left corner down; a tuple (left, bottom, text) stands at its place."""
    canvas = Canvas(str(path), pagesize=A4, **options)
    for page in pages:
        for number, line in enumerate(page):
            canvas.drawString(*((50, 780 - leading * number, line) if isinstance(line, str) else line))
        canvas.showPage()
    canvas.save()
    return path


def paragraph(text: str, font: str = "Times-Roman", size: float = 10, **style: Any) -> Paragraph:
    """A paragraph with reportlab's markup in it; ``style`` as ``ParagraphStyle`` has it."""
    style = {"leading": 1.2 * size, "spaceAfter": 0.6 * size, **style}
    return Paragraph(text, ParagraphStyle("", fontName=font, fontSize=size, **style))


def write_flowing(
    path: Path,
    paragraphs: Sequence[Any],
    columns: int = 1,
    running: Callable[[Canvas, Any], None] = lambda canvas, document: None,
    **information: Any,
) -> Path:
    """A paper of one or more columns.

    Args:
        path: Where to write.
        paragraphs: Each a text, the arguments of ``paragraph`` or a part of reportlab's; None begins another page.
        columns: How many.
        running: Draws what is on every page.
        information: What the file states of itself, such as ``title``.
    """
    width = (A4[0] - 100 - 20 * (columns - 1)) / columns
    frames = [Frame(50 + place * (width + 20), 50, width, A4[1] - 120, 0, 0, 0, 0) for place in range(columns)]
    template = BaseDocTemplate(str(path), pagesize=A4, **information)
    template.addPageTemplates([PageTemplate(frames=frames, onPage=running)])
    template.build([_part(each) for each in paragraphs])
    return path


def _part(given: Any) -> Any:
    if given is None:
        return PageBreak()
    return paragraph(given) if isinstance(given, str) else paragraph(*given) if isinstance(given, tuple) else given
