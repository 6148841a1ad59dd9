"""Fetches papers by PMCID into a folder: skips those that are there, downloads the others, and continues past failures.

    parse_pmcid("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC2654319/")       "PMC2654319"
    read_list("SB_publication_PMC.csv")                                        from its column of links

A list is a CSV or TSV file, where the PMCID is in a column ``pmcid`` or else in a link or another cell; or a text
file with one PMCID or link a line, where lines that begin with # are comments.

A download has a hidden name beside its final one, which it gets only when it is complete and the right paper: a file
under a final name can be read, however a run ended.
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from programs.errors import CorroborateError, IngestError, UsageError
from programs.fetch.server import ArticleServer, FetchError, ServerUnavailable
from programs.ingest.decoding import Element, child, decode, name, parse
from programs.ingest.front_matter import find_pmcid
from programs.ingest.jats import read_front

_PMCID = re.compile(r"(?:PMC)?\s?(\d{1,9})(?:\.\d{1,2})?", re.IGNORECASE)
_PMCID_COLUMNS: Final = ("pmcid", "pmc_id", "pmc id", "pmc")
_DELIMITERS: Final = {".csv": ",", ".tsv": "\t"}


@dataclass(frozen=True, slots=True)
class PaperList:
    """What a list names, each once in its order, and the rows of a table without a PMCID, as "line 7: …"."""

    pmcids: tuple[str, ...]
    without: tuple[str, ...] = ()


def parse_pmcid(text: str) -> str:
    """A PMCID as "PMC2654319", from itself, its digits, or a link that holds it; a version behind it is left out."""
    found = _PMCID.fullmatch(text.strip())
    pmcid = f"PMC{found[1]}" if found else find_pmcid(text) if "://" in text else ""
    if not pmcid:
        raise UsageError(f"{text!r} is not a PMCID; write it as PMC2654319, 2654319 or a link that holds it")
    return pmcid


def read_list(path: str | Path) -> PaperList:
    """The PMCIDs in a file; a ``UsageError`` where there are none, or a line of a text file is not a PMCID."""
    path = Path(path)
    try:
        text = decode(path)
    except IngestError as error:
        raise UsageError(f"list of papers {error}") from error
    delimiter = _DELIMITERS.get(path.suffix.lower())
    try:
        found = _from_table(text, delimiter) if delimiter else PaperList(tuple(dict.fromkeys(_from_lines(text))))
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error
    if not found.pmcids:
        raise UsageError(f"{path} holds no PMCID; give a column pmcid, links to PMC, or one PMCID a line")
    return found


def _from_lines(text: str) -> Iterator[str]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip() and not line.lstrip().startswith("#"):
            try:
                yield parse_pmcid(line)
            except UsageError as error:
                raise UsageError(f"line {number}: {error}") from error


def _from_table(text: str, delimiter: str) -> PaperList:
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
    try:
        rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise UsageError(f"line {reader.line_num}: {error}") from error
    heading = [name.strip().lower() for name in rows[0][1]] if rows else []
    column = next((heading.index(name) for name in _PMCID_COLUMNS if name in heading), len(heading))
    is_headed = not any(map(find_pmcid, heading))  # a list without a heading begins with a paper
    pmcids: dict[str, None] = {}
    without = []
    for line, row in rows[is_headed:]:
        own = _PMCID.fullmatch("".join(row[column : column + 1]).strip())
        links_first = sorted(row, key=lambda cell: "://" not in cell)
        if pmcid := f"PMC{own[1]}" if own else next(filter(None, map(find_pmcid, links_first)), ""):
            pmcids[pmcid] = None
        else:
            without.append(f"line {line}: no PMCID in {', '.join(row)!r}")
    return PaperList(tuple(pmcids), tuple(without))


MAX_FAILURES = 3
"""Papers in a row for which the server is unavailable, after which the rest is not tried."""

_HEAD_BYTES = 256
_TEXT: Final = (
    "boolean((*[local-name()='body'] | *[local-name()='front']/*[local-name()='article-meta']"
    "/*[local-name()='abstract' or local-name()='trans-abstract'])"
    "//text()[normalize-space() and not(ancestor::*[local-name()='title' or local-name()='label'])])"
)
"""XPath: whether abstract or body have text beside titles and labels."""

FetchProgress: TypeAlias = Callable[[int, str], None]
"""Called with the number of papers done, and the PMCID of the last one."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What happened to a run's papers.

    ``present`` ones were complete before it; ``not_tried`` are left out because the server was unavailable for
    ``MAX_FAILURES`` papers in a row.
    """

    fetched: tuple[str, ...]
    present: tuple[str, ...]
    failures: tuple[FetchError, ...]
    not_tried: tuple[str, ...]


def fetch_articles(
    pmcids: Sequence[str], folder: Path, server: ArticleServer, on_progress: FetchProgress | None = None
) -> Fetched:
    """Fetch articles, each once, into a folder, as ``PMC2654319.xml``; ``on_progress`` is called after each.

    Raises:
        UsageError: The folder cannot be made.
        CorroborateError: A file cannot be written; what is there is kept.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        said = f"{folder} cannot be a folder for papers ({error.strerror}); name another one with --output"
        raise UsageError(said) from error
    fetched, present, not_tried = [], [], []
    failures: list[FetchError] = []
    unavailable = 0
    for done, pmcid in enumerate(pmcids, start=1):
        path = folder / f"{pmcid}.xml"
        if _is_whole(path):
            present.append(pmcid)
        elif unavailable >= MAX_FAILURES:
            not_tried.append(pmcid)
        else:
            try:
                _download(server, pmcid, path)
            except FetchError as error:
                failures.append(error)
                unavailable = unavailable + 1 if isinstance(error, ServerUnavailable) else 0
            else:
                fetched.append(pmcid)
                unavailable = 0
        if on_progress:
            on_progress(done, pmcid)
    return Fetched(tuple(fetched), tuple(present), tuple(failures), tuple(not_tried))


def _download(server: ArticleServer, pmcid: str, path: Path) -> None:
    # Hidden, so that indexing passes it by; with the process's number, so that two runs do not share it.
    part = path.with_name(f".{pmcid}.{os.getpid()}.part")
    try:
        server.download(pmcid, part)
        _check(pmcid, part)
        part.replace(path)
    except OSError as error:
        raise CorroborateError(
            f"{path} cannot be written ({error.strerror}); make room, and run the same command again"
        ) from error
    finally:
        part.unlink(missing_ok=True)


def _is_whole(path: Path) -> bool:
    """Whether a file is there that an article can be read from; one that is truncated or empty is fetched again."""
    try:
        return path.is_file() and _is_article(root := parse(path)) and _has_text(root)
    except (IngestError, OSError):
        return False


def _check(pmcid: str, path: Path) -> None:
    """Check that a download is the article that was asked for: JATS, of that number, with a text."""
    with path.open("rb") as file:
        start = file.read(_HEAD_BYTES).lstrip().lower()
    if start.startswith((b"<!doctype html", b"<html")):
        raise FetchError(pmcid, "a web page came instead of XML", "check --base, and what the network puts in between")
    try:
        root = parse(path)
    except IngestError as error:
        raise FetchError(pmcid, f"what came cannot be read: {error.reason}", "run the same command again") from error
    if not _is_article(root):
        raise FetchError(pmcid, f"what came is not a JATS article (its root element is <{name(root)}>)", "check --base")
    own = read_front(root).pmcid
    if own and own != pmcid:
        raise FetchError(pmcid, f"another paper came, {own}", "check --base, or report it there")
    if not _has_text(root):
        reason = "an article without text came: it has neither abstract nor body"
        raise FetchError(pmcid, reason, "get its PDF from the publisher and put it beside the others")


def _is_article(root: Element) -> bool:
    return name(root) == "article" and any(child(root, part) is not None for part in ("front", "body"))


def _has_text(root: Element) -> bool:
    """Whether abstract or body hold text beside their titles."""
    return bool(root.xpath(_TEXT))
