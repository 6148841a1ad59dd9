"""Texts through a small model: a tokenizer and a session, on all cores."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from programs.models.session import Session
from programs.models.stored_model import StoredModel


class TextModel:
    """A loaded model; safe to share between threads.

    Every text is a run of its own on one core: nothing is padded, no core waits for another, and a text's output is
    the same bits whatever stands beside it.

    Args:
        stored: The model's files.

    Raises:
        ModelUnusable: ONNX Runtime does not run the model.
    """

    def __init__(self, stored: StoredModel) -> None:
        self._session = Session(stored.model)
        self._tokenizer = load_tokenizer(stored.tokenizer, stored.tokens)

    def outputs(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """The model's output for each text, in their order."""
        if len(texts) <= 1:  # a question need not start threads
            return [self._output(text) for text in texts]
        return list(self._pool.map(self._output, texts))

    def _output(self, text: str) -> NDArray[np.float32]:
        ids = np.array([self.encoded(text).ids], dtype=np.int32)
        found: NDArray[np.float32] = self._session.run([ids])[0][0]
        return found

    def encoded(self, text: str) -> Encoding:
        """A text's tokens, cut at what the model reads."""
        return self._tokenizer.encode(text)

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(cores(), "small-model")


def load_tokenizer(content: bytes, tokens: int) -> Tokenizer:
    """A tokenizer that cuts at ``tokens`` and pads nothing, whatever its file says about both."""
    tokenizer = Tokenizer.from_str(content.decode())
    tokenizer.no_padding()
    tokenizer.enable_truncation(tokens)
    return tokenizer


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
