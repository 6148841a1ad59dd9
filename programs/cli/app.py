"""The command line's entry: collects the commands, turns errors into messages and exit codes.

Exit codes: 0 done, 1 failed or a gate not met, 2 wrong usage or configuration.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from programs.cli.ask import ask
from programs.cli.check import check, listing
from programs.cli.console import say
from programs.cli.index import fetch, index, pull, remove
from programs.cli.retrieve import retrieve
from programs.cli.serve import mcp, serve
from programs.cli.verify import highlight, verify
from programs.cli.write import table, write
from programs.config import forbid_telemetry
from programs.errors import CorroborateError

INTERRUPTED = 130
"""How typer ends after Ctrl-C."""

app = typer.Typer(
    name="programs",
    help="Answer questions from scientific papers, with every sentence proved by a passage.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
COMMANDS = fetch, index, check, remove, ask, verify, highlight, retrieve, table, write, listing, serve, mcp, pull
for command in COMMANDS:
    app.command(name="list" if command is listing else None)(command)


def main() -> None:
    """Run the command line and exit."""
    forbid_telemetry()
    with errors_reported():
        app(prog_name="python -m programs")


@contextmanager
def errors_reported(
    kept: str = "What was committed is kept; the same command continues from there.", interrupted: int = 1
) -> Iterator[None]:
    """Turn what ends a command into a message and an exit code, see the top of this module.

    ``kept`` says what Ctrl-C leaves, ``interrupted`` is the exit code after it.
    """
    try:
        yield
    except CorroborateError as error:
        say(f"Error: {error}")
        sys.exit(error.exit_code)
    except SystemExit as ended:
        if ended.code != INTERRUPTED:
            raise
        say(f"Stopped. {kept}")
        sys.exit(interrupted)
