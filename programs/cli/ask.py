"""``python -m programs ask``: a question, an answer, and the proof of every sentence."""

from __future__ import annotations

import json
from contextlib import nullcontext
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from programs.cli.answer_text import print_answer
from programs.cli.console import print_json, say
from programs.cli.options import DEFAULT_INDEX, FilterOption, LMOptionsOption, read_filters, say_outdated, say_state
from programs.errors import UsageError
from programs.lm.options import with_options

if TYPE_CHECKING:
    import dspy

    from programs.ingest.document import Document
    from programs.retrieval.index import Index


class AnswerFormat(StrEnum):
    """How an answer is printed."""

    text = "text"
    json = "json"
    markdown = "markdown"


def ask(
    question: Annotated[str, typer.Argument(help="What to ask, in any language.")],
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
    output: Annotated[Path | None, typer.Option(help="Write the JSON result to a file, for `verify`.")] = None,
    output_format: Annotated[AnswerFormat, typer.Option("--format", help="How to print it.")] = AnswerFormat.text,
) -> None:
    """Answer a question from papers; every sentence of the answer is cited and checked."""
    from programs.rendering import as_markdown
    from programs.result import as_json

    if output and not output.parent.is_dir():
        raise UsageError(f"no folder at {output.parent} for --output {output}; make it first")
    lm = with_options(lm, lm_option)
    asked = _Asked(question, paper, index, program, filters, preset)
    prediction = _answer(asked, lm, verify=verify, verbose=verbose)
    document = {"program": program, "lm": lm, **as_json(prediction)}
    if lm == "extractive":
        say("No language model was used: the answer is extracted from the paper. Name a model with --lm.")
    if output:
        output.write_text(json.dumps(document, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    if output_format is AnswerFormat.json:
        print_json(document)
    elif output_format is AnswerFormat.markdown:
        typer.echo(as_markdown(document))
    else:
        print_answer(document)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What was asked of what, as the options say it."""

    question: str
    paper: str | None
    place: str | None
    program: str
    filters: list[str] | None
    preset: str


def _answer(asked: _Asked, lm: str, *, verify: bool, verbose: bool) -> dspy.Prediction:
    import dspy

    from programs.lm import LM
    from programs.lm.provider_errors import translated
    from programs.narration import Narrator
    from programs.progress import listening
    from programs.registry import answering

    of = _of_paper if answering(asked.program).asks == "paper" else _of_index
    told = listening(lambda step: say(step.message)) if verbose else nullcontext()
    with translated(lm), told, dspy.context(lm=LM(lm), callbacks=[Narrator()] if verbose else []):
        return of(asked, verify)


def _of_paper(asked: _Asked, verify: bool) -> dspy.Prediction:
    from programs.registry import load

    if asked.filters:
        raise UsageError(f"{asked.program} asks one paper, so --filter has no use; name the paper with --paper")
    qa = load(asked.program, preset=asked.preset, verify=verify)
    say_state(qa)
    document = _paper(asked.question, asked.paper, asked.place)
    prediction: dspy.Prediction = qa(question=asked.question, paper=document)
    return prediction


def _of_index(asked: _Asked, verify: bool) -> dspy.Prediction:
    from programs.registry import load
    from programs.retrieval.index import Index

    with Index.open(asked.place or DEFAULT_INDEX) as index, index.reading():
        say_outdated(index)
        filters = read_filters(asked.filters, index.fields())
        if asked.paper:
            filters["document"] = [index.document(asked.paper).id]
        qa = load(asked.program, index=index, preset=asked.preset, verify=verify)
        say_state(qa)
        prediction: dspy.Prediction = qa(question=asked.question, filters=filters or None)
    return prediction


def _paper(question: str, paper: str | None, place: str | None) -> Document:
    """The paper to ask: a file, a paper of the index by its id, or the one whose passage fits best."""
    from programs.ingest.reader import read
    from programs.retrieval.index import Index

    if paper and (place is None or Path(paper).is_file()):
        if not Path(paper).is_file():
            raise UsageError(f"no file at {paper}; check the path, or name an index with --index to ask a paper of it")
        return read(paper)
    with Index.open(place or DEFAULT_INDEX) as index, index.reading():
        say_outdated(index)
        return index.document(paper or _chosen(index, question))


def _chosen(index: Index, question: str) -> str:
    from programs.retrieval.best_match import best_match

    chosen = best_match(index, question)
    say(f"Asking {chosen}, the paper that fits the question best; choose another with --paper ID.")
    return chosen
