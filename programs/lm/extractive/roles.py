"""Which input is the question and which the text to answer from, by the fields' names, then by their lengths."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from programs.lm.extractive.errors import UnknownTask
from programs.lm.extractive.prompt import ReadPrompt
from programs.lm.extractive.sources import titles

# In order of preference; a name also matches as a part of the field's name ("paper_summary", "user_question").
QUESTION_NAMES = ("question", "query", "claim", "statement", "hypothesis", "topic", "concept", "goal", "title")
TEXT_NAMES = (
    "passages",
    "paper",
    "context",
    "evidence",
    "passage",
    "chunk",
    "document",
    "text",
    "abstract",
    "summary",
    "summaries",
    "results",
    "content",
)


@dataclass(frozen=True, slots=True)
class Roles:
    """Names of input fields; empty where a task has none."""

    question: str
    text: str

    def question_of(self, values: Mapping[str, Any]) -> str:
        """The question among input values; empty if it is missing."""
        return as_text(values.get(self.question, ""))

    def text_of(self, values: Mapping[str, Any]) -> str:
        """The text among input values; empty if it is missing.

        Raises:
            UnknownTask: No input field is a text to take anything from.
        """
        if not self.text:
            raise UnknownTask(
                f"The extractive LM takes its answers from a text among the inputs, and of {', '.join(values)} none is "
                "one; give it passages or a paper, or use a model"
            )
        return as_text(values.get(self.text, ""))

    def titles(self, values: Mapping[str, Any]) -> dict[str, str]:
        """Titles of the papers by the labels of their passages, where an input beside question and text gives them."""
        others = [as_text(value) for name, value in values.items() if name not in (self.question, self.text)]
        return titles("\n".join(others))

    def beside_question(self, values: Mapping[str, Any]) -> list[str]:
        """All input values but the question, as words: the text, and what is said of it, such as titles."""
        return [as_text(value) for name, value in values.items() if name != self.question]


def roles(prompt: ReadPrompt) -> Roles:
    """Tell question and text apart."""
    names = list(prompt.values)
    question = _named(names, QUESTION_NAMES)
    rest = [name for name in names if name != question]
    text = _named(rest, TEXT_NAMES) or max(rest, key=lambda name: len(as_text(prompt.values[name])), default="")
    return Roles(question, text)


def as_text(value: Any) -> str:  # noqa: ANN401 - any input value
    """An input value as words: text as it is, lists and objects as the texts in them."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return "\n".join(as_text(each) for each in value.values())
    if isinstance(value, list):
        return "\n".join(as_text(each) for each in value)
    return "" if value is None else json.dumps(value)


def _named(names: list[str], wanted: tuple[str, ...]) -> str:
    for word in wanted:
        for name in names:
            if name == word or word in name.split("_"):
                return name
    return ""
