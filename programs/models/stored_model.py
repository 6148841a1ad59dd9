"""A small model's folder, of which every byte is checked before it is used.

    model.onnx       the graph with its weights
    tokenizer.json   as the `tokenizers` library reads it
    manifest.json    {"made_from": {"weights": "53aa…", "builder": 1, "number_format": "int8"}, "tokens": 256,
                      "files": {"model.onnx": "<SHA-256>", "tokenizer.json": "<SHA-256>"}}

Such a folder comes with the project, or is made once from the weights in another package and kept in the cache.
"""

from __future__ import annotations

import hashlib
import json
import logging
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import portalocker

from programs.errors import ModelUnusable
from programs.files import put_folder

logger = logging.getLogger(__name__)

BUILDER_VERSION = 2
"""Raise it when `bert_graph` makes another graph of the same weights: graphs kept from before are then made again."""
MODEL, TOKENIZER, MANIFEST = "model.onnx", "tokenizer.json", "manifest.json"
WAIT = 120.0
"""Seconds to wait for another process that makes the same model, which takes seconds; then it is made here too."""


@dataclass(frozen=True, slots=True)
class MadeFrom:
    """What a model was made from, and how; a kept model is used only where all of it is as expected.

    Attributes:
        weights: SHA-256 (hex) of the safetensors file.
        number_format: "int8" or "float32".
        builder: Version of the code that made the graph.
    """

    weights: str
    number_format: str
    builder: int = BUILDER_VERSION


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A folder whose hashes are right, in memory.

    Attributes:
        manifest: Its `manifest.json`; `tokens` in it is the longest input the model reads.
        model: An ONNX model.
        tokenizer: A tokenizer's JSON.
    """

    manifest: Mapping[str, Any]
    model: bytes
    tokenizer: bytes


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A model's files, in memory.

    Attributes:
        made_from: Their origin.
        tokens: The longest input the model reads.
        model: An ONNX model.
        tokenizer: A tokenizer's JSON.
    """

    made_from: MadeFrom
    tokens: int
    model: bytes
    tokenizer: bytes


def read_model(folder: Path, expected: MadeFrom) -> StoredModel:
    """Read and check a model's folder.

    Raises:
        ModelUnusable: It is not there, a file is damaged, or it was made from something else; the message says which.
    """
    files = read_files(folder)
    try:
        made_from, tokens = MadeFrom(**files.manifest["made_from"]), int(files.manifest["tokens"])
    except (ValueError, KeyError, TypeError) as error:
        raise _damaged(folder, error) from error
    for name, wanted in asdict(expected).items():
        if (found := getattr(made_from, name)) != wanted:
            raise ModelUnusable(f"{folder} was made with {name} {found!r}, not {wanted!r}")
    return StoredModel(made_from, tokens, files.model, files.tokenizer)


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
    return ModelFiles(manifest, found[MODEL], found[TOKENIZER])


def read_manifest(folder: Path) -> dict[str, Any]:
    """A folder's manifest, with a SHA-256 for each of its files.

    Raises:
        ModelUnusable: It is not there, or is damaged.
    """
    try:
        manifest: dict[str, Any] = json.loads(_read(folder / MANIFEST).decode("utf-8"))
        manifest["files"] = {name: str(manifest["files"][name]) for name in (MODEL, TOKENIZER)}
    except (ValueError, KeyError, TypeError) as error:  # JSON that is cut, or holds other things
        raise _damaged(folder, error) from error
    return manifest


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise ModelUnusable(f"{error.filename} is not there") from error
    except OSError as error:
        raise ModelUnusable(f"{error.filename} cannot be read: {error.strerror}") from error


def _damaged(folder: Path, error: Exception) -> ModelUnusable:
    return ModelUnusable(f"{folder / MANIFEST} is damaged ({type(error).__name__}: {error})")


def write_model(folder: Path, model: StoredModel) -> None:
    """Write a model's folder in one step: readers see all of it, or what was there before, or nothing.

    Raises:
        OSError: There is no room, or no right to write.
    """
    write_files(
        folder, ModelFiles({"made_from": asdict(model.made_from), "tokens": model.tokens}, model.model, model.tokenizer)
    )


def write_files(folder: Path, files: ModelFiles) -> None:
    """The same with any manifest; the files' hashes are added to it.

    Raises:
        OSError: There is no room, or no right to write.
    """
    contents = {MODEL: files.model, TOKENIZER: files.tokenizer}
    manifest = {**files.manifest, "files": {name: _sha256(content) for name, content in contents.items()}}
    contents[MANIFEST] = (json.dumps(manifest, indent=1) + "\n").encode()
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as temporary:
        new = Path(temporary, "new")
        new.mkdir()
        for name, content in contents.items():
            (new / name).write_bytes(content)
        put_folder(new, folder)


def kept_model(folder: Path, expected: MadeFrom, make: Callable[[], StoredModel]) -> StoredModel:
    """The model in a folder of the cache, made and kept there if it is not there as expected.

    Of several processes that need it at once one makes it and the others wait. A line of the log, which goes to stderr,
    says why it is made. Where it cannot be kept, it is made in every process, which another line says.

    Args:
        folder: Its place.
        expected: What it must have been made from.
        make: Makes it.
    """
    try:
        return read_model(folder, expected)
    except ModelUnusable:  # looked at again with the lock held: another process may be making it
        with _making(folder):
            return _made(folder, expected, make)


@contextmanager
def _making(folder: Path) -> Iterator[None]:
    """Hold the lock on a folder, or none where none can be had."""
    with ExitStack() as stack:
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            lock = portalocker.Lock(folder.parent / f"{folder.name}.lock", "a", timeout=WAIT)
            stack.enter_context(lock)
        except (OSError, portalocker.LockException) as error:
            logger.warning("%s cannot be locked (%s)", folder, error)
        yield


def _made(folder: Path, expected: MadeFrom, make: Callable[[], StoredModel]) -> StoredModel:
    try:
        return read_model(folder, expected)
    except ModelUnusable as reason:
        logger.warning("Making a model, once, in some seconds: %s", reason)
    model = make()
    try:
        write_model(folder, model)
    except OSError as error:
        logger.warning("%s cannot be kept, so every process makes it again: %s", folder, error)
    return model


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
