"""``python -m programs list``: the programs of the suite, and the compiled states there are for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rich.table import Table

from programs.cli.console import Format, print_json, stdout
from programs.cli.options import FormatOption
from programs.config import settings
from programs.errors import StateMismatch
from programs.registry import PROGRAMS, Entry, compiled_states, create

if TYPE_CHECKING:
    from programs.program import Program
    from programs.state import State


def listing(output_format: FormatOption = Format.text) -> None:
    """List the programs, the command that runs each, and their compiled states with their scores.

    Of each model the state that programs run with is marked by an asterisk; states stand in the folder of
    CORROBORATE_COMPILED, and deleting the file takes one back. One that does not fit this version is not used.
    """
    compiled = [each for entry in PROGRAMS for each in _compiled(entry)]
    if output_format is Format.json:
        print_json(
            [
                {
                    "name": entry.name,
                    "summary": entry.summary,
                    "command": entry.command,
                    "compiled": [state for state in compiled if state["program"] == entry.name],
                }
                for entry in PROGRAMS
            ]
        )
        return
    stdout().print(_programs())
    if compiled:
        stdout().print()
        stdout().print(_states(compiled))
        stdout().print(
            f"\n* is loaded for its model. Your own states are in {settings().compiled}; delete what you do not want."
        )


def _compiled(entry: Entry) -> Iterator[dict[str, Any]]:
    """The states of a program, the best first; of each model the first that fits is the one that is loaded."""
    served: set[str] = set()
    for state in compiled_states(entry.name):
        described = _described(entry, state)
        is_loaded = not (described["problem"] or state.is_loss or state.lm in served)
        if is_loaded:
            served.add(state.lm)
        yield {**described, "loaded": is_loaded}


def _described(entry: Entry, state: State) -> dict[str, Any]:
    made = state.provenance
    return {
        "program": entry.name,
        "file": state.path.name,
        "lm": made.lm,
        "optimizers": list(made.optimizers),
        "candidate": made.candidate,
        "dataset": made.dataset,
        "scores": dict(made.scores),
        "date": made.date,
        "uncompiled": dict(made.uncompiled),
        "problem": _problem(entry, state),
    }


def _problem(entry: Entry, state: State) -> str:
    """Why a state cannot be used; empty for one that can."""
    from programs.state import apply_state

    try:
        apply_state(_unconnected(entry), state)
    except StateMismatch as error:
        return str(error)
    return ""


def _unconnected(entry: Entry) -> Program[Any]:
    """A program that is only looked at: what it would ask is not there."""
    from programs.retrieval.index import UnconnectedIndex

    return create(entry.name, index=None if entry.asks == "paper" else UnconnectedIndex())


def _programs() -> Table:
    table = _table("program", "what it does", "command")
    for entry in PROGRAMS:
        table.add_row(entry.name, entry.summary, entry.command)
    return table


def _states(compiled: list[dict[str, Any]]) -> Table:
    table = _table("compiled state", "for", "by", "on", "scores")
    for state in compiled:
        scores = ", ".join(f"{split} {value:.3f}" for split, value in state["scores"].items())
        if state["uncompiled"]:
            scores += f" (uncompiled {', '.join(f'{value:.3f}' for value in state['uncompiled'].values())})"
        if state["problem"]:
            scores = "does not fit this version; compile again"
        mark = "*" if state["loaded"] else ""
        table.add_row(f"{state['file']} {mark}".strip(), state["lm"], _made_by(state), state["dataset"], scores)
    return table


def _made_by(state: dict[str, Any]) -> str:
    """The optimizers; of a program that none of them made better, that it is the uncompiled one."""
    names = ", ".join(state["optimizers"])
    return f"uncompiled: {names} found none better" if state["candidate"] == "uncompiled" else names


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in columns:
        table.add_column(column, no_wrap=column == columns[0])  # a name that is cut short cannot be copied
    return table
