"""What each signal of `multi_signal` is worth: the order of candidates without it, and by other weights of the ninth.

    python -m bench.signal_ablation               # the table, in Markdown; minutes
    python -m bench.signal_ablation --claims      # of SciFact's training claims

Asked are prompts on trials of ``trials_train`` that the learned order was not trained on, over these and some seventy
other trials. A passage is relevant that holds at least half of a passage with the experts' evidence, or lies in one by
half. Of SciFact's training claims every fifth is asked, over the abstracts cited for these and every fourth other one.
Searches and the order's scores are those of ``multi_signal`` by default. Intervals are 95 % of a bootstrap by paper,
of the paired differences to all nine.
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any

from bench.corpora import ndcg, needs_benchmarks, rows, scifact
from bench.gates import load
from optimize.statistics import compare
from optimize.training.generated_pairs import finding_of
from optimize.training.labelled_claims import fraction, reported_documents
from optimize.training.ranking_lists import is_dev, plainly
from optimize.training.wording import EFFECTS
from programs.ingest.chunking import PASSAGES
from programs.ingest.document import Chunk, Document, Section
from programs.multi_signal import MultiSignalParameters
from programs.retrieval.index import Index
from programs.retrieval.query_expansion import TagDictionary, expand
from programs.retrieval.reranking import SignalWeights, cross_encoded, cross_encoder, rerank
from programs.retrieval.retriever import SearchCandidates
from programs.retrieval.signals import Keywords
from tests.benchmarks import BENCHMARKS

OTHERS = 0.25
"""Share of the trials that the order was trained on that are searched, too."""
STEP, OTHER_ABSTRACTS = 5, 4
DEFAULTS = MultiSignalParameters()
DEPTHS = (1, 3)
NOW = 2026
"""The year that recency is counted from, fixed so that the figures do not change with the calendar."""


@dataclass(frozen=True)
class Asked:
    """A question with its candidates and those of them that are relevant."""

    question: str
    keywords: Keywords
    candidates: SearchCandidates
    paper: str
    relevant: frozenset[str]

    @classmethod
    def of(cls, question: str, index: Index, paper: str, is_relevant: Callable[[Chunk], bool]) -> Asked:
        expansion = expand(question, TagDictionary.load())
        words = [expansion.query] if expansion.query != question else []
        candidates = index.candidates(question, DEFAULTS.depth, words=words)
        relevant = frozenset(hit.chunk.id for hit in candidates.hits if is_relevant(hit.chunk))
        return cls(question, Keywords.of(question, expansion.added), candidates, paper, relevant)

    def order(self, weights: SignalWeights) -> list[Chunk]:
        ranked = rerank(self.candidates, self.keywords, now=NOW, weights=weights, same_meaning=DEFAULTS.same_meaning)
        encoder = cross_encoder(DEFAULTS.cross_encoder)
        if encoder and weights.cross_encoder:
            ranked = cross_encoded(ranked, self.question, encoder, weights, len(ranked))
        return [each.hit.chunk for each in ranked]

    def values(self, weights: SignalWeights) -> dict[str, float]:
        found = [chunk.id for chunk in self.order(weights)]
        firsts = {f"among {depth}": float(not self.relevant.isdisjoint(found[:depth])) for depth in DEPTHS}
        return {"nDCG@10": ndcg(found, self.relevant) if self.relevant else 0.0, **firsts}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--claims", action="store_true")
    asked = claims if parser.parse_args().claims else trials
    needs_benchmarks()
    print(load(), flush=True)
    questions = list(asked())
    papers = [each.paper for each in questions]
    whole = [each.values(DEFAULTS.weights) for each in questions]
    print(f"{len(questions)} questions on {len(set(papers))} papers\n")
    print(f"| | {' | '.join(whole[0])} | nDCG@10 against all nine |\n|---|{'---:|' * (len(whole[0]) + 1)}")
    for name, weights in ways().items():
        found = [each.values(weights) for each in questions]
        means = [f"{compare([each[name] for each in found], papers).difference:.3f}" for name in whole[0]]
        against = compare([one["nDCG@10"] - other["nDCG@10"] for one, other in zip(found, whole, strict=True)], papers)
        difference = f"{against.difference:+.3f} ({against.low:+.3f} to {against.high:+.3f})"
        print(f"| {name} | {' | '.join(means)} | {difference} |", flush=True)


def ways() -> dict[str, SignalWeights]:
    """Each signal left out, and the ninth by other weights."""
    every = DEFAULTS.weights
    names = [each.name for each in fields(SignalWeights)]
    alone = replace(every, **{name: 0.0 for name in names if name != "cross_encoder"})
    return {
        "all nine": every,
        **{f"without `{name}`": replace(every, **{name: 0.0}) for name in names},
        "`cross_encoder` alone": alone,
        "`cross_encoder` and `sim`": replace(alone, sim=every.sim),
        "without `keyword_overlap`, `cross_encoder` by 8": replace(every, keyword_overlap=0.0, cross_encoder=8.0),
        "`bm25` halved, `cross_encoder` by 8": replace(every, bm25=every.bm25 / 2, cross_encoder=8.0),
        **{f"`cross_encoder` by {weight}": replace(every, cross_encoder=float(weight)) for weight in (1, 2, 8, 16)},
    }


@contextmanager
def indexed(documents: Sequence[Document]) -> Iterator[Index]:
    with tempfile.TemporaryDirectory() as folder:
        index = Index.open(Path(folder, "ablation.idx"), create=True, chunking=PASSAGES)
        index.add(documents)
        yield index
        index.close()


def claims() -> Iterator[Asked]:
    task = scifact()
    needed = task.tuning[::STEP]
    cited = frozenset[str]().union(*(each.papers for each in needed))
    documents = [each for at, each in enumerate(task.documents) if each.id in cited or at % OTHER_ABSTRACTS == 0]
    with indexed(documents) as index:
        for each in needed:
            yield Asked.of(each.text, index, each.cluster, lambda chunk, each=each: chunk.document_id in each.papers)


def trials() -> Iterator[Asked]:
    documents, places = searched()
    with indexed(documents) as index:
        for row in rows("trials_train/prompts.jsonl"):
            spans = [places[each] for each in row["gold"] if each in places]
            if is_dev(row["pmcid"]) and row["effect"] in EFFECTS and spans:
                held = partial(holds, row["pmcid"], spans)
                yield Asked.of(plainly(finding_of(row)), index, row["pmcid"], held)


def holds(paper: str, spans: Sequence[tuple[int, int]], chunk: Chunk) -> bool:
    """Whether a passage holds half of a span, or lies in one by half."""
    shared = (
        max(0, min(end, chunk.end) - max(start, chunk.start)) / min(end - start, chunk.end - chunk.start)
        for start, end in spans
    )
    return chunk.document_id == paper and any(share >= 0.5 for share in shared)


def searched() -> tuple[list[Document], dict[str, tuple[int, int]]]:
    """The papers, and where each passage is in its own."""
    reported = reported_documents(BENCHMARKS)
    documents: list[Document] = []
    places: dict[str, tuple[int, int]] = {}
    for paper in rows("trials_train/papers.jsonl"):
        name = paper["pmcid"]
        if name not in reported and (is_dev(name) or fraction(f"ablation {name}") < OTHERS):
            document, own = document_of_passages(paper)
            documents.append(document)
            places |= own
    return documents, places


def document_of_passages(paper: Mapping[str, Any]) -> tuple[Document, dict[str, tuple[int, int]]]:
    text, sections, places = "", [], {}
    for (heading, kind), passages in itertools.groupby(paper["passages"], itemgetter("heading", "section")):
        start = len(text)
        for each in passages:
            places[each["id"]] = (len(text), len(text) + len(each["text"]))
            text += f"{each['text']}\n\n"
        sections.append(Section(heading, kind, start, len(text)))
    title, name = paper["title"], paper["pmcid"]
    return Document(name, text, title, year=paper["year"], pmcid=name, sections=tuple(sections)), places


if __name__ == "__main__":
    main()
