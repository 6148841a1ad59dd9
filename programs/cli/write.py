"""``python -m programs write`` and ``table``: a paper's draft, and papers × questions, each into a folder."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from programs.cli import console
from programs.cli.console import say
from programs.lm import with_options
from programs.references import check_references, item_of, write_references

if TYPE_CHECKING:
    import dspy

    from programs.evidence_table.filling import Asked
    from programs.evidence_table.table import Cell, Table
    from programs.paper_writer.evidence import Evidence
    from programs.progress import Listener, Step


def table(
    questions: Annotated[
        Path | None,
        typer.Argument(help="YAML or CSV of columns: question, and where wanted name, type, unit, choices."),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--column",
            metavar="'NAME: QUESTION [TYPE]'",
            help="A column more; TYPE is text, number, 'number in UNIT', yes/no, direction, or labels: 'a | b | c'.",
        ),
    ] = None,
    index: console.IndexOption = console.DEFAULT_INDEX,
    output: Annotated[Path, typer.Option(help="Folder for the table.")] = Path("table"),
    paper: Annotated[list[str] | None, typer.Option(help="Id of a paper to be a row; repeat it for more.")] = None,
    filters: console.FilterOption = None,
    find: Annotated[str, typer.Option(help="Take the papers that have the best passages for this question.")] = "",
    limit: Annotated[int | None, typer.Option(help="Papers at most; with --find 20 if not given.", min=1)] = None,
    lm: console.LMOption = console.EXTRACTIVE,
    lm_option: console.LMOptionsOption = None,
    threads: Annotated[int, typer.Option(help="Cells at a time.", min=1)] = 8,
    budget_calls: Annotated[int | None, typer.Option(help="Calls of the model that this run may make.")] = None,
    budget_minutes: Annotated[float | None, typer.Option(help="Minutes that this run may take.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the table in the folder.")] = False,
    output_format: console.FormatOption = console.Format.text,
) -> None:
    """Ask every paper every question: a table whose cells are proved by passages, or say "not reported".

    The folder holds table.json for `verify`, CSV, XLSX, Markdown and one page of HTML. Exit code 1 when cells failed
    or the budget ended the run; --resume continues the run.
    """
    from programs.budget import Budget
    from programs.evidence_table.columns import read_columns
    from programs.evidence_table.filling import TableFolder, chosen_papers, fill, maker
    from programs.evidence_table.table_export import write_table
    from programs.extras import lacking
    from programs.registry import load_table
    from programs.retrieval.index import Index

    lm, columns = with_options(lm, lm_option), read_columns(questions, column or ())
    budget = Budget(calls=budget_calls, minutes=budget_minutes)
    console.say_no_model(lm, "labels and texts are taken from the papers' sentences, numbers are left blank")
    with Index.open(index) as opened:
        opened.require_papers()
        console.say_outdated(opened)
        wanted = console.read_filters(filters, opened.fields())
        papers = chosen_papers(opened, filters=wanted or None, named=paper or (), find=find, limit=limit)
        try:
            with console.language_model(lm):
                program = load_table(opened)
                console.say_state(program)
                folder = TableFolder(output, maker(program), lm, resume=resume)
                with console.steps(len(columns) * len(papers), "Cells") as advance:

                    def on_done(done: int, asked: Asked | None, cell: Cell | None) -> None:
                        cited = f"{asked.paper.cited_as}, {asked.column.name}: {cell.text}" if asked and cell else ""
                        advance(done, cited[:_SHOWN_CHARACTERS])

                    filled = fill(program, columns, papers, folder, threads=threads, budget=budget, on_done=on_done)
        except KeyboardInterrupt:
            say(f"Stopped. Cells that were written down are kept in {output}; --resume continues.")
            raise typer.Exit(1) from None
    files = write_table(filled, output)
    if lacking("tables"):
        say("table.xlsx was not written: it needs openpyxl; add it with: pip install 'corroborate-papers[tables]'")
    for note in filled.notes:
        say(f"Note: {note}")
    if output_format is console.Format.json:
        console.print_json(filled.as_dict())
    else:
        _print(filled, files)
    if filled.count("failed", "not asked"):
        raise typer.Exit(1)


def _print(filled: Table, files: list[Path]) -> None:
    from programs.evidence_table.table import NOT_FOUND

    out, is_search = console.stdout(), filled.lm == console.EXTRACTIVE
    said, lacking_value = ("quoted", NOT_FOUND) if is_search else ("proved", "not reported")
    size = f"{console.counted(len(filled.rows), 'paper')} × {console.counted(len(filled.columns), 'question')}"
    empty = f"{filled.count('not reported')} {lacking_value}"
    out.print(f"{size}: {filled.count('reported')} cells with a {said} sentence, {empty}")
    labels = sum(
        cell.status == "reported"
        for place, column in enumerate(filled.columns)
        for _, cell in filled.column(place)
        if column.wanted.labels
    )
    if labels:
        out.print(f"  labels among them: {labels}, read from the sentence and proved by nothing; compare the quotes")
    for each in filled.summary():
        out.print(f"  {each.column}: {each}")
    out.print(", ".join(map(str, files)))


_DONE = ("gathered", "written")
"""Steps that the bar counts."""

_GATHERED, _ALL = 7, 15
"""How many there are: evidence of seven sections; with it their texts and the title."""

_SHOWN_WORDS = 30
_SHOWN_CHARACTERS = 80


def write(
    concept: Annotated[
        Path, typer.Argument(help="YAML with hypothesis, experiments and plots; see programs/paper_writer/example.")
    ],
    index: console.IndexOption = console.DEFAULT_INDEX,
    output: Annotated[Path, typer.Option(help="Folder for the draft; an interrupted run continues from it.")] = Path(
        "draft"
    ),
    lm: console.LMOption = console.EXTRACTIVE,
    lm_option: console.LMOptionsOption = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Show the evidence of each section, and leave nothing behind.")
    ] = False,
    threads: Annotated[int, typer.Option(help="Calls of the model at a time.")] = 8,
    verify: Annotated[bool, typer.Option(help="Verify and repair every cited sentence.")] = True,
    references: Annotated[
        Path | None, typer.Option(help="Write the cited papers also as .bib, .ris or .json (CSL-JSON).")
    ] = None,
) -> None:
    """Write a draft of a paper: sections from evidence in the index, every citation checked.

    The folder holds draft.md, references.bib, draft.json with a certificate for every cited sentence, and all prompts.
    """
    from programs.paper_writer.concept import read_concept
    from programs.progress import listening
    from programs.registry import load
    from programs.retrieval.index import Index

    lm = with_options(lm, lm_option)
    if references:
        check_references(references)
    read = read_concept(concept)
    console.say_no_model(lm, "the draft is an outline of what the concept and the papers say")
    with Index.open(index) as opened, console.language_model(lm):
        console.say_outdated(opened)
        program = load("paper_writer", index=opened, threads=threads, verify=verify)
        with _progress(_GATHERED if plan else _ALL) as on_step, listening(on_step):
            prediction = program(concept=read, output=None if plan else output, plan_only=plan)
        cited = () if plan else dict.fromkeys(each.document_id for each in prediction.citations)
        keys = opened.citation_keys() if references else {}
        items = [item_of(opened.document(each), keys[each]) for each in cited] if references else []
    for note in prediction.notes:
        say(f"Note: {note}")
    if plan:
        _print_plan(prediction.evidence)
        return
    _print_draft(prediction, output)
    if references:
        write_references(references, items)


@contextmanager
def _progress(total: int) -> Iterator[Listener]:
    """A listener that shows what is done: a bar on a terminal, a line a step elsewhere."""
    done, one_at_a_time = 0, threading.Lock()
    with console.steps(total, "Writing") as advance:

        def on_step(step: Step) -> None:
            nonlocal done
            with one_at_a_time:
                done += step.name in _DONE
                if sys.stderr.isatty():
                    advance(done, step.message[:_SHOWN_CHARACTERS])
                elif step.name in _DONE:
                    say(f"{done}/{total} {step.message}")

        yield on_step


def _print_plan(evidence: dict[Any, Sequence[Evidence]]) -> None:
    out = console.stdout()
    for section, found in evidence.items():
        out.print(f"\n{section}: {len(found)} pieces of evidence")
        for each in found:
            words = each.summary.split()
            shown = " ".join(words[:_SHOWN_WORDS]) + (" …" if len(words) > _SHOWN_WORDS else "")
            line = f"  {each.combined_score:.2f} {each.key} ({each.chunk.section}) {shown}"
            out.print(line, soft_wrap=True)


def _print_draft(prediction: dspy.Prediction, output: Path) -> None:
    out, weak = console.stdout(), prediction.unsupported
    out.print(f"{prediction.draft.title}\n{output / 'draft.md'}", soft_wrap=True)
    out.print(
        f"{len(prediction.citations)} citations of {len(prediction.papers)} papers, {len(weak)} of them weak; "
        f"{prediction.metrics['lm_calls']} calls in {prediction.metrics['latency_ms'] / 1000:.1f} s",
        soft_wrap=True,
    )
    for each in weak:
        out.print(f"  {each.verdict} [{each.marker}] {each.sentence} ({each.reason})", soft_wrap=True)
