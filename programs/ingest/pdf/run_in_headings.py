"""Parts headings that run into the first line of their paragraph from it, by their weight or slant.

    Statistical analysis. We compared the means of …        → "Statistical analysis" and "We compared the means of …"

In a paper that heads no section otherwise, "Methods." opens a main section; elsewhere such headings stand one level
below the heading above them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from programs.ingest.line_shapes import heading_kind, split_caption
from programs.ingest.pdf.blocks import PageBlock
from programs.ingest.pdf.layout import PrintedLine, TextRun, Word
from programs.ingest.sections import strip_numbering

_MAIN = frozenset({"introduction", "methods", "results", "discussion", "conclusion"})
_MAX_WORDS = 12
_MAX_CHARACTERS = 90
# What follows in the paragraph has this many characters.
_MIN_TEXT = 40
_END = re.compile(r"[.:—–]$|[.:]\s*[-—–]$")
_PUNCTUATION = " .:—–-"
_WORD = re.compile(r"[^\W\d_]{3}")
_KEYWORDS = re.compile(r"key\s?-?words?\b", re.IGNORECASE)
_ABSTRACT = re.compile(r"(?:abstract|summary|a\s?b\s?s\s?t\s?r\s?a\s?c\s?t)\s*[.:—–-]*$", re.IGNORECASE)


def with_run_ins(found: Sequence[PageBlock], words: Mapping[str, int]) -> list[PageBlock]:
    """The blocks, with the headings that run into paragraphs as blocks of their own.

    Args:
        found: In reading order, other headings with their levels.
        words: What ``vocabulary`` counted in the whole document.
    """
    headings = {heading_kind(block.text(words)) for block in found if block.kind == "heading"}
    parted: list[PageBlock] = []
    level, in_abstract, is_text = 1, False, True
    for block in found:
        if block.kind in ("heading", "abstract"):
            level = block.level
            is_text = block.kind == "abstract" or heading_kind(block.text(words)) not in ("other", "references")
            in_abstract = block.kind == "abstract" or (
                heading_kind(block.text(words)) == "abstract" or (in_abstract and level > 1)
            )
        heading, rest = _parted(block) if is_text and block.kind in ("text", "resumed", "abstract") else (None, block)
        if heading is None:
            parted.append(block)
            continue
        if _KEYWORDS.match(heading.text(words)):
            parted.append(replace(block, kind="notice"))
            continue
        kind = heading_kind(heading.text(words).rstrip(_PUNCTUATION))
        opens = kind == "abstract" or (kind in _MAIN and kind not in headings and not in_abstract)
        in_abstract = kind == "abstract" or (in_abstract and not opens)
        level = 1 if opens else level
        if block.kind == "abstract" and kind != "abstract":
            parted.append(replace(rest, kind="abstract", lines=block.lines))
            continue
        parted += [
            replace(heading, level=1 if opens else level + 1),
            replace(rest, kind=block.kind if block.kind == "resumed" else "text"),
        ]
    return parted


def _parted(block: PageBlock) -> tuple[PageBlock | None, PageBlock]:
    """The heading at the beginning of a paragraph, and the rest of it; no heading where none is."""
    printed = list(_words(block))
    count = _heading_words(printed)
    text = " ".join(word.text for _, _, word in printed[:count])
    rest = sum(len(word.text) for _, _, word in printed[count:])
    if not count or rest < _MIN_TEXT or len(text) > _MAX_CHARACTERS or not _may_be_run_in(text):
        return None, block
    line, run, _ = printed[count - 1]
    inside = sum(1 for each_line, each_run, _ in printed[:count] if (each_line, each_run) == (line, run))
    before, after = _cut(block.lines[line], run, inside)
    head = (*block.lines[:line], before) if before else block.lines[:line]
    tail = (after, *block.lines[line + 1 :]) if after else block.lines[line + 1 :]
    return replace(block, kind="heading", lines=head), replace(block, lines=tail)


def _words(block: PageBlock) -> Iterator[tuple[int, int, Word]]:
    """The words of a block with the places of their line and run; none where a run does not know its words."""
    for number, line in enumerate(block.lines[:3]):
        for place, run in enumerate(line.runs):
            if not run.words:
                return
            for word in run.words:
                yield number, place, word


def _heading_words(printed: Sequence[tuple[int, int, Word]]) -> int:
    """How many words at the beginning stand out by their weight, else by their slant or as "Abstract:"."""
    for style in ("is_bold", "is_italic"):
        lead = next((place for place, (*_, word) in enumerate(printed) if not getattr(word, style)), len(printed))
        text = " ".join(word.text for *_, word in printed[:lead])
        if 0 < lead <= _MAX_WORDS and lead < len(printed):
            follows = printed[lead][2].text
            if _END.search(text) or _ABSTRACT.match(text) or (style == "is_bold" and follows[:1].isupper()):
                return lead
            if follows[:1] in ".:—–" and len(follows) == 1:
                return lead + 1
    return 1 if printed and _ABSTRACT.match(printed[0][2].text) and _END.search(printed[0][2].text) else 0


def _may_be_run_in(text: str) -> bool:
    bare = strip_numbering(text).strip(_PUNCTUATION)
    return bare[:1].isupper() and _WORD.search(bare) is not None and split_caption(text) is None


def _cut(line: PrintedLine, place: int, count: int) -> tuple[PrintedLine | None, PrintedLine | None]:
    """A line cut after so many words of one of its runs."""
    run = line.runs[place]
    before = (*line.runs[:place], *_run_of(run, run.words[:count]))
    after = (*_run_of(run, run.words[count:]), *line.runs[place + 1 :])
    return (replace(line, runs=before) if before else None), (replace(line, runs=after) if after else None)


def _run_of(run: TextRun, words: Sequence[Word]) -> list[TextRun]:
    if not words:
        return []
    text = " ".join(word.text for word in words)
    return [replace(run, text=text, left=words[0].left, right=words[-1].right, words=tuple(words))]
