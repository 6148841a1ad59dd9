"""Questions in a reader's own words: whether answers cite the right paper, and unanswerable ones are withheld.

    python -m bench.natural_questions              # 60 questions on the 80 trials that nothing was tuned on
    python -m bench.natural_questions --half dev   # 60 on 312 other trials, which rules were made on; takes minutes

``natural_questions.jsonl`` holds the questions, in words of a reader who knew no program: findings, numbers, doses,
harms, drop-outs, funders and limitations; a third has no answer there, because no paper is on it, or the one that is
says nothing of what is asked. No language model is asked. Intervals resample questions.
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
from programs.registry import load
from tests.benchmarks import BENCHMARKS

QUESTIONS = Path(__file__).with_suffix(".jsonl")
PROGRAMS = ("multi_signal", "rag_fusion", "paper_retriever")


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
    half = parser.parse_args().half
    needs_benchmarks()
    asked = questions(half)
    print(machine_load(), flush=True)
    with dspy.context(lm=LM("extractive")), indexed(documents(half)) as index:
        print("| | answered | first citation from its paper | unanswerable ones withheld |\n|---|---:|---:|---:|")
        for name in PROGRAMS:
            ask = load(name, index=index)
            print(row(name, asked, [ask(question=each.question) for each in asked]), flush=True)


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
