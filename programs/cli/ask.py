"""``python -m programs ask``: a question, an answer, and the proof of every sentence."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from programs.cli.asking import Asking, ask_all, say_extracted
from programs.cli.console import print_json, stdout
from programs.cli.options import DEFAULT_INDEX, EXTRACTIVE, FilterOption, LMOption, LMOptionsOption
from programs.errors import UsageError
from programs.lm import with_options
from programs.references import check_references, check_written, write_answer, write_references
from programs.results.rendering import corrected, printed_pages

_VERDICT_STYLES = {"supported": "green", "contradicted": "red", "unverifiable": "yellow"}


def print_answer(result: Mapping[str, Any]) -> None:
    """Print a result; text from papers and models is never read as markup."""
    console = stdout()
    if result["answer"]:
        console.print(f"{result['answer']}\n")
    else:
        console.print("The papers do not hold an answer to this question.", style="bold")
    _sources(console, result)
    _proofs(console, result)
    metrics = result["metrics"]
    calls = "" if result.get("lm") == EXTRACTIVE else f"{metrics['lm_calls']} calls, "
    console.print(f"\n{calls}{metrics['latency_ms'] / 1000:.1f} s", style="dim")


def _sources(console: Console, result: Mapping[str, Any]) -> None:
    """Cited passages one by one, then each paper that was read and not cited."""
    named = [(passage["key"] or str(number), passage) for number, passage in enumerate(result["passages"], start=1)]
    ids = {citation["passage"] for citation in result["citations"]}
    cited = [(name, passage) for name, passage in named if passage["id"] in ids]
    papers = {passage["document_id"] for _, passage in cited}
    others = [(name, passage) for name, passage in named if passage["document_id"] not in papers]
    _listed(console, "Cited", [(name, _described(each), each["section"]) for name, each in cited])
    _listed(console, "\nAlso read" if cited else "\nRead", _a_paper_a_line(others))
    for figure in result["figures"]:
        console.print(f"{figure['label']} of {figure['document_id']}: {figure['caption']}", style="dim")


def _listed(console: Console, heading: str, sources: Sequence[tuple[str, ...]]) -> None:
    if not sources:
        return
    console.print(heading, style="bold dim")
    for name, *described in sources:
        console.print(f"[{name}] {' · '.join(described)}", style="dim")


def _a_paper_a_line(sources: Iterable[tuple[str, Mapping[str, Any]]]) -> list[tuple[str, ...]]:
    """Each paper under the names of all its passages."""
    names: dict[str, dict[str, None]] = {}
    described: dict[str, str] = {}
    for name, passage in sources:
        names.setdefault(passage["document_id"], {})[name] = None
        described[passage["document_id"]] = _described(passage)
    return [(", ".join(found), described[paper]) for paper, found in names.items()]


def _described(passage: Mapping[str, Any]) -> str:
    year = f" ({passage['year']})" if passage["year"] else ""
    said = corrected(passage)
    return f"{passage['title'] or passage['document_id']}{year}{said and f' — {said.upper()}'}"


def _proofs(console: Console, result: Mapping[str, Any]) -> None:
    for citation in result["citations"]:
        console.print(
            f"\n{citation['verdict']} ({citation['score']:.2f}) [{citation['marker']}] {citation['sentence']}",
            style=_VERDICT_STYLES[citation["verdict"]],
        )
        here = [each for each in citation["quotes"] if each["document_id"] == citation["document_id"]]
        for quote in here or citation["quotes"]:
            pages = printed_pages([quote])
            place = f"[{quote['start']}:{quote['end']}]{pages and f' {pages}'}"
            console.print(f"  {quote['document_id']} {place} “{quote['quote']}”")
        judged = (f"{each['name']}: {each['verdict']}" for each in citation["judges"])
        console.print(f"  {'; '.join(judged)}", style="dim")
    for claim in result["unsupported_claims"]:
        console.print(f"\nNot supported, and not repaired: {claim['claim']}\n  {claim['reason']}", style="red")
    for note in result.get("notes", []):
        console.print(f"\nNote: {note}", style="yellow")


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
    lm: LMOption = EXTRACTIVE,
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
        from programs.results.rendering import as_markdown

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
