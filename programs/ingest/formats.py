"""Finds papers among files and folders, and reads each with the reader for its format.

    for result in read_all(discover([Path("papers/")])):
        if isinstance(result, IngestError): ...   # this one is broken; the others continue

``main`` runs in a process that reads papers for another one, which ``reader_processes`` starts. Paths come in and
documents go out, as JSON, one per line:

    "papers/bone.xml"        {"document": {"id": "bone", …}}
    "papers/empty.txt"       {"error": "EmptyFile", "path": "papers/empty.txt", "reason": "…", "action": "…"}
"""

from __future__ import annotations

import json
import math
import os
import re
import signal
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from programs.errors import (
    DuplicateDocument,
    IngestError,
    NoText,
    UnreadableText,
    UnsafeFile,
    UnsupportedFormat,
    UsageError,
)
from programs.ingest.document import Document
from programs.ingest.metadata import MetadataTable
from programs.ingest.paper_formats import BY_CONTENT, READERS, VERSIONS
from programs.ingest.readability import VERDICTS, judge_document
from programs.ingest.reader_processes import limit_memory, processes, read_side_by_side, reading_budget


def reading(name: str) -> str:
    """The reader for files of this name and its version, such as "pdf 4"; empty if there is none."""
    module = READERS.get(Path(name).suffix.lower())
    return f"{module.rpartition('.')[2]} {VERSIONS[module]}" if module else ""


def readings() -> list[str]:
    """All values that ``reading`` can return."""
    return sorted({reading(f"paper{ending}") for ending in READERS} | {""})


# What a file is by its first element; endings say it of files whose text does not.
_PROLOG = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s|<\?[^>]*\?>|<!--.{0,2000}?-->|<!(?i:DOCTYPE)[^>\[]*(?:\[[^\]]*\]\s*)?>)*<([A-Za-z][\w.:-]*)",
    re.DOTALL,
)
_JATS = re.compile(rb"<(?:\w+:)?(?:front|article-meta|journal-meta)\b|\bdtd-version=|\barticle-type=")
_SNIFFED: Final = 16_384


def _module(path: Path) -> str | None:
    """The reader for a file: by what its text begins as, where it is marked up, else by its ending."""
    module = READERS.get(path.suffix.lower())
    if module not in BY_CONTENT:
        return module
    try:
        with path.open("rb") as file:
            head = file.read(_SNIFFED)
    except OSError:
        return module  # its reader reports that
    first = _PROLOG.match(head)
    root = first[1].rpartition(b":")[2] if first else b""
    if root == b"TEI":
        return "programs.ingest.jats.tei"
    if root == b"pmc-articleset" or (root == b"article" and _JATS.search(head)):
        return "programs.ingest.jats"
    is_page = root.lower() == b"html" and module != "programs.ingest.markdown"
    return "programs.ingest.html" if is_page else module


_NO_NAME = re.compile(r"[^\w-]+")
_LARGEST = 2**63 - 1


def storable(document: Document) -> Document:
    """The document with metadata that can be stored and filtered; only what cannot be is changed.

    A name's odd characters become "_" (a dot or bracket would be read as a path); a number that is not finite or too
    large becomes text; a lone surrogate becomes "?".
    """
    metadata = {
        _NO_NAME.sub("_", _storable(name)) or "_": _storable(value) for name, value in document.metadata.items()
    }
    return replace(document, id=_storable(document.id), source=_storable(document.source), metadata=metadata)


def _storable(value: Any) -> Any:  # noqa: ANN401 - text stays text, and a number that can be stored a number
    if isinstance(value, list):
        return list(map(_storable, value))
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    is_storable = math.isfinite(value) if isinstance(value, float) else abs(value) <= _LARGEST
    return value if is_storable else str(value)


# JSON is mostly something else: in a folder only this name is taken for a paper.
_ARTICLE_JSON = "article.json"
_PAGES = (".htm", ".html", ".xhtml")
_LONG = 1.0
"""Seconds of reading after which processes are started; starting them takes about half of it."""


def read(path: str | Path) -> Document:
    """The paper in a file, by the reader for its ending.

    Raises:
        UnsupportedFormat: No reader knows the ending, or the content under it; or it is not a regular file.
        NoText: It has no letters.
        UnreadableText: What is in it is gibberish, in whatever way it is read.
        UnsafeFile: Reading it takes more time or memory than a paper may, see ``reading_budget``.
        IngestError: Any other fault of the file, by its own class, or one that no reader foresaw, with its cause.
    """
    path = Path(path)
    try:
        with reading_budget(path):
            return _read(path)
    except IngestError:
        raise
    except MemoryError as error:
        raise UnsafeFile(path, "reading it takes more memory than a paper may", "give the paper in parts") from error
    except Exception as error:  # parsers of strangers' files fail in ways that are not documented
        reason = f"its reader failed ({type(error).__name__}: {error})"
        raise IngestError(path, reason, "report this file, or convert it to another format") from error


def _read(path: Path) -> Document:
    require_file(path)
    module = _module(path)
    if module is None:
        known = ", ".join(sorted(READERS))
        raise UnsupportedFormat(
            path, f"no reader for {path.suffix or 'a file without ending'!r}", f"convert it to one of {known}"
        )
    reader = import_module(module)
    return _readable(path, reader.read(path), getattr(reader, "read_in_file_order", None))


def require_file(path: Path) -> None:
    """Refuse what would block its reader forever, such as a named pipe; called before a path is opened.

    Raises:
        IngestError: It is a folder, which ``discover`` gives when it cannot be read.
        UnsupportedFormat: It is there, and neither a regular file nor a folder.
    """
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            os.scandir(path).close()
    except FileNotFoundError:
        return  # opening it reports that
    except OSError as error:
        raise IngestError(
            path, f"cannot be read ({error.strerror})", "check its permissions; papers from it stay in the index"
        ) from error
    if stat.S_ISDIR(mode):
        raise IngestError(path, "a folder, not a file", "give the files in it")
    if not stat.S_ISREG(mode):
        raise UnsupportedFormat(path, "not a regular file but a pipe, socket or device", "copy its content into a file")


def _readable(path: Path, document: Document, second: Callable[[Path], Document] | None) -> Document:
    """The document, or what a second way of reading its file gives if that is more readable."""
    judged = judge_document(document)
    if second and judged.verdict != "readable":
        again = second(path)
        judged_again = judge_document(again)
        is_empty = not any(map(str.isalnum, again.text))
        if not is_empty and VERDICTS.index(judged_again.verdict) < VERDICTS.index(judged.verdict):
            document, judged = replace(again, metadata={**document.metadata, **again.metadata}), judged_again
    if judged.verdict == "unreadable":
        ways = "in both ways of reading it" if second else "in it"
        action = "get the paper as JATS XML or as another PDF, or run OCR on it, such as `ocrmypdf --force-ocr`"
        raise UnreadableText(
            path,
            f"no readable text {ways}: {'; '.join(judged.reasons)}",
            action if second else "check its encoding and how it was made, or give the paper in another format",
        )
    if not any(map(str.isalnum, document.text)):
        action = "give the paper with its text; for a PDF without any, or without character maps, run `ocrmypdf`"
        raise NoText(path, "no letters in this file", action)
    return document


def discover(paths: Iterable[Path]) -> list[Path]:
    """The papers among files and folders, each once.

    A file that is named is taken whatever its ending; a folder is searched through all its levels for known endings,
    in the order of their names, without hidden files and folders. A folder that cannot be read is given itself, so that
    reading it reports why.

    Raises:
        UsageError: A path does not exist.
    """
    found: list[Path] = []
    for path in map(Path, paths):
        if not path.exists():
            raise UsageError(f"No file or folder at {path}; check the path")
        unreadable: list[Path] = []
        files = _files_in(path, unreadable) if path.is_dir() else ()
        found += [each for each in files if not _why_no_paper(each)] if path.is_dir() else [path]
        found += unreadable
    return list({path.resolve(): path for path in reversed(found)}.values())[::-1]


def read_all(
    paths: Sequence[Path],
    metadata: MetadataTable | None = None,
    taken: Mapping[str, Path] | None = None,
    *,
    apart: bool = False,
) -> Iterator[Document | IngestError]:
    """Read files; each gives its document, or its error when it cannot be read, in the order of the files.

    What takes longer than a moment is read in several processes, some files ahead. Two files that give the same
    document id are an error of the second one.

    Args:
        paths: Files, as ``discover`` finds them.
        metadata: What else is known about them.
        taken: Document ids that other files have given before, with those files.
        apart: Read in separate processes from the first file on, where time and memory are bounded in any thread.
    """
    file_of: dict[str, Path] = dict(taken or {})
    for path, found in zip(paths, read_side_by_side(paths, 1) if apart else _each(paths), strict=True):
        if isinstance(found, IngestError):
            yield found
            continue
        document = storable(found if metadata is None else metadata.apply(found, path))
        first = file_of.setdefault(document.id, path)
        if first is path:
            yield document
        else:
            reason = f"the same document id {document.id} as {first}"
            yield DuplicateDocument(path, reason, "remove one of the two, or rename it if it is another paper")


def _each(paths: Sequence[Path]) -> Iterator[Document | IngestError]:
    """Read files in this process until starting others would have paid off, then the rest in those."""
    spent = 0.0
    for number, path in enumerate(paths):
        if spent >= _LONG and number + 1 < len(paths) and (count := processes()) > 1:
            yield from read_side_by_side(paths[number:], min(count, len(paths) - number))
            return
        began = time.monotonic()
        try:
            found: Document | IngestError = read(path)
        except IngestError as error:
            found = error
        spent += time.monotonic() - began
        yield found


def passed_over(paths: Iterable[Path]) -> dict[Path, str]:
    """The files in folders that ``discover`` does not take for papers, each with the reason.

    Hidden files and folders are skipped without a note.
    """
    files = (file for path in map(Path, paths) if path.is_dir() for file in _files_in(path, []))
    return {file: reason for file in files if (reason := _why_no_paper(file))}


def _files_in(folder: Path, unreadable: list[Path]) -> Iterator[Path]:
    """All files in a folder and its folders; what cannot be read is added to ``unreadable``."""
    for parent, folders, files in os.walk(folder, onerror=lambda error: unreadable.append(Path(error.filename))):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(parent, name) for name in sorted(files) if not name.startswith("."))


def _why_no_paper(file: Path) -> str:
    ending = file.suffix.lower()
    if ending == ".json":
        is_article = file.name.lower() == _ARTICLE_JSON
        return "" if is_article else f"JSON, of which only {_ARTICLE_JSON} is taken for a paper"
    if ending not in READERS:
        return f"no reader for {ending or 'a file without ending'}"
    return "part of a saved page" if ending in _PAGES and _is_of_saved_page(file.parent) else ""


def _is_of_saved_page(folder: Path) -> bool:
    """Whether a folder holds what a browser saved along with a page: "paper_files" beside "paper.html"."""
    stem = folder.name.removesuffix("_files")
    return stem != folder.name and any(folder.with_name(f"{stem}{ending}").exists() for ending in _PAGES)


def main() -> None:
    """Read each file that a line of the standard input names; end with the input, so as not to outlive the caller."""
    limit_memory()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all processes; the parent process ends this one
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)  # a library's output must not mix with the answers
    for line in sys.stdin:
        answers.write(json.dumps(answer(Path(json.loads(line)))) + "\n")
        answers.flush()


def answer(path: Path) -> dict[str, Any]:
    """What ``main`` writes about a file: its document, or the error."""
    try:
        return {"document": read(path).as_dict()}
    except IngestError as error:
        return {"error": type(error).__name__, "path": error.path, "reason": error.reason, "action": error.action}
