"""Adds the blocks of a printed paper to a document: sections, paragraphs, references, captions, rows of tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from programs.ingest.builder import DocumentBuilder
from programs.ingest.document import Place
from programs.ingest.line_shapes import Caption, heading_kind, is_continued, split_caption
from programs.ingest.pdf.blocks import BlockKind, PageBlock
from programs.ingest.pdf.layout import PrintedLine
from programs.ingest.pdf.places import places_of
from programs.ingest.pdf.text import PrintedPage


class _Part(NamedTuple):
    """What one block, or a caption of two, adds."""

    kind: BlockKind
    text: str
    lines: tuple[PrintedLine, ...]
    level: int = 1
    label: str = ""


def add_body(
    builder: DocumentBuilder, found: Iterable[PageBlock], words: Mapping[str, int], pages: Sequence[PrintedPage]
) -> list[Place]:
    """Add all blocks but notices as what they are.

    Args:
        builder: Gets a section without heading first.
        found: In reading order.
        words: How often the paper has each word, see ``join_lines``.
        pages: Those that the blocks stand on.

    Returns:
        The places of their lines.
    """
    body = _Body(builder)
    places: list[Place] = []
    for part in _parts(found, words):
        body.add(part)
        places += places_of(*builder.last, part.lines, pages)
    return places


def _parts(found: Iterable[PageBlock], words: Mapping[str, int]) -> Iterator[_Part]:
    """What the blocks add; a label alone ("Table 1") takes the next paragraph as its caption."""
    waiting: tuple[Caption, tuple[PrintedLine, ...]] | None = None
    for block in found:
        if block.kind == "notice":
            continue
        text = block.text(words)
        if waiting is not None:
            (caption, lines), waiting = waiting, None
            if block.kind == "text":
                yield _Part("caption", text, (*lines, *block.lines), label=caption.label)
                continue
            yield _Part("caption", "", lines, label=caption.label)
        found_caption = split_caption(text) if block.kind == "caption" else None
        if found_caption is None:
            yield _Part(block.kind, text, block.lines, block.level)
        elif not found_caption.text:
            waiting = found_caption, block.lines
        elif not is_continued(found_caption):
            yield _Part("caption", found_caption.text, block.lines, label=found_caption.label)
    if waiting is not None:
        yield _Part("caption", "", waiting[1], label=waiting[0].label)


class _Body:
    """A document in the making: which section is open, and which was before the references."""

    def __init__(self, builder: DocumentBuilder) -> None:
        self._builder = builder
        self._open = self._before = builder.add_section("", kind="other")

    def add(self, part: _Part) -> None:
        if part.label:
            self._builder.add_figure(part.label, part.text)
            return
        self._enter(part)
        if part.kind != "heading":
            self._builder.add_paragraph(part.text, keep_lines=part.kind == "table")

    def _enter(self, part: _Part) -> None:
        """Open the section that a part stands in, if it is another."""
        in_references = self._open == "references"
        if part.kind == "heading":
            self._before = self._before if in_references else self._open
            title = part.text.rstrip(" .:—–")
            self._open = self._builder.add_section(title, level=part.level, hint=heading_kind(part.text) or "")
        elif part.kind == "abstract":
            self._open = self._builder.add_section("", kind="abstract")
        elif part.kind == "reference" and not in_references:
            self._before, self._open = self._open, self._builder.add_section("", kind="references")
        elif part.kind == "resumed" and in_references:
            self._open = self._builder.add_section("", kind=self._before)
