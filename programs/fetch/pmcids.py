"""Which papers are meant: PMCIDs from arguments and from lists.

    parse("2654319")                                                     "PMC2654319"
    parse("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC2654319/")       "PMC2654319"
    read_list("SB_publication_PMC.csv")                                  from its column of links

A list is a CSV or TSV file, where the PMCID stands in a column ``pmcid`` or else in a link or another
cell, or a text file with one PMCID or link a line, where lines that begin with # are comments.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from programs.errors import IngestError, UsageError
from programs.ingest.decoding import decode
from programs.ingest.identifiers import find_pmcid

_PMCID = re.compile(r"(?:PMC)?\s?(\d{1,9})(?:\.\d{1,2})?", re.IGNORECASE)
_PMCID_COLUMNS: Final = ("pmcid", "pmc_id", "pmc id", "pmc")
_DELIMITERS: Final = {".csv": ",", ".tsv": "\t"}


@dataclass(frozen=True, slots=True)
class PaperList:
    """What a list names.

    Attributes:
        pmcids: Each once, in the order of the list.
        without: Rows of a table in which no PMCID stands, as "line 7: …".
    """

    pmcids: tuple[str, ...]
    without: tuple[str, ...] = ()


def parse(text: str) -> str:
    """A PMCID as "PMC2654319", from itself, its digits, or a link that holds it; a version behind it is left out.

    Raises:
        UsageError: It is none of these.
    """
    found = _PMCID.fullmatch(text.strip())
    pmcid = f"PMC{found[1]}" if found else find_pmcid(text) if "://" in text else ""
    if not pmcid:
        raise UsageError(f"{text!r} is no PMCID; write it as PMC2654319, 2654319 or a link that holds it")
    return pmcid


def unique(pmcids: Iterable[str]) -> tuple[str, ...]:
    """Each PMCID once, where it first stands."""
    return tuple(dict.fromkeys(pmcids))


def read_list(path: str | Path) -> PaperList:
    """The PMCIDs in a file.

    Raises:
        UsageError: The file cannot be read, holds none, or a line of a text file is none.
    """
    path = Path(path)
    try:
        text = decode(path)
    except IngestError as error:
        raise UsageError(f"list of papers {error}") from error
    delimiter = _DELIMITERS.get(path.suffix.lower())
    try:
        found = _from_table(text, delimiter) if delimiter else PaperList(unique(_from_lines(text)))
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error
    if not found.pmcids:
        raise UsageError(f"{path} holds no PMCID; give a column pmcid, links to PMC, or one PMCID a line")
    return found


def _from_lines(text: str) -> Iterator[str]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip() and not line.lstrip().startswith("#"):
            try:
                yield parse(line)
            except UsageError as error:
                raise UsageError(f"line {number}: {error}") from error


def _from_table(text: str, delimiter: str) -> PaperList:
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
    try:
        rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise UsageError(f"line {reader.line_num}: {error}") from error
    heading = [name.strip().lower() for name in rows[0][1]] if rows else []
    column = next((heading.index(name) for name in _PMCID_COLUMNS if name in heading), None)
    is_headed = not any(map(find_pmcid, heading))  # a list without a heading begins with a paper
    found = [(line, row, _in_row(row, column)) for line, row in rows[is_headed:]]
    return PaperList(
        pmcids=unique(pmcid for _, _, pmcid in found if pmcid),
        without=tuple(f"line {line}: no PMCID in {', '.join(row)!r}" for line, row, pmcid in found if not pmcid),
    )


def _in_row(row: list[str], column: int | None) -> str:
    """The PMCID of a table's row: from its own column, else from a link, else from any cell; empty if there is none."""
    if column is not None and column < len(row) and (found := _PMCID.fullmatch(row[column].strip())):
        return f"PMC{found[1]}"
    links_first = sorted(row, key=lambda cell: "://" not in cell)
    return next(filter(None, map(find_pmcid, links_first)), "")
