"""Proves a saved answer again from the papers, without a language model, and names everything that does not hold.

    ask … --output answer.json      passages, certificates and sentences without one, made from the papers
    verify answer.json              reads the papers, makes all of it again and compares

What holds afterwards: every passage stands in its paper, with that paper's title, DOI and section; every sentence has
exactly the certificates that it cites, with the quote, the place and the verdict that the deterministic check gives;
every sentence without one is listed. What cannot be proved: who wrote the answer, what a model said of it
(``unsupported_claims``, ``repairs``), what it cost, and the scores that brought the passages up.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from programs.certificate import certify, measures, uncited, unresolved
from programs.errors import UsageError
from programs.ingest.document import Document
from programs.passage import Passage

_OF_THE_PAPER = ("title", "year", "doi", "url")


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that does not replay.

    Attributes:
        what: Which citation or passage, by number and name.
        problem: What was expected and what was found.
    """

    what: str
    problem: str

    def __str__(self) -> str:
        return f"{self.what}: {self.problem}"


@dataclass(frozen=True, slots=True)
class _Saved:
    """A saved answer, as far as it can be proved."""

    answer: str
    answerable: bool | None
    passages: Sequence[Passage]
    citations: Sequence[Mapping[str, Any]]
    uncited: Sequence[str]
    metrics: Mapping[str, Any]


def replay(result: Mapping[str, Any], document: Callable[[str], Document]) -> list[Fault]:
    """Prove a saved answer again.

    Args:
        result: What ``ask --format json`` wrote.
        document: Gives a document by its id, as ``Index.document`` does; raises ``UsageError`` for an unknown one.

    Returns:
        Every difference by name; empty when all citations hold.

    Raises:
        UsageError: The result is not of the form that ``ask`` writes.
    """
    saved = _read(result)
    return [
        *_repeated(saved.passages),
        *(fault for passage in saved.passages for fault in _passage_faults(passage, document)),
        *_answer_faults(saved),
        *_citation_faults(saved),
    ]


def _read(result: Mapping[str, Any]) -> _Saved:
    missing = [name for name in ("answer", "passages", "citations") if name not in result]
    if missing:
        raise UsageError(f"this is no saved answer: it has no {', '.join(missing)}; make one with `ask --format json`")
    citations, listed, metrics = result["citations"], result.get("uncited", []), result.get("metrics", {})
    lists = isinstance(result["passages"], list) and isinstance(citations, list) and isinstance(listed, list)
    texts = lists and all(isinstance(each, str) for each in (result["answer"], *listed))
    if not (texts and isinstance(metrics, Mapping)):
        raise UsageError("answer, passages or citations are not as `ask --format json` writes them: text and two lists")
    if not all(isinstance(each, Mapping) for each in citations):
        raise UsageError("a citation of this answer is not as `ask --format json` writes it: an object with names")
    passages = [_passage(each) for each in result["passages"]]
    return _Saved(result["answer"], result.get("answerable"), passages, citations, listed, metrics)


def _passage(values: Any) -> Passage:  # noqa: ANN401 - whatever stands in the file
    names = {field.name for field in fields(Passage)}
    try:
        passage = Passage(**{key: values[key] for key in values if key in names})
    except TypeError as error:
        raise UsageError(f"a passage of this answer is not as `ask --format json` writes it: {error}") from error
    texts = (passage.id, passage.document_id, passage.text)
    if not all(isinstance(each, str) for each in texts) or not type(passage.start) is type(passage.end) is int:
        raise UsageError(f"the passage {passage.id!r} is not as `ask --format json` writes it: text, and whole offsets")
    return passage


def _repeated(passages: Sequence[Passage]) -> Iterator[Fault]:
    for name, count in Counter(passage.id for passage in passages).items():
        if count > 1:
            yield Fault(f"passage {name}", f"{count} passages have this id; each must have its own")


def _passage_faults(passage: Passage, document: Callable[[str], Document]) -> Iterator[Fault]:
    what = f"passage {passage.id}"
    try:
        paper = document(passage.document_id)
    except UsageError as error:
        yield Fault(what, str(error))
        return
    place = f"{passage.document_id}[{passage.start}:{passage.end}]"
    if not 0 <= passage.start < passage.end <= len(paper.text):
        yield Fault(what, f"{place} is no place in a paper of {len(paper.text)} characters")
    elif paper.text[passage.start : passage.end] != passage.text:
        parted = _parted(paper.text[passage.start : passage.end], passage.text)
        yield Fault(what, f"its text differs from {place}{parted}")
    if not passage.id.startswith(f"{passage.document_id}::"):
        yield Fault(what, f"its id does not begin with that of its paper, {passage.document_id}")
    expected = {name: getattr(paper, name) for name in _OF_THE_PAPER}
    yield from _differences(what, expected, {name: getattr(passage, name) for name in expected})
    kinds = _sections(paper, passage)
    if passage.section not in kinds:
        replayed = " or ".join(map(repr, sorted(kinds)))
        yield Fault(what, f"its section is {passage.section!r}, replayed it is {replayed}")


def _sections(paper: Document, passage: Passage) -> set[str]:
    """Kinds of the sections that a passage reaches into; text outside, or behind the references, is other."""
    kinds = {each.kind for each in paper.sections if each.start < passage.end and passage.start < each.end}
    outside = not any(each.start <= passage.start and passage.end <= each.end for each in paper.sections)
    return (kinds - {"references"}) | ({"other"} if outside or "references" in kinds else set())


def _answer_faults(saved: _Saved) -> Iterator[Fault]:
    for claim in unresolved(saved.answer, saved.passages):
        yield Fault("answer", f"{claim.claim!r}: {claim.reason}")
    if saved.answerable is not None and saved.answerable is not bool(saved.answer):
        yield Fault("answerable", f"it is {saved.answerable!r}, the answer has {len(saved.answer)} characters")
    made, listed = Counter(uncited(saved.answer, saved.passages)), Counter(saved.uncited)
    for sentence in made - listed:
        yield Fault("answer", f"{sentence!r} cites nothing, and the file does not list it as uncited")
    for sentence in listed - made:
        yield Fault("uncited", f"{sentence!r} is no sentence of the answer that cites nothing")


def _citation_faults(saved: _Saved) -> Iterator[Fault]:
    citations = certify(saved.answer, saved.passages)
    made = [citation.as_dict() for citation in citations]
    if len(made) == len(saved.citations):
        for number, (expected, found) in enumerate(zip(made, saved.citations, strict=True), start=1):
            yield from _differences(_named(number, found), expected, found)
    else:
        yield Fault("citations", f"the answer makes {len(made)}, the file holds {len(saved.citations)}")
        yield from _unpaired(made, saved.citations)
    counted = measures(saved.answer, saved.passages, citations)
    stated = {name: saved.metrics[name] for name in counted if name in saved.metrics}
    yield from _differences("metrics", {name: counted[name] for name in stated}, stated)


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
    return f"citation {number} ({citation.get('passage', '?')})"


def _differences(what: str, expected: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[Fault]:
    for name in sorted(expected.keys() | found.keys()):
        one, other = expected.get(name), found.get(name)
        # As JSON, in which 1, 1.0 and true are three values.
        if json.dumps(one, sort_keys=True) != json.dumps(other, sort_keys=True):
            yield Fault(what, f"its {name} is {other!r}, replayed it is {one!r}")


def _parted(found: str, stored: str) -> str:
    """Where two texts part."""
    for offset, (one, other) in enumerate(zip(found, stored, strict=False)):
        if one != other:
            return f" from character {offset} on: {other!r} stands for {one!r}"
    return f": it has {len(stored)} characters, the paper {len(found)}"
