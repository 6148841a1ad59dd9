"""Texts into vectors.

    embedder = load_embedder()
    embedder.embed(["Low pH shortens yeast lifespan."])     # float32 [1, 384], rows of unit length

The default model runs in ONNX Runtime; every other model, and the default model where a device is named, runs in
sentence-transformers. An address is an embedding server, OpenAI-compatible or Ollama:

    python -m programs index PAPERS --embedder 'http://gpu-box:11434/api/embed?model=nomic-embed-text'
    python -m programs index PAPERS --embedder 'http://gpu-box:8000/v1/embeddings?model=BAAI/bge-m3'

The address with the model's name is the embedder's name: the index keeps it, and questions are embedded there too.
Importing this module is cheap: a runtime is loaded with the first text.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias
from urllib.parse import parse_qs, urlsplit

from programs.config import DEFAULT_EMBEDDER, settings
from programs.errors import EmbedderUnavailable, UsageError
from programs.extras import require
from programs.models.minilm import DIMENSION, SmallEmbedder
from programs.retrieval.model_files import find_weights, full_name

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sentence_transformers import SentenceTransformer

    Vectors: TypeAlias = NDArray[np.float32]

BATCH = 64
"""Texts a request."""
TRIES = 4
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
_OLLAMA, _OPENAI = "/api/embed", "/v1/embeddings"


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


def load_embedder(name: str = DEFAULT_EMBEDDER) -> Embedder:
    """The embedding model of that name; nothing is loaded yet.

    It is a name on the Hugging Face hub, a folder, or the address of an embedding server, see ``ServedEmbedder``.
    """
    if name.startswith(("http://", "https://")):
        return ServedEmbedder(name)
    if full_name(name) == DEFAULT_EMBEDDER and not settings().device:
        return SmallEmbedder()
    return SentenceTransformerEmbedder(name, settings().device)


class SentenceTransformerEmbedder:
    """A model of sentence-transformers, on the hub or in a folder, loaded at first use; safe to share between threads.

    On a card that multiplies in bfloat16 the transformer runs in it, which leaves vectors within cosine 0.9999 of
    float32; what follows it, such as the mean over all tokens, is in float32. A text's vector hardly depends on what it
    is embedded with: components differ by up to 0.002 in bfloat16, 1e-6 in float32. The same texts in the same order
    give the same bits on the same machine.
    """

    def __init__(self, name: str = DEFAULT_EMBEDDER, device: str | None = None) -> None:
        self.name = full_name(name)
        self._device = device
        self._working = threading.Lock()

    @property
    def dimension(self) -> int:
        """Length of a vector; the default model need not be loaded to know it."""
        if self.name == DEFAULT_EMBEDDER:
            return DIMENSION
        with self._working:
            return int(self._model.get_embedding_dimension())

    def embed(self, texts: Sequence[str]) -> Vectors:
        """As ``Embedder.embed``; a text longer than the model reads (256 tokens for the default one) is cut.

        Raises:
            EmbedderUnavailable: The model cannot be loaded, or its weights are not the expected ones.
        """
        return self._embed(texts, "document", ("document", "passage", "corpus"))

    def embed_query(self, texts: Sequence[str]) -> Vectors:
        """As ``Embedder.embed_query``, with the model's query prompt; errors as for ``embed``."""
        return self._embed(texts, "query", ("query",))

    def _embed(self, texts: Sequence[str], task: Literal["document", "query"], prompts: Sequence[str]) -> Vectors:
        """Vectors of texts, each after the first of the model's ``prompts`` that is not empty."""
        import numpy as np

        if isinstance(texts, str):
            raise TypeError(f"texts must be a sequence of strings, not the one string {texts[:60]!r}; put it in a list")
        with self._working:  # a fast tokenizer may not be set up for one thread while it works for another
            model = self._model
            found = model.encode(
                list(texts),
                prompt=next((text for name in prompts if (text := model.prompts.get(name))), None),
                batch_size=32 if model.device.type == "cpu" else 256,  # texts of like length, computed at once
                show_progress_bar=False,
                normalize_embeddings=True,
                task=task,
            )
        vectors: Vectors = np.asarray(found, np.float32).reshape(len(texts), model.get_embedding_dimension())
        return vectors

    @cached_property
    def _model(self) -> SentenceTransformer:
        """The model, of whose folder no code is run."""
        require("models", f"the embedding model {self.name}")
        import torch
        from safetensors import SafetensorError
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.sentence_transformer.modules import Transformer
        from transformers.utils import logging

        folder = find_weights(self.name)
        logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # weights load in no time
        try:
            model = SentenceTransformer(
                str(folder),
                device=self._device,
                local_files_only=True,
                trust_remote_code=False,
                model_kwargs={"use_safetensors": True},
            )
        except (OSError, ValueError, KeyError, RuntimeError, ImportError, SafetensorError) as error:
            raise EmbedderUnavailable(
                f"the embedding model {self.name!r} in {folder} cannot be loaded: {error}; choose another model, or "
                "get its files again"
            ) from error
        is_fast = model.device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
        if is_fast and isinstance(model[0], Transformer):
            model[0].to(torch.bfloat16)
            model[0].register_forward_hook(_in_float32)
        return model.eval()


def _in_float32(_module: object, _inputs: object, features: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a transformer gives, tensors [texts, columns] and a few settings, in float32."""
    return {
        key: value.float() if hasattr(value, "is_floating_point") and value.is_floating_point() else value
        for key, value in features.items()
    }


class ServedEmbedder:
    """A model on an embedding server; safe to share between threads.

    Its name is ``http://HOST:PORT/api/embed?model=MODEL`` or ``http://HOST:PORT/v1/embeddings?model=MODEL``. The second
    try comes after a second; each further pause is twice as long.
    """

    def __init__(self, name: str) -> None:
        parts = urlsplit(name)
        self._model = (parse_qs(parts.query).get("model") or [""])[0]
        if not parts.netloc or not parts.path.endswith((_OLLAMA, _OPENAI)) or not self._model:
            raise UsageError(
                f"{name} is not the address of an embedding server; write http://HOST:PORT{_OLLAMA}?model=MODEL for "
                f"Ollama, or http://HOST:PORT{_OPENAI}?model=MODEL for others"
            )
        self.name = name
        self._address = f"{parts.scheme}://{parts.netloc}{parts.path}"
        self._dimension: int | None = None

    @property
    def dimension(self) -> int:
        """Length of a vector; the server is asked for one at first use."""
        return self._dimension or self.embed(["How long is a vector?"]).shape[1]

    def embed(self, texts: Sequence[str]) -> Vectors:
        """As ``Embedder.embed``; a text longer than the model reads is cut by the server.

        Raises:
            EmbedderUnavailable: The server does not answer, refuses, or sends something else than such vectors.
        """
        import numpy as np

        found = [self._batch(list(texts[start : start + BATCH])) for start in range(0, len(texts), BATCH)]
        return np.concatenate(found) if found else np.empty((0, self.dimension), dtype=np.float32)

    def embed_query(self, texts: Sequence[str]) -> Vectors:
        """As ``Embedder.embed_query``; without its own prompt."""
        return self.embed(texts)

    def _batch(self, texts: list[str]) -> Vectors:
        import numpy as np

        answer = self._asked({"model": self._model, "input": texts})
        try:
            if self._address.endswith(_OLLAMA):
                rows = answer["embeddings"]
            else:
                rows = [each["embedding"] for each in sorted(answer["data"], key=lambda each: each["index"])]
            vectors = np.asarray(rows, dtype=np.float32)
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        except (KeyError, TypeError, ValueError) as error:
            raise self._unusable(f"no embeddings of one length in its answer ({error})") from error
        if len(rows) != len(texts) or not (np.isfinite(lengths) & (lengths > 0)).all():
            raise self._unusable(f"{len(rows)} vectors for {len(texts)} texts, some empty")
        self._dimension = self._dimension or vectors.shape[1]
        if vectors.shape[1] != self._dimension:
            raise self._unusable(f"vectors of {vectors.shape[1]} dimensions, and of {self._dimension} before")
        unit: Vectors = vectors / lengths
        return unit

    def _asked(self, body: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON
        import httpx  # here, as most indexes are embedded on this machine and a cold search need not wait for it

        said, key = "", settings().embedder_key
        headers = {"Authorization": f"Bearer {key}"} if key else None
        with httpx.Client(timeout=httpx.Timeout(300, connect=10), trust_env=False, headers=headers) as client:
            for number in range(TRIES):
                if number:
                    time.sleep(2.0 ** (number - 1))
                try:
                    response = client.post(self._address, json=body)
                except httpx.TransportError as error:
                    said = str(error) or type(error).__name__
                    continue
                if response.is_success:
                    try:
                        return response.json()
                    except ValueError as error:
                        raise self._unusable("an answer that is not JSON") from error
                said = f"HTTP {response.status_code}: {' '.join(response.text.split())[:200]}"
                if response.status_code not in _PASSING:
                    break
        raise EmbedderUnavailable(
            f"the embedding server at {self._address} does not embed with {self._model} ({said}); start it, load the "
            "model, or check the address, and CORROBORATE_EMBEDDER_KEY where it wants a key"
        )

    def _unusable(self, what: str) -> EmbedderUnavailable:
        return EmbedderUnavailable(
            f"the embedding server at {self._address} sent {what}; check that {self._model} is a model for embeddings"
        )
