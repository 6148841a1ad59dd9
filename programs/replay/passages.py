"""Whether a passage stands in its paper, and is named and cited by the key as that paper says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from string import ascii_lowercase
from typing import TypeAlias

from programs.ingest.document import Document, Figure
from programs.ingest.regions import part_heading, place_of, section_of, table_span
from programs.paper_writer.author_year_keys import Named, shared_keys
from programs.passages.passage import Passage
from programs.replay.saved import Fault, differences
from programs.results.pmcid_keys import pmcid_keys

_Fits: TypeAlias = Callable[[Passage], bool]


def key_faults(passages: Sequence[Passage], papers: Mapping[str, Document]) -> Iterator[Fault]:
    """Keys that are not those of the papers: all passages must have them in one way, and no two papers share one.

    Args:
        passages: In their order.
        papers: Theirs by id, in the order of the passages.
    """
    of_ids = pmcid_keys(papers.values())
    of_authors = {name: _author_key(paper) for name, paper in papers.items()}
    ways: list[tuple[_Fits, Mapping[str, str]]] = [
        (lambda passage: not passage.key, {}),
        (lambda passage: passage.key == of_ids[passage.document_id], of_ids),
        (lambda passage: _is_of(passage.key, of_authors[passage.document_id]), of_authors),
    ]
    # The way that most passages have: what was changed in one of them is then named, and not all others.
    fits, keys = max(ways, key=lambda way: sum(map(way[0], passages)))
    for passage in passages:
        if not fits(passage):
            expected = keys.get(passage.document_id, "")
            yield Fault(f"passage {passage.id}", f"its key is {passage.key!r}, replayed it is {expected!r}")
    owners = Counter(key for key, _ in {(each.key.casefold(), each.document_id) for each in passages} if key)
    for key, count in owners.items():
        if count > 1:
            yield Fault("passages", f"{count} papers have the key {key!r}; each must have its own")


def _author_key(paper: Document) -> str:
    return next(iter(shared_keys([Named(paper.id, paper.authors, paper.year, paper.title)])))


def _is_of(key: str, shared: str) -> bool:
    """Whether a key is a paper's, with the letters that part it from others that would have the same."""
    suffix = key.removeprefix(shared)
    return key.startswith(shared) and len(suffix) <= 2 and all(each in ascii_lowercase for each in suffix)


_OF_THE_PAPER = ("title", "year", "doi", "url", "corrections")
_LATER_PART = re.compile(r"[1-9][0-9]{0,5}")
_CHUNK = re.compile(r"sec\d+::chunk\d+")
"""Which text a chunk's number means depends on how an index was cut, which an answer does not say."""


def repeated(passages: Sequence[Passage]) -> Iterator[Fault]:
    """Ids that several passages have."""
    for name, count in Counter(passage.id for passage in passages).items():
        if count > 1:
            yield Fault(f"passage {name}", f"{count} passages have this id; each must have its own")


def passage_faults(passage: Passage, paper: Document) -> Iterator[Fault]:
    """What of a passage its paper does not bear out."""
    what = f"passage {passage.id}"
    place = f"{paper.id}[{passage.start}:{passage.end}]"
    if not 0 <= passage.start < passage.end <= len(paper.text):
        yield Fault(what, f"{place} is not a place in a paper of {len(paper.text)} characters")
    elif paper.text[passage.start : passage.end] != passage.text:
        parted = _parted(paper.text[passage.start : passage.end], passage.text)
        yield Fault(what, f"its text differs from {place}{parted}")
    yield from _id_faults(what, passage, paper)
    yield from differences(
        what,
        {name: getattr(paper, name) for name in _OF_THE_PAPER},
        {name: getattr(passage, name) for name in _OF_THE_PAPER},
    )
    yield from _section_faults(what, passage, paper)


def _id_faults(what: str, passage: Passage, paper: Document) -> Iterator[Fault]:
    """An id is its paper's, and behind it a place, a figure or table, or the number of a chunk."""
    prefix = f"{paper.id}::"
    if not passage.id.startswith(prefix):
        yield Fault(what, f"its id does not begin with that of its paper, {paper.id}")
        return
    rest = passage.id.removeprefix(prefix)
    figure, is_part = _figure(passage, paper)
    if figure is None:
        if rest != f"{passage.start}-{passage.end}" and not _CHUNK.fullmatch(rest):
            yield Fault(what, f"its id ends in {rest!r}, which is neither its place nor a figure, table or chunk")
        return
    whole = table_span(paper, figure)
    begins = whole.start <= passage.start if is_part else whole.start == passage.start
    if not begins or passage.end > whole.end:
        yield Fault(what, f"its id names {figure.label}, which stands at {paper.id}[{whole.start}:{whole.end}]")


def _figure(passage: Passage, paper: Document) -> tuple[Figure | None, bool]:
    """The figure or table that a passage's id names, and whether the passage is a part of it behind the first."""
    name, parted, part = passage.id.removeprefix(f"{paper.id}::").partition("::part")
    is_named = not parted or _LATER_PART.fullmatch(part)
    return next((each for each in paper.figures if each.id == name and is_named), None), bool(parted)


def _section_faults(what: str, passage: Passage, paper: Document) -> Iterator[Fault]:
    section, heading = _place(passage, paper)
    if passage.section != section:
        yield Fault(what, f"its section is {passage.section!r}, replayed it is {section!r}")
    if passage.heading != heading:
        yield Fault(what, f"its heading is {passage.heading!r}, replayed it is {heading!r}")


def _place(passage: Passage, paper: Document) -> tuple[str, str]:
    """Kind of section and heading that a passage has by its id and place."""
    figure, is_part = _figure(passage, paper)
    if figure is None:
        return place_of(paper, passage.start, passage.end)
    if not is_part:
        return section_of(paper, figure), figure.label
    return section_of(paper, figure), part_heading(paper.text, figure, table_span(paper, figure), passage.start)


def _parted(found: str, stored: str) -> str:
    """Where two texts part."""
    for offset, (one, other) in enumerate(zip(found, stored, strict=False)):
        if one != other:
            return f" from character {offset} on: {other!r} stands for {one!r}"
    return f": it has {len(stored)} characters, the paper {len(found)}"
