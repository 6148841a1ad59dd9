"""Finds papers among files and folders, and reads each with the reader for its format.

for result in read_all(discover([Path("papers/")])):
if isinstance(result, IngestError): ...   # this one is broken; the others go on
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Final

from programs.errors import DuplicateDocument, IngestError, NoText, UnsupportedFormat, UsageError
from programs.ingest.document import Document
from programs.ingest.metadata import MetadataTable
from programs.ingest.storable import storable

# Modules by name, each with a ``read(path) -> Document``: loaded when the first such file is read.
READERS: Final[Mapping[str, str]] = {
    ".json": "programs.ingest.article_json",
    ".markdown": "programs.ingest.markdown",
    ".md": "programs.ingest.markdown",
    ".nxml": "programs.ingest.jats",
    ".pdf": "programs.ingest.pdf",
    ".txt": "programs.ingest.plain_text",
    ".xml": "programs.ingest.jats",
}
# JSON is mostly something else: in a folder only this name is taken for a paper.
_ARTICLE_JSON = "article.json"


def read(path: str | Path) -> Document:
    """The paper in a file, by the reader for its ending.

    Raises:
        UnsupportedFormat: No reader knows the ending, or the content under it.
        IngestError: Any other fault of the file, by its own class.
    """
    path = Path(path)
    module = READERS.get(path.suffix.lower())
    if module is None:
        known = ", ".join(sorted(READERS))
        raise UnsupportedFormat(
            path, f"no reader for {path.suffix or 'a file without ending'!r}", f"convert it to one of {known}"
        )
    document: Document = import_module(module).read(path)
    return document


def discover(paths: Iterable[Path]) -> list[Path]:
    """The papers among files and folders, each once.

    A file that is named is taken whatever its ending; a folder is searched through all its levels for known endings,
    in the order of their names, without hidden files and folders.

    Raises:
        UsageError: A path does not exist.
    """
    found: list[Path] = []
    for path in map(Path, paths):
        if not path.exists():
            raise UsageError(f"No file or folder at {path}; check the path")
        found.extend(_papers_in(path) if path.is_dir() else [path])
    return list({path.resolve(): path for path in reversed(found)}.values())[::-1]


def read_all(
    paths: Iterable[Path], metadata: MetadataTable | None = None, taken: Mapping[str, Path] | None = None
) -> Iterator[Document | IngestError]:
    """Read files one by one; each gives its document, or its error when it cannot be read.

    Two files that give the same document id are an error of the second one.

    Args:
        paths: Files, as ``discover`` finds them.
        metadata: What else is known about them.
        taken: Document ids that other files have given before, with those files.
    """
    file_of: dict[str, Path] = dict(taken or {})
    for path in paths:
        try:
            document = _read_any(path)
        except IngestError as error:
            yield error
            continue
        if not document.text.strip():
            yield NoText(path, "no text in this file", "give the paper with its text")
            continue
        document = storable(document if metadata is None else metadata.apply(document))
        first = file_of.setdefault(document.id, path)
        if first is path:
            yield document
        else:
            reason = f"the same document id {document.id} as {first}"
            yield DuplicateDocument(path, reason, "remove one of the two, or rename it if it is another paper")


def _read_any(path: Path) -> Document:
    """Like ``read``, but a fault that no reader foresaw is an ``IngestError`` too, with its cause."""
    try:
        return read(path)
    except IngestError:
        raise
    except Exception as error:  # parsers of strangers' files fail in ways that nobody lists
        reason = f"its reader failed ({type(error).__name__}: {error})"
        raise IngestError(path, reason, "report this file, or convert it to another format") from error


def _papers_in(folder: Path) -> Iterator[Path]:
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if not name.startswith(".") and _is_paper(name):
                yield Path(parent, name)


def _is_paper(name: str) -> bool:
    ending = Path(name).suffix.lower()
    return name.lower() == _ARTICLE_JSON if ending == ".json" else ending in READERS
