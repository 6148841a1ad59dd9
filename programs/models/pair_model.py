"""A cross-encoder that is shipped with the project: scores of pairs of texts, from a folder of checked files.

    model = PairModel(folder, "make it again with `python -m optimize order`")
    model.logits([("Did relapses fall?", "Relapses were halved (p = 0.01).")])    # float64 [1, outputs]

The folder is that of `stored_model`; `name` in its manifest is the model's.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from programs.errors import ModelUnusable
from programs.models.stored_model import MANIFEST, MODEL, read_files, read_manifest

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

    from programs.models.session import Session


def token_kinds(encoding: Encoding) -> list[int]:
    """What each token of an encoded pair is: 0 of the claim alone, 1 of the premise alone, 2 and 3 of both.

    A model of this size needs many examples to find out by itself which words two texts share.
    """
    tokens = list(zip(encoding.ids, encoding.type_ids, encoding.special_tokens_mask, strict=True))
    sides = [{token for token, kind, special in tokens if kind == side and not special} for side in (0, 1)]
    both = sides[0] & sides[1]
    return [kind + 2 * (token in both and not special) for token, kind, special in tokens]


class PairModel:
    """A cross-encoder from a folder; safe to share between threads, the same pair always gets the same logits.

    Nothing is read before it is needed. Copies made by `copy.deepcopy` are the object itself: programs are copied by
    optimizers, weights are not.
    """

    def __init__(self, folder: Path, again: str) -> None:
        """Choose the folder.

        Args:
            folder: With `model.onnx`, `tokenizer.json` and `manifest.json`.
            again: What to do when a file is damaged, for the error.
        """
        self.folder = folder
        self._again = again
        self._loading = threading.Lock()

    def __deepcopy__(self, memo: dict[int, Any]) -> PairModel:
        return self

    @property
    def name(self) -> str:
        """Name and the first digits of the SHA-256 of the weights.

        Raises:
            ModelUnusable: The manifest cannot be read.
        """
        return f"{self.value('name')}@sha256:{self.manifest['files'][MODEL][:12]}"

    def value(self, name: str) -> Any:  # noqa: ANN401 - JSON
        """What the manifest holds under a name.

        Raises:
            ModelUnusable: Nothing, or the manifest cannot be read.
        """
        try:
            return self.manifest[name]
        except KeyError as error:
            raise self.unusable(f"{self.folder / MANIFEST} holds no {name!r}") from error

    def unusable(self, reason: object) -> ModelUnusable:
        """The error that says why, and what to do."""
        return ModelUnusable(f"{reason}; {self._again}")

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """The folder's manifest.

        Raises:
            ModelUnusable: It is not there, or is damaged.
        """
        try:
            return read_manifest(self.folder)
        except ModelUnusable as error:
            raise self.unusable(error) from error

    def logits(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """The model's raw scores, [pairs, outputs].

        Args:
            pairs: Any number; what exceeds the model's window is cut, the longer text first.

        Raises:
            ModelUnusable: A file is missing, was altered, or is not a model this version runs.
        """
        tokenizer, session = self._loaded

        def run(encoding: Encoding) -> NDArray[np.float32]:
            # One pair a run: the integer layers take one scale for all that they are run with.
            inputs = [np.array([row], np.int32) for row in (encoding.ids, token_kinds(encoding))]
            return session.run(inputs)[0]

        encodings = tokenizer.encode_batch(list(pairs))
        found = list(self._pool.map(run, encodings)) if len(encodings) > 1 else [run(each) for each in encodings]
        return np.concatenate(found).astype(np.float64)

    def knows(self, word: str) -> bool:
        """Whether the vocabulary has a word whole, whatever its case; rare words are read in pieces.

        Raises:
            ModelUnusable: As ``logits``.
        """
        tokenizer, _ = self._loaded
        return tokenizer.token_to_id(word.lower()) is not None

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        from programs.models.text_model import cores

        return ThreadPoolExecutor(cores(), "pair-model")

    @property
    def _loaded(self) -> tuple[Tokenizer, Session]:
        with self._loading:
            return self._parts

    @cached_property
    def _parts(self) -> tuple[Tokenizer, Session]:
        from tokenizers import Tokenizer

        from programs.models.session import Session

        try:
            files = read_files(self.folder)
            session = Session(files.model)
        except ModelUnusable as error:
            raise self.unusable(error) from error
        tokenizer = Tokenizer.from_str(files.tokenizer.decode("utf-8"))
        tokenizer.no_padding()
        tokenizer.enable_truncation(int(self.value("tokens")), strategy="longest_first")
        return tokenizer, session
