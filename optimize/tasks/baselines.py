"""What a program has to beat: ways to answer that do not read the question, or that only count its words.

abstain           never answers
random            a label and a sentence by chance
majority          the label that train has most often
lead              the paper's first sentences
best_sentence     the sentence with the highest BM25 score

They are programs, asked, judged and scored like all others, and asked like `main_points`, so that their figures stand
beside its. The last two have their label chosen by the language model from what they found, as `main_points` has; the
others ask nothing.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import dspy

from metrics.sentences import Span, sentences
from optimize.dataset.data import Dataset
from optimize.dataset.example import Example
from optimize.dataset.word_search import WordSearch
from optimize.tasks.main_points import MainPointsTask
from optimize.tasks.task import CallCount, Demo, Posed, Space
from programs.ingest.chunking import SENTENCES, chunk
from programs.ingest.document import Chunk, Document
from programs.main_points import Labelling
from programs.passages import Passage
from programs.program import Program
from programs.results.result import result
from programs.retrieval.embedding.embedder import Embedder
from programs.verification import unverified
from signatures.citation_markers import render

LEAD = 3
"""Sentences that a lead baseline takes, as in summarization."""
_FULL_STOPS = ".!?"
_MODEL = MainPointsTask()


@dataclass(frozen=True, slots=True)
class NoParameters:
    """Baselines have nothing to tune."""


@dataclass(frozen=True, slots=True)
class Picked:
    """What a baseline takes from a paper.

    Attributes:
        chunk: Shown as its only passage.
        sentences: Spans in the chunk's text that are its answer.
    """

    chunk: Chunk
    sentences: tuple[Span, ...]


class Baseline(Program[NoParameters]):
    """A way to answer from one paper.

    Args:
        name: As in BASELINES.
        pick: Takes question and paper to what is shown, or None for an abstention.
        label: Takes question and choices to a label; None has the model choose by what was picked.
    """

    name: ClassVar[str] = "baseline"

    def __init__(
        self,
        pick: Callable[[str, Document], Picked | None],
        label: Callable[[str, Sequence[str]], str] | None = None,
    ) -> None:
        super().__init__(NoParameters())
        self.pick = pick
        self.label = label
        self.labelling = Labelling()

    def run(self, question: str, paper: Document, choices: Sequence[str] = ()) -> dspy.Prediction:
        """Answer from a paper; the result has the fields of `main_points`."""
        picked = self.pick(question, paper)
        passages = [_passage(paper, picked.chunk)] if picked else []
        found = result(question, unverified(_answer(picked), passages))
        found.label = self._label(passages, question, choices) if choices else ""
        return found

    def _label(self, passages: Sequence[Passage], question: str, choices: Sequence[str]) -> str:
        if self.label is not None:
            return self.label(question, choices)
        return str(self.labelling(passages, question, choices))


def abstain(train: Sequence[Example] = ()) -> Baseline:
    """Never answers, and names no label."""
    return Baseline(lambda question, paper: None, lambda question, choices: "")


def chance(train: Sequence[Example] = ()) -> Baseline:
    """A label and a sentence by a hash of the question: the same in every run."""
    return Baseline(_any_sentence, lambda question, choices: choices[_hash(question, "label") % len(choices)])


def majority(train: Sequence[Example] = ()) -> Baseline:
    """The label that the training questions have most often, whatever is asked; no answer."""
    counts = Counter(example.label for example in train if example.label)

    def most_often(question: str, choices: Sequence[str]) -> str:
        return max(choices, key=lambda choice: counts[choice])

    return Baseline(lambda question, paper: None, most_often)


def lead(train: Sequence[Example] = ()) -> Baseline:
    """The first sentences of the paper, which are those of its abstract."""
    return Baseline(_lead)


def best_sentence(train: Sequence[Example] = ()) -> Baseline:
    """The sentence that BM25 finds best for the question, shown in its passage."""
    return Baseline(_best_sentence)


BASELINES: Mapping[str, Callable[[Sequence[Example]], Baseline]] = {
    "abstain": abstain,
    "random": chance,
    "majority": majority,
    "lead": lead,
    "best_sentence": best_sentence,
}
"""By name; each is made with the questions of train."""


@dataclass(frozen=True, slots=True)
class BaselineTask:
    """A baseline as optimizers see a program; there is nothing to optimise.

    Attributes:
        name: One of ``BASELINES``.
        metrics: Those of `main_points`.
    """

    name: str
    metrics: tuple[str, ...] = _MODEL.metrics

    @property
    def space(self) -> Space:
        """Nothing to search."""
        return {}

    def program(self, dataset: Dataset, embedder: Embedder | None) -> Program[Any]:
        """The baseline, which may know the questions of the training split."""
        return BASELINES[self.name](dataset.splits.get("train", ()))

    def pose(self, example: Example, dataset: Dataset) -> Posed:
        """As `main_points` is asked."""
        return _MODEL.pose(example, dataset)

    def demos(self, example: Example, dataset: Dataset, rng: random.Random) -> Mapping[str, Demo]:
        """Empty: there is no prompt."""
        return {}

    def calls(self, program: Program[Any], dataset: Dataset) -> CallCount:
        """A label is chosen by the model, from what the baseline found."""
        return CallCount(0, 1)


def _lead(question: str, paper: Document) -> Picked | None:
    chunks = _texts(paper)
    return Picked(chunks[0], tuple(sentences(chunks[0].text))[:LEAD]) if chunks else None


def _best_sentence(question: str, paper: Document) -> Picked | None:
    places = [(each, span) for each in _texts(paper) for span in sentences(each.text)]
    if not places:
        return None
    scores = WordSearch([each.text[span.start : span.end] for each, span in places]).scores(question)
    found, span = places[max(range(len(places)), key=scores.__getitem__)]
    return Picked(found, (span,))


def _any_sentence(question: str, paper: Document) -> Picked | None:
    places = [(each, span) for each in _texts(paper) for span in sentences(each.text)]
    if not places:
        return None
    found, span = places[_hash(question, "sentence") % len(places)]
    return Picked(found, (span,))


def _texts(paper: Document) -> list[Chunk]:
    return [each for each in chunk(paper, SENTENCES) if each.kind == "text"]


def _answer(picked: Picked | None) -> str:
    if picked is None:
        return ""
    text = picked.chunk.text
    return " ".join(_cited(text[span.start : span.end]) for span in picked.sentences)


def _cited(sentence: str) -> str:
    bare = sentence.rstrip(_FULL_STOPS)
    return f"{bare} {render(['1'])}{sentence[len(bare) :] or '.'}"


def _passage(paper: Document, each: Chunk) -> Passage:
    return Passage.of(paper, each.start, each.end, id=each.id, section=each.section, heading=each.heading)


def _hash(question: str, purpose: str) -> int:
    return int.from_bytes(hashlib.sha256(f"{purpose}\n{question}".encode()).digest()[:8], "big")
