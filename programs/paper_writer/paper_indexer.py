"""Papers become a searchable corpus: cleaned, cut into chunks of 300 to 500 tokens, embedded, indexed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import dspy

from programs.errors import IngestError
from programs.ingest.chunking import TOKENS
from programs.ingest.document import Document
from programs.ingest.reader import discover
from programs.paper_writer.author_year_keys import author_year_keys
from programs.paper_writer.evidence import PaperChunk
from programs.paper_writer.library import named, paper_chunk, paper_of
from programs.retrieval.embedding.embedder import Embedder
from programs.retrieval.files import index_files
from programs.retrieval.index import Index
from programs.retrieval.records import embedded_text
from programs.running.progress import report_step


class PaperIndexer(dspy.Module):
    """The first phase; it asks no model.

    Readers clean Markdown of what PDF converters leave in it. Code blocks and equations stay whole, and a short tail is
    merged backwards: see the ``tokens`` policy of ``programs.ingest.chunking``.

    Args:
        embedder: What turns text into vectors; by default the configured model.
    """

    def __init__(self, embedder: Embedder | None = None) -> None:
        super().__init__()
        self._embedder = embedder

    def __deepcopy__(self, memo: dict[int, Any]) -> PaperIndexer:
        # Optimizers copy programs; the embedding model is shared by all copies.
        return self

    def forward(self, papers: Iterable[str | Path | Document], place: str | Path) -> Index:
        """Index papers; those that are indexed and unchanged are skipped.

        Args:
            papers: Files, folders or documents.
            place: Folder or address of the index, made when there is none.

        Returns:
            The open index, which the caller closes.

        Raises:
            IngestError: A file cannot be read; the others are indexed.
            IndexMismatch: There is an index that is cut in another way.
        """
        given = list(papers)
        files = discover([Path(each) for each in given if not isinstance(each, Document)])
        index = Index.open(place, create=True, embedder=self._embedder, chunking=TOKENS)
        try:
            report_step("index", f"Indexing {len(given)} papers or folders", files=len(files))
            index.add(each for each in given if isinstance(each, Document))
            _raise_first(index_files(index, files).failures if files else ())
        except BaseException:
            index.close()
            raise
        return index


def _raise_first(failures: Sequence[IngestError]) -> None:
    for failure in failures:
        raise failure


def corpus(index: Index, *, embeddings: bool = False) -> list[PaperChunk]:
    """Every chunk of an index, papers by id, chunks in reading order.

    Args:
        index: An open index.
        embeddings: Whether to embed every chunk again; searches use the vectors that the index keeps.
    """
    listed = sorted(index.documents(), key=lambda each: str(each["id"]))
    keys = author_year_keys(map(named, listed))
    chunks: list[PaperChunk] = []
    for known in listed:
        paper, found = paper_of(known, keys[known["id"]]), index.chunks(known["id"])
        rows: list[tuple[float, ...]] = [()] * len(found)
        if embeddings:
            vectors = index.embedder.embed([embedded_text(each, paper.title) for each in found])
            rows = [tuple(row) for row in vectors.tolist()]
        chunks += [paper_chunk(each, paper, place, rows[place]) for place, each in enumerate(found)]
    return chunks
