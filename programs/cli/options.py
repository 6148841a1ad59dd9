"""Options that several commands share, with one wording."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from programs.cli.console import Format, say
from programs.errors import UsageError
from programs.retrieval.filters import FieldType

if TYPE_CHECKING:
    from programs.program import Program
    from programs.retrieval.index import Index

DEFAULT_INDEX = "papers.idx"

EXTRACTIVE = "extractive"
"""Name of the stand-in for a language model, which makes no calls."""

LMOption = Annotated[str, typer.Option(help="ollama/MODEL, any LiteLLM name, or extractive, which uses no model.")]
LMOptionsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--lm-option",
        help="An option of the model, such as num_predict=8000 or think=low; repeat it for more.",
        metavar="NAME=VALUE",
    ),
]
IndexOption = Annotated[
    str,
    typer.Option(
        "--index",
        help="Folder of the index, or http://HOST:PORT[,HOST:PORT…][/COLLECTION] of a Qdrant server, or of nodes of a "
        "cluster, of which some may then be lost.",
    ),
]
FormatOption = Annotated[Format, typer.Option("--format", help="How to print the result.")]
FilterOption = Annotated[
    list[str] | None,
    typer.Option(
        "--filter",
        help="FIELD=VALUE, FIELD!=VALUE, FIELD>=NUMBER or FIELD<=NUMBER; repeat it for more. Several = on one field "
        "match any of the values.",
        metavar="FIELD=VALUE",
    ),
]


@contextmanager
def language_model(name: str) -> Iterator[None]:
    """Run DSPy programs with a language model; its errors name it."""
    import dspy

    from programs.lm import LM, translated

    with translated(name), dspy.context(lm=LM(name)):
        yield


def say_state(program: Program[Any]) -> None:
    """Say which compiled state a program runs with, if any."""
    if program.compiled_from is not None:
        from programs.registry import SHIPPED
        from programs.state import read_state

        elsewhere = "" if program.compiled_from.parent == SHIPPED else " It did not come with Corroborate."
        say(f"Compiled state: {read_state(program.compiled_from)}.{elsewhere}")


def papers_of(number: int) -> str:
    """The beginning of a sentence about papers: "12 papers were"."""
    return "1 paper was" if number == 1 else f"{number} papers were"


def say_outdated(index: Index) -> None:
    """Warn of papers that were read by an older reader, perhaps wrongly."""
    if outdated := len(index.outdated()):
        say(
            f"{papers_of(outdated)} read by an older reader, which may have read them wrongly: "
            f"`python -m programs index PAPERS --index {index.place}` reads them again, `check` tells which."
        )


_FILTER = re.compile(r"\s*(?P<field>[^=<>!]+?)\s*(?P<sign>!=|>=|<=|=|>|<)\s*(?P<value>.*?)\s*", re.DOTALL)
_BOUNDS = {">=": "gte", ">": "gt", "<=": "lte", "<": "lt"}


def read_filters(texts: Sequence[str] | None, fields: Mapping[str, FieldType]) -> dict[str, Any]:
    """Turn ``--filter`` options into the filters that ``Index.search`` takes.

    Raises:
        UsageError: An option does not have that form.
    """
    filters: dict[str, Any] = {}
    for text in texts or ():
        match = _FILTER.fullmatch(text)
        if match is None:
            raise UsageError(f"--filter got {text!r}; write FIELD=VALUE, FIELD!=VALUE, FIELD>=NUMBER or FIELD<=NUMBER")
        field, sign, value = match["field"], match["sign"], _typed(match["value"], fields.get(match["field"]))
        if sign == "=":
            _collected(filters, field, text).append(value)
        else:
            wanted = filters.setdefault(field, {})
            if not isinstance(wanted, dict):
                raise UsageError(f"--filter {text!r} cannot be joined with = on the same field; use one kind of sign")
            if sign == "!=":
                wanted.setdefault("not", []).append(value)
            else:
                wanted[_BOUNDS[sign]] = value
    return filters


def _collected(filters: dict[str, Any], field: str, text: str) -> list[Any]:
    values = filters.setdefault(field, [])
    if not isinstance(values, list):
        raise UsageError(
            f"--filter {text!r} cannot be joined with another sign on the same field; use one kind of sign"
        )
    return values


def _typed(value: str, kind: FieldType | None) -> str | float:
    if kind != "number":
        return value
    try:
        return int(value) if re.fullmatch(r"[+-]?\d+", value) else float(value)
    except ValueError:
        return value  # refused with the field's name when the filter is checked
