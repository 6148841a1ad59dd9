"""The small models the project brings along, run by ONNX Runtime: no torch between a question and its answer.

Of a model's folder every byte is checked before it is used. `optimize.training` made them.

    model.onnx       the graph with its weights
    tokenizer.json   as the `tokenizers` library reads it
    manifest.json    {"tokens": 256, "files": {"model.onnx": "<SHA-256>", "tokenizer.json": "<SHA-256>"}}
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from programs.errors import ModelUnusable

if TYPE_CHECKING:
    from typing import Self

    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Encoding

    from programs.models.session import TextModel

V = TypeVar("V")
MODEL, TOKENIZER, MANIFEST = "model.onnx", "tokenizer.json", "manifest.json"


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A folder whose hashes are right, in memory.

    Attributes:
        manifest: Its `manifest.json` without the hashes; `tokens` in it is the longest input the model reads.
        model: An ONNX model.
        tokenizer: A tokenizer's JSON.
    """

    manifest: Mapping[str, Any]
    model: bytes
    tokenizer: bytes


def read_files(folder: Path) -> ModelFiles:
    """Read a folder's files and compare their SHA-256 with the manifest's.

    Raises:
        ModelUnusable: One is not there, or is damaged; the message says which.
    """
    manifest = read_manifest(folder)
    found = {name: _read(folder / name) for name in (MODEL, TOKENIZER)}
    for name, content in found.items():
        if (sha256 := _sha256(content)) != manifest["files"][name]:
            raise ModelUnusable(f"{folder / name} is damaged: its SHA-256 is {sha256}, not {manifest['files'][name]}")
    del manifest["files"]
    return ModelFiles(manifest, found[MODEL], found[TOKENIZER])


def read_manifest(folder: Path) -> dict[str, Any]:
    """A folder's manifest, with a SHA-256 for each of its files; ``ModelUnusable`` if it is missing or damaged."""
    try:
        manifest: dict[str, Any] = json.loads(_read(folder / MANIFEST).decode("utf-8"))
        manifest["files"] = {name: str(manifest["files"][name]) for name in (MODEL, TOKENIZER)}
    except (ValueError, KeyError, TypeError) as error:  # JSON that is cut, or holds other things
        raise ModelUnusable(f"{folder / MANIFEST} is damaged ({type(error).__name__}: {error})") from error
    return manifest


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise ModelUnusable(f"{error.filename} is not there") from error
    except OSError as error:
        raise ModelUnusable(f"{error.filename} cannot be read: {error.strerror}") from error


def write_files(folder: Path, files: ModelFiles) -> None:
    """Write a model's folder, with hashes in its manifest, in one step: readers see all of it, or the one before."""
    contents = {MODEL: files.model, TOKENIZER: files.tokenizer}
    manifest = {**files.manifest, "files": {name: _sha256(content) for name, content in contents.items()}}
    contents[MANIFEST] = (json.dumps(manifest, indent=1) + "\n").encode()
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as temporary:
        new = Path(temporary, "new")
        new.mkdir()
        for name, content in contents.items():
            (new / name).write_bytes(content)
        if folder.exists():
            folder.rename(Path(temporary, "old"))
        new.rename(folder)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def token_kinds(encoding: Encoding) -> list[int]:
    """What each token of an encoded pair is: 0 of the claim alone, 1 of the premise alone, 2 and 3 of both.

    A model of this size needs many examples to find out by itself which words two texts share.
    """
    tokens = list(zip(encoding.ids, encoding.type_ids, encoding.special_tokens_mask, strict=True))
    sides = [{token for token, kind, special in tokens if kind == side and not special} for side in (0, 1)]
    both = sides[0] & sides[1]
    return [kind + 2 * (token in both and not special) for token, kind, special in tokens]


class SmallModel:
    """A model from a folder; safe to share between threads, the same text or pair always gets the same numbers.

    Nothing is read before it is needed: then the files' hashes are compared, and a ``ModelUnusable`` says what is
    missing, altered, or not of a kind that this version runs. Copies made by `copy.deepcopy` are the object itself:
    programs are copied by optimizers, weights are not.
    """

    shipped: ClassVar[Path]
    """The folder that comes with the project."""
    again: ClassVar[str] = "install the package again"
    """What to do when a file is damaged, for the error."""
    of_pairs: ClassVar[bool] = False
    """Whether it reads pairs of texts, with the kinds of their tokens."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or self.shipped
        self._loading = threading.Lock()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[type[Self], tuple[Path | None]]:
        return type(self), (None if self.folder == self.shipped else self.folder,)

    def value(self, name: str, read: Callable[[Any], V]) -> V:
        """What the manifest holds under a name, as ``read`` makes it of JSON; ``ModelUnusable`` if it cannot."""
        if name not in self.manifest:
            raise self.unusable(f"{self.folder / MANIFEST} holds no {name!r}")
        try:
            return read(self.manifest[name])
        except (KeyError, TypeError, ValueError) as error:
            raise self.unusable(f"{name!r} in {self.folder / MANIFEST} cannot be read ({error})") from error

    def unusable(self, reason: object) -> ModelUnusable:
        """The error that says why, and what to do."""
        return ModelUnusable(f"{reason}; {self.again}")

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """The folder's manifest."""
        try:
            return read_manifest(self.folder)
        except ModelUnusable as error:
            raise self.unusable(error) from error

    @property
    def loaded(self) -> TextModel:
        """The model with its tokenizer."""
        with self._loading:
            return self._model

    @cached_property
    def _model(self) -> TextModel:
        from programs.models.session import TextModel

        tokens = self.value("tokens", int)
        try:
            files = read_files(self.folder)
            return TextModel(files.model, files.tokenizer, tokens, token_kinds if self.of_pairs else None)
        except ModelUnusable as error:
            raise self.unusable(error) from error


class PairModel(SmallModel):
    """A cross-encoder from a folder."""

    of_pairs = True

    @property
    def name(self) -> str:
        """Name and the first digits of the SHA-256 of the weights."""
        return f"{self.value('name', str)}@sha256:{self.manifest['files'][MODEL][:12]}"

    def pair_logits(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """The model's raw scores, [pairs, outputs]; what exceeds the model's window is cut, the longer text first."""
        import numpy as np

        return np.stack(self.loaded.outputs(pairs)).astype(np.float64)

    def vocabulary_rank(self, word: str) -> int | None:
        """Place of a word in the vocabulary, whatever its case, whose words are by how often they are used.

        None for a word that it does not hold whole; rare words are read in pieces.
        """
        rank: int | None = self.loaded.tokenizer.token_to_id(word.lower())
        return rank
