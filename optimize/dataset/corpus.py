"""A data set's papers as an index, for programs that ask a collection.

The index stands in the cache folder under a name made of everything it depends on, so that a second run finds it; while
another process holds it, a run makes one of its own.
"""

from __future__ import annotations

import hashlib
import logging
import tempfile
from collections.abc import Callable
from pathlib import Path

from optimize.dataset.data import Dataset
from optimize.dataset.example import Example
from programs.config import settings
from programs.errors import IndexCorrupt, IndexLocked, IndexMismatch
from programs.ingest.chunking import Chunking
from programs.progress import report_step
from programs.retrieval.embedding.embedder import Embedder
from programs.retrieval.filters import Filters
from programs.retrieval.index import Index, UnconnectedIndex
from programs.retrieval.indexing import Indexed

logger = logging.getLogger(__name__)

_NAME_LENGTH = 16
_TOLD_EVERY = 50


def corpus_index(
    dataset: Dataset,
    embedder: Embedder | None = None,
    folder: Path | None = None,
    chunking: Chunking | None = None,
) -> Index:
    """Open the index of a data set's papers, or make it.

    Args:
        dataset: Its papers are indexed.
        embedder: What turns text into vectors; by default the configured model.
        folder: Where indexes are kept; by default in the cache.
        chunking: How papers are cut; by default as indexes cut them.

    Returns:
        The index; of a data set without papers one that is not there, for programs that are only looked at.
    """
    if not dataset.documents:
        return UnconnectedIndex()
    kept = (folder or settings().cache / "corpora") / f"{_name(dataset, embedder, chunking)}.idx"
    kept.parent.mkdir(parents=True, exist_ok=True)
    try:
        index = Index.open(kept, create=True, embedder=embedder, chunking=chunking)
    except (IndexLocked, IndexMismatch, IndexCorrupt) as error:
        logger.info("Making an index for this run alone: %s", error)
        alone = Path(tempfile.mkdtemp(prefix="corpus-")) / "papers.idx"
        index = Index.open(alone, create=True, embedder=embedder, chunking=chunking)
    missing = len(dataset.documents) - index.stats().documents
    if missing > 0:
        report_step(
            "index", f"Indexing {missing:,} papers of {dataset.name}, which are kept for other runs", papers=missing
        )
    index.add(dataset.documents.values(), on_progress=_told(len(dataset.documents)))
    return index


def _told(total: int) -> Callable[[Indexed], None]:
    """Tell every so many papers how far indexing has come."""
    step, last = max(_TOLD_EVERY, total // 10), 0

    def tell_progress(done: Indexed) -> None:
        nonlocal last
        behind = done.added + done.replaced + done.unchanged
        if done.added and behind - last >= step and behind < total:
            last = behind
            report_step("index", f"Indexed {behind:,} of {total:,} papers", papers=behind)

    return tell_progress


def in_view(example: Example, dataset: Dataset) -> Filters | None:
    """What a question may search: everything for a question of the test split, all but the test papers for others.

    A passage of a test paper that was found for a training question could end up in a demo.
    """
    hidden = {paper for each in dataset.splits.get("test", ()) for paper in each.document_ids}
    if not hidden or hidden.intersection(example.document_ids):
        return None
    return {"document": {"not": sorted(hidden)}}


def _name(dataset: Dataset, embedder: Embedder | None, chunking: Chunking | None) -> str:
    made = hashlib.sha256((embedder.name if embedder else settings().embedder).encode())
    made.update(str(chunking or "").encode())
    for document in sorted(dataset.documents.values(), key=lambda each: each.id):
        made.update(document.content_hash.encode())
    return f"{dataset.name}-{made.hexdigest()[:_NAME_LENGTH]}"
