"""Certificates: for each cited sentence of an answer, the passage, the quote and its place in the paper, and a verdict.

    {"sentence": "Femur density fell by 12.4 % in flight mice [1].", "passage": "PMC1::sec2::chunk0",
     "document_id": "PMC1", "quote": "Femur density fell by 12.4% in flight mice.", "start": 812, "end": 855,
     "verdict": "supported", "score": 0.97, …}

A certificate is made and replayed by the same deterministic check, so whoever has the papers can verify an answer
without a language model. ``replay`` makes every certificate again from the documents and names each difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from metrics.judgements import SupportCheck
from metrics.passages import passages_of, resolve
from metrics.statements import Statement, statements
from programs.errors import UsageError
from programs.ingest.document import Document, SectionKind
from programs.passage import Passage
from signatures.values import UnsupportedClaim, Verdict

CHECK = SupportCheck()


@dataclass(frozen=True, slots=True)
class Citation:
    """One sentence and one passage that it cites.

    Attributes:
        sentence: As it stands in the answer, with its citations.
        marker: What the sentence writes in brackets: "1", "PMC12345".
        passage: Id of the passage.
        document_id: The paper.
        section: Kind of section the passage was found in.
        quote: The sentences of the passage nearest to the claim; empty when it shares no word with it.
        start: Offset of the quote in the document's text.
        end: Offset after it.
        verdict: Whether the passage, alone, says what the sentence says.
        score: How well, in [0, 1].
        reason: What differs, or what bears it out.
        check: Name and version of the check that gave the verdict.
        retrieval: Scores that brought the passage up.
        relevance_reason: Those scores in words.
        doi: Of the paper, or empty.
        url: Of the paper, or empty.
    """

    sentence: str
    marker: str
    passage: str
    document_id: str
    section: SectionKind
    quote: str
    start: int
    end: int
    verdict: Verdict
    score: float
    reason: str
    check: str
    retrieval: Mapping[str, float]
    relevance_reason: str
    doi: str
    url: str

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        return asdict(self)


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


def certify(answer: str, passages: Sequence[Passage]) -> list[Citation]:
    """Make the certificates of an answer, in the order of its sentences and of their citations."""
    known = {passage.id: passage for passage in passages}
    citable = passages_of({"passages": passages})
    return [
        _citation(answer, statement, marker, known[found.id])
        for statement in statements(answer, citable)
        for marker in statement.cites
        for found in resolve(marker, citable)
    ]


def unresolved(answer: str, passages: Sequence[Passage]) -> list[UnsupportedClaim]:
    """Sentences that cite something that was not given."""
    citable = passages_of({"passages": passages})
    return [
        UnsupportedClaim(claim=statement.text, reason=f"it cites [{marker}], which was not given")
        for statement in statements(answer, citable)
        for marker in statement.cites
        if not resolve(marker, citable)
    ]


def uncited(answer: str, passages: Sequence[Passage]) -> list[Statement]:
    """Sentences that say something that has to be proved, and cite nothing."""
    citable = passages_of({"passages": passages})
    return [each for each in statements(answer, citable) if each.needs_citation and not each.cites]


def replay(result: Mapping[str, Any], document: Callable[[str], Document]) -> list[Fault]:
    """Prove a saved answer again from the papers, without a language model.

    Args:
        result: What ``ask --format json`` wrote.
        document: Gives a document by its id, as ``Index.document`` does; raises ``UsageError`` for an unknown one.

    Returns:
        Every difference by name; empty when all citations hold.

    Raises:
        UsageError: The result is not of the form that ``ask`` writes.
    """
    answer, passages, stored = _parts(result)
    faults = [fault for passage in passages for fault in _check_passage(passage, document)]
    made = [citation.as_dict() for citation in certify(answer, passages)]
    for number, (expected, found) in enumerate(zip(made, stored, strict=False), start=1):
        faults.extend(_differences(number, expected, found))
    if len(made) != len(stored):
        faults.append(Fault("citations", f"the answer makes {len(made)}, the file holds {len(stored)}"))
    faults.extend(Fault("answer", f"{claim.claim!r}: {claim.reason}") for claim in unresolved(answer, passages))
    return faults


def _citation(answer: str, statement: Statement, marker: str, passage: Passage) -> Citation:
    support = CHECK.check(statement.text, [passage.text])
    return Citation(
        sentence=answer[statement.start : statement.end],
        marker=marker,
        passage=passage.id,
        document_id=passage.document_id,
        section=passage.section,
        quote=support.quote,
        start=passage.start + support.start,
        end=passage.start + support.end,
        verdict=support.verdict,
        score=round(support.score, 4),
        reason=support.reason,
        check=CHECK.name,
        retrieval=passage.scores,
        relevance_reason=passage.relevance_reason,
        doi=passage.doi,
        url=passage.url,
    )


def _parts(result: Mapping[str, Any]) -> tuple[str, list[Passage], list[Mapping[str, Any]]]:
    missing = [name for name in ("answer", "passages", "citations") if name not in result]
    if missing:
        raise UsageError(f"this is no saved answer: it has no {', '.join(missing)}; make one with `ask --format json`")
    names = {field.name for field in fields(Passage)}
    try:
        passages = [Passage(**{key: each[key] for key in each if key in names}) for each in result["passages"]]
    except (TypeError, AttributeError) as error:
        raise UsageError(f"a passage of this answer is not as `ask --format json` writes it: {error}") from error
    return str(result["answer"]), passages, list(result["citations"])


def _check_passage(passage: Passage, document: Callable[[str], Document]) -> Iterator[Fault]:
    what = f"passage {passage.id}"
    try:
        text = document(passage.document_id).text
    except UsageError as error:
        yield Fault(what, str(error))
        return
    found = text[passage.start : passage.end]
    if found != passage.text:
        place = f"{passage.document_id}[{passage.start}:{passage.end}]"
        yield Fault(what, f"its text differs from {place}{_first(found, passage.text)}")


def _differences(number: int, expected: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[Fault]:
    what = f"citation {number} ({found.get('passage', '?')})"
    for name in sorted(expected.keys() | dict(found).keys()):
        if expected.get(name) != found.get(name):
            yield Fault(what, f"its {name} is {found.get(name)!r}, replayed it is {expected.get(name)!r}")


def _first(found: str, stored: str) -> str:
    """Where two texts part."""
    for offset, (one, other) in enumerate(zip(found, stored, strict=False)):
        if one != other:
            return f" from character {offset} on: {other!r} stands for {one!r}"
    return f": it has {len(stored)} characters, the paper {len(found)}"
