"""Public benchmarks, from the hub by name or from a folder with the same columns.

--dataset scifact               from the Hugging Face hub
--dataset scifact=FOLDER        from a folder with the hub's columns, as JSON lines or Parquet; see ``Source``
"""

from __future__ import annotations

import hashlib
import html
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from optimize.dataset import OWN_VALIDATION, WITHOUT_TEST, Example, GoldEvidence, groups_of, split_of
from optimize.dataset.benchmark_material import (
    BenchmarkRow,
    BenchmarkTable,
    Material,
    QuestionRecord,
    Quotable,
    Source,
    material_of,
)
from programs.errors import IngestError, UsageError
from programs.ingest.document import Document, DocumentBuilder, one_line
from programs.ingest.formats import discover, read_all
from programs.ingest.plain_text import document_of

_SCIFACT = "allenai/scifact"
CORPUS = BenchmarkTable("corpus", _SCIFACT, "corpus", "train")
TRAIN = BenchmarkTable("claims_train", _SCIFACT, "claims", "train")
VALIDATION = BenchmarkTable("claims_validation", _SCIFACT, "claims", "validation")
NOT_ENOUGH = "NOT_ENOUGH_INFO"
VERDICTS = ("SUPPORT", "CONTRADICT", NOT_ENOUGH)


@dataclass
class _Claim:
    """A claim, put together from its rows."""

    place: str
    text: str
    papers: tuple[str, ...]
    label: str = NOT_ENOUGH
    evidence: list[GoldEvidence] = field(default_factory=list)


def read_scifact(source: Source) -> Material:
    """SciFact (Wadden et al. 2020, arXiv:2004.14974): do the abstracts that a claim cites support or contradict it?

    {"id": 3, "claim": "1,000 genomes project enables …", "evidence_doc_id": "14717500", "evidence_label": "SUPPORT",
    "evidence_sentences": [2, 5], "cited_doc_ids": [14717500]}

    A claim has a row for each of its rationales. Its papers are the cited abstracts, as in BEIR, so it also serves for
    retrieval. Claims CC BY 4.0, abstracts ODC-By 1.0.

    Splits: the authors' validation claims are the test, whole, as others report it; their test labels are not public.
    Their train claims become train, val and dev by a hash of the abstracts that hang together. Two thirds of the
    validation claims cite an abstract that a train claim cites too: those train claims are left out.
    """
    abstracts: dict[str, tuple[str, ...]] = {}
    documents: dict[str, Document] = {}
    for row in source.rows(CORPUS):
        name = row.text("doc_id")
        if name in documents:
            raise UsageError(f"{row.place}: the doc_id {name} is already in the corpus")
        abstracts[name] = tuple(map(one_line, row.texts("abstract")))
        builder = DocumentBuilder()
        builder.add_section("Abstract", kind="abstract")
        builder.add_paragraph(" ".join(abstracts[name]))
        documents[name] = builder.build(id=name, title=row.text("title"), source=CORPUS.file)
    test = _claims(source.rows(VALIDATION), abstracts)
    known = _claims(source.rows(TRAIN), abstracts)
    tested = {paper for claim in test.values() for paper in claim.papers}
    free = {name: claim for name, claim in known.items() if not tested.intersection(claim.papers)}
    groups = groups_of(claim.papers for claim in free.values())
    lines = [
        _claim_question(name, claim, split_of(groups[claim.papers[0]], WITHOUT_TEST)) for name, claim in free.items()
    ]
    lines += [_claim_question(name, claim, "test") for name, claim in test.items()]
    shared = len(known) - len(free)
    note = f"left out of {len(known)} train claims, because a test claim cites the same abstract: {shared}"
    return material_of(lines, documents, [note] if shared else [])


def _claims(rows: Iterable[BenchmarkRow], abstracts: Mapping[str, tuple[str, ...]]) -> dict[str, _Claim]:
    claims: dict[str, _Claim] = {}
    for row in rows:
        name, text = row.text("id"), one_line(row.text("claim"))
        papers = row.texts("cited_doc_ids")
        if not papers or any(paper not in abstracts for paper in papers):
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
    if label not in VERDICTS:
        raise row.error("evidence_label", f"one of {', '.join(VERDICTS)}, or nothing", label)
    if claim.label not in (NOT_ENOUGH, label):
        raise UsageError(f"{row.place}: the claim is {claim.label} at {claim.place}, and {label} here")
    claim.label = label
    paper = row.text("evidence_doc_id")
    known = abstracts.get(paper, ())
    for number in row.items("evidence_sentences"):
        if not isinstance(number, int) or not 0 <= number < len(known):
            raise row.error("evidence_sentences", f"numbers of sentences of {paper}, from 0", number)
        evidence = GoldEvidence(paper, known[number])
        if evidence.quote and evidence not in claim.evidence:
            claim.evidence.append(evidence)


def _claim_question(name: str, claim: _Claim, split: str) -> QuestionRecord:
    example = Example(
        id=f"scifact-{name}",
        question=claim.text,
        document_ids=claim.papers,
        answer=" ".join(each.quote for each in claim.evidence),
        evidence=tuple(claim.evidence),
        label=claim.label,
        choices=VERDICTS,
        kind="claim",
    )
    return QuestionRecord(claim.place, split, example)


LABELED = BenchmarkTable("pqa_labeled*", "qiaojin/PubMedQA", "pqa_labeled", "train")
DECISIONS = ("yes", "no", "maybe")


def read_pubmed_qa(source: Source) -> Material:
    """PubMedQA (Jin et al. 2019, arXiv:1909.06146), the expert-labelled part: yes, no or maybe, from an abstract.

    {"pubid": 21645374, "question": "Do mitochondria play a role in …?", "context": {"contexts": ["…"], "labels":
    ["BACKGROUND"], …}, "long_answer": "Results depicted …", "final_decision": "yes"}

    The paper is the abstract without its conclusion, which is the reference answer. Evidence is not marked. MIT.

    Splits: a hash of the abstract; the authors' own division of these questions is not among the columns.
    """
    lines: list[QuestionRecord] = []
    documents: dict[str, Document] = {}
    for row in source.rows(LABELED):
        context = row.record("context")
        parts, labels = context.texts("contexts"), context.texts("labels")
        if len(parts) != len(labels):
            raise context.error("labels", f"a label for each of {len(parts)} contexts", labels)
        builder = DocumentBuilder()
        for part, heading in zip(parts, labels, strict=True):
            builder.add_section(heading.capitalize())
            builder.add_paragraph(part)
        document = builder.build(id=row.text("pubid"), source=LABELED.hub_id)
        if document.id in documents:
            raise UsageError(f"{row.place}: the pubid {document.id} is already that of another row")
        documents[document.id] = document
        label = row.text("final_decision")
        if label not in DECISIONS:
            raise row.error("final_decision", f"one of {', '.join(DECISIONS)}", label)
        example = Example(
            id=f"pubmed_qa-{document.id}",
            question=one_line(row.text("question")),
            document_ids=(document.id,),
            answer=one_line(row.text("long_answer")),
            label=label,
            choices=DECISIONS,
            kind="abstract",
        )
        lines.append(QuestionRecord(row.place, split_of(document.id), example))
    return material_of(lines, documents)


_QASPER = "allenai/qasper"
QASPER_TABLES = {split: BenchmarkTable(split, _QASPER, "qasper", split) for split in ("train", "validation", "test")}
PLAIN = BenchmarkTable("papers_qa", _QASPER, "qasper", "train")
UNANSWERABLE = "unanswerable"
_FIGURE = "FLOAT SELECTED"
"""Begins evidence that is a figure or table, whose caption is not among the paper's paragraphs."""


@dataclass(frozen=True, slots=True)
class _Given:
    """An annotator's answer; empty when the paper does not hold it."""

    text: str
    evidence: tuple[str, ...] = ()


def read_qasper(source: Source) -> Material:
    """QASPER (Dasigi et al. 2021, arXiv:2105.03011): questions on papers of natural language processing. CC BY 4.0.

    On the hub a row is a paper with all its questions, each answered by several annotators:

    {"id": "1909.00694", "title": …, "abstract": …, "full_text": {"section_name": […], "paragraphs": [[…]]}, "qas":
    {"question": […], "question_id": […], "answers": [{"answer": [{"unanswerable": false, "extractive_spans": [],
    "yes_no": null, "free_form_answer": "…", "evidence": ["…"]}]}]}}

    A local folder may also hold the plain form, without evidence: {"paper": "…", "questions": […], "answers": […]}, in
    which a question that two annotators answered comes twice, and "Unanswerable" is an answer.

    A question counts as not answerable when most annotators say so. Splits: those of the authors, their validation
    halved into val and dev by a hash of the paper; the plain form, which has no splits, by a hash of the paper.
    """
    papers: dict[str, Document] = {}
    if source.folder is not None and source.has(PLAIN):
        lines = list(_plain(source.rows(PLAIN), papers))
    else:
        tables = QASPER_TABLES.items()
        lines = [each for name, table in tables for each in _annotated(source.rows(table), name, papers)]
    return material_of(lines, papers)


def _question(place: str, name: str, text: str, split: str, paper: Quotable, given: Sequence[_Given]) -> QuestionRecord:
    best = next((each for each in given if each.text), _Given(""))
    answers = tuple(dict.fromkeys(each.text for each in given if each.text))
    is_answerable = 2 * sum(not each.text for each in given) <= len(given)
    evidence, missing = paper.quoted(best.evidence) if is_answerable else ((), 0)
    example = Example(
        id=f"qasper-{name}",
        question=one_line(text),
        document_ids=(paper.document.id,),
        answer=answers[0] if is_answerable else "",
        answers=answers if is_answerable else (),
        evidence=evidence,
        answerable=is_answerable,
        kind="paper",
    )
    return QuestionRecord(place, split, example, missing)


def _annotated(rows: Iterable[BenchmarkRow], split: str, papers: dict[str, Document]) -> Iterator[QuestionRecord]:
    for row in rows:
        paper = Quotable(_qasper_paper(row))
        own = split_of(paper.document.id, OWN_VALIDATION) if split == "validation" else split
        for question in row.records("qas"):
            given = [_given_answer(each) for each in _answers(question)]
            if not given:
                raise question.error("answers", "an answer or more", [])
            papers[paper.document.id] = paper.document
            yield _question(question.place, question.text("question_id"), question.text("question"), own, paper, given)


def _answers(question: BenchmarkRow) -> list[BenchmarkRow]:
    """Answers are as a list of annotations, or as the columns of one."""
    annotated = question.values.get("answers")
    if isinstance(annotated, dict) and isinstance(annotated.get("answer"), list):
        return question.record("answers").records("answer")
    return [each.record("answer") for each in question.records("answers")]


def _given_answer(answer: BenchmarkRow) -> _Given:
    if answer.flag("unanswerable"):
        return _Given("")
    evidence = tuple(text for text in answer.texts("evidence") if not text.startswith(_FIGURE))
    if spans := answer.texts("extractive_spans"):
        return _Given(one_line(", ".join(spans)), evidence)
    if free := one_line(answer.text("free_form_answer")):
        return _Given(free, evidence)
    if answer.values.get("yes_no") is None:
        raise answer.error("yes_no", "true or false, where no other answer is given", None)
    return _Given("Yes" if answer.flag("yes_no") else "No", evidence)


def _qasper_paper(row: BenchmarkRow) -> Document:
    builder = DocumentBuilder()
    builder.add_section("Abstract", kind="abstract")
    builder.add_paragraph(row.text("abstract"))
    text = row.record("full_text")
    for heading, paragraphs in zip(text.items("section_name"), text.items("paragraphs"), strict=True):
        levels = str(heading or "").split(" ::: ")
        builder.add_section(levels[-1], level=len(levels))
        for paragraph in paragraphs:
            builder.add_paragraph(paragraph)
    return builder.build(id=row.text("id"), title=row.text("title"), source=_QASPER)


def _plain(rows: Iterable[BenchmarkRow], papers: dict[str, Document]) -> Iterator[QuestionRecord]:
    for row in rows:
        text, questions, answers = row.text("paper"), row.texts("questions"), row.texts("answers")
        if not text.strip():
            raise row.error("paper", "the text of the paper", text)
        if len(questions) != len(answers):
            raise UsageError(f"{row.place}: {len(questions)} questions have {len(answers)} answers; each needs one")
        name = hashlib.sha256(text.encode()).hexdigest()[:12]
        paper = Quotable(document_of(text, name, source=_QASPER))
        for number, question in enumerate(dict.fromkeys(questions)):
            said = [one_line(each) for asked, each in zip(questions, answers, strict=True) if asked == question]
            given = [_Given("" if each.casefold() == UNANSWERABLE else each) for each in said]
            papers[name] = paper.document
            yield _question(row.place, f"{name}-{number}", question, split_of(name), paper, given)


_EVIDENCE_INFERENCE = "bigbio/evidence_inference"
PROMPTS = BenchmarkTable("prompts", _EVIDENCE_INFERENCE, "evidence-inference_source", "train")
PROMPT_TABLES = (PROMPTS, replace(PROMPTS, split="validation"), replace(PROMPTS, split="test"))
FINDINGS = ("significantly increased", "significantly decreased", "no significant difference")
QUESTION = "What was the effect of {intervention} compared with {comparator} on {outcome}?"


def read_evidence_inference(source: Source) -> Material:
    """Evidence Inference (DeYoung et al. 2020, arXiv:2005.04177): what a randomised trial found, in its full paper.

    {"prompt_id": 11521, "pmcid": "PMC539050", "outcome": "time to viral rebound", "intervention": "…", "comparator":
    "…", "label": "no significant difference", "evidence": [{"text": "There was no difference …", "start": 1240, …}]}

    The hub has prompts without papers, so this benchmark needs a folder with ``nxml/``: JATS files, as `python -m
    programs fetch PMC539050 --output FOLDER/nxml` brings them. Its ``prompts.jsonl`` has the columns above; without it
    the prompts of the hub are used, those whose paper is there:

    {"id": 0, "prompt_id": 11521, "pmcid": 539050, "label": "…", "evidence": "…", "intervention": "…", …}

    There the label is the first reader's, and the evidence is that of the paper's first prompt, whichever the prompt:
    it is left out. Prompts without a paper or label are left out and counted. Annotations MIT; every paper under its
    own licence. Splits: a hash of the paper.
    """
    papers = {name: Quotable(document) for name, document in _trials(source).items()}
    is_own = source.folder is not None and source.has(PROMPTS)
    lines, left_out = [], Counter[str]()
    place, tables = (source, PROMPT_TABLES[:1]) if is_own else (replace(source, folder=None), PROMPT_TABLES)
    for row in (row for table in tables for row in place.rows(table)):
        parts = {part: one_line(html.unescape(row.text(part))) for part in ("intervention", "comparator", "outcome")}
        pmcid, label = row.text("pmcid"), row.text("label")
        paper = papers.get(pmcid if pmcid.startswith("PMC") else f"PMC{pmcid}")
        given = [html.unescape(each.text("text")) for each in row.records("evidence")] if is_own else []
        if is_own and label not in FINDINGS:
            raise row.error("label", f"one of {', '.join(FINDINGS)}", label)
        if paper is None or label not in FINDINGS:
            left_out["without a paper" if label in FINDINGS else "without a label"] += 1
            continue
        evidence, missing = paper.quoted(given)
        example = Example(
            id=f"evidence_inference-{row.text('prompt_id')}",
            question=QUESTION.format(**parts),
            document_ids=(paper.document.id,),
            answer=evidence[0].quote if evidence else "",
            evidence=evidence,
            label=label,
            choices=FINDINGS,
            kind="trial",
        )
        lines.append(QuestionRecord(row.place, split_of(paper.document.id), example, missing))
    notes = [] if is_own else ["left out, because the hub has it for a paper's first prompt only: all evidence"]
    reasons = {"without a paper": "nxml/ lacks their papers", "without a label": "readers found no answer to them"}
    notes += [f"left out, because {why}: {left_out[what]} prompts" for what, why in reasons.items() if left_out[what]]
    made = material_of(lines, {name: paper.document for name, paper in papers.items()}, notes)
    asked = dict.fromkeys(paper for line in made.lines for paper in line.example.document_ids)
    return replace(made, documents={name: made.documents[name] for name in asked})


def _trials(source: Source) -> dict[str, Document]:
    folder = source.folder / "nxml" if source.folder else None
    if folder is None or not folder.is_dir():
        raise UsageError(
            "evidence_inference needs its papers, which the hub does not have: give --dataset "
            "evidence_inference=FOLDER, where FOLDER/nxml holds JATS files (`python -m programs fetch PMCID --output "
            "FOLDER/nxml`)"
        )
    found = list(read_all(discover([folder]), None))
    broken = [str(each) for each in found if isinstance(each, IngestError)]
    if broken:
        raise UsageError(f"papers of {folder} cannot be read:\n  " + "\n  ".join(broken))
    return {each.id: each for each in found if isinstance(each, Document)}


BENCHMARKS: Mapping[str, Callable[[Source], Material]] = {
    "scifact": read_scifact,
    "pubmed_qa": read_pubmed_qa,
    "qasper": read_qasper,
    "evidence_inference": read_evidence_inference,
}


def is_benchmark(dataset: str) -> bool:
    """Whether a --dataset names a benchmark, with a folder or without."""
    return dataset.partition("=")[0] in BENCHMARKS


def read_benchmark(dataset: str) -> Material:
    """Read the benchmark of a --dataset; a UsageError if the folder is missing, or has other columns than the hub."""
    name, _, folder = dataset.partition("=")
    if "=" in dataset and not (folder and Path(folder).is_dir()):
        raise UsageError(f"there is no folder {folder!r}; give --dataset {name}=FOLDER, or {name} for the hub")
    source = Source(Path(folder) if folder else None)
    return replace(BENCHMARKS[name](source), revisions=source.revisions)
