"""COVID-QA (Möller et al. 2020): questions on full papers about the coronavirus, answered by a span of the paper.

{"document_id": 630, "context": "Functional Genetic Variants in DC-SIGNR …", "question": "What is the main cause of …?",
"is_impossible": false, "id": 262, "answers": {"text": ["Mother-to-child transmission …"], "answer_start": [370]}}

The columns are those of SQuAD. The span is the answer, the sentences around it are the evidence. Apache 2.0.

Splits: a hash of the paper.
"""

from __future__ import annotations

from collections.abc import Iterator

from metrics.sentences import sentences
from optimize.dataset.benchmarks.material import (
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
from programs.ingest.builder import one_line
from programs.ingest.plain_text import document_of

QUESTIONS = BenchmarkTable("covid_qa*", "deepset/covid_qa_deepset", "covid_qa_deepset", "train")


def read(source: Source) -> Material:
    """Read the questions; a paper comes with each of them."""
    lines: list[QuestionRecord] = []
    papers: dict[str, tuple[str, Quotable]] = {}
    missing = total = 0
    for row in source.rows(QUESTIONS):
        paper = _paper(row, papers)
        texts = row.record("answers").texts("text")
        found = quoted(paper, _sentences(row))
        missing, total = missing + found.missing, total + found.missing + len(found.evidence)
        answers = tuple(dict.fromkeys(map(one_line, texts)))
        example = Example(
            id=f"covid_qa-{row.text('id')}",
            question=one_line(row.text("question")),
            document_ids=(paper.document.id,),
            answer=answers[0] if answers else "",
            answers=answers,
            evidence=found.evidence,
            answerable=bool(answers),
            kind="span",
        )
        lines.append(QuestionRecord(row.place, split_of(paper.document.id), example))
    documents = {name: paper.document for name, (_, paper) in papers.items()}
    kept, notes = apart(lines, documents)
    return Material(kept, documents, (*missing_note(missing, total), *notes))


def _paper(row: BenchmarkRow, papers: dict[str, tuple[str, Quotable]]) -> Quotable:
    name, text = row.text("document_id"), row.text("context")
    if not text.strip():
        raise row.error("context", "the text of the paper", text)
    if name not in papers:
        papers[name] = (text, Quotable(document_of(text, name, source=QUESTIONS.hub_id)))
    if papers[name][0] != text:
        raise UsageError(f"{row.place}: the document_id {name} is already that of another context")
    return papers[name][1]


def _sentences(row: BenchmarkRow) -> Iterator[str]:
    """The sentences that each answer stands in; the answer itself where it is not at its offset."""
    text, answers = row.text("context"), row.record("answers")
    for answer, start in zip(answers.texts("text"), answers.items("answer_start"), strict=False):
        if not isinstance(start, int) or text[start : start + len(answer)] != answer:
            yield answer
            continue
        line = text.rfind("\n", 0, start) + 1
        end = text.find("\n", start + len(answer))
        paragraph = text[line : end if end >= 0 else len(text)]
        spans = [
            span for span in sentences(paragraph) if span.start < start - line + len(answer) and span.end > start - line
        ]
        yield paragraph[spans[0].start : spans[-1].end] if spans else answer


BENCHMARK = Benchmark("covid_qa", read)
