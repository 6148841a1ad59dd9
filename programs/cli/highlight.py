"""``python -m programs highlight``: a copy of a PDF in which the quotes of an answer are marked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from programs.cli.console import stdout
from programs.cli.verify import read_saved
from programs.errors import UsageError


def highlight(
    answer: Annotated[
        Path, typer.Argument(help="What `ask --output` wrote, the draft.json of `write`, or the table.json of `table`.")
    ],
    paper: Annotated[Path, typer.Option(help="The PDF that was indexed or asked.")],
    output: Annotated[Path, typer.Option(help="Where the marked copy goes.")] = Path("marked.pdf"),
) -> None:
    """Mark in a copy of a paper's PDF the quotes that prove an answer."""
    from programs.ingest.reader import read
    from programs.replay import parts
    from programs.results.highlighting import highlight as mark

    if paper.suffix.lower() != ".pdf":
        raise UsageError(f"{paper} is no PDF; give the paper's PDF with --paper")
    if not paper.is_file():
        raise UsageError(f"no file at {paper}; check the path of --paper")
    if not output.parent.is_dir() or (output.exists() and output.samefile(paper)):
        raise UsageError(f"{output} cannot be written; name another file, in a folder that is there, with --output")
    results = parts(read_saved(answer)).values()
    marked = mark(results, read(paper), paper, output)
    pages = sorted({page for each in marked for page in each.boxes})
    count = f"{len(marked)} quote{'s' if len(marked) > 1 else ''}"
    stdout().print(f"{output}: {count} marked on page {', '.join(map(str, pages))}")
