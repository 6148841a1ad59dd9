"""How often the experts' evidence is in what is shown: questions on 80 trials in full text, asked of all of them.

    python -m bench.evidence_shown           # each program by default and with its preset seed; minutes
    python -m bench.evidence_shown --cells   # cells of tables, and which questions' cells are not shown

Questions are those of ``bench.corpora.trials``, of every prompt whose evidence is in its paper's text. A prompt's
evidence is shown where a passage of its paper holds at least half of one of its spans. No language model is asked:
rewrites, points and the choice of papers are the extractive LM's. Intervals resample papers.

``table_cells.jsonl`` holds 60 questions on tables of 20 trials, each with the row, the header and the beginning of the
cell that answers it. The cell is shown where one passage holds it with its caption and the header of its column.
``main_points`` is asked of the paper, ``multi_signal`` of all 80 trials.
"""

from __future__ import annotations

import argparse
import html
import json
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import dspy

from bench.corpora import QUESTION, needs_benchmarks, rows, summarized, trials
from bench.gates import load
from optimize.statistics import compare
from programs.ingest.chunking import PASSAGES, chunk
from programs.ingest.document import Document
from programs.lm import LM
from programs.main_points import MainPoints
from programs.multi_signal import MultiSignal, MultiSignalParameters
from programs.paper_retriever import PaperRetriever, PaperRetrieverParameters
from programs.passages import Passage, shown
from programs.passages.passage_selection import tokens
from programs.rag_fusion import RagFusion, RagFusionParameters
from programs.retrieval.index import Index
from programs.retrieval.reranking import cross_encoder, ordered

CELLS = Path(__file__).with_name("table_cells.jsonl")
_CAPTION_WORDS = 6
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


@dataclass(frozen=True)
class Cell:
    """A question and the place in a table that answers it; ``cell`` is what is at its beginning."""

    paper: str
    table: str
    question: str
    header: str
    row: str
    cell: str

    def is_in(self, text: str, paper: Document) -> bool:
        """Whether a text holds the cell in its row, under the header and the caption."""
        lines, wanted = [line.strip() for line in text.splitlines()], (_signs(self.row), _signs(self.cell))
        has_cell = any(_holds(line.split("|"), *wanted) for line in lines if line.startswith("|"))
        return has_cell and _signs(self.header) in _signs(text) and _signs(self.caption(paper)) in _signs(text)

    def caption(self, paper: Document) -> str:
        """The first words of its table's caption."""
        captions = (each.caption for each in paper.figures if each.label == self.table)
        return " ".join(next(captions).split()[:_CAPTION_WORDS])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", action="store_true")
    options = parser.parse_args()
    needs_benchmarks()
    print(load(), flush=True)
    with dspy.context(lm=LM("extractive")), summarized(trials(), "trials-passages.idx", PASSAGES) as index:
        papers = {each["id"]: index.document(each["id"]) for each in index.documents()}
        if options.cells:
            report_cells(index, papers)
        else:
            report_prompts(index, papers)


def report_prompts(index: Index, papers: Mapping[str, Document]) -> None:
    asked = list(prompts(papers))
    print(f"{len(asked)} prompts on {len({each.paper.id for each in asked})} trials\n")
    print("| | evidence shown | first | among three | among five | passages | tokens, mean (most) |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name, way in ways(index).items():
        print(row(name, asked, [way(each) for each in asked]), flush=True)


def report_cells(index: Index, papers: Mapping[str, Document]) -> None:
    asked = cells()
    names = [each.paper for each in asked]
    whole = [place_of(each, papers[each.paper], passages_of(papers[each.paper])) is not None for each in asked]
    print(f"{len(asked)} questions on {len(set(names))} trials; the cell of {sum(whole)} is")
    print("with caption and header in one of the passages that its paper is cut into\n")
    print("| | the cell with header and caption in one passage | among three |\n|---|---:|---:|")
    for name, way in ways_to_cells(index, papers).items():
        found = [place_of(each, papers[each.paper], way(each)) for each in asked]
        shares = [interval([place is not None and place < most for place in found], names) for most in (999, 3)]
        print(f"| {name} | {' | '.join(shares)} |", flush=True)
        for each in (each for each, place in zip(asked, found, strict=True) if place is None):
            print(f"    {each.paper} {each.table} {each.row}: {each.question}", flush=True)


def prompts(papers: Mapping[str, Document]) -> Iterator[Prompt]:
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


def row(name: str, asked: Sequence[Prompt], found: Sequence[Sequence[Passage]]) -> str:
    pairs = list(zip(asked, found, strict=True))
    papers = [prompt.paper.id for prompt in asked]
    cells = [interval([prompt.is_in(passages[:most]) for prompt, passages in pairs], papers) for most in (None, *FIRST)]
    sizes = [sum(tokens(each.text) for each in passages) for passages in found]
    number = statistics.fmean(len(passages) for passages in found)
    return f"| {name} | {' | '.join(cells)} | {number:.1f} | {statistics.fmean(sizes):,.0f} ({max(sizes):,.0f}) |"


def interval(values: Sequence[bool], papers: Sequence[str]) -> str:
    """A share, with its interval over the papers of its questions."""
    found = compare([float(each) for each in values], papers)
    return f"{found.difference:.3f} ({found.low:.3f}–{found.high:.3f})"


def cells() -> list[Cell]:
    return [Cell(**json.loads(line)) for line in CELLS.read_text(encoding="utf-8").splitlines()]


def passages_of(paper: Document) -> list[str]:
    return [f"{each.heading}\n{each.text}" for each in chunk(paper, PASSAGES)]


def ways_to_cells(index: Index, papers: Mapping[str, Document]) -> dict[str, Callable[[Cell], Sequence[str]]]:
    """What shows texts of the question's paper, best first."""
    points, signals = MainPoints(index.embedder), MultiSignal(index)
    return {
        "`main_points`": lambda cell: _texts(cell, points(question=cell.question, paper=papers[cell.paper]).passages),
        "`multi_signal`": lambda cell: _texts(cell, signals(question=cell.question, answer=False).passages),
    }


def place_of(cell: Cell, paper: Document, texts: Sequence[str]) -> int | None:
    """Which of the texts, from 0, holds the cell first."""
    return next((place for place, text in enumerate(texts) if cell.is_in(text, paper)), None)


def _texts(cell: Cell, passages: Iterable[Passage]) -> list[str]:
    return [shown([each]) if each.document_id == cell.paper else "" for each in passages]


def _holds(line: Sequence[str], row: str, cell: str) -> bool:
    letters = [_signs(each) for each in line]
    return any(row in each for each in letters) and any(each.startswith(cell) for each in letters)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def _share(wanted: str, text: str) -> float:
    """How much of a span a text holds: all, or its beginning at the text's end, or its end at the text's beginning."""
    if wanted in text:
        return 1.0
    lengths = range(len(wanted) - 1, 0, -1)
    most = next((n for n in lengths if text.endswith(wanted[:n]) or text.startswith(wanted[-n:])), 0)
    return most / len(wanted)


def _signs(text: str) -> str:
    return "".join(each for each in text if each.isalnum() or each in ".<-−").casefold()


if __name__ == "__main__":
    main()
