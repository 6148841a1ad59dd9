"""``python -m programs ask``: a question, an answer, and the proof of every sentence."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from programs.cli import console
from programs.cli.console import say
from programs.cli.printed_answer import print_answer
from programs.errors import CorroborateError, LMError, UsageError
from programs.ingest.decoding import decode
from programs.lm import option_value, with_options
from programs.references import (
    Item,
    check_references,
    check_written,
    cited,
    references_of,
    write_answer,
    write_references,
)
from programs.registry import PROGRAMS

if TYPE_CHECKING:
    from programs.ingest.document import Document
    from programs.retrieval.index import Index


_NAME = re.compile(r"[\w.-]{1,100}", re.ASCII)
OF_A_PAPER, OF_ALL = "main_points", "multi_signal"
"""Who is asked where no program is named."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a file, with its id there or else its number from 1, and the paper to ask, where named."""

    id: str
    text: str
    paper: str | None = None


_LISTS = (".csv", ".jsonl", ".txt")


def read_questions(path: Path) -> list[Question]:
    """Read the questions of a .csv, .jsonl or .txt file; ids and questions must be there, and no id twice."""
    if path.suffix.lower() not in _LISTS:
        raise UsageError(f"{path} is not a list of questions; give a name that ends in {', '.join(_LISTS)}")
    if not path.is_file():
        raise UsageError(f"no file at {path}; check the path of --questions")
    found: dict[str, Question] = {}
    for number, row in enumerate(_rows(path), start=1):
        place, text, name = f"{path.name}, question {number}", row.get("question"), str(row.get("id") or number)
        if not (isinstance(text, str) and text.strip()):
            raise UsageError(f"{place} is empty; write what to ask under question")
        if not _NAME.fullmatch(name) or name in {".", ".."}:
            raise UsageError(
                f"{place} has the id {name!r}, which cannot name a file; use letters, digits, '.', '_', '-'"
            )
        if name in found:
            raise UsageError(f"{path} names two questions {name!r}; give each its own id, or none")
        found[name] = Question(name, text.strip(), str(row.get("paper") or "") or None)
    if not found:
        raise UsageError(f"{path} holds no question")
    return list(found.values())


def _rows(path: Path) -> Iterator[Mapping[str, Any]]:
    text, kind = decode(path), path.suffix.lower()
    if kind == ".csv":
        rows = csv.DictReader(text.splitlines(keepends=True))
        if "question" not in (rows.fieldnames or ()):
            raise UsageError(f"{path} has no column question; it has {', '.join(rows.fieldnames or ()) or 'none'}")
        yield from rows
        return
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = {"question": line} if kind == ".txt" else json.loads(line)
        except ValueError as error:
            raise UsageError(f"{path}, line {number} is not JSON ({error}); write an object a line") from error
        if not isinstance(row, Mapping):
            raise UsageError(f"{path}, line {number} is not an object; write {{'question': …}}")
        yield row


@dataclass(frozen=True, slots=True)
class Answered:
    """A result as JSON-ready values, and how many papers were searched, where known."""

    result: dict[str, Any]
    searched: int | None


AskOne: TypeAlias = Callable[[str, str | None], Answered]
"""Asks a question, of a paper where one is named."""


@contextmanager
def asking(
    program: str,
    place: str | None,
    lm: str,
    *,
    filters: list[str] | None,
    preset: str,
    parameters: Mapping[str, Any],
    verbose: bool,
) -> Iterator[AskOne]:
    """Open the index at the place, or none for a program of one paper, and yield a function that asks the program."""
    import dspy

    from programs.lm import LM, translated
    from programs.progress import Narrator, listening
    from programs.registry import answering, load
    from programs.results.rendering import as_json
    from programs.retrieval.index import Index

    with ExitStack() as opened:
        console.say_no_model(lm, "the nearest sentences of the papers are quoted")
        opened.enter_context(translated(lm))
        if verbose:
            opened.enter_context(listening(lambda step: say(step.message)))
        else:
            tell = opened.enter_context(console.working("Reading" if lm == console.EXTRACTIVE else f"Asking {lm}"))
            # That a question takes long is to be read before it does, on a terminal and elsewhere.
            opened.enter_context(listening(lambda step: (say if step.name == "long" else tell)(step.message)))
        opened.enter_context(dspy.context(lm=LM(lm), callbacks=[Narrator()] if verbose else []))
        index, wanted = None, {}
        if answering(program).asks == "index":
            index = opened.enter_context(Index.open(place or console.DEFAULT_INDEX))
            opened.enter_context(index.reading())
            index.require_papers()
            console.say_outdated(index)
            wanted = console.read_filters(filters, index.fields())
        elif filters:
            others = ", ".join(each.name for each in PROGRAMS if each.answers and each.asks == "index")
            raise UsageError(
                f"{program} asks one paper, so --filter has no use; name the paper with --paper, or a program that "
                f"takes filters with --program: {others}"
            )
        qa = load(program, index=index, preset=preset)
        qa.set_parameters(**parameters)
        console.say_state(qa)

        def ask_one(question: str, paper: str | None) -> Answered:
            if index is None:
                document, keys = _paper(question, paper, place)
                prediction = qa(question=question, paper=document)
                found: Callable[[str], Document] = {document.id: document}.__getitem__
                searched: int | None = 1
            else:
                chosen = {**wanted, "document": [_indexed(index, paper, program)]} if paper else wanted
                prediction = qa(question=question, filters=chosen or None)
                found, keys = index.document, index.citation_keys()
                searched = None if chosen else index.stats().documents
            result = as_json(prediction)
            result["references"] = references_of(result, found, keys)
            return Answered({"program": program, "lm": lm, **result}, searched)

        yield ask_one


def _indexed(index: Index, paper: str, program: str) -> str:
    """The id of a paper of the index."""
    try:
        return index.document(paper).id
    except UsageError as error:
        if not Path(paper).exists():
            raise
        raise UsageError(
            f"{paper} is a file, and {program} asks papers of an index by their ids, which "
            f"`python -m programs list --index {index.place}` lists; main_points asks a file itself"
        ) from error


def ask_all(
    asked: AbstractContextManager[AskOne], file: Path, paper: str | None, folder: Path | None, references: Path | None
) -> None:
    """Ask the questions of a file one after another: a JSON line each on stdout, and a file each in the folder.

    A question that cannot be answered gives a line with its ``error``, and the others are still asked; if the model
    does not answer at all, the rest is skipped.

    Raises:
        CorroborateError: Some were not answered.
    """
    questions = read_questions(file)
    if references:
        check_references(references)
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    items: dict[str, Item] = {}
    failed = 0
    with asked as ask_one:
        for question in questions:
            try:
                answered = ask_one(question.text, question.paper or paper)
            except LMError:
                raise
            except CorroborateError as error:
                failed += 1
                line = {"id": question.id, "question": question.text, "error": str(error)}
            else:
                line = {"id": question.id, **answered.result}
                items.update({each["id"]: each for each in cited(answered.result)})
                if folder:
                    console.write_json(folder / f"{question.id}.json", answered.result)
            sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
            sys.stdout.flush()
    if references:
        write_references(references, list(items.values()))
    if failed:
        raise CorroborateError(f"{failed} of {len(questions)} questions were not answered; their lines say why")


def _paper(question: str, paper: str | None, place: str | None) -> tuple[Document, dict[str, str]]:
    """The paper to ask: a file, a paper of the index by its id, or the one whose passage fits best; with keys by id.

    Without ``place`` an id is looked up in the default index, where that is there.
    """
    from programs.ingest.formats import read
    from programs.results.citation_keys import Named, citation_keys
    from programs.retrieval.index import Index, best_match

    is_indexed = place is not None or (Path(console.DEFAULT_INDEX).is_dir() and not Path(paper or "").is_dir())
    if paper and (Path(paper).is_file() or not is_indexed):
        if Path(paper).is_dir():
            raise UsageError(
                f"{paper} is a folder; name one paper of it, or ask all with `python -m programs index {paper}` and "
                "--program multi_signal"
            )
        if not Path(paper).is_file():
            raise UsageError(f"no file at {paper}; check the path, or name an index with --index to ask a paper of it")
        document = read(paper)
        return document, citation_keys([Named.of(document)])
    with Index.open(place or console.DEFAULT_INDEX) as index, index.reading():
        console.say_outdated(index)
        if not paper:
            paper = best_match(index, question)
            say(f"Asking {paper}, the paper that fits the question best; choose another with --paper ID.")
        try:
            return index.document(paper), index.citation_keys()
        except UsageError as error:
            raise UsageError(f"no file at {paper}, and {error}") from error


def read_parameters(given: list[str] | None) -> dict[str, Any]:
    """Parameters of ``--set NAME=VALUE``; whether a program has them, and of that type, it says itself."""
    pairs = [(text, *text.partition("=")) for text in given or ()]
    if wrong := next((text for text, _, equals, _ in pairs if not equals), None):
        raise UsageError(f"--set got {wrong!r}; write NAME=VALUE, such as evidence=5")
    return {name.strip(): option_value(value.strip()) for _, name, _, value in pairs}


class AnswerFormat(StrEnum):
    """How an answer is printed."""

    text = "text"
    json = "json"
    markdown = "markdown"


def ask(
    question: Annotated[str | None, typer.Argument(help="What to ask, in any language.")] = None,
    paper: Annotated[
        str | None,
        typer.Option(help="A file, or the id of a paper of the index; without it, the whole index."),
    ] = None,
    index: console.AnyIndexOption = None,
    program: Annotated[
        str | None,
        typer.Option(
            help=f"{'; '.join(f'{each.name}: {each.title}' for each in PROGRAMS if each.answers)}. "
            f"[default: {OF_A_PAPER} with --paper alone, else {OF_ALL}]"
        ),
    ] = None,
    filters: console.FilterOption = None,
    lm: console.LMOption = console.EXTRACTIVE,
    lm_option: console.LMOptionsOption = None,
    preset: Annotated[
        str, typer.Option(help="defaults: what measured best; seed: the numbers of the system as first described.")
    ] = "defaults",
    verify: Annotated[bool, typer.Option(help="Verify and repair the answer.")] = True,
    parameters: Annotated[
        list[str] | None,
        typer.Option("--set", help="A parameter of the program, such as evidence=5; repeatable.", metavar="NAME=VALUE"),
    ] = None,
    proof: Annotated[
        bool, typer.Option("--proof", help="Print the certificate of every sentence too: quotes, places, judges.")
    ] = False,
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
    document: Annotated[Path | None, typer.Option(help="Write the answer as .md with pandoc's citation keys.")] = None,
) -> None:
    """Answer a question from papers; every sentence of the answer is cited and checked.

    A slow model is shown fewer sentences at once, and what is expected to take over a minute is said before it begins.
    """
    lm = with_options(lm, lm_option)
    program = program or (OF_A_PAPER if paper else OF_ALL)
    chosen = {"verify": verify, **read_parameters(parameters)}
    asked = asking(program, index, lm, filters=filters, preset=preset, parameters=chosen, verbose=verbose)
    if questions:
        if question or document:
            raise UsageError("--questions asks what is in its file; leave the question and --document out")
        ask_all(asked, questions, paper, output, references)
        return
    if not question:
        raise UsageError("no question was given; write it in quotes, or name a file of questions with --questions")
    # Before the work: that everything can be written where it was asked for.
    if output and not output.parent.is_dir():
        raise UsageError(f"no folder at {output.parent} for --output {output}; make it first")
    if references:
        check_references(references)
    if document:
        check_written(document)
    with asked as ask_one:
        answered = ask_one(question, paper)
    result = answered.result
    if output:
        console.write_json(output, result)
    if references:
        write_references(references, cited(result))
    if document:
        write_answer(document, result)
    if output_format is AnswerFormat.json:
        console.print_json(result)
    elif output_format is AnswerFormat.markdown:
        from programs.results.rendering import as_markdown

        typer.echo(as_markdown(result, proof=proof))
    else:
        print_answer(result, proof=proof, papers=answered.searched)
