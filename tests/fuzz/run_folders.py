"""Run folders in which one file was changed: they are read, shown as text and as a page, and reported on again."""

from __future__ import annotations

import json
import random
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from optimize.finished_run import read_run
from optimize.page import details, markdown, write_page
from tests import invented_run
from tests.fuzz.mutations import mutated, mutated_json


def changed_run(chance: random.Random) -> tuple[str, bytes, Callable[[], None]]:
    """A file of a run by its place in the folder, its changed content, and the reading of the run."""
    name = chance.choice(sorted(each.relative_to(_run()).as_posix() for each in _run().rglob("*.json*")))
    content = _changed((_run() / name).read_bytes(), chance)
    return name.replace("/", "-"), content, lambda: _read(name, content)


def _changed(content: bytes, chance: random.Random) -> bytes:
    if chance.random() < 0.3:
        return mutated(content, chance)
    try:
        return json.dumps(mutated_json(json.loads(content), chance)).encode()
    except ValueError:  # lines of JSON
        lines = content.splitlines(keepends=True)
        place = chance.randrange(len(lines))
        changed = json.dumps(mutated_json(json.loads(lines[place]), chance)).encode() + b"\n"
        return b"".join([*lines[:place], changed, *lines[place + 1 :]])


def _read(name: str, content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run")
        shutil.copytree(_run(), path)
        (path / name).write_bytes(content)
        run = read_run(path)
        markdown(run.report, details(run))
        write_page(run, Path(folder, "report.html"))


@cache
def _run() -> Path:
    folder = tempfile.TemporaryDirectory()
    _KEPT.append(folder)
    invented_run.write(Path(folder.name, "run"))
    return Path(folder.name, "run")


_KEPT: list[tempfile.TemporaryDirectory[str]] = []
"""Removed with the process."""
