"""Tells the blocks of a first page that are not part of the paper's text, and the abstract that has no heading.

authors' addresses, dates, licences, a sidebar with all of these    → notices
a paragraph between them and the introduction                       → the abstract
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median

from programs.ingest.line_shapes import heading_kind, is_address, is_imprint, is_notice
from programs.ingest.pdf.blocks import PageBlock

# Print of less than this share of the body's is small; a sidebar is no wider than this share of the page's text.
_SMALL = 0.94
_SIDEBAR = 0.36
# An abstract has this many characters and two sentences.
_MIN_PROSE = 280
_SENTENCE = re.compile(r"[a-z0-9)\]%][.?!](?:\s+[A-Z\d(]|\s*\[|$)")
_LABEL = re.compile(
    r"(?:key\s?-?\s?words?|publisher.?s note|how to cite(?: this article)?|correspondence)\W*", re.IGNORECASE
)
_MAX_LABELLED = 600
# Under these stands nothing of the paper, however long it is, as far as the next heading.
_CLOSING_LABEL = re.compile(r"(?:authors?.? details|orcid(?: ids?)?|pre-?publication history)\W*", re.IGNORECASE)
_OPENS_PAPER = ("abstract", "introduction", "methods", "results")


def with_front_matter(found: Sequence[PageBlock], words: Mapping[str, int]) -> list[PageBlock]:
    """The blocks, with what surrounds the paper on its first pages as notices, and an abstract without heading named.

    Args:
        found: In reading order, without title and authors.
        words: What ``vocabulary`` counted in the whole document.
    """
    found = _abstract_first(found, words)
    body = _body_size(found)
    sidebars = {_column(block) for block in found if block.kind == "notice" and _is_narrow(block, found)}
    sidebars -= {_column(block) for block in found if _opens(block, words)}
    opening = next((place for place, block in enumerate(found) if _opens(block, words)), len(found))
    is_named = opening < len(found)
    seen_prose = False
    roles: list[PageBlock] = []
    labelled = _labelled(found, words)
    for place, block in enumerate(found):
        text = block.text(words)
        is_small = block.size < _SMALL * body
        if place in labelled:
            roles.append(replace(block, kind="notice"))
        elif block.kind == "caption" or block.page > 1:
            roles.append(block)
        elif (is_small and _column(block) in sidebars) or (block.page == 0 and is_small and _is_note(text)):
            roles.append(replace(block, kind="notice"))
        elif place >= opening or block.page or block.kind == "notice":
            roles.append(block)
        elif _is_prose(text):
            roles.append(replace(block, kind="abstract") if is_named and not seen_prose else block)
            seen_prose = True
        else:
            roles.append(block if seen_prose or not is_named else replace(block, kind="notice"))
    return roles


def _labelled(found: Sequence[PageBlock], words: Mapping[str, int]) -> frozenset[int]:
    """Places of headings such as "Keywords" and "Publisher's note", and of the paragraph under each."""
    heads = [place for place, block in enumerate(found) if _LABEL.fullmatch(block.text(words))]
    under = [place + 1 for place in heads if place + 1 < len(found) and found[place + 1].kind == "text"]
    short = [place for place in under if len(found[place].text(words)) <= _MAX_LABELLED]
    return frozenset([*heads, *short, *_under_closing_labels(found, words)])


def _under_closing_labels(found: Sequence[PageBlock], words: Mapping[str, int]) -> Iterator[int]:
    """Places of headings such as "Author details", and of all text between each and the next heading."""
    is_open = False
    for place, block in enumerate(found):
        if block.kind in ("heading", "text", "notice") and _CLOSING_LABEL.fullmatch(block.text(words)):
            is_open = True
        elif block.kind == "heading":
            is_open = False
        if is_open and block.kind in ("heading", "text"):
            yield place


def _abstract_first(found: Sequence[PageBlock], words: Mapping[str, int]) -> list[PageBlock]:
    """The blocks, with the heading of an introduction that stands under the abstract put behind it.

    A sidebar beside the abstract makes one column of what stands in it and of the introduction under it.
    """
    named = {
        heading_kind(block.text(words)): place for place, block in reversed([*enumerate(found)]) if _opens(block, words)
    }
    introduction, abstract = named.get("introduction"), named.get("abstract")
    if introduction is None or abstract is None or introduction > abstract:
        return list(found)
    low, high = found[introduction], found[abstract]
    if low.page != high.page or low.lines[0].bottom > high.lines[0].bottom:
        return list(found)
    after = next(
        (
            place
            for place in range(abstract, len(found))
            if found[place].page != low.page or found[place].lines[0].bottom < low.lines[0].bottom
        ),
        len(found),
    )
    return [*found[:introduction], *found[introduction + 1 : after], low, *found[after:]]


def _body_size(found: Sequence[PageBlock]) -> float:
    return median([size for block in found for line in block.lines for size in [line.size] * len(line.text)] or [0.0])


def _opens(block: PageBlock, words: Mapping[str, int]) -> bool:
    """Whether a block is the heading under which the paper begins."""
    return block.kind == "heading" and heading_kind(block.text(words)) in _OPENS_PAPER


def _column(block: PageBlock) -> tuple[int, float, float]:
    return block.page, round(block.lines[0].column_left), round(block.lines[0].column_right)


def _is_narrow(block: PageBlock, found: Sequence[PageBlock]) -> bool:
    """Whether the column of a block is a sidebar: on the first two pages and much narrower than their text."""
    if block.page > 1:
        return False
    here = [line for each in found if each.page == block.page for line in each.lines]
    width = max(line.right for line in here) - min(line.left for line in here)
    line = block.lines[0]
    return line.column_right - line.column_left <= _SIDEBAR * width


def _is_note(text: str) -> bool:
    return is_address(text) or is_notice(text) or is_imprint(text)


def _is_prose(text: str) -> bool:
    return len(text) >= _MIN_PROSE and len(_SENTENCE.findall(text)) > 1 and not is_notice(text)
