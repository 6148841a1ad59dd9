"""``python -m programs table``: papers × questions, each cell with its proof."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from programs.cli.console import Format, print_json, say, stdout, steps
from programs.cli.options import (
    DEFAULT_INDEX,
    EXTRACTIVE,
    FilterOption,
    FormatOption,
    IndexOption,
    LMOption,
    LMOptionsOption,
    language_model,
    read_filters,
    say_outdated,
    say_state,
)
from programs.lm import with_options

if TYPE_CHECKING:
    from programs.budget import Budget
    from programs.evidence_table.cells import TablePaper
    from programs.evidence_table.columns import Column
    from programs.evidence_table.table import Table
    from programs.retrieval.index import Index


def table(
    questions: Annotated[
        Path | None, typer.Argument(help="YAML or CSV of columns: name, question, type, unit, choices.")
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--column",
            metavar="'NAME: QUESTION [TYPE]'",
            help="A column more; TYPE is text, number, 'number in UNIT', yes/no, direction, or labels: 'a | b | c'.",
        ),
    ] = None,
    index: IndexOption = DEFAULT_INDEX,
    output: Annotated[Path, typer.Option(help="Folder for the table.")] = Path("table"),
    paper: Annotated[list[str] | None, typer.Option(help="Id of a paper to be a row; repeat it for more.")] = None,
    filters: FilterOption = None,
    find: Annotated[str, typer.Option(help="Take the papers that have the best passages for this question.")] = "",
    limit: Annotated[int | None, typer.Option(help="Papers at most; with --find 20 if not given.")] = None,
    lm: LMOption = EXTRACTIVE,
    lm_option: LMOptionsOption = None,
    threads: Annotated[int, typer.Option(help="Cells at a time.")] = 8,
    budget_calls: Annotated[int | None, typer.Option(help="Calls of the model that this run may make.")] = None,
    budget_minutes: Annotated[float | None, typer.Option(help="Minutes that this run may take.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the table in the folder.")] = False,
    output_format: FormatOption = Format.text,
) -> None:
    """Ask every paper every question: a table whose cells are proved by passages, or say "not reported".

    The folder holds table.json for `verify`, CSV, XLSX, Markdown and one page of HTML. Exit code 1 when cells failed
    or the budget ended the run; --resume goes on.
    """
    from programs.budget import Budget
    from programs.evidence_table.columns import read_columns
    from programs.evidence_table.filling import chosen_papers
    from programs.evidence_table.writing import write_table
    from programs.extras import lacking
    from programs.retrieval.index import Index

    lm, columns = with_options(lm, lm_option), read_columns(questions, column or ())
    budget = Budget(calls=budget_calls, minutes=budget_minutes)
    with Index.open(index) as opened:
        say_outdated(opened)
        wanted = read_filters(filters, opened.fields())
        papers = chosen_papers(opened, filters=wanted or None, named=paper or (), find=find, limit=limit)
        try:
            filled = _filled(opened, columns, papers, output, lm, threads=threads, budget=budget, resume=resume)
        except KeyboardInterrupt:
            say(f"Stopped. Cells that were written down are kept in {output}; the same command with --resume goes on.")
            raise typer.Exit(1) from None
    files = write_table(filled, output)
    if lm == EXTRACTIVE:
        say("No language model was used: values are taken from the papers' sentences. Name a model with --lm.")
    if lacking("tables"):
        say("table.xlsx was not written: it needs openpyxl; add it with: pip install 'corroborate[tables]'")
    for note in filled.notes:
        say(f"Note: {note}")
    if output_format is Format.json:
        print_json(filled.as_dict())
    else:
        _print(filled, files)
    if filled.count("failed", "not asked"):
        raise typer.Exit(1)


def _filled(
    index: Index,
    columns: list[Column],
    papers: list[TablePaper],
    output: Path,
    lm: str,
    *,
    threads: int,
    budget: Budget,
    resume: bool,
) -> Table:
    from programs.evidence_table.evidence_table import EvidenceTable
    from programs.evidence_table.filling import TableFolder, fill, maker
    from programs.registry import load

    with language_model(lm):
        program = load("evidence_table", index=index)
        assert isinstance(program, EvidenceTable)  # noqa: S101 - what the registry says
        say_state(program)
        folder = TableFolder(output, maker(program), lm, resume=resume)
        with steps(len(columns) * len(papers), "Cells") as on_done:
            return fill(program, columns, papers, folder, threads=threads, budget=budget, on_done=on_done)


def _print(filled: Table, files: list[Path]) -> None:
    console = stdout()
    console.print(
        f"{len(filled.rows)} papers × {len(filled.columns)} questions: {filled.count('reported')} cells proved, "
        f"{filled.count('not reported')} not reported"
    )
    for each in filled.summary():
        console.print(f"  {each.column}: {each}")
    console.print(", ".join(map(str, files)))
