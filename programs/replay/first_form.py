"""Answers that were saved before certificates held proofs: what of them can still be read again.

    form 1    one quote a certificate, and the verdict of support-check/1 on its passage; no ``form`` in the file
    form 2    several quotes, the verdict of all judges, and who they were

The check that gave the verdicts of form 1 was removed. Its quotes and places are compared with the papers; the verdicts
are not taken over, so that no file passes by calling itself an old one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from programs.passages.passage import Passage
from programs.replay.faults import Fault, printable
from programs.replay.saved import SavedAnswer


def old_faults(saved: SavedAnswer) -> Iterator[Fault]:
    """That the verdicts are of an old check, and quotes that do not stand where the file says."""
    yield Fault(
        "form",
        "it was saved before certificates held proofs, and its verdicts cannot be replayed; ask the question again",
    )
    passages = {passage.id: passage for passage in saved.passages}
    for number, citation in enumerate(saved.citations, start=1):
        name = citation.get("passage")
        passage = passages.get(name) if isinstance(name, str) else None
        if passage is None or not _stands(citation, passage):
            yield Fault(f"citation {number} ({printable(name)})", "its quote does not stand at its place in a passage")


def _stands(citation: Mapping[str, Any], passage: Passage) -> bool:
    start, end = citation.get("start"), citation.get("end")
    if type(start) is not int or type(end) is not int or not passage.start <= start <= end <= passage.end:
        return False
    return passage.text[start - passage.start : end - passage.start] == citation.get("quote")
