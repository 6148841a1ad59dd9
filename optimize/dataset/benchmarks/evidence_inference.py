"""Evidence Inference (DeYoung et al. 2020, arXiv:2005.04177): what a randomised trial found, in its full paper.

{"prompt_id": 11521, "pmcid": "PMC539050", "outcome": "time to viral rebound", "intervention": "…", "comparator": "…",
"label": "no significant difference", "evidence": [{"text": "There was no difference …", "start": 1240, "end": 1489}]}

The hub has prompts without papers, so this benchmark needs a folder with ``nxml/``: JATS files, as `python -m programs
fetch PMC539050 --output FOLDER/nxml` brings them. Its ``prompts.jsonl`` has the columns above; without it the prompts
of the hub are used, those whose paper is there:

{"id": 0, "prompt_id": 11521, "pmcid": 539050, "label": "…", "evidence": "…", "intervention": "…", …}

There the label is the first reader's, and the evidence is that of the paper's first prompt, whichever the prompt: it is
left out. Annotations MIT; every paper under its own licence.

Splits: a hash of the paper. Evidence is looked for in the paper as this project reads it.
"""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

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
from optimize.dataset.example import Evidence, Example
from programs.errors import IngestError, UsageError
from programs.ingest.builder import one_line
from programs.ingest.document import Document
from programs.ingest.reader import discover, read_all

_HUB = "bigbio/evidence_inference"
PROMPTS = BenchmarkTable("prompts", _HUB, "evidence-inference_source", "train")
TABLES = (PROMPTS, *(BenchmarkTable("prompts", _HUB, PROMPTS.config, split) for split in ("validation", "test")))
CHOICES = ("significantly increased", "significantly decreased", "no significant difference")
QUESTION = "What was the effect of {intervention} compared with {comparator} on {outcome}?"


@dataclass(frozen=True, slots=True)
class _Prompt:
    place: str
    id: str
    pmcid: str
    question: str
    label: str
    evidence: tuple[str, ...]


def read(source: Source) -> Material:
    """Read papers and prompts; prompts without a paper or label are left out and counted."""
    papers = {name: Quotable(document) for name, document in _papers(source).items()}
    is_own = source.folder is not None and source.has(PROMPTS)
    prompts = _own(source.rows(PROMPTS)) if is_own else _of_hub(source)
    lines, counts = [], Counter[str]()
    for prompt in prompts:
        if prompt.pmcid not in papers or not prompt.label:
            counts["without a paper" if prompt.label else "without a label"] += 1
            continue
        found = quoted(papers[prompt.pmcid], prompt.evidence)
        counts.update(missing=found.missing, total=found.missing + len(found.evidence))
        lines.append(QuestionRecord(prompt.place, split_of(prompt.pmcid), _example(prompt, found.evidence)))
    documents = {line.example.document_ids[0]: papers[line.example.document_ids[0]].document for line in lines}
    kept, notes = apart(lines, documents)
    asked = {paper for line in kept for paper in line.example.document_ids}
    documents = {name: document for name, document in documents.items() if name in asked}
    missing = missing_note(counts["missing"], counts["total"])
    return Material(kept, documents, (*missing, *_left_out(counts, has_evidence=is_own), *notes))


def _example(prompt: _Prompt, evidence: tuple[Evidence, ...]) -> Example:
    return Example(
        id=f"evidence_inference-{prompt.id}",
        question=prompt.question,
        document_ids=(prompt.pmcid,),
        answer=evidence[0].quote if evidence else "",
        evidence=evidence,
        label=prompt.label,
        choices=CHOICES,
        kind="trial",
    )


def _left_out(counts: Counter[str], *, has_evidence: bool) -> Iterator[str]:
    if not has_evidence:
        yield "left out, because the hub has it for a paper's first prompt only: all evidence"
    if counts["without a paper"]:
        yield f"left out, because nxml/ lacks their papers: {counts['without a paper']} prompts"
    if counts["without a label"]:
        yield f"left out, because readers found no answer to them: {counts['without a label']} prompts"


def _papers(source: Source) -> dict[str, Document]:
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


def _own(rows: Iterable[BenchmarkRow]) -> Iterator[_Prompt]:
    for row in rows:
        prompt = _prompt(row, tuple(each.text("text") for each in row.records("evidence")))
        if prompt.label not in CHOICES:
            raise row.error("label", f"one of {', '.join(CHOICES)}", prompt.label)
        yield prompt


def _of_hub(source: Source) -> Iterator[_Prompt]:
    """Prompts without their evidence; without a label where readers found that the paper cannot answer them."""
    hub = source.hub()
    for table in TABLES:
        for row in hub.rows(table):
            prompt = _prompt(row, ())
            yield prompt if prompt.label in CHOICES else replace(prompt, label="")


def _prompt(row: BenchmarkRow, evidence: tuple[str, ...]) -> _Prompt:
    parts = {part: one_line(html.unescape(row.text(part))) for part in ("intervention", "comparator", "outcome")}
    pmcid = row.text("pmcid")
    return _Prompt(
        place=row.place,
        id=row.text("prompt_id"),
        pmcid=pmcid if pmcid.startswith("PMC") else f"PMC{pmcid}",
        question=QUESTION.format(**parts),
        label=row.text("label"),
        evidence=tuple(html.unescape(text) for text in evidence),
    )


BENCHMARK = Benchmark("evidence_inference", read)
