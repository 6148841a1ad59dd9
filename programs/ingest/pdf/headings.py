"""Finds out which blocks of print are headings, how they are nested, and which run into the first line of a paragraph.

The headings that name the sections of a paper ("Methods", "Results") are printed alike; what is printed otherwise is a
heading within them. Numbers tell it where the paper numbers its sections.

    Statistical analysis. We compared the means of …        → "Statistical analysis" and "We compared the means of …"

Headings that run into a paragraph are recognised by their weight or slant. In a paper that heads no section otherwise,
"Methods." opens a main section; elsewhere such headings are one level below the heading above them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from programs.ingest.line_shapes import SectionKind, heading_kind, numbering_level, strip_numbering
from programs.ingest.pdf.blocks import PageBlock, is_entry, is_short_and_bold
from programs.ingest.pdf.reading_order import PrintedLine, TextRun, Word

_MAIN: frozenset[SectionKind] = frozenset(
    {"introduction", "methods", "results", "discussion", "conclusion", "references"}
)
_DEEPEST = 4
_WORD = re.compile(r"[^\W\d_]{3,}")
_ADDRESS = re.compile(r"https?:|www\.|\S@\S|\bdoi\b|\b10\.\d{4,}/", re.IGNORECASE)
# Of the words of a heading this share are words, unlike in the cells of a table.
_LEAST_WORDS = 0.5
_FOLLOWED_BY = 40
_NEAR = 6
_FORMULA = re.compile(r"[=¼×÷±∑√<>]")


class _Print(NamedTuple):
    """How a heading is printed; headings of one level are printed alike."""

    size: float
    is_bold: bool
    is_capital: bool
    is_italic: bool


class _Heading(NamedTuple):
    """A heading: its place among the blocks, text, print, and the kind that it names."""

    place: int
    text: str
    print: _Print
    kind: SectionKind | None


def outlined(found: Sequence[PageBlock]) -> list[PageBlock]:
    """The blocks, with levels for headings, also small bold lines in the print of these; what only looks so as text."""
    known = {_heading(0, block).print for block in found if block.kind == "heading"}
    headings = [
        heading
        for place, block in enumerate(found)
        if block.kind == "heading" or is_short_and_bold(block)
        if (heading := _heading(place, block)).print in known
    ]
    real = _without_entries([each for each in headings if _is_real(each, found)])
    levels = dict(zip((each.place for each in real), _levels(real), strict=True))
    return [
        replace(block, kind="heading", level=levels[place])
        if place in levels
        else replace(block, kind="text" if block.kind == "heading" else block.kind)
        for place, block in enumerate(found)
    ]


def _heading(place: int, block: PageBlock) -> _Heading:
    text = block.text.rstrip(":.")
    letters = "".join(filter(str.isalpha, strip_numbering(text)))
    style = _Print(round(2 * block.size) / 2, block.is_bold, letters.isupper(), block.is_italic)
    return _Heading(place, text, style, heading_kind(text))


def _is_real(heading: _Heading, found: Sequence[PageBlock]) -> bool:
    """Whether a block that is out is a heading: it names a section, or it reads like one and text follows."""
    behind = found[heading.place + 1 :]
    if heading.kind == "references":  # a list is under it, unlike under the head of a column, or nothing follows
        is_last = not any(block.kind == "heading" for block in behind)
        return is_last or any(is_entry(block.text) for block in behind[:_NEAR])
    if heading.kind is not None:
        return True
    text = strip_numbering(heading.text)
    is_formula = _FORMULA.search(text) or len(_WORD.findall(text)) < _LEAST_WORDS * len(text.split())
    if is_formula or _ADDRESS.search(text) or not text[:1].isupper():
        return False
    below = next((block for block in behind if block.kind not in ("caption", "notice")), None)  # none under a label
    return below is not None and (
        below.kind == "heading" or sum(len(line.text) for line in below.lines) >= _FOLLOWED_BY
    )


def _without_entries(headings: Sequence[_Heading]) -> list[_Heading]:
    """The headings without the authors of references, which may be printed as headings are."""
    main = _main_print(headings)
    start = min((each.place for each in headings if each.kind == "references"), default=None)
    return [each for each in headings if start is None or each.place < start or each.kind or each.print == main]


def _levels(headings: Sequence[_Heading]) -> list[int]:
    inside = _of_abstract(headings)
    main = _main_print([each for each in headings if each.place not in inside])
    is_shared = main is not None and _is_shared(headings, main)
    is_numbered = sum(numbering_level(each.text) is not None for each in headings if each.kind in _MAIN) > 1
    last = max((each.place for each in headings if each.kind in _MAIN and each.kind != "references"), default=-1)
    levels: list[int] = []
    known: dict[_Print, int] = {}
    # What follows "Ethics approval" within the methods is beside it, not in it.
    beside: SectionKind | None = None
    for each in headings:
        number = numbering_level(each.text) if is_numbered else None
        if each.place in inside:
            level = 2
        elif number is not None:
            level = number
        elif (each.kind is not None and (each.kind != "other" or each.place > last)) or (
            each.print == main and not is_shared
        ):  # "Ethics approval" and the like are their own sections after the last main section
            level = 1
        else:
            above = levels[-1] + (beside is None) if levels else 1
            level = known.get(each.print) or min(above, _DEEPEST)
            known[each.print] = level = max(level, 2 if main else 1)
        levels.append(level)
        beside = each.kind if level > 1 else None
    return levels


def _main_print(headings: Sequence[_Heading]) -> _Print | None:
    """The print in which most kinds of main sections are named, the largest of several."""
    kinds: dict[_Print, set[SectionKind]] = defaultdict(set)
    for each in headings:
        if each.kind in _MAIN and (numbering_level(each.text) or 1) == 1:
            kinds[each.print].add(each.kind)
    return max(kinds, key=lambda style: (len(kinds[style]), style.size), default=None)


def _is_shared(headings: Sequence[_Heading], main: _Print) -> bool:
    """Whether subsections are headed in the same print: one of them is right under the heading of a section."""
    return any(
        above.kind in _MAIN
        and below.kind is None
        and below.place == above.place + 1
        and above.print == below.print == main
        for above, below in pairwise(headings)
    )


def _of_abstract(headings: Sequence[_Heading]) -> frozenset[int]:
    """Places of the headings within a structured abstract: "Methods" that is there and later again."""
    start = next((index for index, each in enumerate(headings) if each.kind == "abstract"), None)
    inside: list[_Heading] = []
    for index, each in enumerate(headings[start + 1 :] if start is not None else (), start=(start or 0) + 1):
        again = any(later.kind == each.kind for later in headings[index + 1 :])
        alike = bool(inside) and each.print == inside[0].print and each.kind != "introduction"
        if each.kind not in _MAIN or not (again or alike) or (inside and not alike):
            break
        inside.append(each)
    return frozenset(each.place for each in inside)


_MAX_WORDS = 12
# What follows in the paragraph has this many characters.
_MIN_TEXT = 40
_END = re.compile(r"[.:—–]$|[.:]\s*[-—–]$")
_PUNCTUATION = " .:—–-"
_KEYWORDS = re.compile(r"(?:key\s?-?words?|index terms)\b", re.IGNORECASE)
_ABSTRACT = re.compile(r"(?:abstract|summary|a\s?b\s?s\s?t\s?r\s?a\s?c\s?t)\s*[.:—–-]*$", re.IGNORECASE)


def with_run_ins(found: Sequence[PageBlock]) -> list[PageBlock]:
    """The blocks, with the headings that run into paragraphs as their own blocks."""
    headings = {heading_kind(block.text) for block in found if block.kind == "heading"}
    parted: list[PageBlock] = []
    level, in_abstract, is_text = 1, False, True
    for block in found:
        if block.kind in ("heading", "abstract"):
            named = "abstract" if block.kind == "abstract" else heading_kind(block.text)
            level, is_text = block.level, named not in ("other", "references")
            in_abstract = named == "abstract" or (in_abstract and level > 1)
        heading, rest = _split(block) if is_text and block.kind in ("text", "resumed", "abstract") else (None, block)
        if heading is None:
            parted.append(block)
            continue
        if _KEYWORDS.match(heading.text):
            parted.append(replace(block, kind="notice"))
            continue
        kind = heading_kind(heading.text.rstrip(_PUNCTUATION))
        opens = kind == "abstract" or (kind in _MAIN - {"references"} and kind not in headings and not in_abstract)
        in_abstract = kind == "abstract" or (in_abstract and not opens)
        level = 1 if opens else level
        if block.kind == "abstract" and kind != "abstract":
            parted.append(replace(rest, kind="abstract", lines=block.lines))
            continue
        parted.append(replace(heading, level=1 if opens else level + 1))
        parted.append(rest if block.kind == "resumed" else replace(rest, kind="text"))
    return parted


def _split(block: PageBlock) -> tuple[PageBlock | None, PageBlock]:
    """The heading at the beginning of a paragraph, and the rest of it; None if there is no heading."""
    words = [word for line in block.lines[:3] for run in line.runs for word in run.words]
    count = _heading_words(words)
    bare = strip_numbering(" ".join(word.text for word in words[:count])).strip(_PUNCTUATION)
    rest = sum(len(word.text) for word in words[count:])
    if not bare[:1].isupper() or not _WORD.search(bare) or rest < _MIN_TEXT:
        return None, block
    head, tail = _cut(block.lines, count)
    return replace(block, kind="heading", lines=head), replace(block, lines=tail)


def _heading_words(words: Sequence[Word]) -> int:
    """How many words at the beginning are out by their weight, else by their slant or as "Abstract:"."""
    for style in ("is_bold", "is_italic"):
        lead = next((place for place, word in enumerate(words) if not getattr(word, style)), len(words))
        text = " ".join(word.text for word in words[:lead])
        if 0 < lead <= _MAX_WORDS and lead < len(words):
            follows = words[lead].text
            if _END.search(text) or (style == "is_bold" and follows[:1].isupper()):
                return lead
            if follows in tuple(".:—–"):
                return lead + 1
    return 1 if words and _ABSTRACT.match(words[0].text) and _END.search(words[0].text) else 0


def _cut(lines: Iterable[PrintedLine], count: int) -> tuple[tuple[PrintedLine, ...], tuple[PrintedLine, ...]]:
    """The lines of the first words, and those of the rest."""
    head: list[PrintedLine] = []
    tail: list[PrintedLine] = []
    for line in lines:
        before: list[TextRun] = []
        after: list[TextRun] = []
        for run in line.runs:
            first, rest = run.words[:count], run.words[count:]
            count -= len(first)
            before += [_of_words(run, first) if rest else run] if first else []
            after += [_of_words(run, rest) if first else run] if rest or not first else []
        head += [replace(line, runs=tuple(before))] if before else []
        tail += [replace(line, runs=tuple(after))] if after else []
    return tuple(head), tuple(tail)


def _of_words(run: TextRun, words: tuple[Word, ...]) -> TextRun:
    text = " ".join(word.text for word in words)
    return replace(run, text=text, left=words[0].left, right=words[-1].right, words=words)
