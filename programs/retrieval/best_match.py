"""The paper of an index that fits a question best, for programs that read one paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from programs.errors import UsageError

if TYPE_CHECKING:
    from programs.retrieval.index import Index


def best_match(index: Index, question: str) -> str:
    """Id of the paper whose passage comes first in a search for the question.

    Raises:
        UsageError: The index holds no paper.
    """
    hits = index.search(question, k=1)
    if not hits:
        raise UsageError(f"the index at {index.place} holds no paper; add some with `python -m programs index PAPERS`")
    return hits[0].chunk.document_id
