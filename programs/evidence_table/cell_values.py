"""What a cell says: a text, a number with its unit, or a label, read from what a model or a paper writes.

    ValueType("number", unit="mg").read("20 mg daily")       Value("20 mg daily", number=20.0, unit="mg")
    ValueType("direction").read("Decreased")                 Value("decreased")

A value is only what its quotes support: words and numbers have to be in them; a label is what was read from them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from metrics.answers import tokens
from metrics.support.quantities import Quantity, quantities, same
from metrics.support.sentence_features import normalised
from programs.errors import UsageError

Kind: TypeAlias = Literal["text", "number", "yes/no", "choices", "direction"]

YES_NO = ("yes", "no")
DIRECTIONS = ("increased", "decreased", "no significant difference")
"""What an intervention did to an outcome; as the labels of Evidence Inference, "significantly" being understood."""

LONGEST = 300
"""Characters of a text; a longer one is not a value, and its sentence is in the certificate."""
MOST_CHOICES = 50
_NUMBER_ITSELF = re.compile(r"^(?:[\d.,]+|[A-Za-z]+)[\s-]*")


@dataclass(frozen=True, slots=True)
class Value:
    """What a cell says: a text as it is shown, and of a number also the number and its unit, if any, as printed."""

    text: str
    number: float | None = None
    unit: str = ""

    def __post_init__(self) -> None:
        is_number = self.number is None or (isinstance(self.number, int | float) and not isinstance(self.number, bool))
        if not (isinstance(self.text, str) and is_number and isinstance(self.unit, str)):
            raise TypeError(f"{self!r} is not a value")


@dataclass(frozen=True, slots=True)
class ValueType:
    """What a column wants.

    Attributes:
        kind: Of value.
        choices: The labels, where the column has its own.
        unit: The unit that is preferred for a number; another one is taken as it is printed, nothing is converted.

    Raises:
        UsageError: The kind is not known, or choices or unit do not fit it.
    """

    kind: Kind = "text"
    choices: tuple[str, ...] = ()
    unit: str = ""

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise UsageError(f"there is no type {self.kind!r}; a column's type is one of {', '.join(get_args(Kind))}")
        if self.kind != "choices" and self.choices:
            raise UsageError(f"the type {self.kind} has no choices; leave them out, or make it `type: choices`")
        if self.kind != "number" and self.unit:
            raise UsageError(f"the type {self.kind} has no unit; leave it out, or make it `type: number`")
        folded = [each.casefold().strip() for each in self.choices]
        are_labels = all(folded) and 1 < len(set(folded)) == len(folded) <= MOST_CHOICES
        if self.kind == "choices" and not are_labels:
            raise UsageError(f"choices must be two to {MOST_CHOICES} different labels, got {list(self.choices)}")

    @property
    def labels(self) -> tuple[str, ...]:
        """The values that there are; empty where any may be."""
        return {"yes/no": YES_NO, "direction": DIRECTIONS, "choices": self.choices}.get(self.kind, ())

    @property
    def form(self) -> str:
        """What a model is given of it."""
        if self.kind == "number":
            unit = f", in {self.unit} if the passages give it so" if self.unit else ""
            return f"a number with its unit, as the passages print it{unit}"
        if self.kind == "text":
            return "a few words, copied from the passages"
        return f"one of: {'; '.join(self.labels)}"

    @property
    def annotation(self) -> Any:  # noqa: ANN401 - a type
        """Of the output field."""
        return Literal[self.labels] if self.labels else str

    def read(self, written: str) -> Value | None:
        """What a model wrote as a value; None where it is none of this type."""
        text = " ".join(written.split()).strip(" .") if self.kind == "text" else " ".join(written.split())
        if self.labels:
            return next((Value(each) for each in self.labels if each.casefold() == text.casefold()), None)
        if self.kind == "number":
            return _number(text)
        return Value(text) if any(map(str.isalnum, text)) and len(text) <= LONGEST else None

    def borne_out(self, value: Value, quotes: Sequence[str]) -> bool:
        """Whether quotes hold what the value says: its words in their order, or its number in its unit.

        Words beside a number are in a quote that has it. A label need not: that they mean it is a model's word.
        """
        if self.labels:
            return value.text in self.labels
        if self.kind == "number":
            given = [each for quote in quotes for each in quantities(normalised(quote))]
            claimed, plain = _first(value.text), normalised(value.text)
            # A number that was copied without its unit is the same number.
            if claimed is None or not any(
                same(claimed, each) or (not claimed.dimension and claimed.printed == each.printed) for each in given
            ):
                return False
            beside = {*tokens(plain[: claimed.start]), *tokens(plain[claimed.end :])}
            return any(beside <= {*tokens(quote)} for quote in quotes)
        return any(_holds(tokens(quote), tokens(value.text)) for quote in quotes)

    def bare(self, value: Value) -> Value | None:
        """A number without the words beside it; None where it has no other form."""
        found = _first(value.text) if self.kind == "number" else None
        return None if found is None else _number(normalised(value.text)[found.start : found.end])

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        return {"type": self.kind, "choices": list(self.choices), "unit": self.unit}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> ValueType:
        """Read what ``as_dict`` wrote."""
        return cls(values["type"], tuple(values["choices"]), values["unit"])


def _number(text: str) -> Value | None:
    quantity = _first(text)
    if quantity is None or len(text) > LONGEST:
        return None
    unit = _NUMBER_ITSELF.sub("", text[quantity.start : quantity.end]) if quantity.dimension else ""
    return Value(text, quantity.printed, unit)


def _first(text: str) -> Quantity | None:
    return next(iter(quantities(normalised(text))), None)


def _holds(words: Sequence[str], part: Sequence[str]) -> bool:
    """Whether words are in a text one after another."""
    size = len(part)
    return bool(part) and any(list(words[at : at + size]) == list(part) for at in range(len(words) - size + 1))
