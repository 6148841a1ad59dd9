"""What programs need of whatever finds passages: an ``Index``, or a program that chooses papers first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from programs.ingest.document import Document
from programs.retrieval.filters import Filters
from programs.retrieval.records import Hit

if TYPE_CHECKING:
    from programs.retrieval.embedding.embedder import Embedder


class Retriever(Protocol):
    """The seam; ``Index`` has this shape."""

    @property
    def embedder(self) -> Embedder:
        """What turned the passages into vectors."""

    def search(self, query: str | Sequence[str], k: int = 10, filters: Filters | None = None) -> list[Hit]:
        """At most k passages, best first; errors as for ``Index.search``."""

    def document(self, document_id: str) -> Document:
        """The paper that a passage's offsets refer to."""


@runtime_checkable
class KnowsItsPapers(Protocol):
    """A retriever that can tell before a search what it has; ``Index`` has this shape."""

    def search(
        self, query: str | Sequence[str], k: int = 10, filters: Filters | None = None, *, depth: int = ...
    ) -> list[Hit]:
        """As of any retriever; ``depth`` is how many candidates each way of searching brings."""

    def content_hashes(self, document_ids: Iterable[str]) -> Mapping[str, str]:
        """Those of some ids that it has, each with a hash of its document."""

    def conditions(self, filters: Filters | None) -> Sequence[object]:
        """What filters come to; refuses those that do not fit, by a ``UsageError``."""
