"""Groups the lines of printed pages into headings, captions and paragraphs, and finds the lists of references.

A paragraph ends where print says so: at a larger gap, an indented line, a short last line, another size or weight. One
that continues in the next column or page is one paragraph, also when a figure is in between.

    "12. Doe J. The heat of summers. J Heat 2002;2:2-8."      "Adams, R. P. (2007). Identification of …"

A list of references is found by entries such as these. It may begin without a heading, and continue under another: a
column may end with thanks and begin with references.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from statistics import median
from typing import Final, Literal, TypeAlias

from programs.ingest.line_shapes import (
    classify,
    heading_kind,
    is_known_heading,
    is_notice,
    may_be_heading,
    split_caption,
    strip_numbering,
)
from programs.ingest.pdf.reading_order import PrintedLine, before_references, most_frequent_size
from programs.ingest.text_repair import join_lines

BlockKind: TypeAlias = Literal[
    "heading", "abstract", "caption", "table", "note", "text", "notice", "reference", "resumed"
]

# All in shares of the font size or of the usual distance of lines.
_OTHER_SIZE = 0.06
_HEADING_SIZE = 1.08
_INDENT = 0.6
_PARAGRAPH_GAP = 1.25
_SHORT_LINE = 0.12
_MAX_HEADING_LINES = 3
# A paragraph is cut where a line of so many words, not its first, ends no further from its column's end than this
# share; what is no longer than so many characters may be a word of a figure.
_FULL_LINE = 0.03
_FEWEST_LINES = 2
_FEWEST_WORDS = 4
_MAX_FRAGMENT = 60

# "in mice.", "in mice.12", "in mice.[3,4]"; not "of 0.75", "et al.,".
_SENTENCE_END = re.compile(r"(?:[.!?:;][\"'”’)\]–-]*|(?<!\d)[.!?:;][\"'”’)\[\]\d,–-]*[\"'”’)\]\d–-])$")
# A text that ends so continues: "(Additional file 1:", "in hens,", "see the".
_OPEN_END = re.compile(r"\([^()]*$|[,(–-]$|\b(?:of|in|on|by|for|with|and|the|to|a|an|from|at|or|see)$")
_REFERENCE_NUMBER = re.compile(r"\[?\d{1,3}(?:\]|\.|\))?\s+\S")


@dataclass(frozen=True)
class PageBlock:
    """Lines that belong together.

    Attributes:
        kind: What they are.
        lines: In reading order.
        page: That of the first line, from 0.
        level: Of a heading, from 1.
        words: Of the paper, see ``vocabulary``.
    """

    kind: BlockKind
    lines: tuple[PrintedLine, ...]
    page: int = 0
    level: int = 1
    words: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)

    @property
    def size(self) -> float:
        """Font size of its first line, in points."""
        return self.lines[0].size

    @property
    def is_bold(self) -> bool:
        """Whether all of it is bold."""
        return all(line.is_bold for line in self.lines)

    @property
    def is_italic(self) -> bool:
        """Whether all of its lines are italic."""
        return all(line.is_italic for line in self.lines)

    @cached_property
    def text(self) -> str:
        """Its lines as one, with broken words made whole."""
        return join_lines((line.text for line in self.lines), self.words)


@dataclass(frozen=True, slots=True)
class _Body:
    """How running text is printed: its font size in points, and the usual distance of lines in shares of the size."""

    size: float
    leading: float


def blocks(pages: Sequence[Sequence[PrintedLine]], words: Mapping[str, int]) -> list[PageBlock]:
    """The blocks of a document; its words tell which broken ones are made whole."""
    body = _body(pages)
    grouped: list[PageBlock] = []
    in_references = False
    for page, lines in enumerate(pages):
        for line in lines:
            if grouped and _continues(grouped[-1], line, body, in_references=in_references):
                grouped[-1] = replace(grouped[-1], lines=(*grouped[-1].lines, line))
                continue
            if grouped:
                grouped[-1] = _named(grouped[-1], body, in_references=in_references)
                in_references = _opens_references(grouped[-1], now=in_references)
            grouped.append(PageBlock("text", (line,), page, words=words))
    if grouped:
        grouped[-1] = _named(grouped[-1], body, in_references=in_references)
    return _joined(grouped)


def _body(pages: Sequence[Sequence[PrintedLine]]) -> _Body:
    """The most frequent font size by characters, and the median distance of the lines that have it."""
    pages = before_references(pages)
    size = most_frequent_size(line for lines in pages for line in lines)
    distances = [
        (before.bottom - after.bottom) / size
        for lines in pages
        for before, after in pairwise(lines)
        if before.size == after.size == size > 0 and after.bottom < before.bottom
    ]
    return _Body(size, median(distances or [1.2]))


def _opens_references(block: PageBlock, *, now: bool) -> bool:
    return classify(block.text.rstrip(":")) == "references" if block.kind == "heading" else now


def _continues(block: PageBlock, line: PrintedLine, body: _Body, *, in_references: bool) -> bool:
    last = block.lines[-1]
    if line.kind != last.kind or line.kind == "table":
        return False
    if abs(line.size - last.size) > _OTHER_SIZE * last.size or line.is_bold != block.is_bold:
        return False
    if block.is_italic and len(block.lines) < _MAX_HEADING_LINES and _is_short(last) and not line.is_italic:
        return False
    is_below = line.bottom < last.bottom and line.left < last.column_right and line.right > last.column_left
    open_sentence = not _SENTENCE_END.search(last.text)
    goes_on = _OPEN_END.search(last.text) is not None
    if is_known_heading(last.text) and len(block.lines) == 1 and _is_short(last) and not goes_on:
        return False
    if not is_below:
        if line.bottom > block.lines[0].top and split_caption(block.lines[0].text) is not None:
            return False  # a caption is in one column; the text around it continues in the next
        return open_sentence and not line.is_bold and split_caption(line.text) is None and not in_references
    if goes_on and is_known_heading(line.text) and line.is_italic == last.is_italic:
        return True
    if last.bottom - line.bottom > _PARAGRAPH_GAP * body.leading * line.size:
        return False
    if in_references:
        return not _starts_reference(block, line)
    if split_caption(line.text) is not None or is_known_heading(line.text):
        return open_sentence and not _is_short(last)
    if line.left > last.left + _INDENT * line.size and len(block.lines) > 1:
        return open_sentence and not _is_short(last)
    return open_sentence or (not _is_short(last) and line.left <= last.left + _INDENT * line.size)


def _is_short(line: PrintedLine) -> bool:
    return line.right < line.column_right - _SHORT_LINE * (line.column_right - line.column_left)


def _starts_reference(block: PageBlock, line: PrintedLine) -> bool:
    """Whether a line is the first of a reference: by its number, else by being further left than the line before."""
    first, last = block.lines[0], block.lines[-1]
    if _REFERENCE_NUMBER.match(first.text):
        return _REFERENCE_NUMBER.match(line.text) is not None and line.left <= first.left + _INDENT * line.size
    if len(block.lines) > 1 and last.left > first.left + _INDENT * line.size:
        return line.left <= first.left + _INDENT * line.size / 2
    return _is_short(last) and line.left <= first.left + _INDENT * line.size / 2


def _named(block: PageBlock, body: _Body, *, in_references: bool) -> PageBlock:
    """The block with its kind; a reference may open with "doi:" as a notice does."""
    kind: BlockKind = block.lines[0].kind
    if kind != "text":
        kind = "notice" if kind == "note" and is_notice(block.text) else kind  # the publisher's, under the table
    elif split_caption(block.text) is not None:
        kind = "caption"
    elif is_notice(block.text) and not in_references:
        kind = "notice"
    elif _is_heading(block, body):
        kind = "heading"
    return replace(block, kind=kind)


def _is_heading(block: PageBlock, body: _Body) -> bool:
    """A few lines that are out by size or weight, or one line that is a section's name."""
    text = block.text
    is_spaced = heading_kind(text) is not None and all(len(word) == 1 for word in text.split())
    if len(block.lines) > _MAX_HEADING_LINES or not (may_be_heading(text.rstrip(".:")) or is_spaced):
        return False
    is_larger = block.size > _HEADING_SIZE * body.size
    is_bolder = block.is_bold and (block.size >= (1 - _OTHER_SIZE) * body.size or heading_kind(text) is not None)
    is_slanted = block.is_italic and block.size >= (1 - _OTHER_SIZE) * body.size and _is_short(block.lines[-1])
    return (
        is_larger
        or is_bolder
        or (is_slanted and strip_numbering(text)[:1].isupper())
        or (len(block.lines) == 1 and is_known_heading(text))
    )


def is_short_and_bold(block: PageBlock) -> bool:
    """Whether text may be a heading but for its size."""
    return block.kind == "text" and block.is_bold and may_be_heading(block.text.rstrip(".:"))


def _joined(found: Sequence[PageBlock]) -> list[PageBlock]:
    """The blocks, with paragraphs that captions interrupt joined and moved before captions and tables."""
    cleaned: list[PageBlock] = []
    in_references = False
    for block in found:
        place = _interrupted_at(cleaned, block, in_references=in_references)
        if place is None:
            cleaned.append(block)
            in_references = _opens_references(block, now=in_references)
        else:
            cleaned[place] = replace(cleaned[place], lines=(*cleaned[place].lines, *block.lines))
    return cleaned


def _interrupted_at(before: Sequence[PageBlock], block: PageBlock, *, in_references: bool) -> int | None:
    """The place of the paragraph that a block continues: with a small letter, or where its last line is full."""
    is_small = block.lines[0].text[:1].islower()
    # Text that may be within a sentence is neither a label nor an entry of a list and no formula.
    is_running = len(block.text) > _MAX_FRAGMENT and not block.is_bold and _REFERENCE_NUMBER.match(block.text) is None
    may_go_on = is_small or (not in_references and is_running)
    nearest: int | None = None
    captions = [split_caption(each.text) if each.kind == "caption" else None for each in before]
    for place in range(len(before) - 1, -1, -1):
        last, caption, label = before[place], captions[place], captions[place - 1] if place else None
        if last.kind not in ("text", "heading") or (label is not None and not label.text):
            ends = caption is None or _SENTENCE_END.search(caption.text) is not None  # else this is the rest of it
            may_go_on = may_go_on and (is_small or ends)
            continue
        end = last.lines[-1]
        is_prose = len(last.lines) >= _FEWEST_LINES and len(end.text.split()) >= _FEWEST_WORDS
        is_full = end.right >= end.column_right - _FULL_LINE * (end.column_right - end.column_left)
        if may_go_on and is_prose and is_full and _breaks_off(last, block):
            return place
        nearest = place if nearest is None else nearest
        # What is in other print, such as a footnote, or words of a figure, is between the two.
        is_aside = not _has_print_of(last, block) or (
            len(last.text) <= _MAX_FRAGMENT and not _SENTENCE_END.search(last.text)
        )
        if last.kind == "heading" or not is_aside or last.page < block.page - 1:
            break
    return nearest if nearest is not None and is_small and _breaks_off(before[nearest], block) else None


def _breaks_off(opened: PageBlock, block: PageBlock) -> bool:
    """Whether a paragraph ends in the middle of a sentence, and a later block has its print."""
    is_text = opened.kind == block.kind == "text"
    return is_text and not _SENTENCE_END.search(opened.lines[-1].text) and _has_print_of(opened, block)


def _has_print_of(block: PageBlock, other: PageBlock) -> bool:
    return abs(block.size - other.size) <= _OTHER_SIZE * block.size


_NUMBER: Final = r"[\[(]?\d{1,3}(?:[\]).]\s*|\s+)"
_FAMILY: Final = (
    r"(?:(?:van|von|de|del|della|di|da|dos|den|der|el|al|la|le|du|ten|ter)\s+)*[^\W\d_a-z][^\W\d_]*(?:[-’'‐][^\W\d_]+)*"
)
_INITIALS: Final = r"(?:[^\W\d_a-z]\.?[\s.-]*){1,4}(?![a-z])"
_YEAR = re.compile(r"(?<!\d)(?:1[89]|20)\d\d[a-z]?(?!\d)")
_NUMBERED = re.compile(rf"{_NUMBER}(?=[^\W_a-z“\"‘])")
_AUTHORED = re.compile(rf"(?:{_FAMILY}\s+){{0,2}}{_FAMILY},?\s+{_INITIALS}(?:,|;|&|\band\b|\(|\bet al|:|\.|\s|$)")
_SOURCE = re.compile(
    r"\d+\s*(?:\(\d+[^)]{0,12}\))?\s*[:,]\s*[eE]?\d+|\bdoi\b|10\.\d{4,}/|https?:|\bpp?\.\s*\d|\bet al\b|\bEds?\b"
    r"|\bJ\.?\s+[A-Z]|\bUniversity\b|\bPress\b|\bthesis\b|\d+\s*[–-]\s*\d+",
    re.IGNORECASE,
)
_LONGEST = 900
# A list without heading has this many entries one after the other, and no more than this share of other blocks.
_MIN_ENTRIES = 4
_MAX_BETWEEN = 2
# After a list, a paragraph in larger print than the entries continues the text, if it is this long.
_LARGER = 1.04
_MIN_TEXT = 150


def with_references(found: Sequence[PageBlock]) -> list[PageBlock]:
    """The blocks, with the entries of lists of references marked, and text that continues after one as ``resumed``."""
    entries = [block.kind in ("text", "notice") and is_entry(block.text) for block in found]
    listed = _lists(found, entries)
    size = median([block.size for block, entry in zip(found, entries, strict=True) if entry] or [math.inf])
    marked: list[PageBlock] = []
    for place, block in enumerate(found):
        resumes = block.kind == "text" and block.size > _LARGER * size and len(block.text) >= _MIN_TEXT
        kind: BlockKind = "reference" if place in listed else "resumed" if resumes else block.kind
        marked.append(replace(block, kind=kind))
    return marked


def is_entry(text: str) -> bool:
    """Whether a paragraph is an entry: it opens with a number or an author, and has a year or a place in a journal."""
    if len(text) > _LONGEST or not _YEAR.search(text):
        return False
    return bool(_AUTHORED.match(text)) or bool(
        (number := _NUMBERED.match(text)) and (_AUTHORED.match(text, number.end()) or _SOURCE.search(text))
    )


def _lists(found: Sequence[PageBlock], entries: Sequence[bool]) -> set[int]:
    """Places of the blocks of lists: runs of entries, with parts of broken entries between them."""
    runs: list[list[int]] = [[]]
    for place, block in enumerate(found):
        if entries[place]:
            runs[-1].append(place)
        elif block.kind in ("heading", "caption", "table") or (runs[-1] and place - runs[-1][-1] > _MAX_BETWEEN):
            runs.append([])
    return {place for run in runs if len(run) >= _MIN_ENTRIES for place in range(run[0], run[-1] + 1)}
