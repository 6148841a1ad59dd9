"""Any function as a retriever: what an own search returns becomes passages that answers can cite and prove.

    def search(query: str, k: int = 10) -> list[str | dict]:
        return [{"text": "Femur density fell …", "id": "PMC12345", "title": "Bone loss in flight mice", "year": 2014}]

    qa = RagFusion(search)

Each passage is a document of its own, whose text it is; so certificates are replayed against what was returned.
"""

from __future__ import annotations

import hashlib
import inspect
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

from programs.errors import UsageError
from programs.ingest.document import Chunk, Document, Section, SectionKind
from programs.ingest.identifiers import find_pmcid
from programs.retrieval.fusion import reciprocal_rank_fusion
from programs.retrieval.records import Hit

if TYPE_CHECKING:
    from programs.retrieval.embedding.embedder import Embedder
    from programs.retrieval.filters import Filters
    from programs.retrieval.retriever import Retriever

Search: TypeAlias = Callable[..., Any]
"""Takes a query, and ``k`` and ``filters`` if it has parameters of these names; returns passages, best first: texts, or
mappings or objects with ``text`` and as far as known ``id``, ``title``, ``year``, ``doi``, ``url`` and ``section``; or
what DSPy's retrievers return, a prediction with ``passages``."""

_TEXTS = ("text", "long_text", "content", "page_content")
_IDS = ("document_id", "id", "pmcid", "pid")


def as_retriever(source: Retriever | Search) -> Retriever:
    """What finds passages, as programs ask it.

    Raises:
        UsageError: It is neither a retriever nor a function.
    """
    if hasattr(source, "search") and hasattr(source, "document"):
        return source  # type: ignore[return-value]
    if callable(source):
        return CalledRetriever(source)
    raise UsageError(
        f"{source!r:.80} finds no passages; give programs.Index.open(…), or a function of a query that returns texts"
    )


class CalledRetriever:
    """A function that is asked for passages.

    Args:
        search: See ``Search``.
    """

    def __init__(self, search: Search) -> None:
        self._search = search
        self._documents: dict[str, Document] = {}
        self._keeping = threading.Lock()

    @cached_property
    def embedder(self) -> Embedder:
        """The configured model; only programs that compare passages by meaning ask for it."""
        from programs.retrieval.embedding.embedder import load_embedder

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
            found = [self._hit(item) for item in _listed(self._search(each, **options))][:k]
            hits.update({hit.chunk.id: hit for hit in found})
            lists.append([hit.chunk.id for hit in found])
        fused = reciprocal_rank_fusion(lists, limit=k)
        return [Hit(hits[one.id].chunk, one.score, metadata=hits[one.id].metadata) for one in fused]

    def document(self, document_id: str) -> Document:
        """A passage that was returned, as a document.

        Raises:
            UsageError: None of this id was returned yet.
        """
        try:
            return self._documents[document_id]
        except KeyError as error:
            raise UsageError(f"no passage with the id {document_id!r} was returned yet; search for it first") from error

    def _options(self, k: int, filters: Filters | None) -> dict[str, Any]:
        try:
            names = inspect.signature(self._search).parameters
        except ValueError:  # a function of C may have no signature
            names = {}  # type: ignore[assignment]
        if filters and "filters" not in names:
            raise UsageError("the retriever takes no filters; give its function a parameter `filters`, or ask without")
        given = {"k": k, "filters": filters}
        return {name: value for name, value in given.items() if name in names}

    def _hit(self, item: object) -> Hit:
        document = self._kept(_document(item))
        kind = document.sections[0].kind
        chunk = Chunk(f"{document.id}::sec0::chunk0", document.id, kind, "text", document.text, 0, len(document.text))
        named = {"title": document.title, "year": document.year, "doi": document.doi, "url": document.url}
        return Hit(chunk, 0.0, metadata={name: value for name, value in named.items() if value})

    def _kept(self, document: Document) -> Document:
        """Under its id, or one with a mark of its text where several passages have one id."""
        with self._keeping:
            known = self._documents.get(document.id)
            if known is not None and known.text != document.text:
                document = _renamed(document)
            return self._documents.setdefault(document.id, document)


def _listed(returned: object) -> list[object]:
    found = getattr(returned, "passages", returned)
    if isinstance(found, str | Mapping) or not isinstance(found, Sequence):
        raise UsageError(f"the retriever returned {returned!r:.80}; return a list of texts, or of mappings with a text")
    return list(found)


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


def _renamed(document: Document) -> Document:
    return replace(document, id=f"{document.id}-{_mark(document.text)}", pmcid="")


def _mark(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _read(item: object, name: str) -> Any:  # noqa: ANN401 - whatever the function returned
    if isinstance(item, str):
        return None
    return item.get(name) if isinstance(item, Mapping) else getattr(item, name, None)
