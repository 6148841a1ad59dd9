"""QASPER: questions on full papers, in two forms; see ``benchmarks``."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from optimize.dataset import Example
from optimize.dataset.benchmark_material import (
    BenchmarkRow,
    BenchmarkTable,
    Material,
    QuestionRecord,
    Quotable,
    Source,
    material_of,
)
from optimize.dataset.splits import OWN_VALIDATION, split_of
from programs.errors import UsageError
from programs.ingest.document import Document, DocumentBuilder, one_line
from programs.ingest.plain_text import document_of

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
