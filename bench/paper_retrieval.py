"""Choosing papers before passages against searching passages at once, on 80 trials in full text.

    python -m bench.paper_retrieval     # the first run indexes and summarizes the trials: minutes

Questions are those of ``retrieval_tasks.trials``. Summaries and selection are by the extractive LM; its way to rate
papers was chosen on the first half of the trials. Intervals resample papers.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import dspy

from bench.gates import load
from bench.retrieval_tasks import Question, Task, trials
from optimize.statistics import compare
from programs.ingest.chunking import WORDS, Chunking
from programs.lm import LM
from programs.paper_retriever import PaperRetriever, PaperRetrieverParameters
from programs.retrieval.index import Index
from programs.retrieval.records import Hit
from programs.summaries import summarize_index
from tests.benchmarks import BENCHMARKS

PLACE = Path(tempfile.gettempdir(), "corroborate-bench", "trials.idx")
PAPERS, PASSAGES = 2, 3
MEASURES = (f"paper recall@{PAPERS}", f"evidence recall@{PASSAGES}", "passages of the right paper")


@dataclass(frozen=True)
class Found:
    """What a way finds for a question: papers in their order, and passages."""

    papers: Sequence[str]
    hits: Sequence[Hit]

    def measured(self, question: Question) -> tuple[float, float, float]:
        """Values of ``MEASURES``."""
        right = sum(hit.chunk.document_id in question.papers for hit in self.hits)
        return (
            float(bool(question.papers & set(self.papers[:PAPERS]))),
            float(any(hit.chunk.id in question.relevant for hit in self.hits)),
            right / len(self.hits),
        )


Way = Callable[[str], Found]


def main() -> None:
    if not BENCHMARKS.is_dir():
        print("Not measured: the development benchmarks are not beside this checkout.")
        return
    print(load(), flush=True)
    task = trials()
    with dspy.context(lm=LM("extractive")), indexed(task) as index:
        report(task, {name: measured(task, way) for name, way in ways(index).items()})


def indexed(task: Task, place: Path = PLACE, chunking: Chunking = WORDS) -> Index:
    """An index with summaries, made once; the task's ids are those of ``WORDS``."""
    place.parent.mkdir(exist_ok=True)
    index = Index.open(place, create=True, chunking=chunking)
    index.add(task.documents)
    done = summarize_index(index)
    if done.failures:
        sys.exit("\n".join(map(str, done.failures)))
    return index


def ways(index: Index) -> dict[str, Way]:
    hidden = PaperRetriever(index, PaperRetrieverParameters(docs_top_k=PAPERS, re_retrieve_top_k=PASSAGES))
    titled = PaperRetriever(
        index, PaperRetrieverParameters(docs_top_k=PAPERS, re_retrieve_top_k=PASSAGES, hide_metadata=False)
    )
    return {"plain hybrid": plain(index), "papers first": papers_first(hidden), "…, titles kept": papers_first(titled)}


def plain(index: Index) -> Way:
    def find(question: str) -> Found:
        hits = index.search(question, k=PASSAGES)
        return Found(list(dict.fromkeys(hit.chunk.document_id for hit in hits)), hits)

    return find


def papers_first(retriever: PaperRetriever) -> Way:
    def find(question: str) -> Found:
        prediction = retriever(question=question)
        return Found([paper.document_id for paper in prediction.papers], prediction.hits)

    return find


def measured(task: Task, way: Way) -> dict[Question, tuple[float, ...]]:
    return {question: way(question.text).measured(question) for question in task.questions}


def report(task: Task, values: Mapping[str, Mapping[Question, tuple[float, ...]]]) -> None:
    """One table: means, and under them the difference to the first way."""
    print(f"| questions | way | {' | '.join(MEASURES)} |\n|---|---|{'---|' * len(MEASURES)}")
    parts = {"tuning half": task.tuning, "held-out half": task.held_out, "all": task.questions}
    first = next(iter(values.values()))
    for part, questions in parts.items():
        for name, found in values.items():
            cells = [cell([found[each][place] for each in questions], questions) for place in range(len(MEASURES))]
            print(f"| {part}, {len(questions)} | {name} | {' | '.join(cells)} |")
            if found is first:
                continue
            gains = [[found[each][n] - first[each][n] for each in questions] for n in range(len(MEASURES))]
            print(f"| | difference | {' | '.join(cell(gain, questions, '+.3f') for gain in gains)} |")


def cell(values: Sequence[float], questions: Sequence[Question], form: str = ".3f") -> str:
    estimate = compare(values, [question.cluster for question in questions])
    if estimate.low is None or estimate.high is None:
        return format(estimate.difference, form)
    return f"{estimate.difference:{form}} ({estimate.low:{form}} to {estimate.high:{form}})"


if __name__ == "__main__":
    main()
