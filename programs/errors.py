"""Every error this project raises on purpose, in one tree.

    CorroborateError                exit code 1
    ├── UsageError                  exit code 2: wrong arguments or configuration
    │   ├── UnknownFilterField
    │   └── MissingExtra
    ├── IngestError                 a file that cannot be read
    │   ├── EmptyFile
    │   ├── NoText
    │   ├── UnreadableText
    │   ├── EncryptedFile
    │   ├── UnsafeFile
    │   ├── UnsupportedFormat
    │   └── DuplicateDocument
    ├── RetrievalError
    │   ├── IndexNotFound
    │   ├── IndexMismatch
    │   ├── IndexLocked
    │   ├── IndexCorrupt
    │   ├── StoreUnavailable
    │   └── EmbedderUnavailable
    ├── LMError
    │   ├── LMUnavailable
    │   ├── ModelNotFound
    │   ├── LMTimeout
    │   ├── ContextExceeded
    │   ├── OutputTruncated
    │   └── MalformedOutput
    ├── ModelUnusable               a small model's file is damaged, of other weights, or of a kind not built
    └── StateMismatch               a compiled state that does not fit the program

A message says what was received and what to do next.
"""

from __future__ import annotations

from pathlib import Path


class CorroborateError(Exception):
    """Base of every error raised on purpose; catch it to catch them all."""

    exit_code = 1


class UsageError(CorroborateError, ValueError):
    """Wrong arguments or configuration; nothing was started."""

    exit_code = 2


class UnknownFilterField(UsageError):
    """A filter names a field that no indexed document has."""


class MissingExtra(UsageError):
    """What was asked for needs libraries that are installed by an extra, see ``programs.extras``."""


class IngestError(CorroborateError):
    """One file could not be read; the others are not affected.

    Args:
        path: The file as the user named it.
        reason: What is wrong with it, in a few words.
        action: What the user can do next.
    """

    def __init__(self, path: str | Path, reason: str, action: str) -> None:
        self.path = str(path)
        self.reason = reason
        self.action = action
        super().__init__(f"{self.path}: {reason}; {action}")


class EmptyFile(IngestError):
    """The file holds no bytes or only white space."""


class NoText(IngestError):
    """The file is of a known format but holds no text, such as a scanned PDF."""


class UnreadableText(IngestError):
    """The file holds text that cannot be read: letters torn apart, a broken character map, lines mixed."""


class EncryptedFile(IngestError):
    """The file needs a password."""


class UnsafeFile(IngestError):
    """The file declares entities or nests deeper than a reader should follow."""


class UnsupportedFormat(IngestError):
    """No reader knows the file: its name, or its content under a known name."""


class DuplicateDocument(IngestError):
    """Two files of one run give the same document id."""


class RetrievalError(CorroborateError):
    """An index, store or embedder could not do its part."""


class IndexNotFound(RetrievalError):
    """There is no index at the given place."""

    exit_code = UsageError.exit_code


class IndexMismatch(RetrievalError):
    """The index was made with another embedder, chunking or version."""


class IndexLocked(RetrievalError):
    """Another process holds the index."""


class IndexCorrupt(RetrievalError):
    """The index folder is there but cannot be opened."""


class NoRoom(RetrievalError):
    """The disk of an index is full, or nearly; what was committed is kept."""


class StoreUnavailable(RetrievalError):
    """A Qdrant server does not answer, or refuses."""


class EmbedderUnavailable(RetrievalError):
    """The embedding model cannot be loaded, or its weights are not the expected ones."""


class LMError(CorroborateError):
    """A language model could not answer."""


class LMUnavailable(LMError):
    """No server answers at the configured address, or the connection was interrupted."""


class ModelNotFound(LMError):
    """The server does not have the model."""


class LMTimeout(LMError):
    """The server did not answer in time."""


class ContextExceeded(LMError):
    """Prompt and answer together do not fit the model's context."""


class OutputTruncated(LMError):
    """The answer was cut off at its token limit; ``partial`` holds the text up to there."""

    partial: str = ""


class MalformedOutput(LMError):
    """The server's answer is not what its protocol promises."""


class ModelUnusable(CorroborateError):
    """A file of a small model is damaged, was made from other weights or by another version, or is of another kind."""


class StateMismatch(CorroborateError):
    """A compiled state was made for other signatures or parameters than the program has."""


def one_line(error: Exception, longest: int = 200) -> str:
    """What an error says, on one line of so many characters at most."""
    return " ".join(str(error).split())[:longest]


def check_least(values: object, **least: int) -> None:
    """Refuse, by a ``UsageError``, a number that is below its least; None, where a number may be that, passes."""
    for name, smallest in least.items():
        value = getattr(values, name)
        if value is not None and value < smallest:
            raise UsageError(f"{name} must be at least {smallest}, got {value}")


def check_shares(values: object, *names: str) -> None:
    """Refuse, by a ``UsageError``, numbers that are not in [0, 1]."""
    for name in names:
        if not 0 <= (value := getattr(values, name)) <= 1:
            raise UsageError(f"{name} must be in [0, 1], got {value}")
