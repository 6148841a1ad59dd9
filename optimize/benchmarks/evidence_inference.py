"""Evidence Inference (DeYoung et al. 2020, arXiv:2005.04177): what a randomised trial found, in its full paper.

{"prompt_id": 11521, "pmcid": "PMC539050", "outcome": "time to viral rebound", "intervention": "…", "comparator": "…",
"label": "no significant difference", "evidence": [{"text": "There was no difference …", "start": 1240, "end": 1489}]}

The hub has prompts without papers, so this benchmark needs a folder with ``nxml/``: JATS files, as `python -m programs
fetch PMC539050 --output FOLDER/nxml` brings them. Its ``prompts.jsonl`` has the columns above; without it the prompts
of the hub are used, those whose paper is there. Annotations MIT; every paper under its own licence.

Splits: a hash of the paper. Evidence is looked for in the paper as this project reads it.
"""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from optimize.benchmarks.material import Benchmark, Line, Material
from optimize.benchmarks.quotes import Quotable, missing_note, quoted
from optimize.benchmarks.splitting import apart, split_of
from optimize.benchmarks.tables import Row, Source, Table
from optimize.example import Example
from programs.errors import IngestError, UsageError
from programs.ingest.builder import one_line
from programs.ingest.document import Document
from programs.ingest.reader import discover, read_all

PROMPTS = Table("prompts", "bigbio/evidence_inference", "evidence_inference_source", "train")
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
    """Read papers and prompts; prompts without a paper are left out and counted."""
    papers = {name: Quotable(document) for name, document in _papers(source).items()}
    own = source.folder is not None and source.has(PROMPTS)
    prompts = _own(source.rows(PROMPTS)) if own else _of_hub(Source().rows(PROMPTS))
    lines, counts = [], Counter[str]()
    for prompt in prompts:
        if prompt.pmcid not in papers:
            counts["without"] += 1
            continue
        found = quoted(papers[prompt.pmcid], prompt.evidence)
        counts.update(missing=found.missing, total=found.missing + len(found.evidence))
        example = Example(
            id=f"evidence_inference-{prompt.id}",
            question=prompt.question,
            document_ids=(prompt.pmcid,),
            answer=found.evidence[0].quote if found.evidence else "",
            evidence=found.evidence,
            label=prompt.label,
            choices=CHOICES,
            kind="trial",
        )
        lines.append(Line(prompt.place, split_of(prompt.pmcid), example))
    kept, notes = apart(lines)
    without = (f"left out, because nxml/ lacks their papers: {counts['without']} prompts",) if counts["without"] else ()
    documents = {line.example.document_ids[0]: papers[line.example.document_ids[0]].document for line in kept}
    return Material(kept, documents, (*missing_note(counts["missing"], counts["total"]), *without, *notes))


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


def _own(rows: Iterable[Row]) -> Iterator[_Prompt]:
    for row in rows:
        evidence = tuple(each.text("text") for each in row.records("evidence"))
        yield _prompt(row, ("prompt_id", "pmcid", "label"), ("intervention", "comparator", "outcome"), evidence)


def _of_hub(rows: Iterable[Row]) -> Iterator[_Prompt]:
    """Prompts as the authors publish them: one row each, with the annotations of several readers."""
    for row in rows:
        marked = row.records("Annotations")
        labels = Counter(each.text("Label") for each in marked if each.text("Label") in CHOICES)
        if not labels:  # the prompt was found to be none that the paper can answer
            continue
        label = labels.most_common(1)[0][0]
        evidence = tuple(each.text("Annotations") for each in marked if each.text("Label") == label)
        flat = Row(row.place, {**row.values, "Label": label})
        yield _prompt(flat, ("PromptID", "PMCID", "Label"), ("Intervention", "Comparator", "Outcome"), evidence)


def _prompt(row: Row, names: tuple[str, str, str], parts: tuple[str, str, str], evidence: tuple[str, ...]) -> _Prompt:
    number, pmcid, label = (row.text(name) for name in names)
    if label not in CHOICES:
        raise row.error(names[2], f"one of {', '.join(CHOICES)}", label)
    intervention, comparator, outcome = (one_line(html.unescape(row.text(part))) for part in parts)
    question = QUESTION.format(intervention=intervention, comparator=comparator, outcome=outcome)
    pmcid = pmcid if pmcid.startswith("PMC") else f"PMC{pmcid}"
    return _Prompt(row.place, number, pmcid, question, label, tuple(html.unescape(text) for text in evidence))


BENCHMARK = Benchmark("evidence_inference", read)
