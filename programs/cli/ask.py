"""``python -m programs ask``: a question, an answer, and the proof of every sentence."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from programs.cli.answer_text import print_answer
from programs.cli.asking import Asking, ask_all, say_extracted
from programs.cli.console import print_json
from programs.cli.options import DEFAULT_INDEX, FilterOption, LMOptionsOption
from programs.errors import UsageError
from programs.lm.options import with_options
from programs.references.files import check_references, write_references
from programs.references.pandoc import check_written, write_answer


class AnswerFormat(StrEnum):
    """How an answer is printed."""

    text = "text"
    json = "json"
    markdown = "markdown"


def ask(
    question: Annotated[str | None, typer.Argument(help="What to ask, in any language.")] = None,
    paper: Annotated[
        str | None,
        typer.Option(help="A file, or the id of a paper in the index; without it, the best match, or the whole index."),
    ] = None,
    index: Annotated[
        str | None, typer.Option("--index", help=f"Folder or address of an index. [default: {DEFAULT_INDEX}]")
    ] = None,
    program: Annotated[str, typer.Option(help="See `list`.")] = "main_points",
    filters: FilterOption = None,
    lm: Annotated[
        str, typer.Option(help="ollama/MODEL, any LiteLLM name, or extractive, which uses no model.")
    ] = "extractive",
    lm_option: LMOptionsOption = None,
    preset: Annotated[
        str, typer.Option(help="defaults: what measured best; seed: the numbers of the system as first described.")
    ] = "defaults",
    verify: Annotated[bool, typer.Option(help="Verify and repair the answer.")] = True,
    verbose: Annotated[bool, typer.Option("--verbose", help="Tell each step on stderr.")] = False,
    output: Annotated[
        Path | None, typer.Option(help="Write the JSON result to a file, for `verify`; with --questions, to a folder.")
    ] = None,
    output_format: Annotated[AnswerFormat, typer.Option("--format", help="How to print it.")] = AnswerFormat.text,
    questions: Annotated[
        Path | None,
        typer.Option(help="Ask every question of a .csv (question, id, paper), .jsonl or .txt file: a JSON line each."),
    ] = None,
    references: Annotated[
        Path | None, typer.Option(help="Write the cited papers as .bib, .ris or .json (CSL-JSON).")
    ] = None,
    document: Annotated[
        Path | None, typer.Option(help="Write the answer as .md with pandoc's citation keys, or as .docx by pandoc.")
    ] = None,
) -> None:
    """Answer a question from papers; every sentence of the answer is cited and checked."""
    lm = with_options(lm, lm_option)
    asking = Asking(paper, index, program, filters, preset, lm, verify, verbose)
    if questions:
        if question or document:
            raise UsageError("--questions asks what stands in its file; leave the question and --document out")
        ask_all(asking, questions, output, references)
        return
    if not question:
        raise UsageError("no question was given; write it in quotes, or name a file of questions with --questions")
    _check_outputs(output, references, document)
    with asking.opened() as ask_one:
        answered = ask_one(question, paper)
    result = answered.result
    say_extracted(lm)
    if output:
        output.write_text(json.dumps(result, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    if references:
        write_references(references, answered.papers)
    if document:
        write_answer(document, result, answered.papers)
    if output_format is AnswerFormat.json:
        print_json(result)
    elif output_format is AnswerFormat.markdown:
        from programs.rendering import as_markdown

        typer.echo(as_markdown(result))
    else:
        print_answer(result)


def _check_outputs(output: Path | None, references: Path | None, document: Path | None) -> None:
    """Before the work: that everything can be written where it was asked for."""
    if output and not output.parent.is_dir():
        raise UsageError(f"no folder at {output.parent} for --output {output}; make it first")
    if references:
        check_references(references)
    if document:
        check_written(document)
