"""PubMedQA (Jin et al. 2019, arXiv:1909.06146), the expert-labelled part: yes, no or maybe, from an abstract.

{"pubid": 21645374, "question": "Do mitochondria play a role in …?", "context": {"contexts": ["…"], "labels":
["BACKGROUND"], …}, "long_answer": "Results depicted …", "final_decision": "yes"}

The paper is the abstract without its conclusion, which is the reference answer. Evidence is not marked. MIT.

Splits: a hash of the abstract; the authors' own division of these questions is not among the columns.
"""

from __future__ import annotations

from optimize.dataset.benchmarks.material import Benchmark, Material, QuestionRecord, apart, split_of
from optimize.dataset.benchmarks.tables import BenchmarkRow, BenchmarkTable, Source
from optimize.dataset.example import Example
from programs.errors import UsageError
from programs.ingest.builder import DocumentBuilder, one_line
from programs.ingest.document import Document

LABELED = BenchmarkTable("pqa_labeled*", "qiaojin/PubMedQA", "pqa_labeled", "train")
CHOICES = ("yes", "no", "maybe")


def read(source: Source) -> Material:
    """Read the questions, each with its abstract."""
    lines, documents = [], {}
    for row in source.rows(LABELED):
        document = _document(row)
        if document.id in documents:
            raise UsageError(f"{row.place}: the pubid {document.id} is already that of another row")
        documents[document.id] = document
        lines.append(QuestionRecord(row.place, split_of(document.id), _example(row, document)))
    kept, notes = apart(lines, documents)
    return Material(kept, documents, notes)


def _document(row: BenchmarkRow) -> Document:
    context = row.record("context")
    parts, labels = context.texts("contexts"), context.texts("labels")
    if len(parts) != len(labels):
        raise context.error("labels", f"a label for each of {len(parts)} contexts", labels)
    builder = DocumentBuilder()
    for part, label in zip(parts, labels, strict=True):
        builder.add_section(label.capitalize())
        builder.add_paragraph(part)
    return builder.build(id=row.text("pubid"), source=LABELED.hub_id)


def _example(row: BenchmarkRow, document: Document) -> Example:
    label = row.text("final_decision")
    if label not in CHOICES:
        raise row.error("final_decision", f"one of {', '.join(CHOICES)}", label)
    return Example(
        id=f"pubmed_qa-{document.id}",
        question=one_line(row.text("question")),
        document_ids=(document.id,),
        answer=one_line(row.text("long_answer")),
        label=label,
        choices=CHOICES,
        kind="abstract",
    )


BENCHMARK = Benchmark("pubmed_qa", read)
