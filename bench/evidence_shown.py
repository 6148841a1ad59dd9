"""How often the experts' evidence stands in what is shown: questions on 80 trials in full text, asked of all of them.

    python -m bench.evidence_shown           # each program by default and with its preset seed; minutes
    python -m bench.evidence_shown --half    # only the trials with an even CRC-32 of their PMCID

Questions are those of ``retrieval_tasks``, of every prompt whose evidence stands in its paper's text. A prompt's
evidence is shown where a passage of its paper holds at least half of one of its spans. No language model is asked:
rewrites, points and the choice of papers are the extractive LM's. Intervals resample papers.
"""

from __future__ import annotations

import argparse
import html
import statistics
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import dspy

from bench.corpora import rows
from bench.gates import load
from bench.paper_retrieval import indexed
from bench.retrieval_tasks import QUESTION, trials
from optimize.statistics import compare
from programs.ingest.chunking import PASSAGES
from programs.ingest.document import Document
from programs.lm import LM
from programs.main_points import MainPoints
from programs.multi_signal import MultiSignal, MultiSignalParameters
from programs.paper_retriever import PaperRetriever, PaperRetrieverParameters
from programs.passages import Passage
from programs.passages.choice import tokens
from programs.rag_fusion import RagFusion, RagFusionParameters
from programs.retrieval.index import Index
from programs.retrieval.reranking import cross_encoder, ordered
from tests.benchmarks import BENCHMARKS

PLACE = Path(tempfile.gettempdir(), "corroborate-bench", "trials-passages.idx")
FIRST = (1, 3, 5)
Way = Callable[["Prompt"], Sequence[Passage]]


@dataclass(frozen=True)
class Prompt:
    """A question, its paper, and the letters of its evidence."""

    question: str
    paper: Document
    evidence: tuple[str, ...]

    def is_in(self, passages: Sequence[Passage]) -> bool:
        """Whether a passage holds at least half of an evidence span."""
        return any(
            self.paper.id == each.document_id and _share(wanted, _letters(each.text)) >= 0.5
            for each in passages
            for wanted in self.evidence
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--half", action="store_true")
    half = parser.parse_args().half
    if not BENCHMARKS.is_dir():
        print("Not measured: the development benchmarks are not beside this checkout.")
        return
    print(load(), flush=True)
    with dspy.context(lm=LM("extractive")), indexed(trials(), PLACE, PASSAGES) as index:
        asked = [each for each in prompts(index) if not half or zlib.crc32(each.paper.id.encode()) % 2 == 0]
        print(f"{len(asked)} prompts on {len({each.paper.id for each in asked})} trials\n")
        print("| | evidence shown | first | among three | among five | passages | tokens, mean (most) |")
        print("|---|---:|---:|---:|---:|---:|---:|")
        for name, way in ways(index).items():
            print(row(name, asked, [way(each) for each in asked]), flush=True)


def prompts(index: Index) -> Iterator[Prompt]:
    papers = {each["id"]: index.document(each["id"]) for each in index.documents()}
    for prompt in rows("evidence_inference/prompts.jsonl"):
        texts = {key: " ".join(html.unescape(prompt[key]).split()) for key in ("intervention", "comparator", "outcome")}
        paper = papers[prompt["pmcid"]]
        letters = _letters(paper.text)
        evidence = tuple(found for each in prompt["evidence"] if (found := _letters(each["text"])) and found in letters)
        if evidence:
            yield Prompt(QUESTION.format(**texts), paper, evidence)


def ways(index: Index) -> Mapping[str, Way]:
    def over_all(program: dspy.Module) -> Way:
        return lambda prompt: program(question=prompt.question, answer=False).passages

    def inside(prompt: Prompt) -> Sequence[Passage]:
        hits = index.search(prompt.question, 200, {"document": [prompt.paper.id]})
        best = [hit.chunk for hit in ordered(prompt.question, hits, cross_encoder("learned"))]
        return [Passage.of(prompt.paper, each.start, each.end, id=each.id, section=each.section) for each in best[:5]]

    points = MainPoints(index.embedder)
    return {
        "`multi_signal`": over_all(MultiSignal(index)),
        "`rag_fusion`": over_all(RagFusion(index)),
        "`paper_retriever`": over_all(PaperRetriever(index)),
        "`multi_signal`, preset seed": over_all(MultiSignal(index, MultiSignalParameters.seed())),
        "`rag_fusion`, preset seed": over_all(RagFusion(index, RagFusionParameters.seed())),
        "`paper_retriever`, preset seed": over_all(PaperRetriever(index, PaperRetrieverParameters.seed())),
        "inside its paper, five by the learned order": inside,
        "inside its paper, `main_points`": lambda prompt: points(question=prompt.question, paper=prompt.paper).passages,
    }


def row(name: str, asked: Sequence[Prompt], shown: Sequence[Sequence[Passage]]) -> str:
    pairs = list(zip(asked, shown, strict=True))
    papers = [prompt.paper.id for prompt in asked]
    cells = [interval([prompt.is_in(passages[:most]) for prompt, passages in pairs], papers) for most in (None, *FIRST)]
    sizes = [sum(tokens(each.text) for each in passages) for passages in shown]
    number = statistics.fmean(len(passages) for passages in shown)
    return f"| {name} | {' | '.join(cells)} | {number:.1f} | {statistics.fmean(sizes):,.0f} ({max(sizes):,.0f}) |"


def interval(values: Sequence[bool], papers: Sequence[str]) -> str:
    """A share, with its interval over the papers of its questions."""
    found = compare([float(each) for each in values], papers)
    return f"{found.difference:.3f} ({found.low:.3f}–{found.high:.3f})"


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def _share(wanted: str, text: str) -> float:
    """How much of a span a text holds: all, or its beginning at the text's end, or its end at the text's beginning."""
    if wanted in text:
        return 1.0
    lengths = range(len(wanted) - 1, 0, -1)
    most = next((n for n in lengths if text.endswith(wanted[:n]) or text.startswith(wanted[-n:])), 0)
    return most / len(wanted)


if __name__ == "__main__":
    main()
