"""What the commands share: options with one wording, results on stdout, progress and messages on stderr."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias
from urllib.parse import urlsplit

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.segment import Segment

from programs.config import is_loopback, settings
from programs.errors import UsageError
from programs.retrieval.filters import FieldType

if TYPE_CHECKING:
    import dspy

    from programs.program import Program
    from programs.retrieval.index import Index


class Format(StrEnum):
    """How a result is printed."""

    text = "text"
    json = "json"


DEFAULT_INDEX = "papers.idx"

EXTRACTIVE = "extractive"
"""Name of the stand-in for a language model, which makes no calls."""

LMOption = Annotated[
    str,
    typer.Option(help="ollama/MODEL, any LiteLLM name, or extractive, which uses no model.", envvar="CORROBORATE_LM"),
]
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
AnyIndexOption = Annotated[
    str | None, typer.Option("--index", help=f"Folder or address of an index. [default: {DEFAULT_INDEX}]")
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
def language_model(name: str, model: dspy.LM | None = None) -> Iterator[None]:
    """Run DSPy programs with a language model, made anew where it is not given; its errors name it."""
    import dspy

    from programs.lm import LM, translated

    with translated(name), dspy.context(lm=model or LM(name)):
        yield


def say_no_model(lm: str, done: str) -> None:
    """Say before the work, where none is named, that no model is used, and which ones an Ollama on this machine has."""
    if lm != EXTRACTIVE:
        return
    say(f"No language model is used: {done}. Name a model with --lm or in CORROBORATE_LM.")
    place, models = settings().ollama_host, []
    if is_loopback(urlsplit(place).hostname or ""):
        import httpx

        try:
            listed = httpx.get(f"{place}/api/tags", timeout=_AT_ONCE, trust_env=False).json()
            models = [str(each["name"]) for each in listed["models"]]
        except (httpx.HTTPError, ValueError, KeyError, TypeError):  # nothing, or something else, listens there
            return
    if models:
        say(f"Ollama has {', '.join(models)} here: --lm ollama/{models[0]}")


_AT_ONCE = 0.5
"""Seconds."""


def say_state(program: Program[Any]) -> None:
    """Say which compiled state a program runs with, if any."""
    if program.compiled_from is not None:
        import dspy

        from programs.compiled_state import read_state
        from programs.state_choice import SHIPPED, likeness

        state, lm = read_state(program.compiled_from), getattr(dspy.settings.lm, "model", "")
        made_for = (
            "" if state.lm == lm else f" It was compiled for {state.lm}: {likeness(state.lm, lm) or 'another model'}."
        )
        elsewhere = "" if program.compiled_from.parent == SHIPPED else " It did not come with Corroborate."
        say(f"Compiled state: {state}.{made_for}{elsewhere}")


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
    """Turn ``--filter`` options into the filters that ``Index.search`` takes."""
    filters: dict[str, Any] = {}
    for text in texts or ():
        match = _FILTER.fullmatch(text)
        if match is None:
            raise UsageError(f"--filter got {text!r}; write FIELD=VALUE, FIELD!=VALUE, FIELD>=NUMBER or FIELD<=NUMBER")
        field, sign, value = match["field"], match["sign"], match["value"]
        if fields.get(field) == "number":  # what is none is refused with the field's name when the filter is checked
            with suppress(ValueError):
                value = int(value) if re.fullmatch(r"[+-]?\d+", value) else float(value)
        wanted = filters.setdefault(field, [] if sign == "=" else {})
        if isinstance(wanted, list) != (sign == "="):
            other = "another sign" if sign == "=" else "="
            raise UsageError(f"--filter {text!r} cannot be joined with {other} on the same field; use one kind of sign")
        if sign == "=":
            wanted.append(value)
        elif sign == "!=":
            wanted.setdefault("not", []).append(value)
        else:
            wanted[_BOUNDS[sign]] = value
    return filters


_PLAIN_STEP = 25
"""Without a terminal, one line after this many steps; a log should not scroll for ever."""

_PLAIN_PAUSE = 30.0
"""Or after this many seconds: slow work should not look as if it had stopped."""

_UNBROKEN = 100_000
"""Width of what is not a terminal: tables take what they need of it."""

_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Characters that steer a terminal or turn text around; file names may hold them."""


Steps: TypeAlias = Callable[[int, str], None]
"""Called with how many steps of long work are done, and what is running."""


def print_json(document: Any) -> None:  # noqa: ANN401 - any JSON-ready value
    """Print one JSON document on stdout, and nothing else."""
    sys.stdout.write(_as_text(document))


def write_json(path: Path, document: Any) -> None:  # noqa: ANN401 - any JSON-ready value
    """Write one JSON document, as it would be printed."""
    path.write_text(_as_text(document), encoding="utf-8")


def _as_text(document: Any) -> str:  # noqa: ANN401 - any JSON-ready value
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def say(message: str) -> None:
    """Print a message on stderr, as it is: text from papers is never markup."""
    sys.stderr.write(_visible(message) + "\n")


def _visible(text: str) -> str:
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


class _PlainConsole(Console):
    """A console that shows no character of a text that would steer the terminal."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(_visible(segment.text), segment.style)


def stdout() -> Console:
    """Where text results go; no markup is read from the text, and only a terminal gets colours and broken lines."""
    width = None if sys.stdout.isatty() else _UNBROKEN
    return _PlainConsole(markup=False, highlight=False, emoji=False, width=width, soft_wrap=width is not None)


@contextmanager
def steps(total: int, title: str) -> Iterator[Steps]:
    """Show the progress of ``total`` steps: a bar with an estimate on a terminal, plain lines elsewhere."""
    console = Console(stderr=True, markup=False, highlight=False, emoji=False)
    if not console.is_terminal:
        last, said = 0, time.monotonic()

        def tell(done: int, message: str) -> None:
            nonlocal last, said
            is_late = done != last and time.monotonic() - said >= _PLAIN_PAUSE
            if done - last >= _PLAIN_STEP or is_late or (done == total and done != last):
                last, said = done, time.monotonic()
                say(f"{title} {done}/{total} {message}".rstrip())

        yield tell
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[message]}", markup=False),
    )
    with Progress(*columns, console=console) as progress:
        task = progress.add_task(title, total=total, message="")

        def advance(done: int, message: str) -> None:
            progress.update(task, completed=done, message=message)

        yield advance


@contextmanager
def working(title: str) -> Iterator[Callable[[str], None]]:
    """Show what is running, and for how long already, in a line of a terminal that goes away; nothing elsewhere."""
    console = Console(stderr=True, markup=False, highlight=False, emoji=False)
    if not console.is_terminal:
        yield lambda _: None
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    # What is written to a file or a pipe meanwhile goes there.
    with Progress(*columns, console=console, transient=True, redirect_stdout=sys.stdout.isatty()) as progress:
        task = progress.add_task(title, total=None)
        yield lambda message: progress.update(task, description=_visible(message))


def counted(number: int, what: str) -> str:
    """How many of something: "1 paper", "7 papers"."""
    return f"{number} {what}{'' if number == 1 else 's'}"
