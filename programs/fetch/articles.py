"""A run: skips papers that are there, downloads the others, and goes on past what fails.

A download has a hidden name beside its final one, and gets that only when it is whole and the right paper: what stands
under a final name can be read, however a run ended.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from programs.errors import CorroborateError, IngestError, UsageError
from programs.fetch.server import ArticleServer, FetchError, ServerUnavailable
from programs.ingest.jats import read_front
from programs.ingest.xml_parsing import Element, child, children, name, parse

MAX_FAILURES = 3
"""Papers in a row for which the server is unavailable, before the rest is not tried."""

_HEAD_BYTES = 256

FetchProgress: TypeAlias = Callable[[int, str], None]
"""Told how many papers are behind, and the last one's PMCID."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What happened to a run's papers.

    Attributes:
        fetched: Brought now.
        present: There before, whole.
        failures: Not brought, with their reasons.
        not_tried: Left out because the server was unavailable for ``MAX_FAILURES`` papers in a row.
    """

    fetched: tuple[str, ...]
    present: tuple[str, ...]
    failures: tuple[FetchError, ...]
    not_tried: tuple[str, ...]


def fetch_articles(
    pmcids: Sequence[str], folder: Path, server: ArticleServer, on_progress: FetchProgress | None = None
) -> Fetched:
    """Bring articles into a folder, as ``PMC2654319.xml``.

    Args:
        pmcids: As ``programs.fetch.pmcids.parse`` writes them, each once.
        folder: Where to; made when it is not there.
        server: Where from.
        on_progress: Called after each paper.

    Raises:
        UsageError: The folder cannot be made.
        CorroborateError: A file cannot be written; what is there is kept.
    """
    _make(folder)
    run = _Run(folder, server)
    for done, pmcid in enumerate(pmcids, start=1):
        run.bring(pmcid)
        if on_progress:
            on_progress(done, pmcid)
    return Fetched(tuple(run.fetched), tuple(run.present), tuple(run.failures), tuple(run.not_tried))


class _Run:
    def __init__(self, folder: Path, server: ArticleServer) -> None:
        self._folder = folder
        self._server = server
        self._unavailable = 0
        self.fetched: list[str] = []
        self.present: list[str] = []
        self.failures: list[FetchError] = []
        self.not_tried: list[str] = []

    def bring(self, pmcid: str) -> None:
        """Have one paper, or note why not."""
        path = self._folder / f"{pmcid}.xml"
        if _is_whole(path):
            self.present.append(pmcid)
        elif self._unavailable >= MAX_FAILURES:
            self.not_tried.append(pmcid)
        else:
            self._fetch(pmcid, path)

    def _fetch(self, pmcid: str, path: Path) -> None:
        try:
            self._download(pmcid, path)
        except FetchError as error:
            self.failures.append(error)
            self._unavailable = self._unavailable + 1 if isinstance(error, ServerUnavailable) else 0
        except OSError as error:
            raise CorroborateError(
                f"{path} cannot be written ({error.strerror}); make room, and run the same command again"
            ) from error
        else:
            self.fetched.append(pmcid)
            self._unavailable = 0

    def _download(self, pmcid: str, path: Path) -> None:
        # Hidden, so that indexing passes it by; with the process's number, so that two runs do not share it.
        part = path.with_name(f".{pmcid}.{os.getpid()}.part")
        try:
            self._server.download(pmcid, part)
            _check(pmcid, part)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"{folder} cannot be a folder for papers ({error.strerror}); name another one with --output"
        ) from error


def _is_whole(path: Path) -> bool:
    """Whether a file is there that an article can be read from; one that is cut off or empty is brought again."""
    try:
        return path.is_file() and _is_article(root := parse(path)) and _has_text(root)
    except (IngestError, OSError):
        return False


def _check(pmcid: str, path: Path) -> None:
    """Let only the right article get its name.

    Raises:
        FetchError: It is no JATS, or another paper, or without text.
    """
    if _is_web_page(path):
        raise FetchError(pmcid, "a web page came instead of XML", "check --base, and what the network puts in between")
    try:
        root = parse(path)
    except IngestError as error:
        raise FetchError(pmcid, f"what came cannot be read: {error.reason}", "run the same command again") from error
    if not _is_article(root):
        raise FetchError(pmcid, f"what came is no JATS article (its root element is <{name(root)}>)", "check --base")
    own = read_front(root).pmcid
    if own and own != pmcid:
        raise FetchError(pmcid, f"another paper came, {own}", "check --base, or report it there")
    if not _has_text(root):
        reason = "an article without text came: it has neither abstract nor body"
        raise FetchError(pmcid, reason, "get its PDF from the publisher and put it beside the others")


def _is_web_page(path: Path) -> bool:
    with path.open("rb") as file:
        start = file.read(_HEAD_BYTES).lstrip().lower()
    return start.startswith((b"<!doctype html", b"<html"))


def _is_article(root: Element) -> bool:
    return name(root) == "article" and any(child(root, part) is not None for part in ("front", "body"))


def _has_text(root: Element) -> bool:
    """Whether abstract or body hold text beside their titles."""
    body, meta = child(root, "body"), child(root, "front/article-meta")
    abstracts = [] if meta is None else children(meta, "abstract", "trans-abstract")
    return any(map(_says, [*abstracts, *([] if body is None else [body])]))


def _says(part: Element) -> bool:
    return name(part) not in ("title", "label") and bool(
        (part.text or "").strip() or any(_says(each) or (each.tail or "").strip() for each in part)
    )
