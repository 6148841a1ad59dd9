"""Whether a passage stands in its paper, and is named as that paper says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from programs.ingest.chunking.regions import section_of
from programs.ingest.chunking.tables import table_parts, table_span
from programs.ingest.document import NOT_EVIDENCE, Document
from programs.passage import Passage
from programs.replay.faults import Fault, differences

_OF_THE_PAPER = ("title", "year", "doi", "url")
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
        yield Fault(what, f"{place} is no place in a paper of {len(paper.text)} characters")
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
    name, _, part = rest.partition("::part")
    figure = next((each for each in paper.figures if each.id == name), None)
    if figure is None or (part and not part.isdecimal()):
        if rest != f"{passage.start}-{passage.end}" and not _CHUNK.fullmatch(rest):
            yield Fault(what, f"its id ends in {rest!r}, which is neither its place nor a figure, table or chunk")
        return
    whole = table_span(paper, figure)
    begins = whole.start <= passage.start if part else whole.start == passage.start
    if not begins or passage.end > whole.end:
        yield Fault(what, f"its id names {figure.label}, which stands at {paper.id}[{whole.start}:{whole.end}]")


def _section_faults(what: str, passage: Passage, paper: Document) -> Iterator[Fault]:
    known = _sections(paper, passage)
    kinds = {kind for kind, _ in known}
    if passage.section not in kinds:
        yield Fault(what, f"its section is {passage.section!r}, replayed it is {_either(kinds)}")
    elif (passage.section, passage.heading) not in known:
        headings = {heading for kind, heading in known if kind == passage.section}
        yield Fault(what, f"its heading is {passage.heading!r}, replayed it is {_either(headings)}")


def _sections(paper: Document, passage: Passage) -> set[tuple[str, str]]:
    """Kind and heading of the sections and captions that a passage reaches into.

    Text outside of sections is other, without a heading; so is text of references and notices, which is not cut.
    """
    sections = [each for each in paper.sections if each.start < passage.end and passage.start < each.end]
    figures = [each for each in paper.figures if each.start < passage.end and passage.start < each.end]
    inside = any(each.start <= passage.start and passage.end <= each.end for each in paper.sections)
    known: set[tuple[str, str]] = {(each.kind, each.heading) for each in sections if each.kind not in NOT_EVIDENCE}
    known |= {(section_of(paper, each), each.label) for each in figures}
    known |= set(_parts_of_tables(paper, passage))
    return known if inside and all(each.kind not in NOT_EVIDENCE for each in sections) else known | {("other", "")}


def _parts_of_tables(paper: Document, passage: Passage) -> Iterator[tuple[str, str]]:
    """Kind and heading of the tables that a passage has rows of: a part of a long one repeats caption and header."""
    for each in paper.figures:
        whole = table_span(paper, each)
        if whole.start < passage.end and passage.start < whole.end:
            for _, heading in table_parts(paper.text, each, whole, size=1):
                yield section_of(paper, each), heading


def _either(names: set[str]) -> str:
    return " or ".join(map(repr, sorted(names)))


def _parted(found: str, stored: str) -> str:
    """Where two texts part."""
    for offset, (one, other) in enumerate(zip(found, stored, strict=False)):
        if one != other:
            return f" from character {offset} on: {other!r} stands for {one!r}"
    return f": it has {len(stored)} characters, the paper {len(found)}"
