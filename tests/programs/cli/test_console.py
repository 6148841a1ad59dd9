"""What is printed: text as it is, and nothing that steers a terminal."""

from __future__ import annotations

import pytest
from rich.table import Table

from programs.cli.console import say, stdout

STEERING = "Mice\x1b]0;owned\x1b\\ fell\u202e by \x9b31m12 %"


def shown(text):
    return not any(character in text for character in "\x1b\x9b\u202e")


@pytest.mark.parametrize("printed", [STEERING, "[bold]not markup[/bold]"])
def test_text_is_shown_and_steers_nothing(capsys, printed):
    stdout().print(printed, style="bold")
    say(printed)
    out, err = capsys.readouterr()
    assert out == err
    assert shown(out)
    assert len(out) == len(printed) + 1


def test_cells_of_tables_steer_nothing_either(capsys):
    table = Table(box=None)
    table.add_column(STEERING)
    table.add_row(STEERING)
    stdout().print(table)
    out, _ = capsys.readouterr()
    assert shown(out)
    assert out.count("fell") == 2


def test_only_a_terminal_gets_broken_lines(capsys):
    line = "in the long flight of the mice " * 20
    stdout().print(line.strip())
    assert capsys.readouterr().out == line.strip() + "\n"
