"""``python -m programs fetch`` and ``pull``: download open-access papers by PMCID, and models by Ollama."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from programs.cli.console import Format, print_json, say, steps
from programs.cli.options import FormatOption
from programs.errors import UsageError

if TYPE_CHECKING:
    from programs.fetch.articles import Fetched


def fetch(
    pmcids: Annotated[list[str] | None, typer.Argument(help="PMC2654319, 2654319, or a link that holds it.")] = None,
    lists: Annotated[
        list[Path] | None,
        typer.Option("--from", help="CSV or TSV with PMCIDs or links, or text with one a line; repeat for more."),
    ] = None,
    output: Annotated[Path, typer.Option(help="Folder for the papers.")] = Path("papers"),
    base: Annotated[str | None, typer.Option(help="Address of the server. [default: Europe PMC]")] = None,
    delay: Annotated[float | None, typer.Option(help="Seconds from one request to the next. [default: 0.34]")] = None,
    timeout: Annotated[float | None, typer.Option(help="Seconds of silence to bear. [default: 30]")] = None,
    output_format: FormatOption = Format.text,
) -> None:
    """Fetch papers as JATS XML; those that are there are not fetched again, so the same command goes on.

    A paper that cannot be fetched is reported with its reason, the others are fetched, and the exit code is 1.
    """
    from programs.fetch.articles import fetch_articles
    from programs.fetch.server import DELAY, EUROPE_PMC, TIMEOUT, ArticleServer, Pace

    wanted, without = _wanted(pmcids or [], lists or [])
    pace = Pace(_seconds("--delay", delay, DELAY))
    with (
        ArticleServer(base or EUROPE_PMC, pace, _seconds("--timeout", timeout, TIMEOUT, above=0.0)) as server,
        steps(len(wanted), "Fetching") as advance,
    ):
        result = fetch_articles(wanted, output, server, on_progress=advance)
    _say_what_failed(result, without)
    if output_format is Format.json:
        print_json(_report(output, result, without))
    else:
        typer.echo(
            f"{output}: {len(result.fetched)} fetched, {len(result.present)} already there, "
            f"{len(result.failures) + len(without)} failed, {len(result.not_tried)} not tried"
        )
    if result.failures or result.not_tried or without:
        raise typer.Exit(1)


def _wanted(pmcids: list[str], lists: list[Path]) -> tuple[tuple[str, ...], list[str]]:
    """The papers, each once, and the rows that name none."""
    from programs.fetch.articles import parse_pmcid, read_list, unique

    read = [(path, read_list(path)) for path in lists]
    wanted = unique([*map(parse_pmcid, pmcids), *(pmcid for _, found in read for pmcid in found.pmcids)])
    if not wanted:
        raise UsageError("no paper named; write PMCIDs such as PMC2654319, or a list with --from FILE")
    return wanted, [f"{path}, {row}" for path, found in read for row in found.without]


def _seconds(option: str, given: float | None, default: float, above: float = -1e-9) -> float:
    if given is None:
        return default
    if not above < given < 3600:
        raise UsageError(f"{option} got {given:g}; it takes seconds, up to an hour, such as {default:g}")
    return given


def _say_what_failed(result: Fetched, without: list[str]) -> None:
    for row in without:
        say(f"Not fetched: {row}; add its PMCID")
    for failure in result.failures:
        say(f"Not fetched: {failure}")
    if result.not_tried:
        first = f"{result.not_tried[0]}{' …' if len(result.not_tried) > 1 else ''}"
        say(f"Not tried: {len(result.not_tried)} more ({first}), since the server is unavailable; try again later")


def _report(output: Path, result: Fetched, without: list[str]) -> dict[str, Any]:
    return {
        "output": str(output),
        "fetched": result.fetched,
        "present": result.present,
        "failed": [{"pmcid": one.pmcid, "reason": one.reason, "action": one.action} for one in result.failures],
        "not_tried": result.not_tried,
        "without_pmcid": without,
    }


_PERCENT = 100


def pull(model: Annotated[str, typer.Argument(help="Name as Ollama knows it, such as gpt-oss or qwen3:8b.")]) -> None:
    """Have the Ollama server download a model; what a broken-off download fetched is kept."""
    from programs.lm.ollama import PullProgress
    from programs.lm.ollama import pull as download

    with steps(_PERCENT, f"Pulling {model}") as advance:

        def show(progress: PullProgress) -> None:
            if progress.total:
                advance(_PERCENT * progress.completed // progress.total, progress.status)

        download(model, progress=show)
    say(f"{model} is ready: use it with --lm ollama/{model.removeprefix('ollama/')}")
