"""A collection: where its records stand, what they were made with, and the model that embeds for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from programs.ingest.chunking import Chunking
from programs.retrieval import records
from programs.retrieval.bm25 import Bm25
from programs.retrieval.filters import FieldType
from programs.retrieval.manifest import Manifest
from programs.retrieval.records import require_seal
from programs.retrieval.store import Payload, Store

if TYPE_CHECKING:
    from programs.retrieval.embedding.embedder import Embedder


class Collection:
    """What an index, the run that fills it and its summaries share.

    Args:
        store: Where the records stand.
        manifest: What they were made with.
        place: Folder or address, for messages.
        embedder: By default the model that the manifest names, loaded at first use.
    """

    def __init__(self, store: Store, manifest: Manifest, place: str, embedder: Embedder | None = None) -> None:
        self.store = store
        self.manifest = manifest
        self.place = place
        self.bm25 = Bm25()
        self.given_embedder = embedder
        self._embedder = embedder

    @property
    def embedder(self) -> Embedder:
        """The embedding model, loaded at first use."""
        if self._embedder is None:
            from programs.retrieval.embedding.embedder import load_embedder

            self._embedder = load_embedder(self.manifest.embedder)
        return self._embedder

    @property
    def chunking(self) -> Chunking:
        """How documents are cut here."""
        return Chunking.parse(self.manifest.chunking)

    def fields(self) -> Mapping[str, FieldType]:
        """Fields that filters can name, with their types."""
        return records.user_fields(self.store.fields())

    def content_hashes(self, document_ids: Iterable[str]) -> dict[str, str]:
        """``Document.content_hash`` by document id; ids that are not here are left out."""
        keys = [records.document_point_id(each) for each in document_ids]
        return {each["document"]: each["hash"] for each in self.store.retrieve(keys, ["document", "hash"]).values()}

    def intact(self, payload: Payload, paper: str = "") -> Payload:
        """A record's payload without its seal.

        Raises:
            IndexCorrupt: It is not what was stored.
        """
        return require_seal(payload, paper or payload.get("document"), self.place, always=self.manifest.sealed)
