"""What is printed: text as it is, and nothing that steers a terminal."""

from __future__ import annotations

import os
import pty
import sys
from contextlib import suppress

import pytest
from rich.table import Table

from programs.cli import console
from programs.cli.console import read_filters, say, stdout, steps, working
from programs.errors import UsageError

STEERING = "Mice\x1b]0;owned\x1b\\ fell\u202e by \x9b31m12 %"


def shown(text):
    return not any(character in text for character in "\x1b\x9b\u202e")


@pytest.mark.parametrize("printed", [STEERING, "[bold]not markup[/bold]", "in the long flight of mice " * 20])
def test_text_is_shown_as_it_is_and_steers_nothing(capsys, printed):
    stdout().print(printed, style="bold")
    say(printed)
    out, err = capsys.readouterr()
    assert out == err  # and only a terminal gets broken lines
    assert shown(out)
    assert len(out) == len(printed) + 1
    table = Table(STEERING, box=None)
    table.add_row(STEERING)
    stdout().print(table)
    out, _ = capsys.readouterr()
    assert (shown(out), out.count("fell")) == (True, 2)


def read_to_end(terminal):
    """What was written to a terminal whose other end is closed; one read gives as much of it as has arrived."""
    with suppress(OSError):  # EIO: nothing is left, and nobody writes
        while data := os.read(terminal, 1 << 16):
            yield data.decode()
    os.close(terminal)


def test_a_terminal_shows_what_is_going_on_and_results_go_where_they_should(capsys, monkeypatch):
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal, monkeypatch.context() as patched:
        patched.setattr(sys, "stderr", terminal)
        with working("Asking") as tell:
            tell("Reading 12 passages")
            print("an answer")
    shown = "".join(read_to_end(ours))
    assert "Reading 12 passages" in shown
    assert "an answer" not in shown
    with working("Asking") as tell:  # where no terminal is
        tell("Reading 12 passages")
    assert capsys.readouterr() == ("an answer\n", "")


def test_slow_work_is_told_between_its_steps(capsys, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(console.time, "monotonic", lambda: now[0])
    with steps(60, "Asking") as advance:
        for done in range(1, 61):
            now[0] += 40.0 if done == 3 else 0.1
            advance(done, "on val")
    said = capsys.readouterr().err.splitlines()
    assert said == [f"Asking {done}/60 on val" for done in (3, 28, 53, 60)]


FIELDS = {"organism": "keyword", "year": "number", "doi": "keyword"}


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (None, {}),
        (["organism=Mus musculus"], {"organism": ["Mus musculus"]}),
        (["organism=Mus musculus", "organism = Homo sapiens"], {"organism": ["Mus musculus", "Homo sapiens"]}),
        (["year>=2010", "year<2020"], {"year": {"gte": 2010, "lt": 2020}}),
        (["year=2015"], {"year": [2015]}),
        (["year!=2015"], {"year": {"not": [2015]}}),
        (["year>=2010.5"], {"year": {"gte": 2010.5}}),
        (["doi=10.5555/a=b"], {"doi": ["10.5555/a=b"]}),
    ],
)
def test_options_become_filters(texts, expected):
    assert read_filters(texts, FIELDS) == expected


@pytest.mark.parametrize("texts", [["year"], ["=2015"], ["year=2015", "year>=2010"], ["year>=2010", "year=2015"]])
def test_other_forms_are_refused(texts):
    with pytest.raises(UsageError, match="--filter"):
        read_filters(texts, FIELDS)
