"""Questions in a reader's own words: whether answers cite the right paper, and unanswerable ones are withheld.

    python -m bench.natural_questions              # 60 questions on the 80 trials that nothing was tuned on
    python -m bench.natural_questions --half dev   # 60 on 312 other trials, which rules were made on; takes minutes
    python -m bench.natural_questions --several    # 12 that ask which of the 80 trials are on a subject

``natural_questions.jsonl`` holds the questions, in words of a reader who knew no program: findings, numbers, doses,
harms, drop-outs, funders and limitations; a third has no answer there, because no paper is on it, or the one that is
says nothing of what is asked. Of the papers of ``SEVERAL``, by their titles, it is counted how many are cited, and
how many others, which may speak of the subject all the same. No language model is asked. Intervals resample questions.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import dspy

from bench.corpora import document_of_passages, needs_benchmarks, rows
from bench.evidence_shown import interval
from bench.gates import load as machine_load
from bench.pdf_against_jats import indexed
from programs.ingest.document import Document
from programs.ingest.formats import read
from programs.lm import LM
from programs.program import Program
from programs.registry import load
from tests.benchmarks import BENCHMARKS

QUESTIONS = Path(__file__).with_suffix(".jsonl")
PROGRAMS = ("multi_signal", "rag_fusion", "paper_retriever")
SEVERAL = {
    # looked at while rules were made
    "Which trials studied people with type 2 diabetes?": "PMC1914073 PMC3658914 PMC5732440",
    "Which trials tested herbal medicines?": "PMC1847837 PMC1863514 PMC5511975 PMC5758845 PMC3669033",
    "Which trials enrolled patients with HIV?": "PMC539050 PMC5511975 PMC5732507",
    "Which studies looked at sleep?": "PMC4391192 PMC4590707",
    "Which studies tested drugs against malaria?": "PMC1887535",
    "Which trials tested protein supplements?": "PMC3698202",
    "Which papers are about exercise?": "PMC5883528 PMC5827302 PMC1277845 PMC3544534",
    # written before any answer to them was seen
    "Which trials tested statins?": "PMC1079844 PMC3258215 PMC5217661",
    "Which trials were about smoking cessation?": "PMC1550632",
    "Which trials studied breast cancer?": "PMC1797029 PMC3672718 PMC5668343",
    "Which trials studied obese or overweight people?": "PMC4990415 PMC4757000 PMC5884508",
    "Which trials tested internet interventions?": "PMC1550632 PMC1574360 PMC3510731 PMC5852975",
}
"""Questions for several papers, with the ids of the trials whose titles name the subject."""


@dataclass(frozen=True)
class Asked:
    """A question; ``paper`` is the one that it is about, empty where none is."""

    id: str
    kind: str
    question: str
    paper: str
    answerable: bool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=["dev", "blind"], default="blind")
    parser.add_argument("--several", action="store_true")
    options = parser.parse_args()
    half = "blind" if options.several else options.half
    needs_benchmarks()
    asked = questions(half)
    print(machine_load(), flush=True)
    with dspy.context(lm=LM("extractive")), indexed(documents(half)) as index:
        if options.several:
            print(*(papers_cited(name, load(name, index=index)) for name in PROGRAMS), sep="\n")
            return
        print("| | answered | first citation from its paper | unanswerable ones withheld |\n|---|---:|---:|---:|")
        for name in PROGRAMS:
            ask = load(name, index=index)
            print(row(name, asked, [ask(question=each.question) for each in asked]), flush=True)


def papers_cited(name: str, ask: Program) -> str:
    """How many of the papers that questions ask for, by question, are cited."""
    found, others = [], 0
    for question, wanted in SEVERAL.items():
        cited = {each.document_id for each in ask(question=question).citations}
        found.append(len(cited.intersection(wanted.split())))
        others += len(cited.difference(wanted.split()))
    asked = [len(set(wanted.split())) for wanted in SEVERAL.values()]
    return f"{name}: {sum(found)} of {sum(asked)} papers cited ({found} of {asked}), and {others} others"


def questions(half: str) -> list[Asked]:
    """Those of one half."""
    lines = map(json.loads, QUESTIONS.read_text("utf-8").splitlines())
    return [Asked(**line) for line in lines if line["id"].startswith(half)]


def documents(half: str) -> list[Document]:
    if half == "dev":
        return [document_of_passages(each)[0] for each in rows("trials_train/papers.jsonl")]
    return [read(path) for path in sorted((BENCHMARKS / "evidence_inference" / "nxml").glob("*.nxml"))]


def row(name: str, asked: Sequence[Asked], answers: Sequence[dspy.Prediction]) -> str:
    cited = [next((each.document_id for each in answer.citations), "") for answer in answers]
    with_one = [(each, paper) for each, paper in zip(asked, cited, strict=True) if each.answerable]
    without = [(each, paper) for each, paper in zip(asked, cited, strict=True) if not each.answerable]
    names = [each.id for each, _ in with_one]
    shares = (
        interval([bool(paper) for _, paper in with_one], names),
        interval([paper == each.paper for each, paper in with_one], names),
        interval([not paper for _, paper in without], [each.id for each, _ in without]),
    )
    return f"| `{name}` | {' | '.join(shares)} |"


if __name__ == "__main__":
    main()
