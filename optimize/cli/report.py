"""``python -m optimize report``: a finished run for people, from its folder alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from programs.cli.console import Format, print_json, say
from programs.cli.options import FormatOption
from programs.errors import UsageError


def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a finished run.")],
    output: Annotated[
        Path | None, typer.Option(help="Where the page goes, a name in .html. [default: RUN/report.html]")
    ] = None,
    output_format: FormatOption = Format.text,
) -> None:
    """Write a run's report as one page of HTML, and print it as Markdown; nothing is asked or judged again."""
    _check(output)
    from optimize.reporting.finished_run import read_run
    from optimize.reporting.page import write_page
    from optimize.reporting.report_text import markdown
    from optimize.reporting.text import details

    finished = read_run(run)
    page = write_page(finished, output)
    if output_format is Format.json:
        print_json({**finished.report.as_dict(), "run": str(run), "page": str(page)})
    else:
        typer.echo(markdown(finished.report, details(finished)))
        say(f"The page is {page}; open it in a browser.")


def _check(output: Path | None) -> None:
    if output is None:
        return
    if output.suffix not in (".html", ".htm"):
        raise UsageError(f"--output={output} is not an HTML file; give it a name that ends in .html")
    if not output.parent.is_dir():
        raise UsageError(f"no folder at {output.parent} for --output {output}; make it first")
