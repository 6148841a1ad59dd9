"""A sentence-transformers model, run fast.

The library loads the model and its own modules compute the vectors; chosen here are the batches and the number format.
On a CPU with AMX tiles the transformer runs in bfloat16, which leaves vectors within cosine 0.9999 of float32, and what
follows it, such as the mean over all tokens, in float32. `python -m bench.embedding` measures speed and quality.

Importing this module takes seconds, because sentence-transformers brings its training code along.
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Transformer
from transformers.utils import logging as transformers_logging

from programs.errors import EmbedderUnavailable

Vectors: TypeAlias = NDArray[np.float32]
Rows: TypeAlias = NDArray[np.intp]
Task: TypeAlias = Literal["document", "query"]
Features: TypeAlias = Mapping[str, Any]
"""What a model's tokeniser gives: tensors [texts, columns] by name, and a few settings."""

WINDOW = 256
"""Texts tokenised at once for each worker: some ten batches, so that workers end together, and little to hold."""
TOKENS_ON_CPU = 2048
"""In a batch; of 512 to 8,192 tried: smaller ones spend their time between layers, larger ones leave the cache."""
TOKENS_ON_ACCELERATOR = 32_768
WIDTH_STEP = 16
"""Batches are multiples of it wide: oneDNN prepares and keeps kernels for each shape, some 300 MB if all are let in."""
PROMPTS: Mapping[Task, tuple[str, ...]] = {"document": ("document", "passage", "corpus"), "query": ("query",)}
"""Names under which models keep their prompts; the first that is not empty counts."""


class Encoder:
    """A loaded model; safe to share between threads."""

    def __init__(self, model: SentenceTransformer) -> None:
        self._model = model.eval()
        self._tokenizing = threading.Lock()
        self.dimension = int(model.get_embedding_dimension())
        on_cpu = model.device.type == "cpu"
        self._batch_tokens = TOKENS_ON_CPU if on_cpu else TOKENS_ON_ACCELERATOR
        self._workers = torch.get_num_threads() if on_cpu else 1
        self._pool = _single_threaded_pool(self._workers)

    @classmethod
    def load(cls, name: str, folder: Path, device: str | None = None) -> Encoder:
        """Load a model as sentence-transformers saves it, in the number format that suits the device.

        No code of the folder is run; an ``EmbedderUnavailable`` with the name where it holds no model.
        """
        try:
            with _no_progress_bar():
                model = SentenceTransformer(
                    str(folder),
                    device=device,
                    local_files_only=True,
                    trust_remote_code=False,
                    model_kwargs={"use_safetensors": True},
                )
        except (OSError, ValueError, KeyError, RuntimeError, ImportError, SafetensorError) as error:
            raise EmbedderUnavailable(
                f"the embedding model {name!r} in {folder} cannot be loaded: {error}; choose another model, or get its "
                "files again"
            ) from error
        if isinstance(model[0], Transformer):
            model[0].to(_fast_dtype(model.device))
            model[0].register_forward_hook(_in_float32)
        return cls(model)

    def encode(self, texts: Sequence[str], task: Task) -> Vectors:
        """Vectors of the texts, float32 [len(texts), dimension], rows of unit length."""
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        longest_first = np.argsort([-len(text) for text in texts], kind="stable")
        size = WINDOW * self._workers
        for start in range(0, len(texts), size):
            window = longest_first[start : start + size]
            rows, batches = zip(*self._batches([texts[index] for index in window], task), strict=True)
            found = self._pool.map(functools.partial(self._forward, task=task), batches)
            for row, part in zip(rows, found, strict=True):
                vectors[window[row]] = part
        return vectors

    def _batches(self, texts: list[str], task: Task) -> Iterable[tuple[Rows, Features]]:
        prompt = next((text for name in PROMPTS[task] if (text := self._model.prompts.get(name))), None)
        with self._tokenizing:  # a fast tokenizer may not be set up for one thread while it works for another
            features: Features = self._model.preprocess(texts, prompt=prompt, task=task)
        mask = features.get("attention_mask")
        if mask is None:  # nothing is padded, as in models that look words up
            return [(np.arange(len(texts)), features)]
        return _split(features, mask, self._batch_tokens)

    def _forward(self, features: Features, task: Task) -> Vectors:
        device = self._model.device
        placed = {key: value.to(device) if torch.is_tensor(value) else value for key, value in features.items()}
        with torch.inference_mode():
            sentences = self._model(placed, task=task)["sentence_embedding"].float()
            vectors: Vectors = torch.nn.functional.normalize(sentences, dim=1).cpu().numpy()
            return vectors


def _split(features: Features, mask: torch.Tensor, tokens: int) -> Iterator[tuple[Rows, Features]]:
    """Part texts into batches of like length, longest first, of so many tokens with padding; one text may be longer.

    ``mask`` is True where a text has a token, [texts, columns]. Gives which texts a batch holds, and their features
    without most of the columns that are padding for all of them.
    """
    lengths = mask.sum(dim=1).numpy()
    order = np.argsort(-lengths, kind="stable")
    padded_right = bool(mask[:, 0].all())
    while len(order):
        width = max(1, math.ceil(lengths[order[0]] / WIDTH_STEP)) * WIDTH_STEP
        rows, order = np.split(order, [max(1, tokens // width)])
        columns = slice(width) if padded_right else slice(-width, None)
        narrow = {
            key: value[rows, columns]
            for key, value in features.items()
            if torch.is_tensor(value) and value.shape == mask.shape
        }
        yield rows, {**features, **narrow}


def _single_threaded_pool(workers: int) -> ThreadPoolExecutor:
    """Threads that each compute on one core.

    A batch a core has nothing to wait for. When a batch is split over the cores instead, torch's default, every layer
    waits for the slowest core, and on a busy machine that multiplies the time.
    """
    started = threading.Barrier(workers)
    before = torch.get_num_threads()
    pool = ThreadPoolExecutor(workers, "encoder", initializer=torch.set_num_threads, initargs=(1,))
    list(pool.map(lambda _: started.wait(), range(workers)))  # the pool starts a thread only when all others are busy
    torch.set_num_threads(before)  # the setting is a thread's own, but threads yet to come take the last one made
    return pool


def _fast_dtype(device: torch.device) -> torch.dtype:
    """Bfloat16 where the hardware multiplies matrices in it, else float32.

    On a CPU that takes AMX: with AVX512-BF16 alone (``ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16``) products took 1.6 times as
    long as in float32. Dynamic int8 quantisation, tried for other CPUs, was 1.7 times as fast at cosine 0.92.
    """
    if device.type == "cuda":
        fast = torch.cuda.is_bf16_supported(including_emulation=False)
    else:
        fast = device.type == "cpu" and bool(torch.cpu.get_capabilities().get("amx_bf16"))
    return torch.bfloat16 if fast else torch.float32


def _in_float32(_module: object, _inputs: object, features: Features) -> Features:
    return {
        key: value.float() if torch.is_tensor(value) and value.is_floating_point() else value
        for key, value in features.items()
    }


@contextmanager
def _no_progress_bar() -> Iterator[None]:
    """Keep transformers from drawing a bar for weights that load in a fraction of a second."""
    drawn = transformers_logging.is_progress_bar_enabled()
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        if drawn:
            transformers_logging.enable_progress_bar()  # type: ignore[no-untyped-call]
