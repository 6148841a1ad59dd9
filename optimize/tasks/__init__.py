"""What a task is: one program as optimizers, evaluation and reports see it; and the demos that gold data give.

Demos of one program alone are beside its task.
"""

from __future__ import annotations

import random
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from metrics.sentences import sentence_texts
from metrics.support import check
from metrics.words import words
from optimize.dataset import Example
from optimize.dataset.loading import Dataset, corpus_index
from programs.ingest.chunking import SENTENCES, chunk
from programs.ingest.document import Chunk, Document
from programs.passages import Passage, shown
from programs.passages.numbered_sentences import NumberedSentence, NumberedSentences
from programs.program import Program
from programs.registry import create
from programs.retrieval.embedder import Embedder

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
    passages = [each for paper in papers for each in passages_of(paper)]
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


@dataclass(frozen=True, slots=True)
class ShownPassages:
    """The passages of a demo, in random order, and the places from 0 of those that are gold."""

    passages: tuple[Passage, ...]
    gold: tuple[int, ...]

    @property
    def text(self) -> str:
        """As they are in a prompt."""
        return shown(self.passages)


def passage_of(document: Document, chunk: Chunk) -> Passage:
    """A chunk as programs show it."""
    return Passage.of(document, chunk.start, chunk.end, id=chunk.id, section=chunk.section, heading=chunk.heading)


def passages_of(paper: Document) -> list[Passage]:
    """A paper's passages of a few sentences."""
    return [passage_of(paper, each) for each in chunk(paper, SENTENCES)]


def among_others(
    passages: Sequence[Passage], quotes: Sequence[str], question: str, rng: random.Random, count: int = PASSAGES
) -> ShownPassages:
    """The passages that hold the quotes, among those that are nearest to the question, in random order."""
    gold = [each for each in passages if any(quote in each.text for quote in quotes)]
    others = sorted((each for each in passages if each not in gold), key=lambda each: -common(each.text, question))
    chosen = [*gold, *others[: max(count - len(gold), 1)]]
    rng.shuffle(chosen)
    return ShownPassages(tuple(chosen), tuple(place for place, each in enumerate(chosen) if each in gold))


def common(text: str, question: str) -> float:
    """Share of the question's words that a text holds."""
    asked = set(words(question))
    return len(asked.intersection(words(text))) / len(asked) if asked else 0.0


OTHERS = 4
"""Sentences beside the gold ones that a demo shows, those nearest to the question."""


def evidence_demos(
    example: Example, given: ShownPassages, rng: random.Random, *, bullets: bool = False
) -> dict[str, Mapping[str, Any]]:
    """Demos by predictor of the steps that answer from numbered evidence, made of gold data.

    select    numbered sentences, question    → the numbers of the gold sentences
    write     those and others, question      → the gold answer, each sentence with the numbers that say it; or none
    check     gold sentences, a claim         → whether they say it; a planted falsehood is "something else"
    correct   gold sentences, the falsehood   → the gold sentence

    Where a question has no answer, or nothing to falsify, those that need one are missing. The gold data name no
    conflicts, so that step has no demos. With ``bullets`` the answer's first sentence is the answer, and each other one
    a bullet.
    """
    evidence = NumberedSentences.of(given.passages)
    gold = _gold(example, evidence)
    others = [each for each in evidence.sentences if each not in gold]
    nearest = sorted(others, key=lambda each: -common(each.text, example.question))[:OTHERS]
    shown = evidence.only([each.number for each in (*gold, *nearest)])
    asked = {"evidence": shown.shown(), "question": example.question}
    answer = [_written(each, gold) for each in sentence_texts(example.answer)] if gold else []
    said = {"answer": answer[:1], "bullets": answer[1:]} if bullets else {"answer": answer}
    demos: dict[str, Mapping[str, Any]] = {
        "answer.select": {**asked, "numbers": [each.number for each in gold]},
        "answer.write": {**asked, "answerable": bool(answer), **said},
    }
    if not answer:
        return demos
    alone = evidence.only([each.number for each in gold]).shown()
    claim, wrong = answer[0]["text"], None
    for each in answer:
        if wrong := falsify(each["text"], rng, alone):
            claim = each["text"]
            demos["answer.correct"] = {
                **asked,
                "sentence": wrong.text,
                "problem": wrong.reason,
                "corrected": each,
            }
            break
    is_false = wrong is not None and rng.random() < 0.5
    demos["answer.check"] = {
        "evidence": alone,
        "claim": wrong.text if wrong and is_false else claim,
        "verdict": "something else" if is_false else "all of it",
    }
    return demos


def _gold(example: Example, evidence: NumberedSentences) -> list[NumberedSentence]:
    """The sentences that the gold quotes are in, or that are in them."""
    quotes = [" ".join(each.quote.split()) for each in example.evidence]
    texts = ((each, " ".join(each.quoted.text.split())) for each in evidence.sentences)
    return [each for each, text in texts if any(quote in text or text in quote for quote in quotes)]


def _written(sentence: str, gold: list[NumberedSentence]) -> dict[str, Any]:
    """A sentence of the answer with the numbers of the gold sentences that support it; of all where none does alone."""
    supporting = [each for each in gold if check(sentence, [each.read]).verdict == "supported"]
    return {"text": sentence, "evidence": [each.number for each in supporting or gold]}
