"""Searches the passages of a few papers by what they say themselves.

An index's own search reads each passage under its paper's title, which tells papers apart. Inside papers that are known
to be relevant a title says the same of every passage, so here passages are embedded and counted without it.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metrics.words import inverse_document_frequency
from programs.ingest.document import Chunk, MetadataValue
from programs.retrieval import records
from programs.retrieval.bm25 import Bm25, SparseVector
from programs.retrieval.filters import CHUNK_FIELDS, Filters
from programs.retrieval.fusion import Fused, reciprocal_rank_fusion
from programs.retrieval.records import Hit
from programs.retrieval.store import Vector

if TYPE_CHECKING:
    from programs.retrieval.index import Index

_REMEMBERED_PAPERS = 256
"""At about 40 passages each some 20 MB of vectors; a paper that is asked again is not embedded again."""


@dataclass(frozen=True, slots=True, eq=False)
class _Paper:
    """A paper's passages in reading order.

    Attributes:
        chunks: The passages.
        vectors: float32 [passages, dimension], rows of unit length.
        terms: BM25 weights of each passage's terms, by term.
        metadata: As in every hit of the paper.
    """

    chunks: Sequence[Chunk]
    vectors: Vector
    terms: Sequence[Mapping[int, float]]
    metadata: Mapping[str, MetadataValue]


class WithinPapers:
    """The second search of two; vectors are made at a paper's first question and kept.

    Args:
        index: Where the papers are.
    """

    def __init__(self, index: Index) -> None:
        self._index = index
        self._bm25 = Bm25()
        self._papers: OrderedDict[str, _Paper] = OrderedDict()
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[type[WithinPapers], tuple[Index]]:
        return WithinPapers, (self._index,)

    def __deepcopy__(self, memo: dict[int, Any]) -> WithinPapers:
        # Optimizers copy programs; vectors are shared by all copies.
        return self

    def search(self, queries: Sequence[str], document_ids: Iterable[str], k: int, filters: Filters | None) -> list[Hit]:
        """Find passages by meaning and by words, fused by reciprocal rank.

        Args:
            queries: Wordings of one question, at least one, none empty.
            document_ids: The papers, all in the index.
            k: How many passages to return at most.
            filters: As for ``Index.search``; what they say of papers must hold for these already.

        Returns:
            Best first. Dense scores are cosine similarities; BM25 takes its document frequencies from these papers.
        """
        papers = self._known(document_ids)
        allowed = self._allowed(papers, filters)
        passages = {chunk.id: (paper, row) for paper in papers for row, chunk in enumerate(paper.chunks)}
        dense = [_by_meaning(vector, papers) for vector in self._index.embedder.embed_query(queries)] if papers else []
        sparse = [_by_words(self._bm25.query(query), papers) for query in queries]
        lists = [_best_first(scores, allowed) for scores in (*dense, *sparse)]
        fused = reciprocal_rank_fusion(lists, limit=k)
        return [_hit(one, *passages[one.id], dense, sparse) for one in fused]

    def neighbours(self, chunk: Chunk) -> tuple[Chunk | None, Chunk | None]:
        """The passages before and after one in its paper; None at its ends."""
        chunks = self._known([chunk.document_id])[0].chunks
        place = next(row for row, each in enumerate(chunks) if each.id == chunk.id)
        return chunks[place - 1] if place else None, chunks[place + 1] if place + 1 < len(chunks) else None

    def _known(self, document_ids: Iterable[str]) -> list[_Paper]:
        return [self._paper(each, content) for each, content in self._index.content_hashes(document_ids).items()]

    def _allowed(self, papers: Sequence[_Paper], filters: Filters | None) -> frozenset[str] | None:
        """Ids of the passages that match; None for all."""
        of_passages = {
            key: value for key, value in (filters or {}).items() if key in CHUNK_FIELDS and key != "document"
        }
        if not of_passages:
            return None
        names = {paper.chunks[0].document_id for paper in papers if paper.chunks}
        return frozenset(chunk.id for name in names for chunk in self._index.chunks(name, of_passages))

    def _paper(self, document_id: str, content_hash: str) -> _Paper:
        # Held while a paper is embedded: threads that ask the same paper wait for it instead of doing the work again.
        with self._lock:
            if content_hash not in self._papers:
                chunks = self._index.chunks(document_id)
                texts = [chunk.text for chunk in chunks]
                terms = [_weights(self._bm25.document(text)) for text in texts]
                metadata = records.filterable(self._index.document(document_id))
                self._papers[content_hash] = _Paper(chunks, self._index.embedder.embed(texts), terms, metadata)
            self._papers.move_to_end(content_hash)
            while len(self._papers) > _REMEMBERED_PAPERS:
                self._papers.popitem(last=False)
            return self._papers[content_hash]


def _weights(vector: SparseVector) -> dict[int, float]:
    return dict(zip(vector.indices, vector.values, strict=True))


def _by_meaning(query: Vector, papers: Sequence[_Paper]) -> dict[str, float]:
    """Cosine similarity of every passage."""
    return {
        chunk.id: score
        for paper in papers
        for chunk, score in zip(paper.chunks, (paper.vectors @ query).tolist(), strict=True)
    }


def _by_words(query: SparseVector, papers: Sequence[_Paper]) -> dict[str, float]:
    """BM25 of the passages that share a term; idf = ln(1 + (N − n + ½)/(n + ½)) over the passages of all papers."""
    found = {chunk.id: terms for paper in papers for chunk, terms in zip(paper.chunks, paper.terms, strict=True)}
    counts = Counter(term for terms in found.values() for term in query.indices if term in terms)
    idf = {term: inverse_document_frequency(len(found), count) for term, count in counts.items()}
    scores = {name: sum(idf[term] * terms[term] for term in idf if term in terms) for name, terms in found.items()}
    return {name: score for name, score in scores.items() if score > 0}


def _best_first(scores: Mapping[str, float], allowed: frozenset[str] | None) -> list[str]:
    names = scores if allowed is None else scores.keys() & allowed
    return sorted(names, key=lambda name: (-scores[name], name))


def _hit(
    fused: Fused,
    paper: _Paper,
    row: int,
    dense: Sequence[Mapping[str, float]],
    sparse: Sequence[Mapping[str, float]],
) -> Hit:
    of_dense, of_sparse = fused.ranks[: len(dense)], fused.ranks[len(dense) :]
    return Hit(
        chunk=paper.chunks[row],
        score=fused.score,
        dense_score=max((scores[fused.id] for scores in dense), default=None),
        sparse_score=max((scores[fused.id] for scores in sparse if fused.id in scores), default=None),
        dense_rank=min((rank for rank in of_dense if rank is not None), default=None),
        sparse_rank=min((rank for rank in of_sparse if rank is not None), default=None),
        metadata=paper.metadata,
    )
