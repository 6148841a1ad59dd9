"""What the commands print and where: results on stdout, progress and messages on stderr."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Any, Protocol

from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.segment import Segment

_PLAIN_STEP = 25
"""Without a terminal, one line after this many steps; a log should not scroll for ever."""

_PLAIN_PAUSE = 30.0
"""Or after this many seconds: slow work should not look as if it had stopped."""

_UNBROKEN = 100_000
"""Width of what is not a terminal: tables take what they need of it."""

_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Characters that steer a terminal or turn text around; file names may hold them."""


class Format(StrEnum):
    """How a result is printed."""

    text = "text"
    json = "json"


class Steps(Protocol):
    """Told about the steps of long work."""

    def __call__(self, done: int, message: str) -> None:
        """Say that ``done`` steps are behind, and what is going on."""


def print_json(document: Any) -> None:  # noqa: ANN401 - any JSON-ready value
    """Print one JSON document on stdout, and nothing else."""
    sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")


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
        yield _plain_steps(total, title)
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


def _plain_steps(total: int, title: str) -> Steps:
    last, said = 0, time.monotonic()

    def advance(done: int, message: str) -> None:
        nonlocal last, said
        is_late = done != last and time.monotonic() - said >= _PLAIN_PAUSE
        if done - last >= _PLAIN_STEP or is_late or (done == total and done != last):
            last, said = done, time.monotonic()
            say(f"{title} {done}/{total} {message}".rstrip())

    return advance
