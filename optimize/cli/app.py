"""The command line's entry; without a command it compiles `main_points` with the defaults.

Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import errno
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from optimize.cli.compile import DEFAULT_PROGRAM, compile_
from optimize.cli.evaluate import calibrate, compare, evaluate, report, score, sweep
from optimize.cli.training import checker, order
from programs.cli.console import say
from programs.config import forbid_telemetry
from programs.errors import CorroborateError

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
INTERRUPTED = 130
"""What Typer makes of Ctrl-C."""
CLOSED = (errno.EACCES, errno.EPERM, errno.EROFS)
GO_ON = "What was done is kept; the same command goes on from there, with --resume where it takes that."

app = typer.Typer(
    name="optimize",
    help="Make programs better, and prove it on questions that they have not seen.",
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command(name="compile")(compile_)
app.command(name="eval")(evaluate)
app.command()(calibrate)
app.command()(checker)
app.command()(compare)
app.command()(order)
app.command()(report)
app.command()(score)
app.command()(sweep)


@app.callback()
def default(context: typer.Context) -> None:
    """Make programs better, and prove it on questions that they have not seen.

    Without a command: compile main_points with the defaults, on the bundled data, without a language model.
    """
    if context.invoked_subcommand is None:
        compile_(DEFAULT_PROGRAM)


def main() -> None:
    """Run the command line and exit."""
    forbid_telemetry()
    with errors_told():
        app(prog_name="python -m optimize")


@contextmanager
def errors_told() -> Iterator[None]:
    """Turn what ends a command into a message and an exit code, see the top of this module."""
    try:
        yield
    except CorroborateError as error:
        say(f"Error: {error}")
        sys.exit(error.exit_code)
    except OSError as error:
        if error.errno not in (*FULL, *CLOSED):
            raise
        place, remedy = error.filename or "a file", "Make room." if error.errno in FULL else "Make it writable."
        say(f"Error: {place} cannot be written ({error.strerror}). {remedy} {GO_ON}")
        sys.exit(1)
    except sqlite3.Error as error:
        say(
            f"Error: the kept answers of models cannot be read or written ({error}). "
            f"Free disk space, or repair the files. {GO_ON}"
        )
        sys.exit(1)
    except SystemExit as done:
        if done.code == INTERRUPTED:
            say(f"Stopped. {GO_ON}")
        raise
