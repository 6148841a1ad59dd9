"""Which papers are the rows: all of an index, those of a filter, some by name, or those that a question finds."""

from __future__ import annotations

from collections.abc import Sequence

from programs.errors import UsageError
from programs.evidence_table.cells import TablePaper
from programs.retrieval.filters import Filters
from programs.retrieval.index import Index

FOUND = 20
"""Papers that a question finds, where no number is given."""
_DEPTH = 10
"""Passages that the search brings for each paper that is wanted."""


def chosen_papers(
    index: Index,
    *,
    filters: Filters | None = None,
    named: Sequence[str] = (),
    find: str = "",
    limit: int | None = None,
) -> list[TablePaper]:
    """The papers of a table, in the order of their ids, or of the search that found them.

    Args:
        index: Where they are.
        filters: As in ``programs.retrieval.filters``; None for all.
        named: Ids; empty for all.
        find: A question; those papers that have the best passages for it.
        limit: Papers at most.

    Raises:
        UsageError: There is none, a named one is not in the index, or a filter does not fit.
    """
    if limit is not None and limit < 1:
        raise UsageError(f"--limit must be at least 1, got {limit}")
    with index.reading():
        ids = _matching(index, filters, named)
        if find:
            wanted = limit or FOUND
            within = {**(filters or {}), **({"document": list(named)} if named else {})}
            hits = index.search(find, wanted * _DEPTH, within or None)
            ids = list(dict.fromkeys(hit.chunk.document_id for hit in hits))[:wanted]
        if not ids:
            raise UsageError(_none(index, filters=bool(filters), find=find))
        return [_paper(index, each) for each in ids[:limit]]


def _matching(index: Index, filters: Filters | None, named: Sequence[str]) -> list[str]:
    known = index.document_ids(filters)
    if missing := [each for each in dict.fromkeys(named) if each not in known]:
        raise UsageError(
            f"the index at {index.place} has no paper {', '.join(missing)}"
            f"{' that the filter lets through' if filters else ''}; `retrieve` and `check` name those that it has"
        )
    return list(dict.fromkeys(named)) or known


def _none(index: Index, *, filters: bool, find: str) -> str:
    if filters or find:
        return f"no paper of the index at {index.place} matches; change --filter or --find"
    return (
        f"the index at {index.place} is empty; add papers with `python -m programs index PAPERS --index {index.place}`"
    )


def _paper(index: Index, document_id: str) -> TablePaper:
    document = index.document(document_id)
    return TablePaper(document.id, document.content_hash, document.title, document.year, document.doi, document.url)
