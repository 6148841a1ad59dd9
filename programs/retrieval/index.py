"""The index: documents go in, passages come out.

index = Index.open("papers.idx", create=True)
index.add(documents)
hits = index.search("Does low pH shorten yeast lifespan?", k=6, filters={"year": {"gte": 2005}})
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from programs.errors import UsageError
from programs.ingest.chunking import Chunking
from programs.ingest.document import Chunk, Document
from programs.results.citation_keys import Named, citation_keys
from programs.retrieval import records
from programs.retrieval.collection import Collection, Manifest, opened
from programs.retrieval.filters import Condition, FieldType, Filters, parse_filters
from programs.retrieval.passage_collection import Indexed, OriginOf, Progress, add_documents, purpose_of
from programs.retrieval.rank_fusion import reciprocal_rank_fusion
from programs.retrieval.records import Hit
from programs.retrieval.retriever import SearchCandidates, fused_hit
from programs.retrieval.store import CollectionOptions, Ranking, Store, Vector
from programs.retrieval.summary_index import Summaries

if TYPE_CHECKING:
    from programs.retrieval.embedder import Embedder

ARM_DEPTH = 40
"""How many candidates each query brings from each arm before fusion; at least k. Depths from 30 to 200 leave nDCG@10 on
SciFact within 0.004, and reading the ids of 100 instead of 40 makes a query a third slower."""
DEEPER = 4
"""More candidates than that are fused from lists so many times as long, or what one arm alone finds late drops out: on
805 training claims of SciFact recall@100 is 0.951 from lists of 100 and 0.959 from lists of 400."""


@dataclass(frozen=True, slots=True)
class IndexStats:
    """How many documents and passages an index holds, the fields that filters can name, and what it was made with."""

    documents: int
    chunks: int
    fields: Mapping[str, FieldType]
    manifest: Manifest


class Index(Collection):
    """Papers in a vector engine, searched by meaning and by words at once.

    Make one with ``Index.open``. Use it as a context manager, or ``close`` it. Any number of processes search an
    embedded index while one of them writes; they see what it has written once it is done.
    """

    def __init__(self, store: Store, manifest: Manifest, place: str, embedder: Embedder | None = None) -> None:
        super().__init__(store, manifest, place, embedder)
        self._summaries: Summaries | None = None
        self._keys: tuple[str | None, Mapping[str, str]] = (None, {})
        self._opening = threading.Lock()

    @classmethod
    def open(
        cls,
        place: str | Path,
        *,
        create: bool = False,
        embedder: Embedder | None = None,
        chunking: Chunking | None = None,
        options: CollectionOptions | None = None,
    ) -> Index:
        """Open an index, or make one.

        Args:
            place: A folder ("papers.idx"); ":memory:" for a new index that ends with the process; or the address of a
                Qdrant server with an optional collection ("http://qdrant:6333",
                "http://qdrant:6333/my_papers"), or of several nodes of a cluster
                ("http://a:6333,b:6333,c:6333/my_papers").
            create: Make the index when there is none.
            embedder: What turns text into vectors; by default the model that the manifest names, loaded at first use.
            chunking: How a new index cuts documents; an existing one must have been made with the same.
            options: How a Qdrant server is to keep a new index; an existing one must be kept so.

        Raises:
            IndexNotFound: There is none and ``create`` is off.
            IndexMismatch: It was made with another embedder, chunking or version, or for something else.
            IndexLocked: Another process is making it, and there is nothing to read yet.
            IndexCorrupt: The folder is there but cannot be opened.
            StoreUnavailable: The server does not answer.
        """
        place = str(place)
        store, manifest = opened(place, purpose_of(place, embedder, chunking), create=create, options=options)
        return cls(store, manifest, place, embedder)

    def add(
        self, documents: Iterable[Document], *, on_progress: Progress | None = None, origin_of: OriginOf | None = None
    ) -> Indexed:
        """Index a stream of documents: new ones are added, changed ones replaced, unchanged ones not embedded again.

        ``on_progress`` is called after each committed batch with the totals so far; a process that is killed loses no
        document of these, and the next run continues. ``origin_of`` gives what is kept with a document: ``origins``.
        """
        return add_documents(self, documents, on_progress or (lambda _: None), origin_of or (lambda _: ""))

    def reading(self) -> AbstractContextManager[None]:
        """Let several reads see one state of an embedded index, whatever others write meanwhile."""
        return self.store.reading()

    def writing(self) -> AbstractContextManager[None]:
        """Make several changes of an embedded index visible to others together, at the end; also faster.

        Raises:
            IndexLocked: Another process is writing.
        """
        return self.store.writing()

    def origins(self) -> dict[str, str]:
        """The fingerprints given to ``add`` with their document ids; a file with one of them need not be read again."""
        payloads = self.store.scroll([records.record_is("document")], ["origin", "document"])
        return {payload["origin"]: payload["document"] for payload in payloads}

    def origin(self, document_id: str) -> str:
        """The origin of a document that was given to ``add``; empty if none was. Errors as for ``document``."""
        return str(self._stored(document_id, "origin"))

    def count(self, filters: Filters | None = None) -> int:
        """How many passages match; all without filters. Errors as for ``search``."""
        return self.store.count([records.record_is("chunk"), *self.conditions(filters)])

    def require_papers(self) -> None:
        """Raise a ``UsageError`` where the index holds none: it was never filled, or is being filled just now."""
        if not self.count():
            raise UsageError(
                f"the index at {self.place} holds no paper; wait where one is being read, or add some with "
                "`python -m programs index PAPERS`"
            )

    def outdated(self) -> list[str]:
        """Ids of the papers that were read by an older version of their reader; index their files again."""
        return sorted(payload["document"] for payload in self.store.scroll(records.read_by_older(), ["document"]))

    def remove(self, document_id: str) -> None:
        """Remove a document, its passages and its summary; errors as for ``document``."""
        with self.writing():
            self._stored(document_id, "document")
            if summaries := self.summaries():
                summaries.remove([document_id])
            self.store.delete([records.belongs_to(document_id)])

    def document(self, document_id: str) -> Document:
        """The stored document, whose text every span of the index refers to.

        Raises:
            UsageError: The index has no such document.
            IndexCorrupt: It is not what was stored.
        """
        return Document.from_dict(self.intact(self._stored(document_id, "body"), document_id))

    def _stored(self, document_id: str, field: str) -> Any:  # noqa: ANN401 - any JSON value
        key = records.document_point_id(document_id)
        payload = self.store.retrieve([key], [field]).get(key)
        if payload is None:
            raise UsageError(
                f"the index at {self.place} has no document {document_id!r}; `python -m programs list --index "
                f"{self.place}` lists what it has"
            )
        return payload[field]

    def documents(self, *conditions: Condition) -> Iterator[Mapping[str, Any]]:
        """Id, number of chunks and metadata of every document that meets the conditions."""
        fields = ["record", "document", "hash", "chunks", "metadata", "seal"]
        for payload in map(self.intact, self.store.scroll([records.record_is("document"), *conditions], fields)):
            # A paper's own "id" or "chunks" must not replace these: it would pass for another paper.
            known = {"id": payload["document"], "chunks": payload["chunks"]}
            yield {**known, **payload.get("metadata", {}), **known}

    def citation_keys(self) -> dict[str, str]:
        """What its papers are cited by, by id: ``programs.results.citation_keys``; they are read once a state."""
        with self.reading():
            state = self.store.state()
            if state is None or state != self._keys[0]:
                self._keys = state, citation_keys(map(Named.of, self.documents()))
            return dict(self._keys[1])

    def description(self, document_id: str) -> Mapping[str, Any]:
        """What ``documents`` gives of one document; empty where there is none."""
        return next(self.documents(records.belongs_to(document_id)), {})

    def document_ids(self, filters: Filters | None = None) -> list[str]:
        """Sorted ids of all documents, or of those with a passage that matches."""
        kind = "chunk" if filters else "document"
        found = self.store.scroll([records.record_is(kind), *self.conditions(filters)], ["document"])
        return sorted({str(payload.get("document", "")) for payload in found})

    def summaries(self) -> Summaries | None:
        """The summaries of its papers; None when none were ever made. Errors as for ``open``."""
        with self._opening:
            self._summaries = self._summaries or Summaries.open(self)
            return self._summaries

    def make_summaries(self) -> Summaries:
        """The summaries of its papers; an empty collection is made if there are none. Errors as for ``open``."""
        with self._opening:
            self._summaries = self._summaries or Summaries.create(self)
            return self._summaries

    def chunks(self, document_id: str, filters: Filters | None = None) -> list[Chunk]:
        """A document's passages in reading order, those that match; empty when there is no such document."""
        with self.reading():
            conditions = [records.record_is("chunk"), records.belongs_to(document_id), *self.conditions(filters)]
            found = [records.chunk_of(self.intact(payload)) for payload in self.store.scroll(conditions)]
        return sorted(found, key=lambda chunk: (chunk.start, chunk.end))

    def stats(self) -> IndexStats:
        """Counts, fields and manifest."""
        with self.reading():
            return IndexStats(
                documents=self.store.count([records.record_is("document")]),
                chunks=self.store.count([records.record_is("chunk")]),
                fields=self.fields(),
                manifest=self.manifest,
            )

    def conditions(self, filters: Filters | None) -> tuple[Condition, ...]:
        """Parse a user's filters; errors as for ``parse_filters``."""
        return parse_filters(filters, self.fields()) if filters else ()

    def search(
        self, query: str | Sequence[str], k: int = 10, filters: Filters | None = None, *, depth: int = ARM_DEPTH
    ) -> list[Hit]:
        """Find passages by meaning and by words, fused by reciprocal rank; at most k hits, best first.

        All variants of a query are searched in one batch, and the engine evaluates the filters.

        Args:
            query: A question, or several wordings of it.
            k: How many passages to return, at least 1.
            filters: As in ``programs.retrieval.filters``.
            depth: Candidates that each variant brings from each arm, at least; 4 k where k exceeds ``ARM_DEPTH``.

        Raises:
            UsageError: For an empty query, a k below 1 or a filter that does not fit.
        """
        with self.reading():
            return self._found(query, k, filters, depth)[0]

    def candidates(
        self, query: str, k: int = 10, filters: Filters | None = None, *, words: Sequence[str] = ()
    ) -> SearchCandidates:
        """A search with the vectors of passages and query; other arguments, and errors, as for ``search``.

        ``words``, further wordings, are searched for by words alone: names that are added to a question find what is
        written with them, and embedding them would double the time.
        """
        with self.reading():
            hits, (vector,), bm25 = self._found([query, *words], k, filters, by_meaning=1)
            found = self.store.vectors([records.point_id(hit.chunk.id) for hit in hits])
        # On a server another machine may have removed a passage since it was found.
        keyed = {key: hit for hit in hits if (key := records.point_id(hit.chunk.id)) in found}
        vectors = np.array([found[key] for key in keyed], np.float32).reshape(len(keyed), len(vector))
        return SearchCandidates(list(keyed.values()), vectors, vector, [bm25.get(key) for key in keyed])

    def _found(
        self,
        query: str | Sequence[str],
        k: int,
        filters: Filters | None,
        depth: int = ARM_DEPTH,
        by_meaning: int | None = None,
    ) -> tuple[list[Hit], Vector, Ranking]:
        """Hits, the vectors of the queries searched ``by_meaning``, all by default, and the first query's BM25 list."""
        queries = [query] if isinstance(query, str) else list(query)
        if not queries or not all(text.strip() for text in queries):
            raise UsageError(f"a query must hold text, got {query!r}")
        if k < 1:
            raise UsageError(f"k must be at least 1, got {k}")
        conditions = self.conditions(filters)
        dense = self.embedder.embed_query(queries[:by_meaning])
        vectors = [*dense, *(self.bm25.query(text) for text in queries)]
        rankings = self.store.query(vectors, max(depth, k if k <= ARM_DEPTH else DEEPER * k), conditions)
        fused = reciprocal_rank_fusion(rankings, limit=k)
        payloads = self.store.retrieve([one.id for one in fused])
        by_dense, by_words = rankings[: len(dense)], rankings[len(dense) :]
        hits = [
            fused_hit(one, self.intact(payloads[one.id]), by_dense, by_words)
            for one in fused
            if one.id in payloads  # on a server another machine may have removed it between the two requests
        ]
        return hits, dense, by_words[0]

    def require_answer(self) -> None:
        """Read one record; raises ``RetrievalError`` where the index, or its server, does not answer."""
        self.store.retrieve([records.MANIFEST_ID], [])

    def close(self) -> None:
        """Flush and release the index."""
        if self._summaries is not None:
            self._summaries.close()
        super().close()

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Callable[[str], Index], tuple[str]]:
        # A saved program names its index, and opens it where it is loaded.
        return partial(Index.open, embedder=self.given_embedder), (self.place,)


class UnconnectedIndex(Index):
    """An index without a store, for programs that are only inspected."""

    def __init__(self) -> None:
        pass


def best_match(index: Index, question: str) -> str:
    """Id of the paper that fits a question best; a ``UsageError`` where the index holds no paper."""
    index.require_papers()
    return index.search(question, k=1)[0].chunk.document_id
