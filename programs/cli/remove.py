"""``python -m programs remove``: papers leave an index."""

from __future__ import annotations

from typing import Annotated

import typer

from programs.cli.console import Format, print_json, say, steps
from programs.cli.options import DEFAULT_INDEX, FormatOption, IndexOption
from programs.errors import UsageError


def remove(
    papers: Annotated[list[str], typer.Argument(help="Ids of papers, as `retrieve` shows them: PMC2654319.")],
    index: IndexOption = DEFAULT_INDEX,
    output_format: FormatOption = Format.text,
) -> None:
    """Take papers with their passages out of an index; their files stay where they are.

    An id that the index does not have is reported, the others are removed, and the exit code is 1.
    """
    from programs.retrieval.index import Index

    wanted = tuple(dict.fromkeys(papers))
    removed, unknown = [], []
    with Index.open(index) as opened:
        with steps(len(wanted), "Removing") as advance:
            for done, paper in enumerate(wanted, start=1):
                try:
                    opened.remove(paper)
                    removed.append(paper)
                except UsageError:
                    unknown.append(paper)
                advance(done, paper)
        if removed:
            opened.add(())  # which brings the engine into its best state after the removals
        documents = opened.stats().documents
    for paper in unknown:
        say(f"Not removed: the index at {index} has no paper {paper!r}; `retrieve` shows the ids that it has")
    if output_format is Format.json:
        print_json({"index": index, "removed": removed, "unknown": unknown, "documents": documents})
    else:
        typer.echo(f"{index}: {len(removed)} removed, {len(unknown)} unknown; {documents} papers")
    if unknown:
        raise typer.Exit(1)
