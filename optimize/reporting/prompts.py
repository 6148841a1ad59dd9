"""What compiling changed in a program: instructions, fields, demos and parameters, before and after."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from optimize.reporting.finished_run import FinishedRun
from programs.results.rendering import clipped

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
    """Two versions.

    Attributes:
        before: Pieces of the first, in order.
        after: Of the second.
        is_rewritten: Whether they have so little in common that nothing is marked.
    """

    before: tuple[WordingChange, ...]
    after: tuple[WordingChange, ...]
    is_rewritten: bool

    @property
    def is_same(self) -> bool:
        """Whether no word differs."""
        return not self.is_rewritten and not any(piece.is_changed for piece in (*self.before, *self.after))


def compared(before: str, after: str) -> Wordings:
    """Compare two texts word by word."""
    if _are_strangers(before.split(), after.split()):
        return Wordings((WordingChange(before, False),), (WordingChange(after, False),), is_rewritten=True)
    first, second = _WORD.findall(before), _WORD.findall(after)
    codes = SequenceMatcher(None, first, second, autojunk=False).get_opcodes()
    left = tuple(_pieces((first[i1:i2], tag != "equal") for tag, i1, i2, _, _ in codes))
    right = tuple(_pieces((second[j1:j2], tag != "equal") for tag, _, _, j1, j2 in codes))
    return Wordings(left, right, is_rewritten=False)


def _are_strangers(first: list[str], second: list[str]) -> bool:
    return bool(first and second) and SequenceMatcher(None, first, second, autojunk=False).ratio() < ALIKE


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
class ShownValue:
    """One value of a demo."""

    field: str
    text: str


@dataclass(frozen=True, slots=True)
class PromptStep:
    """One predictor.

    Attributes:
        name: Of the predictor.
        instruction: Both versions.
        fields: What is said of its fields, where that differs.
        demos_before: Number of demos.
        demos_after: Number of demos.
        demos: Those of the compiled program, the first MOST_DEMOS.
    """

    name: str
    instruction: Wordings
    fields: tuple[tuple[str, Wordings], ...]
    demos_before: int
    demos_after: int
    demos: tuple[tuple[ShownValue, ...], ...]

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
        _step(name, before.content.get(name, {}), each)
        for name, each in after.content.items()
        if isinstance(each, Mapping) and "signature" in each
    )
    return Prompts(steps, tuple(_parameters(before.content, after.content)))


def _step(name: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> PromptStep:
    was, now = before.get("signature", {}), after["signature"]
    demos = after.get("demos", [])
    return PromptStep(
        name=name.removesuffix(".predict"),
        instruction=compared(_instruction(was), _instruction(now)),
        fields=tuple(_fields(was.get("fields", []), now.get("fields", []))),
        demos_before=len(before.get("demos", [])),
        demos_after=len(demos),
        demos=tuple(tuple(_shown(demo)) for demo in demos[:MOST_DEMOS]),
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


def _shown(demo: Mapping[str, Any]) -> Iterator[ShownValue]:
    for field, value in demo.items():
        if field != "augmented":  # DSPy's own mark of a demo that a run of the program made
            yield ShownValue(field, clipped(value if isinstance(value, str) else _written(value), LONGEST_VALUE))


def _parameters(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Parameter]:
    was, now = before.get("parameters", {}), after.get("parameters", {})
    for name in now:
        yield Parameter(name, _written(was.get(name)), _written(now[name]))


def _written(value: Any) -> str:  # noqa: ANN401 - any JSON value
    return f"{value:.4g}" if isinstance(value, float) else json.dumps(value, ensure_ascii=False)
