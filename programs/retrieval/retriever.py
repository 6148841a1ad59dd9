"""What programs need of a retriever, the candidates with vectors that reranking needs, and functions as retrievers.

``Index`` is a retriever, and so is any function of a query; what it returns becomes passages that answers can cite:

    def search(query: str, k: int = 10) -> list[str | dict]:
        return [{"text": "Femur density fell …", "id": "PMC12345", "title": "Bone loss in flight mice", "year": 2014}]

    qa = RagFusion(search)

Each of these passages is its own document, so certificates are replayed against the text that was returned.
"""

from __future__ import annotations

import hashlib
import inspect
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, get_args, runtime_checkable

from programs.errors import UsageError
from programs.ingest.document import Chunk, Document, Section
from programs.ingest.front_matter import find_pmcid
from programs.ingest.line_shapes import SectionKind
from programs.retrieval.filters import Filters
from programs.retrieval.rank_fusion import Fused, reciprocal_rank_fusion
from programs.retrieval.records import Hit, chunk_of, embedded_text
from programs.retrieval.store import Payload, Ranking, Vector

if TYPE_CHECKING:
    from programs.retrieval.embedder import Embedder


def fused_hit(fused: Fused, payload: Payload, dense: Sequence[Ranking], sparse: Sequence[Ranking]) -> Hit:
    """A passage of fused lists, with its scores in them: first the dense lists, then those of BM25."""
    ranks = fused.ranks[: len(dense)], fused.ranks[len(dense) :]
    return Hit(
        chunk=chunk_of(payload),
        score=fused.score,
        dense_score=max((scores[fused.id] for scores in dense if fused.id in scores), default=None),
        sparse_score=max((scores[fused.id] for scores in sparse if fused.id in scores), default=None),
        dense_rank=min((rank for rank in ranks[0] if rank is not None), default=None),
        sparse_rank=min((rank for rank in ranks[1] if rank is not None), default=None),
        metadata=payload.get("metadata", {}),
    )


class Retriever(Protocol):
    """Finds passages; ``Index`` is one."""

    @property
    def embedder(self) -> Embedder:
        """What turned the passages into vectors."""

    def search(self, query: str | Sequence[str], k: int = 10, filters: Filters | None = None) -> list[Hit]:
        """At most k passages, best first; errors as for ``Index.search``."""

    def document(self, document_id: str) -> Document:
        """The paper that a passage's offsets refer to."""


@runtime_checkable
class KnowsItsPapers(Protocol):
    """A retriever that knows before a search which papers it has, and brings vectors; ``Index`` does."""

    def search(
        self, query: str | Sequence[str], k: int = 10, filters: Filters | None = None, *, depth: int = ...
    ) -> list[Hit]:
        """As for any retriever; ``depth`` is how many candidates each way of searching brings."""

    def content_hashes(self, document_ids: Iterable[str]) -> Mapping[str, str]:
        """Those of the ids that it has, each with the hash of its document."""

    def citation_keys(self) -> Mapping[str, str]:
        """What its papers are cited by, by id."""

    def conditions(self, filters: Filters | None) -> Sequence[object]:
        """Parse filters; raises ``UsageError`` for those that do not fit."""

    def candidates(
        self, query: str, k: int = 10, filters: Filters | None = None, *, words: Sequence[str] = ()
    ) -> SearchCandidates:
        """Search for the query by meaning and by words, and for ``words`` by words alone."""


@dataclass(frozen=True, slots=True, eq=False)
class SearchCandidates:
    """Passages, best first, with vectors.

    Attributes:
        hits: The passages.
        vectors: Of the passages, float32 [len(hits), dimension], rows of unit length.
        query: Of the query, float32 [dimension], of unit length.
        bm25: Scores of the hits for the query alone, or, of a retriever without vectors, the best of query and words;
            None where no BM25 list holds them.
    """

    hits: Sequence[Hit]
    vectors: Vector
    query: Vector
    bm25: Sequence[float | None]

    def at(self, rows: Sequence[int]) -> SearchCandidates:
        """The candidates of some rows."""
        return SearchCandidates(
            [self.hits[row] for row in rows], self.vectors[list(rows)], self.query, [self.bm25[row] for row in rows]
        )


def find_candidates(
    retriever: Retriever, query: str, k: int, filters: Filters | None = None, *, words: Sequence[str] = ()
) -> SearchCandidates:
    """Search, and return the vectors too; arguments and errors as for ``Index.candidates``.

    Vectors come from the store; where the retriever does not return them, its passages are embedded again, which takes
    a few milliseconds each, and ``words`` are searched for by meaning too.
    """
    if isinstance(retriever, KnowsItsPapers):
        return retriever.candidates(query, k, filters, words=words)
    hits = retriever.search([query, *words], k, filters)
    texts = [embedded_text(hit.chunk, str((hit.metadata or {}).get("title", ""))) for hit in hits]
    # Another retriever may call a model for each search, so it is asked once, for the query and the words together.
    bm25 = [hit.sparse_score for hit in hits]
    return SearchCandidates(hits, retriever.embedder.embed(texts), retriever.embedder.embed_query([query])[0], bm25)


Search: TypeAlias = Callable[..., Any]
"""Takes a query, and ``k`` and ``filters`` if it has parameters of these names; returns passages, best first: texts, or
mappings or objects with ``text`` and as far as known ``id``, ``title``, ``year``, ``doi``, ``url`` and ``section``; or
what DSPy's retrievers return, a prediction with ``passages``."""

_TEXTS = ("text", "long_text", "content", "page_content")
_IDS = ("document_id", "id", "pmcid", "pid")


def as_retriever(source: Retriever | Search) -> Retriever:
    """A retriever as it is, or a function as a retriever; a ``UsageError`` for what is neither."""
    if hasattr(source, "search") and hasattr(source, "document"):
        return source  # type: ignore[return-value]
    if callable(source):
        return CalledRetriever(source)
    raise UsageError(
        f"{source!r:.80} is not a retriever; give programs.Index.open(…), or a function of a query that returns texts"
    )


class CalledRetriever:
    """A function as a retriever; see ``Search``."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self._documents: dict[str, Document] = {}
        self._keeping = threading.Lock()

    @cached_property
    def embedder(self) -> Embedder:
        """The configured model, for programs that compare passages by meaning."""
        from programs.retrieval.embedder import load_embedder

        return load_embedder()

    def __reduce__(self) -> tuple[type[CalledRetriever], tuple[Search]]:
        return CalledRetriever, (self._search,)

    def search(self, query: str | Sequence[str], k: int = 10, filters: Filters | None = None) -> list[Hit]:
        """At most k passages, best first; those of several queries are fused by their ranks.

        Raises:
            UsageError: There are filters and the function takes none, or it returned no passages.
        """
        options = self._options(k, filters)
        queries = [query] if isinstance(query, str) else list(query)
        hits: dict[str, Hit] = {}
        lists = []
        for each in queries:
            returned = self._search(each, **options)
            passages = getattr(returned, "passages", returned)
            if isinstance(passages, str | Mapping) or not isinstance(passages, Sequence):
                raise UsageError(
                    f"the retriever returned {returned!r:.80}; return a list of texts, or of mappings with a text"
                )
            found = [self._hit(item) for item in passages][:k]
            hits.update({hit.chunk.id: hit for hit in found})
            lists.append([hit.chunk.id for hit in found])
        fused = reciprocal_rank_fusion(lists, limit=k)
        return [Hit(hits[one.id].chunk, one.score, metadata=hits[one.id].metadata) for one in fused]

    def document(self, document_id: str) -> Document:
        """A passage that was returned, as a document; a ``UsageError`` for one that was not returned yet."""
        try:
            return self._documents[document_id]
        except KeyError as error:
            raise UsageError(f"no passage with the id {document_id!r} was returned yet; search for it first") from error

    def _options(self, k: int, filters: Filters | None) -> dict[str, Any]:
        try:
            names = set(inspect.signature(self._search).parameters)
        except ValueError:  # a function of C may have no signature
            names = set()
        if filters and "filters" not in names:
            raise UsageError("the retriever takes no filters; give its function a parameter `filters`, or ask without")
        return {name: value for name, value in (("k", k), ("filters", filters)) if name in names}

    def _hit(self, item: object) -> Hit:
        document = _document(item)
        with self._keeping:
            known = self._documents.get(document.id)
            if known is not None and known.text != document.text:  # several passages share an id
                document = replace(document, id=f"{document.id}-{_mark(document.text)}", pmcid="")
            document = self._documents.setdefault(document.id, document)
        kind = document.sections[0].kind
        chunk = Chunk(f"{document.id}::sec0::chunk0", document.id, kind, "text", document.text, 0, len(document.text))
        named = {"title": document.title, "year": document.year, "doi": document.doi, "url": document.url}
        return Hit(chunk, 0.0, metadata={name: value for name, value in named.items() if value})


def _document(item: object) -> Document:
    text = item if isinstance(item, str) else next(filter(None, (_read(item, name) for name in _TEXTS)), None)
    if not (isinstance(text, str) and text.strip()):
        raise UsageError(f"the retriever returned {item!r:.80}, which has no text; return texts, or mappings with one")
    named = next((str(value) for name in _IDS if (value := _read(item, name)) not in (None, "")), "")
    year, section = _read(item, "year"), _read(item, "section")
    return Document(
        id=named or f"text-{_mark(text)}",
        text=text,
        title=str(_read(item, "title") or ""),
        year=int(year) if str(year).isdigit() else None,
        doi=str(_read(item, "doi") or ""),
        pmcid=find_pmcid(named),
        url=str(_read(item, "url") or ""),
        sections=(Section("", section if section in get_args(SectionKind) else "other", 0, len(text)),),
    )


def _mark(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _read(item: object, name: str) -> Any:  # noqa: ANN401 - whatever the function returned
    if isinstance(item, str):
        return None
    return item.get(name) if isinstance(item, Mapping) else getattr(item, name, None)
