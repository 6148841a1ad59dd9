"""``python -m optimize order``: train the order of passages from the default embedder's weights, and export it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from optimize.cli.options import ResumeOption, SeedOption
from programs.cli.console import say


def order(
    data: Annotated[Path, typer.Option("--data", help="Folder with trials_train/, scifact/, claims/ and so on.")],
    output: Annotated[Path, typer.Option("--output", help="Where checkpoints, steps and the order go.")],
    seed: SeedOption = 0,
    epochs: Annotated[int, typer.Option(help="Passes through the questions, each in other words.", min=1)] = 1,
    threads: Annotated[int, typer.Option("--threads", help="CPU threads.")] = 2,
    device: Annotated[str, typer.Option("--device", help="cpu, or a GPU as torch spells it.")] = "cpu",
    resume: ResumeOption = False,
) -> None:
    """Train the order that says which passage answers a question.

    The order is written to OUTPUT/order: model.onnx, tokenizer.json and manifest.json.
    """
    from optimize.training.order.lists import trials
    from optimize.training.order.measured import judged, markdown
    from optimize.training.order.training import PART, OrderSettings, export, train
    from optimize.training.run import TrainingRun, log_to
    from programs.config import DEFAULT_EMBEDDER
    from programs.extras import require
    from programs.retrieval.embedding.model_files import find_weights

    require("models", "`order`")
    weights = find_weights(DEFAULT_EMBEDDER).folder
    settings = OrderSettings(seed=seed, epochs=epochs)
    output.mkdir(parents=True, exist_ok=True)
    say(f"Steps are logged to {output / 'steps.jsonl'}; if it is interrupted, the same command goes on with --resume.")
    run = TrainingRun(output, threads, device, resume, on_step=log_to(output / "steps.jsonl"))
    train(weights, data, run, settings)
    dev = trials(data, dev=True)
    made = export(output / PART, weights, output / "order", dev, settings.length)
    table = markdown(judged(made, dev))
    (output / "report.md").write_text(table, encoding="utf-8")
    typer.echo(table)
