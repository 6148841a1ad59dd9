"""Whether passages are cited by the keys that their papers have.

none             [1]                   main_points, multi_signal
by id            [PMC1234567]          rag_fusion
by author        (smith2024quantum)    paper_writer; with a letter or two behind it where papers would share one
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from string import ascii_lowercase
from typing import TypeAlias

from programs.citation_keys import citation_keys
from programs.ingest.document import Document
from programs.paper_writer.keys import Named, shared_keys
from programs.passage import Passage
from programs.replay.faults import Fault

_Fits: TypeAlias = Callable[[Passage], bool]


def key_faults(passages: Sequence[Passage], papers: Mapping[str, Document]) -> Iterator[Fault]:
    """Keys that are not those of the papers: all passages must have them in one way, and no two papers share one.

    Args:
        passages: In their order.
        papers: Theirs by id, in the order of the passages.
    """
    of_ids = citation_keys(papers.values())
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
