"""``python -m optimize score``: measure a finished run again, by another judge or further metrics."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from optimize.cli.measuring import (
    FailOverOption,
    FailUnderOption,
    JudgeLMOption,
    JudgeLMOptionsOption,
    JudgeNLIOption,
    MetricOption,
    fail_if_missed,
    measures_of,
)
from optimize.cli.options import ThreadsOption
from programs.cli.console import Format, print_json
from programs.cli.options import FormatOption
from programs.lm.options import with_options


def score(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a finished run.")],
    judge_lm: JudgeLMOption = "",
    judge_lm_option: JudgeLMOptionsOption = None,
    judge_nli: JudgeNLIOption = "",
    metric: MetricOption = None,
    threads: ThreadsOption = 1,
    fail_under: FailUnderOption = None,
    fail_over: FailOverOption = None,
    output_format: FormatOption = Format.text,
) -> None:
    """Judge and score the answers of a finished run, and write its report anew; its program is not asked again.

    What a judge said before is kept in the run, so going back to it asks nothing.
    """
    from optimize.evaluating.gate import check, read_limits
    from optimize.evaluating.rescore import measured_in, rescore
    from optimize.reporting.report_text import markdown

    judge_lm = with_options(judge_lm, judge_lm_option, "--judge-lm-option")
    measures = measures_of(judge_lm, judge_nli, metric, threads)
    limits = read_limits(fail_under or (), fail_over or (), measures.names(measured_in(run)))
    assessed = rescore(run, measures)
    checked = check(limits, assessed.values())
    if output_format is Format.json:
        print_json({**assessed.as_dict(), "run": str(run), "gate": [each.as_dict() for each in checked]})
    else:
        typer.echo(markdown(assessed.report))
    fail_if_missed(checked)
