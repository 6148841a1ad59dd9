"""QASPER (Dasigi et al. 2021, arXiv:2105.03011): questions on full papers of natural language processing. CC BY 4.0.

On the hub a row is a paper with all its questions, each answered by several annotators:

{"id": "1909.00694", "title": …, "abstract": …, "full_text": {"section_name": […], "paragraphs": [[…]]}, "qas":
{"question": […], "question_id": […], "answers": [{"answer": [{"unanswerable": false, "extractive_spans": [],
"yes_no": null, "free_form_answer": "…", "evidence": ["…"]}]}]}}

A local folder may also hold the plain form, without evidence: {"paper": "…", "questions": […], "answers": […]}, in
which a question that two annotators answered comes twice, and "Unanswerable" is an answer.

A question counts as not answerable when most annotators say so. Splits: those of the authors, their validation halved
into val and dev by a hash of the paper; the plain form, which has no splits, by a hash of the paper.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from optimize.dataset.benchmarks.material import (
    OWN_VALIDATION,
    Benchmark,
    Material,
    QuestionRecord,
    Quotable,
    apart,
    missing_note,
    quoted,
    split_of,
)
from optimize.dataset.benchmarks.tables import BenchmarkRow, BenchmarkTable, Source
from optimize.dataset.example import Example
from programs.errors import UsageError
from programs.ingest.builder import DocumentBuilder, one_line
from programs.ingest.document import Document
from programs.ingest.plain_text import document_of

_HUB = "allenai/qasper"
TABLES = {split: BenchmarkTable(split, _HUB, "qasper", split) for split in ("train", "validation", "test")}
PLAIN = BenchmarkTable("papers_qa", _HUB, "qasper", "train")

UNANSWERABLE = "unanswerable"
_FIGURE = "FLOAT SELECTED"
"""Begins evidence that is a figure or table, whose caption is not among the paper's paragraphs."""


@dataclass(frozen=True, slots=True)
class _Given:
    """An annotator's answer; empty when the paper does not hold it."""

    text: str
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Question:
    place: str
    id: str
    text: str
    split: str
    paper: Quotable
    given: Sequence[_Given]


def read(source: Source) -> Material:
    """Read papers and questions, in whichever form the folder has."""
    if source.folder is not None and source.has(PLAIN):
        questions = list(_plain(source.rows(PLAIN)))
    else:
        questions = [each for name, table in TABLES.items() for each in _annotated(source.rows(table), name)]
    lines, missing, total = [], 0, 0
    for question in questions:
        found = quoted(question.paper, _best(question.given).evidence)
        missing, total = missing + found.missing, total + found.missing + len(found.evidence)
        answers = tuple(dict.fromkeys(each.text for each in question.given if each.text))
        is_answerable = 2 * sum(not each.text for each in question.given) <= len(question.given)
        example = Example(
            id=f"qasper-{question.id}",
            question=question.text,
            document_ids=(question.paper.document.id,),
            answer=answers[0] if is_answerable else "",
            answers=answers if is_answerable else (),
            evidence=found.evidence if is_answerable else (),
            answerable=is_answerable,
            kind="paper",
        )
        lines.append(QuestionRecord(question.place, question.split, example))
    documents = {each.paper.document.id: each.paper.document for each in questions}
    kept, notes = apart(lines, documents)
    return Material(kept, documents, (*missing_note(missing, total), *notes))


def _best(given: Iterable[_Given]) -> _Given:
    """The first answer that is one."""
    return next((each for each in given if each.text), _Given(""))


def _annotated(rows: Iterable[BenchmarkRow], split: str) -> Iterator[_Question]:
    for row in rows:
        document = _document(row)
        own = split_of(document.id, OWN_VALIDATION) if split == "validation" else split
        paper = Quotable(document)
        for question in row.records("qas"):
            given = [_given(each) for each in _answers(question)]
            if not given:
                raise question.error("answers", "an answer or more", [])
            text = one_line(question.text("question"))
            yield _Question(question.place, question.text("question_id"), text, own, paper, given)


def _answers(question: BenchmarkRow) -> list[BenchmarkRow]:
    """Answers stand as a list of annotations, or as the columns of one."""
    annotated = question.values.get("answers")
    if isinstance(annotated, dict) and isinstance(annotated.get("answer"), list):
        return question.record("answers").records("answer")
    return [each.record("answer") for each in question.records("answers")]


def _given(answer: BenchmarkRow) -> _Given:
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


def _document(row: BenchmarkRow) -> Document:
    builder = DocumentBuilder()
    builder.add_section("Abstract", kind="abstract")
    builder.add_paragraph(row.text("abstract"))
    text = row.record("full_text")
    for heading, paragraphs in zip(text.items("section_name"), text.items("paragraphs"), strict=True):
        levels = str(heading or "").split(" ::: ")
        builder.add_section(levels[-1], level=len(levels))
        for paragraph in paragraphs:
            builder.add_paragraph(paragraph)
    return builder.build(id=row.text("id"), title=row.text("title"), source=_HUB)


def _plain(rows: Iterable[BenchmarkRow]) -> Iterator[_Question]:
    for row in rows:
        text, questions, answers = row.text("paper"), row.texts("questions"), row.texts("answers")
        if not text.strip():
            raise row.error("paper", "the text of the paper", text)
        if len(questions) != len(answers):
            raise UsageError(f"{row.place}: {len(questions)} questions have {len(answers)} answers; each needs one")
        name = hashlib.sha256(text.encode()).hexdigest()[:12]
        paper = Quotable(document_of(text, name, source=_HUB))
        for number, question in enumerate(dict.fromkeys(questions)):
            given = [_plain_answer(each) for asked, each in zip(questions, answers, strict=True) if asked == question]
            yield _Question(row.place, f"{name}-{number}", one_line(question), split_of(name), paper, given)


def _plain_answer(answer: str) -> _Given:
    text = one_line(answer)
    return _Given("" if text.casefold() == UNANSWERABLE else text)


BENCHMARK = Benchmark("qasper", read)
