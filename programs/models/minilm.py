"""The default embedder without torch: all-MiniLM-L6-v2 in ONNX Runtime, in 8-bit integers.

    embedder = SmallEmbedder()
    embedder.embed(["Low pH shortens yeast lifespan."])     # float32 [1, 384], rows of unit length

The ONNX form is made at first use from the model's own weights, whose SHA-256 is checked, and kept in the cache.
`python -m bench.embedding` measures its speed and its quality.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from programs.config import DEFAULT_EMBEDDER, settings
from programs.errors import EmbedderUnavailable, ModelUnusable
from programs.models import TOKENIZER, ModelFiles, read_files, write_files
from programs.retrieval.model_files import DEFAULT_SHA256, find_weights

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from programs.models.session import TextModel

logger = logging.getLogger(__name__)

DIMENSION = 384
NUMBER_FORMAT = "int8"
"""Of the formats tried (docs/history.md) the fastest whose vectors lie within cosine 0.995 of float32, on CPUs of
every kind."""
PROBE_TEXTS, PROBE_TOKENS = 8, 60
"""Random words find the channels that reach far as well as texts do: cosine 0.9979 and 0.9980 (weights in 7 bits)."""


BUILDER_VERSION = 2
"""Raise it when `bert_graph` makes another graph of the same weights: graphs kept from before are then made again."""


MADE_FROM = {"weights": DEFAULT_SHA256, "number_format": NUMBER_FORMAT, "builder": BUILDER_VERSION}
"""What the model is made from, and how; a kept one is used only where all of it is as expected."""


class SmallEmbedder:
    """all-MiniLM-L6-v2, loaded at first use; safe to share between threads.

    A text's vector does not depend on what it is embedded with: the same bits on the same machine.
    """

    name = DEFAULT_EMBEDDER
    dimension = DIMENSION

    def __init__(self, folder: Path | None = None, cache: Path | None = None) -> None:
        """Choose where the weights are, by default in their package, and the cache of the ONNX form."""
        self._folder = folder
        self._cache = cache
        self._loading = threading.Lock()

    @property
    def fingerprint(self) -> str:
        """Name and SHA-256 of the weights; the same on every machine and in every number format."""
        return f"{self.name}@sha256:{DEFAULT_SHA256}"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of passages: float32 [len(texts), 384], in the order of the texts, rows of unit length.

        A text longer than 256 tokens is cut, as the model does.

        Raises:
            EmbedderUnavailable: The model cannot be loaded, or its weights are not the expected ones.
        """
        import numpy as np

        if isinstance(texts, str):
            raise TypeError(f"texts must be a sequence of strings, not the one string {texts[:60]!r}; put it in a list")
        if not len(texts):
            return np.empty((0, DIMENSION), dtype=np.float32)
        return np.stack(self._model.outputs(texts))

    def embed_query(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of questions or claims, of the same shape and with the same errors; the model has no query prompt."""
        return self.embed(texts)

    def __reduce__(self) -> tuple[type[SmallEmbedder], tuple[Path | None, Path | None]]:
        return SmallEmbedder, (self._folder, self._cache)

    def __deepcopy__(self, memo: dict[int, Any]) -> SmallEmbedder:
        # Optimizers copy programs; copies share a model's weights.
        return self

    @property
    def _model(self) -> TextModel:
        with self._loading:
            return self._loaded

    @cached_property
    def _loaded(self) -> TextModel:
        from programs.models.session import TextModel, cores

        try:
            stored = self._stored()
            model = TextModel(stored.model, stored.tokenizer, int(stored.manifest["tokens"]))
        except ModelUnusable as error:
            raise EmbedderUnavailable(f"the embedding model {self.name} cannot be made: {error}") from error
        logger.info("%s computes in %s, %d texts at a time", self.name, NUMBER_FORMAT, cores())
        return model

    def _stored(self) -> ModelFiles:
        if self._folder is not None:  # of files that were chosen by hand nothing is taken on trust
            find_weights(self.name, self._folder)
        place = (self._cache or settings().cache) / "models" / f"{Path(self.name).name}-{NUMBER_FORMAT}"
        return kept_model(place, MADE_FROM, lambda: int8_form(find_weights(self.name, self._folder)))


def int8_form(folder: Path) -> ModelFiles:
    """Make the ONNX form of the model, a BERT encoder with mean pooling, from its folder.

    Raises:
        ModelUnusable: It is of another kind, or a file is damaged.
    """
    import numpy as np
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    from programs.models.bert_graph import BertConfig, MeanPooling, bert_graph
    from programs.models.session import load_tokenizer

    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        tokens = int(json.loads((folder / "sentence_bert_config.json").read_text(encoding="utf-8"))["max_seq_length"])
        tokenizer = (folder / TOKENIZER).read_bytes()
        weights = load_file(folder / "model.safetensors")
        first, last = load_tokenizer(tokenizer, tokens).encode("").ids
    except (OSError, ValueError, KeyError, SafetensorError) as error:
        raise ModelUnusable(f"a file of {folder} is damaged ({error}); get the model's files again") from error
    random = np.random.default_rng(0)
    words = random.integers(config["vocab_size"], size=(PROBE_TEXTS, PROBE_TOKENS))
    probe = [[first, *row, last] for row in words.tolist()]
    model = bert_graph(weights, BertConfig.from_json(config), MeanPooling(), probe)
    return ModelFiles({"made_from": MADE_FROM, "tokens": tokens}, model, tokenizer)


def read_model(folder: Path, expected: Mapping[str, object]) -> ModelFiles:
    """Read the folder of a model that was made here.

    Raises:
        ModelUnusable: It is not there, a file is damaged, or it was made from something else; the message says which.
    """
    files = read_files(folder)
    if (found := files.manifest.get("made_from")) != expected:
        raise ModelUnusable(f"{folder} was made from {found}, not {expected}")
    return files


def kept_model(folder: Path, expected: Mapping[str, object], make: Callable[[], ModelFiles]) -> ModelFiles:
    """The model in a folder of the cache, made and kept there if it is not there as expected.

    A line of the log, which goes to stderr, says why it is made. Where it cannot be kept, it is made in every process,
    which another line says.
    """
    try:
        return read_model(folder, expected)
    except ModelUnusable as reason:
        logger.warning("Making a model, once, in some seconds, as %s", reason)
    model = make()
    try:
        write_files(folder, model)
    except OSError as error:
        logger.warning("%s cannot be kept, so every process makes it again: %s", folder, error)
    return model
