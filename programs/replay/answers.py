"""Whether sentences and certificates of an answer are those that its passages make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from programs.certificate import certify, measures, uncited, unresolved
from programs.replay.faults import Fault, differences, printable
from programs.replay.saved import SavedAnswer


def answer_faults(saved: SavedAnswer) -> Iterator[Fault]:
    """Sentences that cite what was not given, or nothing without being listed; and a false ``answerable``."""
    for claim in unresolved(saved.answer, saved.passages):
        yield Fault("answer", f"{claim.claim!r}: {claim.reason}")
    if "answerable" not in saved.missing and saved.answerable is not bool(saved.answer):
        yield Fault("answerable", f"it is {saved.answerable!r}, the answer has {len(saved.answer)} characters")
    made, listed = Counter(uncited(saved.answer, saved.passages)), Counter(saved.uncited)
    for sentence in made - listed:
        yield Fault("answer", f"{sentence!r} cites nothing, and the file does not list it as uncited")
    for sentence in listed - made:
        yield Fault("uncited", f"{sentence!r} is no sentence of the answer that cites nothing")


def citation_faults(saved: SavedAnswer) -> Iterator[Fault]:
    """Certificates that differ from those that the answer makes, and counts that are not theirs."""
    citations = certify(saved.answer, saved.passages)
    made = [citation.as_dict() for citation in citations]
    if len(made) == len(saved.citations):
        for number, (expected, found) in enumerate(zip(made, saved.citations, strict=True), start=1):
            yield from differences(_named(number, found), expected, found)
    else:
        yield Fault("citations", f"the answer makes {len(made)}, the file holds {len(saved.citations)}")
        yield from _unpaired(made, saved.citations)
    if "metrics" not in saved.missing:
        counted = measures(saved.answer, saved.passages, citations)
        stated = {name: saved.metrics[name] for name in counted if name in saved.metrics}
        yield from differences("metrics", counted, stated)


def _unpaired(made: Sequence[Mapping[str, Any]], stored: Sequence[Mapping[str, Any]]) -> Iterator[Fault]:
    for number, each in enumerate(made, start=1):
        if each not in stored:
            yield Fault(
                _named(number, each), f"[{each['marker']}] in {each['sentence']!r} has no certificate in the file"
            )
    for number, found in enumerate(stored, start=1):
        if found not in made:
            yield Fault(_named(number, found), "the answer makes no such citation")


def _named(number: int, citation: Mapping[str, Any]) -> str:
    return f"citation {number} ({printable(citation.get('passage', '?'))})"
