"""``python -m programs pull``: an Ollama server downloads a model, in sight."""

from __future__ import annotations

from typing import Annotated

import typer

from programs.cli.console import say, steps

_PERCENT = 100


def pull(model: Annotated[str, typer.Argument(help="Name as Ollama knows it, such as gpt-oss or qwen3:8b.")]) -> None:
    """Have the Ollama server download a model; what a broken-off download fetched is kept."""
    from programs.lm.ollama_pull import PullProgress
    from programs.lm.ollama_pull import pull as download

    with steps(_PERCENT, f"Pulling {model}") as advance:

        def show(progress: PullProgress) -> None:
            if progress.total:
                advance(_PERCENT * progress.completed // progress.total, progress.status)

        download(model, progress=show)
    say(f"{model} is ready: use it with --lm ollama/{model.removeprefix('ollama/')}")
