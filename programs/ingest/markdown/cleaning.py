"""Cleans Markdown that a program made from a PDF.

    The popu-               →    The population is large.
    lation is large.
                                 ![](image2.png)
    17
                                 *Figure 1: Growth.*
    ![](image1.png)

    ![](image2.png)

    *Figure 1: Growth.*

Left is what a converter wrote, with a page number and a decorative image; right is what remains of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from programs.ingest.captions import split_caption
from programs.ingest.text_repair import (
    broken_end,
    is_page_number,
    join_lines,
    margin_key,
    mend_characters,
    vocabulary,
)

_FENCE = re.compile(r"\s{0,3}(```+|~~~+|\$\$)")
_BARE_IMAGE = re.compile(r"\s*!\[\s*\]\([^)]*\)\s*")
_MARKUP_LINE = re.compile(r"\s*(?:#|[-*+]\s|\d+[.)]\s|\||>|!\[|\s{4})")


def clean_markdown(text: str) -> str:
    """Markdown without what a PDF converter left in it; fenced code and ``$$`` equations are not touched.

    Removed are HTML comments, lines that are only a page number, short lines standing alone that come back three times
    or more (running heads), and images that have neither a description nor a caption after them. Ligatures and
    hyphenation are mended.
    """
    blocks = list(_fenced_and_free(text))
    free = [_without_comments(mend_characters(block)) for block, is_fenced in blocks if not is_fenced]
    words = vocabulary(line for block in free for line in block.split("\n"))
    heads = _repeated_alone(free)
    cleaned = (_clean_free(block, heads, words) for block in free)
    return "\n".join(block if is_fenced else next(cleaned) for block, is_fenced in blocks)


def _without_comments(text: str) -> str:
    """The text without HTML comments; the mark of one that never ends becomes text.

    Patterns, here and in the parser, take quadratic time on many open comments.
    """
    kept: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        kept.append(text[at:start])
        at = end + 3
    return "".join((*kept, text[at:].replace("<!--", "&lt;!--")))


def _fenced_and_free(text: str) -> Iterator[tuple[str, bool]]:
    """Runs of lines, each with whether it is a fenced block."""
    lines: list[str] = []
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if not fence and mark:
            yield "\n".join(lines), False
            lines, fence = [line], mark[1]
            closes = fence == "$$" and line.count("$$") > 1
        else:
            lines.append(line)
            closes = bool(fence) and line.rstrip().endswith("$$" if fence == "$$" else fence)
        if closes:
            yield "\n".join(lines), True
            lines, fence = [], ""
    yield "\n".join(lines), bool(fence)


_SENTENCE_ENDS = (".", "!", "?", ":", ";", "。", "！", "？")


def _repeated_alone(blocks: Iterable[str]) -> frozenset[str]:
    """Keys of short lines between empty lines that stand there three times or more and end no sentence."""
    alone = Counter(
        margin_key(paragraph)
        for block in blocks
        for paragraph in re.split(r"\n\s*\n", block.strip("\n"))
        if "\n" not in paragraph and len(paragraph) < 100 and _may_be_head(paragraph)
    )
    return frozenset(key for key, count in alone.items() if count >= 3 and key)


def _may_be_head(line: str) -> bool:
    """A running head is neither markup nor a sentence: "Group 1: 12 mice lost 4 %." is one of a list."""
    return not _MARKUP_LINE.match(line) and not line.rstrip().endswith(_SENTENCE_ENDS)


def _clean_free(block: str, heads: frozenset[str], words: Mapping[str, int]) -> str:
    """One run of lines outside fences, cleaned."""
    lines = block.split("\n")
    kept = [line for place, line in enumerate(lines) if not _is_debris(lines, place, heads)]
    mended: list[str] = []
    for line in kept:
        if mended and broken_end(mended[-1]) and line[:1].isalnum() and not _MARKUP_LINE.match(line):
            mended[-1] = join_lines([mended[-1], line], words)
        else:
            mended.append(line)
    return "\n".join(mended)


def _is_debris(lines: Sequence[str], place: int, heads: frozenset[str]) -> bool:
    line = lines[place]
    if not line.strip():
        return False
    if _BARE_IMAGE.fullmatch(line):
        following = next((near for near in lines[place + 1 :] if near.strip() and not _BARE_IMAGE.fullmatch(near)), "")
        return split_caption(following) is None
    alone = not any(near.strip() for near in (*lines[max(place - 1, 0) : place], *lines[place + 1 : place + 2]))
    return alone and (is_page_number(line) or (margin_key(line) in heads and _may_be_head(line)))
