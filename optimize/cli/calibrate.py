"""``python -m optimize calibrate``: how far a judge agrees with people, and a run's mean corrected for its errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from optimize.cli.options import (
    JudgeLMOption,
    JudgeLMOptionsOption,
    JudgeNLIOption,
    LimitOption,
    OutputOption,
    ResumeOption,
    SeedOption,
    ThreadsOption,
    run_folder,
)
from programs.cli.console import Format, print_json, say, steps
from programs.cli.options import FormatOption
from programs.lm.options import with_options


def calibrate(
    dataset: Annotated[
        str, typer.Option("--dataset", help="Labelled claims: a data set such as scifact, or a file ….jsonl.")
    ],
    judge_lm: JudgeLMOption = "",
    judge_lm_option: JudgeLMOptionsOption = None,
    judge_nli: JudgeNLIOption = "",
    split: Annotated[str, typer.Option(help="train, val, dev or test of a data set.")] = "test",
    run: Annotated[
        Path | None, typer.Option("--run", help="A run scored by this judge, whose mean to correct.")
    ] = None,
    seed: SeedOption = 0,
    limit: LimitOption = None,
    threads: ThreadsOption = 1,
    output: OutputOption = None,
    resume: ResumeOption = False,
    output_format: FormatOption = Format.text,
) -> None:
    """Put claims that people have judged to a judge: agreement, kappa, and whom it wrongs.

    A line of the file is {"claim": …, "passages": […], "label": "supported" or "contradicted" or "unverifiable"}.
    """
    from optimize.calibrating.calibration import calibrate as calibrated
    from optimize.calibrating.calibration import digest, markdown, read_labelled
    from optimize.judging.judges import judge_of

    judge_lm = with_options(judge_lm, judge_lm_option, "--judge-lm-option")
    judge, labelled = judge_of(judge_lm, judge_nli), read_labelled(dataset, split, limit)
    settings = {"command": "calibrate", "judge": judge.name, "claims": digest(labelled), "seed": seed}
    folder = run_folder("calibrate", output, settings, resume=resume)
    say(f"The judgements are in {folder.path}; if it is interrupted, the same command goes on with --resume.")
    data = dataset if dataset.endswith(".jsonl") else f"{dataset} {split}"
    with steps(len(labelled), "Judging") as advance:
        found = calibrated(judge, labelled, data, folder, run=run, threads=threads, seed=seed, on_done=advance)
    folder.write("report.json", json.dumps(found.as_dict(), ensure_ascii=False, indent=1) + "\n")
    folder.write("report.md", markdown(found))
    print_json(found.as_dict()) if output_format is Format.json else typer.echo(markdown(found))
