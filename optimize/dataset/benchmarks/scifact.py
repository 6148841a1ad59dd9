"""SciFact (Wadden et al. 2020, arXiv:2004.14974): is a claim supported or contradicted by the abstracts it cites?

{"id": 3, "claim": "1,000 genomes project enables …", "evidence_doc_id": "14717500", "evidence_label": "SUPPORT",
"evidence_sentences": [2, 5], "cited_doc_ids": [14717500]}

A claim has a row for each of its rationales. Its papers are the cited abstracts, as in BEIR, so it also serves for
retrieval. Claims CC BY 4.0, abstracts ODC-By 1.0.

Splits: the authors' validation claims are the test, whole, as others report it; their test labels are not public. Their
train claims become train, val and dev by a hash of the abstracts that hang together. Two thirds of the validation
claims cite an abstract that a train claim cites too: those train claims are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from optimize.dataset.benchmarks.material import (
    WITHOUT_TEST,
    Benchmark,
    Material,
    QuestionRecord,
    apart,
    groups_of,
    split_of,
)
from optimize.dataset.benchmarks.tables import BenchmarkRow, BenchmarkTable, Source
from optimize.dataset.example import Evidence, Example
from programs.errors import UsageError
from programs.ingest.builder import DocumentBuilder, one_line
from programs.ingest.document import Document

_HUB = "allenai/scifact"
CORPUS = BenchmarkTable("corpus", _HUB, "corpus", "train")
TRAIN = BenchmarkTable("claims_train", _HUB, "claims", "train")
VALIDATION = BenchmarkTable("claims_validation", _HUB, "claims", "validation")

NOT_ENOUGH = "NOT_ENOUGH_INFO"
CHOICES = ("SUPPORT", "CONTRADICT", NOT_ENOUGH)


@dataclass
class _Claim:
    """A claim, put together from its rows."""

    place: str
    text: str
    papers: tuple[str, ...]
    label: str = NOT_ENOUGH
    evidence: list[Evidence] = field(default_factory=list)


def read(source: Source) -> Material:
    """Read corpus and claims."""
    abstracts: dict[str, tuple[str, ...]] = {}
    documents: dict[str, Document] = {}
    for row in source.rows(CORPUS):
        document_id = row.text("doc_id")
        if document_id in documents:
            raise UsageError(f"{row.place}: the doc_id {document_id} is already in the corpus")
        abstracts[document_id] = tuple(map(one_line, row.texts("abstract")))
        documents[document_id] = _document(document_id, row.text("title"), abstracts[document_id])
    test = _claims(source.rows(VALIDATION), abstracts)
    known = _claims(source.rows(TRAIN), abstracts)
    tested = {paper for claim in test.values() for paper in claim.papers}
    free = {name: claim for name, claim in known.items() if not tested.intersection(claim.papers)}
    groups = groups_of(claim.papers for claim in free.values())
    lines = [_line(name, claim, split_of(groups[claim.papers[0]], WITHOUT_TEST)) for name, claim in free.items()]
    kept, notes = apart([*lines, *(_line(name, claim, "test") for name, claim in test.items())], documents)
    shared = len(known) - len(free)
    note = f"left out of {len(known)} train claims, because a test claim cites the same abstract: {shared}"
    return Material(kept, documents, (*([note] if shared else []), *notes))


def _document(document_id: str, title: str, abstract: Iterable[str]) -> Document:
    builder = DocumentBuilder()
    builder.add_section("Abstract", kind="abstract")
    builder.add_paragraph(" ".join(abstract))
    return builder.build(id=document_id, title=title, source=CORPUS.file)


def _claims(rows: Iterable[BenchmarkRow], abstracts: Mapping[str, tuple[str, ...]]) -> dict[str, _Claim]:
    claims: dict[str, _Claim] = {}
    for row in rows:
        name, text = row.text("id"), one_line(row.text("claim"))
        papers = row.texts("cited_doc_ids")
        unknown = [paper for paper in papers if paper not in abstracts]
        if unknown or not papers:
            raise UsageError(f"{row.place}: cited_doc_ids names no abstract of the corpus: {list(papers)}")
        claim = claims.setdefault(name, _Claim(row.place, text, papers))
        if claim.text != text:
            raise UsageError(f"{row.place}: the id {name} is already that of another claim, at {claim.place}")
        _add_rationale(claim, row, abstracts)
    return claims


def _add_rationale(claim: _Claim, row: BenchmarkRow, abstracts: Mapping[str, tuple[str, ...]]) -> None:
    label = row.text("evidence_label")
    if not label:
        return
    if label not in CHOICES:
        raise row.error("evidence_label", f"one of {', '.join(CHOICES)}, or nothing", label)
    if claim.label not in (NOT_ENOUGH, label):
        raise UsageError(f"{row.place}: the claim is {claim.label} at {claim.place}, and {label} here")
    claim.label = label
    paper = row.text("evidence_doc_id")
    sentences = abstracts.get(paper, ())
    for number in row.items("evidence_sentences"):
        if not isinstance(number, int) or not 0 <= number < len(sentences):
            raise row.error("evidence_sentences", f"numbers of sentences of {paper}, from 0", number)
        evidence = Evidence(paper, sentences[number])
        if evidence.quote and evidence not in claim.evidence:
            claim.evidence.append(evidence)


def _line(name: str, claim: _Claim, split: str) -> QuestionRecord:
    example = Example(
        id=f"scifact-{name}",
        question=claim.text,
        document_ids=claim.papers,
        answer=" ".join(each.quote for each in claim.evidence),
        evidence=tuple(claim.evidence),
        label=claim.label,
        choices=CHOICES,
        kind="claim",
    )
    return QuestionRecord(claim.place, split, example)


BENCHMARK = Benchmark("scifact", read)
