"""``corroborate``: ``python -m programs``, with ``python -m optimize`` as its command ``optimize``, and completion.

corroborate ask "…" --index papers.idx
corroborate optimize eval main_points
corroborate --install-completion
"""

from __future__ import annotations

import sys

import typer

from optimize.cli import app as optimizing
from programs.cli import app as asking

app = typer.Typer(
    name="corroborate",
    help=asking.app.info.help,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.registered_commands.extend(asking.app.registered_commands)
app.add_typer(optimizing.app, name="optimize")


def main() -> None:
    """Run the command line and exit; codes and messages are those of the two it is made of."""
    of = optimizing if sys.argv[1:2] == ["optimize"] else asking
    with of.errors_told():
        app(prog_name="corroborate")
