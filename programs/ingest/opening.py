"""What stands at the head of a paper that is written in markup: its title, its authors, their addresses.

    # Cold and yeast: a trial
    Ada Lovelace¹, Charles Babbage²
    ¹ Department of Engines, University of London

    ## Abstract …

Used by the readers of formats that mark headings and paragraphs, and not what they are for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

from programs.ingest.author_names import printed_authors
from programs.ingest.heading_shapes import is_known_heading
from programs.ingest.notices import is_address, is_notice
from programs.ingest.sections import classify, named_kind


class OpeningBlock(Protocol):
    """A block of a paper."""

    @property
    def kind(self) -> str:
        """A "heading", "paragraph" or another."""

    @property
    def text(self) -> str:
        """Without markup."""

    @property
    def level(self) -> int:
        """Of a heading, from 1."""


AnyBlock = TypeVar("AnyBlock", bound=OpeningBlock)

_LEAST_TITLE = 5
"""Words of a heading from which on it is a title where a shorter one might be a section."""
_MOST_TITLE = 300
_LONGEST_LINE = 30
"""Words of a paragraph beyond which it is text, which neither a title nor authors would follow."""
_MOST_AUTHORS = 4000
_LEAST_NAMES = 0.75
_LONGEST_ADDRESS = 60
_TELLS = re.compile(r"\b(?:was|were|is|are|we|has|have|had|been|showed|found)\b", re.IGNORECASE)
_BYLINE = re.compile(r"(?:authors?\s*:|by)\s+", re.IGNORECASE)


def title_place(blocks: Sequence[OpeningBlock]) -> int | None:
    """Where the title stands: the first heading, where it is one, or a first line with authors under it."""
    place = next((place for place, block in enumerate(blocks) if block.kind == "heading"), None)
    before = blocks[:place]
    if place is not None and not any(map(_is_text, before)):
        levels = [block.level for block in blocks if block.kind == "heading"]
        if _is_title(blocks[place], levels):
            return place
    return 0 if _is_line_above_authors(before) else None


def _is_title(heading: OpeningBlock, levels: Sequence[int]) -> bool:
    """A heading of level 1; or of level 2, as converters write titles, where none is above it and it is a sentence.

    "Risk factors associated with bone loss" is a title, although "Risk factors" alone is a section of results.
    """
    is_long = len(heading.text.split()) >= _LEAST_TITLE
    says_section = classify(heading.text) != "other" and not (is_long and named_kind(heading.text) is None)
    above = heading.level == 1 or (heading.level == 2 and is_long and 1 not in levels and len(levels) > 1)
    return above and not says_section


def _is_line_above_authors(before: Sequence[OpeningBlock]) -> bool:
    if len(before) < 2 or before[0].kind != "paragraph":
        return False
    line = before[0].text
    may_be_title = 2 < len(line.split()) <= _LONGEST_LINE and len(line) <= _MOST_TITLE and not line.endswith(".")
    return may_be_title and not is_known_heading(line) and not is_notice(line) and bool(authors_of(before[1]))


def _is_text(block: OpeningBlock) -> bool:
    return block.kind == "paragraph" and len(block.text.split()) > _LONGEST_LINE


def authors_of(block: OpeningBlock) -> tuple[str, ...]:
    """The names of a paragraph that is a line of authors, "Family, Given"; none of any other block."""
    text = _BYLINE.sub("", block.text, count=1) if _BYLINE.match(block.text) else block.text
    if block.kind != "paragraph" or not text or len(text) > _MOST_AUTHORS:
        return ()
    names, share = printed_authors(text)
    return tuple(names) if share >= _LEAST_NAMES else ()


def split_authors_below(blocks: Sequence[AnyBlock]) -> tuple[tuple[str, ...], list[AnyBlock], list[AnyBlock]]:
    """Authors, addresses and notices that follow a title, and the blocks without them.

    Args:
        blocks: What follows the title; looked at up to the first heading or the first paragraph of text.
    """
    end = next((place for place, block in enumerate(blocks) if block.kind == "heading" or _ends_head(block)), 0)
    head = blocks[:end]
    authors: tuple[str, ...] = ()
    around: list[AnyBlock] = []
    kept: list[AnyBlock] = []
    for block in head:
        if names := (() if around and authors else authors_of(block)):
            authors += names
        elif is_notice(block.text) or _is_short_address(block.text):
            around.append(block)
        else:
            kept.append(block)
    return authors, around, [*kept, *blocks[end:]]


def _ends_head(block: OpeningBlock) -> bool:
    """Whether a paragraph is text, which a list of many authors or a notice is not."""
    is_head = is_notice(block.text) or _is_short_address(block.text) or bool(authors_of(block))
    return _is_text(block) and not is_head


def _is_short_address(text: str) -> bool:
    return len(text.split()) <= _LONGEST_ADDRESS and is_address(text) and not _TELLS.search(text)


def texts(blocks: Iterable[OpeningBlock]) -> Iterator[str]:
    """The text of each block."""
    return (block.text for block in blocks)
