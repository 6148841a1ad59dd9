"""``python -m optimize checker`` and ``order``: train the small models, export and measure them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from optimize.cli.options import ResumeOption, SeedOption
from programs.cli.console import say


def checker(
    data: Annotated[Path, typer.Option("--data", help="Folder with claims/, scifact/, trials_train/ and so on.")],
    output: Annotated[Path, typer.Option("--output", help="Where checkpoints, steps and the checker go.")],
    seed: SeedOption = 0,
    passes: Annotated[
        str, typer.Option(help="How often each stage goes through its pairs: relations,claims. ")
    ] = "1,3",
    members: Annotated[
        int, typer.Option(help="How often the last stage is learned anew; the weights are averaged.", min=1)
    ] = 3,
    entailment: Annotated[
        list[Path] | None,
        typer.Option(help="Sentence pairs to learn first, JSONL in the form of SNLI or MultiNLI; repeatable."),
    ] = None,
    start: Annotated[
        Path | None, typer.Option(help="Folder of a finished checker to go on from, such as programs/models/checker.")
    ] = None,
    kept: Annotated[float, typer.Option(help="With --start: share of its weights in the result.", min=0, max=1)] = 0.4,
    without: Annotated[
        list[str] | None, typer.Option(help="Source of training pairs to leave out, such as handwritten; repeatable.")
    ] = None,
    threads: Annotated[int, typer.Option("--threads", help="CPU threads.")] = 2,
    device: Annotated[str, typer.Option("--device", help="cpu, or a GPU as torch spells it.")] = "cpu",
    resume: ResumeOption = False,
) -> None:
    """Train the checker that says whether a text proves a claim.

    The checker is written to OUTPUT/checker: model.onnx, tokenizer.json and manifest.json.
    """
    from optimize.training.checker import TrainingSettings, finished, train
    from optimize.training.export import export
    from optimize.training.measured import markdown, measured
    from optimize.training.run import TrainingRun, log_to
    from optimize.training.stages import (
        ENTAILMENT,
        Sources,
        calibration_pairs,
        epoch_pairs,
        with_passes,
        without_sources,
    )
    from programs.config import DEFAULT_EMBEDDER
    from programs.extras import require
    from programs.models.checker import SmallChecker
    from programs.retrieval.embedding.model_files import find_weights

    require("models", "`checker`")
    weights = find_weights(DEFAULT_EMBEDDER).folder
    first = (ENTAILMENT,) if entailment else ()
    begun = SmallChecker(start).name if start else ""
    stages = without_sources((*first, *with_passes(passes)), without or ())
    settings = TrainingSettings(seed=seed, members=members, stages=stages, start=begun, kept=kept if start else 0.0)
    sources = Sources(data, entailment or ())
    output.mkdir(parents=True, exist_ok=True)
    say(f"Steps are logged to {output / 'steps.jsonl'}; if it is interrupted, the same command goes on with --resume.")
    run = TrainingRun(output, threads, device, resume, on_step=log_to(output / "steps.jsonl"))
    train(weights, sources, run, settings, start)
    trained, apart = epoch_pairs(settings.stages[-1], sources, seed), calibration_pairs(sources, seed)
    made = export(finished(output, settings, start), weights, output / "checker", trained, apart)
    table = markdown(measured(made, data))
    (output / "report.md").write_text(table, encoding="utf-8")
    typer.echo(table)


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
    from optimize.training.order.training import FINISHED, OrderSettings, export, train
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
    made = export(output / FINISHED, weights, output / "order", dev, settings.length)
    table = markdown(judged(made, dev))
    (output / "report.md").write_text(table, encoding="utf-8")
    typer.echo(table)
