"""What a run changed and what moves its ranking: prompts before and after compiling, and signals left out.

The run holds the passages that answers were written from, not those that were passed over. So ablation shows how a
signal orders what was shown; what it kept out, or let in, is not seen, and no answer is written anew.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from difflib import SequenceMatcher
from itertools import combinations
from typing import Any

from metrics.retrieval import evidence_recall
from optimize.finished_run import FinishedRun, tone_of
from optimize.plots import Drawing, Tone, strips
from optimize.statistics import Paired, compare
from programs.results.rendering import clipped
from programs.retrieval.reranking import SignalWeights

_WORD = re.compile(r"\s+|\w+|[^\w\s]")
ALIKE = 0.35
"""Share of common words below which marking the others would mark nearly everything."""


@dataclass(frozen=True, slots=True)
class WordingChange:
    """Words one after the other that are, or are not, in the other version too."""

    text: str
    is_changed: bool


@dataclass(frozen=True, slots=True)
class Wordings:
    """Two versions in pieces; ``is_rewritten`` if they have so little in common that nothing is marked."""

    before: tuple[WordingChange, ...]
    after: tuple[WordingChange, ...]
    is_rewritten: bool

    @property
    def is_same(self) -> bool:
        """Whether no word differs."""
        return not self.is_rewritten and not any(piece.is_changed for piece in (*self.before, *self.after))


def compared(before: str, after: str) -> Wordings:
    """Compare two texts word by word."""
    parts = before.split(), after.split()
    if all(parts) and SequenceMatcher(None, *parts, autojunk=False).ratio() < ALIKE:
        return Wordings((WordingChange(before, False),), (WordingChange(after, False),), is_rewritten=True)
    first, second = _WORD.findall(before), _WORD.findall(after)
    codes = SequenceMatcher(None, first, second, autojunk=False).get_opcodes()
    left = tuple(_pieces((first[i1:i2], tag != "equal") for tag, i1, i2, _, _ in codes))
    right = tuple(_pieces((second[j1:j2], tag != "equal") for tag, _, _, j1, j2 in codes))
    return Wordings(left, right, is_rewritten=False)


def _pieces(runs: Iterator[tuple[list[str], bool]]) -> Iterator[WordingChange]:
    """Words that are changed alike joined; white space between changed words counts with them."""
    pieces: list[WordingChange] = []
    for words, is_changed in runs:
        text = "".join(words)
        if not text:
            continue
        if is_changed and len(pieces) > 1 and pieces[-2].is_changed and not pieces[-1].text.strip():
            text = pieces.pop(-2).text + pieces.pop().text + text
        pieces.append(WordingChange(text, is_changed))
    return iter(pieces)


LONGEST_INSTRUCTION = 12_000
LONGEST_VALUE = 700
MOST_DEMOS = 8


@dataclass(frozen=True, slots=True)
class PromptStep:
    """One predictor: its instruction, fields whose description differs, and the first MOST_DEMOS new demos by field."""

    name: str
    instruction: Wordings
    fields: tuple[tuple[str, Wordings], ...]
    demos_before: int
    demos_after: int
    demos: tuple[Mapping[str, str], ...]

    @property
    def is_same(self) -> bool:
        """Whether compiling left it as it was."""
        return self.instruction.is_same and not self.fields and self.demos_before == self.demos_after == 0


@dataclass(frozen=True, slots=True)
class Parameter:
    """One number of the algorithm."""

    name: str
    before: str
    after: str

    @property
    def is_same(self) -> bool:
        """Whether compiling left it as it was."""
        return self.before == self.after


@dataclass(frozen=True, slots=True)
class Prompts:
    """A program before and after; where no other was chosen, both are the same."""

    steps: tuple[PromptStep, ...]
    parameters: tuple[Parameter, ...]


def prompts(run: FinishedRun) -> Prompts | None:
    """What compiling changed; None for a run that compiled nothing, or keeps no states."""
    before, after = run.state(run.before), run.state(run.reported)
    if not run.is_compilation or before is None or after is None:
        return None
    steps = tuple(
        _step(name.removesuffix(".predict"), before.content.get(name, {}), each)
        for name, each in after.content.items()
        if isinstance(each, Mapping) and "signature" in each
    )
    was = before.content.get("parameters", {})
    found = after.content.get("parameters", {}).items()
    return Prompts(steps, tuple(Parameter(name, _written(was.get(name)), _written(now)) for name, now in found))


def _step(name: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> PromptStep:
    was, now = before.get("signature", {}), after["signature"]
    demos = after.get("demos", [])
    return PromptStep(
        name=name,
        instruction=compared(_instruction(was), _instruction(now)),
        fields=tuple(_fields(was.get("fields", []), now.get("fields", []))),
        demos_before=len(before.get("demos", [])),
        demos_after=len(demos),
        demos=tuple(map(_shown, demos[:MOST_DEMOS])),
    )


def _instruction(signature: Mapping[str, Any]) -> str:
    return clipped(str(signature.get("instructions", "")), LONGEST_INSTRUCTION)


def _fields(before: Sequence[Mapping[str, str]], after: Sequence[Mapping[str, str]]) -> Iterator[tuple[str, Wordings]]:
    for was, now in zip(before, after, strict=False):
        wordings = compared(_described(was), _described(now))
        if not wordings.is_same:
            yield str(now.get("prefix", "")), wordings


def _described(field: Mapping[str, str]) -> str:
    return f"{field.get('prefix', '')} {field.get('description', '')}".strip()


def _shown(demo: Mapping[str, Any]) -> dict[str, str]:
    # "augmented" is DSPy's own mark of a demo that a run of the program made.
    texts = {name: value if isinstance(value, str) else _written(value) for name, value in demo.items()}
    return {name: clipped(text, LONGEST_VALUE) for name, text in texts.items() if name != "augmented"}


def _written(value: Any) -> str:  # noqa: ANN401 - any JSON value
    return f"{value:.4g}" if isinstance(value, float) else json.dumps(value, ensure_ascii=False)


CHANGE = "change of the reciprocal rank"
PREFIX = "w_"
SIGNALS = tuple(each.name for each in fields(SignalWeights))
_SAME = 1e-6
"""Scores are kept in full; what differs by more was not made with these weights."""


@dataclass(frozen=True, slots=True)
class Ablated:
    """One signal left out.

    Attributes:
        swapped: Mean share of pairs of passages that change their order, in [0, 1].
        led: Questions whose first passage is another then.
        change: Of the reciprocal rank of the first passage with gold evidence, without − with; None where no question
            has such a passage.
    """

    signal: str
    weight: float
    swapped: float
    led: int
    change: Paired | None
    tone: Tone
    drawing: Drawing | None = None


@dataclass(frozen=True, slots=True)
class Ablation:
    """All signals, each left out once, the one that changes the order most first.

    ``questions`` have at least two passages; for ``proved`` of them a passage holds gold evidence.
    """

    questions: int
    proved: int
    axis: Drawing | None
    rows: tuple[Ablated, ...]


@dataclass(frozen=True, slots=True)
class _Ranked:
    """The passages of one question, with their signals by name and whether each holds gold evidence."""

    paper: str
    signals: Sequence[Mapping[str, float]]
    proves: Sequence[bool]

    def order(self, weights: SignalWeights) -> list[int]:
        """Passages, best first; equal scores in the order in which they were shown."""
        scores = [weights.final(each) for each in self.signals]
        return sorted(range(len(scores)), key=lambda place: -scores[place])

    def reciprocal_rank(self, weights: SignalWeights) -> float:
        """1 / rank of the first passage with evidence; there has to be one."""
        return 1 / (1 + next(rank for rank, place in enumerate(self.order(weights)) if self.proves[place]))


def ablation(run: FinishedRun) -> Ablation | None:
    """Leave out one signal after the other; None for a program that does not rank by signals with known weights."""
    weights = _weights(run)
    ranked = list(_ranked(run, weights)) if weights else []
    if weights is None or not ranked:
        return None
    used = [name for name in SIGNALS if getattr(weights, name)]
    found = sorted((_ablated(name, weights, ranked) for name in used), key=lambda each: -each.swapped)
    proved = sum(any(each.proves) for each in ranked)
    axis, drawings = strips([(f"{CHANGE} without {each.signal}", each.change, each.tone) for each in found], CHANGE)
    rows = (replace(each, drawing=drawing) for each, drawing in zip(found, drawings, strict=True))
    return Ablation(len(ranked), proved, axis, tuple(rows))


def _weights(run: FinishedRun) -> SignalWeights | None:
    """The weights of the program that the run ends with: its state's, or as the authors set them."""
    state = run.state(run.reported)
    if state is None:
        return SignalWeights()
    parameters = state.content.get("parameters", {})
    known = {name: parameters[PREFIX + name] for name in SIGNALS if PREFIX + name in parameters}
    return SignalWeights(**known) if known else None


def _ranked(run: FinishedRun, weights: SignalWeights) -> Iterator[_Ranked]:
    """The questions whose passages were ranked by these weights, as their scores show."""
    for name, record in run.answers(run.reported).items():
        passages = record.prediction.get("passages", [])
        scores = [each.get("scores", {}) for each in passages]
        signals = [{name: value for name, value in each.items() if name in SIGNALS} for each in scores]
        is_ranked = all(
            own and "final" in each and math.isclose(each["final"], weights.final(own), abs_tol=_SAME)
            for each, own in zip(scores, signals, strict=True)
        )
        if len(passages) > 1 and is_ranked:
            # Whether a sentence of the gold quotes is in the passage.
            found = [evidence_recall(run.examples[name], {"answer": "", "passages": [each]}) for each in passages]
            yield _Ranked(run.clusters[name], signals, [bool(each.value) for each in found])


def _ablated(signal: str, weights: SignalWeights, ranked: Sequence[_Ranked]) -> Ablated:
    without = replace(weights, **{signal: 0.0})
    orders = [(each.order(weights), each.order(without)) for each in ranked]
    proved = [each for each in ranked if any(each.proves)]
    changes = [each.reciprocal_rank(without) - each.reciprocal_rank(weights) for each in proved]
    change = compare(changes, [each.paper for each in proved]) if changes else None
    return Ablated(
        signal=signal,
        weight=getattr(weights, signal),
        swapped=math.fsum(_swapped(*each) for each in orders) / len(orders),
        led=sum(first[0] != second[0] for first, second in orders),
        change=change,
        tone=tone_of(change, higher_is_better=True),
    )


def _swapped(first: Sequence[int], second: Sequence[int]) -> float:
    """Share of pairs that are the other way round (Kendall's distance)."""
    rank = {place: number for number, place in enumerate(second)}
    pairs = list(combinations(first, 2))
    return sum(rank[earlier] > rank[later] for earlier, later in pairs) / len(pairs)
