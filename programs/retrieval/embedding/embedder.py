"""Texts into vectors.

    embedder = load_embedder()
    embedder.embed(["Low pH shortens yeast lifespan."])     # float32 [1, 384], rows of unit length

The default model runs in ONNX Runtime, every other model in sentence-transformers, and so does the default model where
a device is named. An address is a server that embeds. Importing this module is cheap: a runtime comes with the first
text.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from programs.config import DEFAULT_EMBEDDER, settings
from programs.extras import require
from programs.models.embedder import DIMENSION, SmallEmbedder
from programs.retrieval.embedding.model_files import WeightFiles, find_weights, full_name
from programs.retrieval.embedding.served import ServedEmbedder, is_address

if TYPE_CHECKING:
    from programs.retrieval.embedding.encoder import Encoder, Task, Vectors

DEFAULT_MODEL = DEFAULT_EMBEDDER


class Embedder(Protocol):
    """What an index needs from an embedding model."""

    @property
    def name(self) -> str:
        """Name of the model; vectors of models with different names are never compared."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of passages: float32 [len(texts), dimension], in the order of the texts, rows of unit length."""

    def embed_query(self, texts: Sequence[str]) -> Vectors:
        """Vectors of questions or claims, of the same shape, to be compared with those of passages."""


def load_embedder(name: str = DEFAULT_MODEL, device: str | None = None, folder: Path | None = None) -> Embedder:
    """The embedding model of that name; nothing is loaded yet.

    Args:
        name: Name on the Hugging Face hub, a folder, or the address of an embedding server, see ``served_embedder``.
        device: As torch spells it ("cpu", "cuda:1"), to run it in sentence-transformers; by default what
            CORROBORATE_DEVICE says.
        folder: Where the model's files are, if not where the name leads.
    """
    if is_address(name):
        return ServedEmbedder(name)
    device = device or settings().device
    if full_name(name) != DEFAULT_MODEL or device:
        return SentenceTransformerEmbedder(name, device, folder)
    return SmallEmbedder(folder)


class SentenceTransformerEmbedder:
    """A model of sentence-transformers, loaded at first use; safe to share between threads.

    A text's vector hardly depends on what it is embedded with: components differ by up to 0.002 in bfloat16, 1e-6 in
    float32. The same texts in the same order give the same bits on the same machine.
    """

    def __init__(self, name: str = DEFAULT_MODEL, device: str | None = None, folder: Path | None = None) -> None:
        """Choose a model; nothing is loaded yet.

        Args:
            name: Name on the Hugging Face hub, or a folder.
            device: As torch spells it ("cpu", "cuda:1"); by default the best there is.
            folder: Where the model's files are, if not where the name leads.
        """
        self.name = full_name(name)
        self._device = device
        self._folder = folder
        self._loading = threading.Lock()
        self._loaded: Encoder | None = None

    @property
    def dimension(self) -> int:
        """Length of a vector; the default model need not be loaded to know it."""
        return DIMENSION if self.name == DEFAULT_MODEL else self._encoder.dimension

    @property
    def fingerprint(self) -> str:
        """Name and SHA-256 of the weights; the same on every machine and in every number format.

        Finds and hashes the files, about 0.1 s for the default model; loads nothing.
        """
        return f"{Path(self.name).name if Path(self.name).is_dir() else self.name}@sha256:{self._weights.sha256}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of passages: float32 [len(texts), dimension], in the order of the texts, rows of unit length.

        A text longer than the model reads (256 tokens for the default one) is cut, as the model does.

        Raises:
            EmbedderUnavailable: The model cannot be loaded, or its weights are not the expected ones.
        """
        return self._embed(texts, "document")

    def embed_query(self, texts: Sequence[str]) -> Vectors:
        """Vectors of questions or claims, of the same shape and with the same errors, with the model's query prompt."""
        return self._embed(texts, "query")

    def _embed(self, texts: Sequence[str], task: Task) -> Vectors:
        if isinstance(texts, str):
            raise TypeError(f"texts must be a sequence of strings, not the one string {texts[:60]!r}; put it in a list")
        return self._encoder.encode(texts, task)

    @cached_property
    def _weights(self) -> WeightFiles:
        return find_weights(self.name, self._folder)

    @property
    def _encoder(self) -> Encoder:
        require("models", f"the embedding model {self.name}")
        from programs.retrieval.embedding.encoder import Encoder

        with self._loading:
            if self._loaded is None:
                self._loaded = Encoder.load(self.name, self._weights.folder, self._device)
            return self._loaded
