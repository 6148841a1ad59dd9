"""What a task is: one program as optimizers, evaluation and reports see it; and the demos that gold data give.

prove     passages, a true or false answer      → the gold quotes of every sentence, or what is wrong in the planted one
fix       the false answer and its claims       → the gold answer

Demos of answering are in ``evidence_demos``, those of one program alone beside its task.
"""

from __future__ import annotations

import random
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from metrics.sentences import sentences
from metrics.statements import Statement, statements
from metrics.support import check
from metrics.words import words
from optimize.dataset import Example
from optimize.dataset.splits import Dataset, corpus_index
from programs.ingest.chunking import SENTENCES, chunk
from programs.ingest.document import Chunk, Document
from programs.passages import Passage, papers_of, shown
from programs.program import Program
from programs.registry import create
from programs.retrieval.embedder import Embedder
from signatures.citation_markers import render

if TYPE_CHECKING:
    import optuna


Suggest: TypeAlias = "Callable[[optuna.Trial, str], int | float | bool | str]"
"""Gives the value that a trial takes for a parameter of that name."""
Space: TypeAlias = Mapping[str, Suggest]
"""Parameters by name; those that are not named stay as they are."""


def whole(low: int, high: int, step: int = 1) -> Suggest:
    """A whole number from ``low`` to ``high``, both included, in steps."""
    return lambda trial, name: int(trial.suggest_int(name, low, high, step=step))


def real(low: float, high: float) -> Suggest:
    """A number from ``low`` to ``high``."""
    return lambda trial, name: round(float(trial.suggest_float(name, low, high)), 4)


def one_of(*values: str) -> Suggest:
    """One of some names."""
    return lambda trial, name: str(trial.suggest_categorical(name, values))


def switch() -> Suggest:
    """On or off."""
    return lambda trial, name: bool(trial.suggest_categorical(name, [False, True]))


ANSWERING_SPACE: Space = {
    "reader": one_of("order", "model", "both"),
    "evidence": whole(3, 12),
    "word": one_of("checker", "model"),
    "least_evidence": real(0.02, 0.3),
    "least_support": real(0.5, 0.95),
}
"""Who reads, how much, and whose word counts: what depends on the model that answers."""

ANSWER_METRICS = (
    "grounded_utility",
    "claim_groundedness",
    "contradiction_rate",
    "nugget_recall",
    "citation_f1",
    "citation_recall",
    "citation_precision",
    "citation_coverage",
    "citation_validity",
    "answerability",
    "token_f1",
)
"""What every written answer is judged by; the first is the objective."""
PAPER_METRICS = (*ANSWER_METRICS, "accuracy", "evidence_recall", "copy_ratio")
"""What an answer from one paper is judged by."""

Demo: TypeAlias = Mapping[str, Any]
"""Values of a signature's fields, JSON-ready."""


@dataclass(frozen=True, slots=True)
class TaskInput:
    """A question as it is put to a program: the example as metrics see it, and what the program is called with."""

    example: Example
    inputs: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CallCount:
    """How many calls of a language model one run of a program takes, and ``before`` the first run, once, at most."""

    least: int
    most: int
    before: int = 0


@dataclass(frozen=True, slots=True)
class Task(ABC):
    """One program as optimizers see it.

    ``metrics`` are those that say something of it, the objective first; ``space`` holds parameters worth searching.
    """

    name: str
    metrics: tuple[str, ...] = ANSWER_METRICS
    space: Space = field(default_factory=dict)

    def program(self, dataset: Dataset, embedder: Embedder | None) -> Program[Any]:
        """The uncompiled program; by default over an index of all papers of a data set."""
        return create(self.name, index=corpus_index(dataset, embedder))

    @abstractmethod
    def pose(self, example: Example, dataset: Dataset) -> TaskInput:
        """Put a question to the program."""

    @abstractmethod
    def demos(self, example: Example, dataset: Dataset, rng: random.Random) -> Mapping[str, Demo]:
        """What each predictor, by name, should have said of this example, from the gold data alone."""

    @abstractmethod
    def calls(self, program: Program[Any], dataset: Dataset) -> CallCount:
        """What one question of a data set costs; the program may be one whose index is not there."""


_PASSAGES = 4


def shown_to(example: Example, dataset: Dataset, rng: random.Random) -> ShownPassages:
    """Passages of the example's papers and of others of the training split, which are all a demo may show."""
    train = dict.fromkeys(paper for each in dataset.split("train") for paper in each.document_ids)
    papers = [dataset.documents[each] for each in dict.fromkeys((*example.document_ids, *train))]
    passages = [passage_of(paper, each) for paper in papers for each in chunk(paper, SENTENCES)]
    quotes = [each.quote for each in example.evidence]
    return among_others(passages, quotes, example.question, rng, _PASSAGES)


_NUMBER = re.compile(r"(?<![\w.,\[\-–])\d+(?:[.,]\d+)?(?![\w\]])")
_FACTORS = (0.5, 1.5, 2.0)
_OPPOSITES = {
    "higher": "lower",
    "increased": "decreased",
    "more": "less",
    "rose": "fell",
    "longer": "shorter",
    "larger": "smaller",
    "faster": "slower",
    "gained": "lost",
    "raised": "reduced",
    "above": "below",
    "before": "after",
}
_OPPOSITE_OF = {**_OPPOSITES, **{second: first for first, second in _OPPOSITES.items()}}
_DIRECTION = re.compile(rf"\b(?:{'|'.join(_OPPOSITE_OF)})\b")


@dataclass(frozen=True, slots=True)
class Falsified:
    """A sentence that is no longer true, and why."""

    text: str
    reason: str


def falsify(sentence: str, rng: random.Random, passages: str = "") -> Falsified | None:
    """Change a number of a sentence, or else turn an English direction around; None when there is nothing to change.

    Citations are left alone. A number that ``passages`` hold elsewhere is not a falsehood to learn from.
    """
    numbers = list(_NUMBER.finditer(sentence))
    for match in rng.sample(numbers, len(numbers)):
        for factor in rng.sample(_FACTORS, len(_FACTORS)):
            wrong = _scaled(match.group(), factor)
            if wrong not in passages:
                return _with(sentence, match, wrong)
    direction = _DIRECTION.search(sentence)
    return None if direction is None else _with(sentence, direction, _OPPOSITE_OF[direction.group()])


def _with(sentence: str, match: re.Match[str], wrong: str) -> Falsified:
    changed = f"{sentence[: match.start()]}{wrong}{sentence[match.end() :]}"
    return Falsified(changed, f"the passage says {match.group()}, not {wrong}")


def _scaled(number: str, factor: float) -> str:
    """Another number with as many decimals, and the same decimal sign."""
    sign = "," if "," in number else "."
    value = float(number.replace(sign, "."))
    decimals = len(number.partition(sign)[2])
    scaled = f"{value * factor:.{decimals}f}"
    return (scaled if float(scaled) != value else f"{value + 1:.{decimals}f}").replace(".", sign)


PASSAGES = 3
MOST_QUOTES = 3
_FULL_STOPS = ".。"


@dataclass(frozen=True, slots=True)
class ShownPassages:
    """The passages of a demo, in random order, and the places from 0 of those that are gold."""

    passages: tuple[Passage, ...]
    gold: tuple[int, ...]

    @property
    def text(self) -> str:
        """As they are in a prompt."""
        return shown(self.passages)

    @property
    def papers(self) -> str:
        """Their titles, as they are in a prompt."""
        return papers_of(self.passages)

    def asked(self, question: str) -> dict[str, str]:
        """The fields that they and the question are in."""
        return {"passages": self.text, "papers": self.papers, "question": question}

    def marker(self, place: int) -> str:
        """What cites a passage: its key, or its number from 1."""
        return self.passages[place].label(place + 1)


def passage_of(document: Document, chunk: Chunk, key: str = "") -> Passage:
    """A chunk as programs show it."""
    return Passage.of(
        document, chunk.start, chunk.end, id=chunk.id, section=chunk.section, heading=chunk.heading, key=key
    )


def among_others(
    passages: Sequence[Passage], quotes: Sequence[str], question: str, rng: random.Random, count: int = PASSAGES
) -> ShownPassages:
    """The passages that hold the quotes, among those that are nearest to the question, in random order."""
    gold = [each for each in passages if any(quote in each.text for quote in quotes)]
    others = sorted((each for each in passages if each not in gold), key=lambda each: -common(each.text, question))
    chosen = [*gold, *others[: max(count - len(gold), 1)]]
    rng.shuffle(chosen)
    return ShownPassages(tuple(chosen), tuple(place for place, each in enumerate(chosen) if each in gold))


def cited(answer: str, given: ShownPassages) -> str:
    """The answer with citations: each sentence cites the gold passages that support it, or all where none does alone.

    The check reads English; an answer in another language cites all gold passages.
    """
    return " ".join(_cite(answer[span.start : span.end], given) for span in sentences(answer)) if given.gold else ""


def verification_demos(
    example: Example, given: ShownPassages, answer: str, rng: random.Random
) -> dict[str, Mapping[str, Any]]:
    """Demos of verification, repair and labelling by predictor; those for which there is no gold are missing."""
    demos: dict[str, Mapping[str, Any]] = {}
    if not answer:
        return demos
    planted = _planted(answer, given.text, rng)
    show_falsehood = planted is not None and rng.random() < 0.5
    demos["verification.prove"] = _prove(example, given, answer, planted if show_falsehood else None)
    if planted is not None:
        demos["verification.fix"] = {
            **given.asked(example.question),
            "answer": planted.answer,
            "unsupported_claims": [{"claim": planted.wrong.text, "reason": planted.wrong.reason}],
            "fixed_answer": answer,
        }
    return demos


def common(text: str, question: str) -> float:
    """Share of the question's words that a text holds."""
    asked = set(words(question))
    return len(asked.intersection(words(text))) / len(asked) if asked else 0.0


def _prove(example: Example, given: ShownPassages, answer: str, planted: _Planted | None) -> Mapping[str, Any]:
    """Every sentence of the answer with its quotes from the gold passages; a planted falsehood has a reason instead."""
    shown_answer = planted.answer if planted else answer
    found, quotes = statements(shown_answer), [each.quote for each in example.evidence]
    return {
        **given.asked(example.question),
        "answer": shown_answer,
        "sentences": "\n".join(f"{each.number}. {shown_answer[each.start : each.end]}" for each in found),
        "proofs": [_proof(each, given, quotes, planted) for each in found],
    }


def _proof(
    statement: Statement, given: ShownPassages, quotes: Sequence[str], planted: _Planted | None
) -> dict[str, Any]:
    if planted is not None and planted.wrong.text.strip() == planted.answer[statement.start : statement.end]:
        return {"number": statement.number, "quotes": [], "verdict": "not proved", "reason": planted.wrong.reason}
    places = [place for place in given.gold if given.marker(place) in statement.cites] or given.gold
    shown_quotes = [
        {"passage": given.marker(place), "quote": quote}
        for place in places
        for quote in [_nearest(statement.text, given.passages[place].text, quotes)]
    ]
    return {"number": statement.number, "quotes": shown_quotes[:MOST_QUOTES], "verdict": "proved", "reason": ""}


def _nearest(sentence: str, passage: str, quotes: Sequence[str]) -> str:
    """The gold quote in a passage that is nearest to a sentence; without one, the passage's own nearest sentence."""
    own = [passage[span.start : span.end] for span in sentences(passage)]
    return max([quote for quote in quotes if quote in passage] or own, key=lambda quote: common(quote, sentence))


def _cite(sentence: str, given: ShownPassages) -> str:
    supporting = [each for each in given.gold if check(sentence, [given.passages[each].text]).verdict == "supported"]
    bare = sentence.rstrip(_FULL_STOPS)
    markers = dict.fromkeys(given.marker(each) for each in supporting or given.gold)
    return f"{bare} {render(markers)}{sentence[len(bare) :] or '.'}"


@dataclass(frozen=True, slots=True)
class _Planted:
    answer: str
    wrong: Falsified


def _planted(answer: str, passages: str, rng: random.Random) -> _Planted | None:
    """The answer with its first sentence that can be falsified made false."""
    for span in sentences(answer):
        if wrong := falsify(answer[span.start : span.end], rng, passages):
            return _Planted(f"{answer[: span.start]}{wrong.text}{answer[span.end :]}", wrong)
    return None
