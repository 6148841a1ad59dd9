"""``python -m programs ask``: a question, an answer, and the proof of every sentence."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer
from rich.console import Console

from metrics.passages import label
from metrics.words import missing_words
from programs.cli import console
from programs.cli.console import say
from programs.errors import CorroborateError, LMError, UsageError
from programs.ingest.decoding import decode
from programs.lm import with_options
from programs.references import check_references, check_written, write_answer, write_references
from programs.results.rendering import corrected, figures_of_answer, printed_pages

if TYPE_CHECKING:
    from programs.ingest.document import Document
    from programs.retrieval.index import Index


_NAME = re.compile(r"[\w.-]{1,100}", re.ASCII)
_DEVICES = frozenset({".", ".."})


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a file, with its id there or else its number from 1, and the paper to ask, where named."""

    id: str
    text: str
    paper: str | None = None


def read_questions(path: Path) -> list[Question]:
    """Read the questions of a .csv, .jsonl or .txt file; ids and questions must be there, and no id twice."""
    readers = {".csv": _rows, ".jsonl": _lines, ".txt": _texts}
    if path.suffix.lower() not in readers:
        raise UsageError(f"{path} is not a list of questions; give a name that ends in {', '.join(readers)}")
    if not path.is_file():
        raise UsageError(f"no file at {path}; check the path of --questions")
    rows = readers[path.suffix.lower()](decode(path), path)
    found = [_question(row, f"{path.name}, question {number}", number) for number, row in enumerate(rows, start=1)]
    if not found:
        raise UsageError(f"{path} holds no question")
    names = [each.id for each in found]
    if repeated := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f"{path} names two questions {repeated!r}; give each its own id, or none")
    return found


def _rows(text: str, path: Path) -> Iterator[Mapping[str, Any]]:
    rows = csv.DictReader(text.splitlines(keepends=True))
    if "question" not in (rows.fieldnames or ()):
        raise UsageError(f"{path} has no column question; it has {', '.join(rows.fieldnames or ()) or 'none'}")
    yield from rows


def _lines(text: str, path: Path) -> Iterator[Mapping[str, Any]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                row = json.loads(line)
            except ValueError as error:
                raise UsageError(f"{path}, line {number} is not JSON ({error}); write an object a line") from error
            if not isinstance(row, Mapping):
                raise UsageError(f"{path}, line {number} is not an object; write {{'question': …}}")
            yield row


def _texts(text: str, _: Path) -> Iterator[Mapping[str, Any]]:
    return ({"question": line} for line in text.splitlines() if line.strip())


def _question(row: Mapping[str, Any], place: str, number: int) -> Question:
    text, name = row.get("question"), str(row.get("id") or number)
    if not (isinstance(text, str) and text.strip()):
        raise UsageError(f"{place} is empty; write what to ask under question")
    if not _NAME.fullmatch(name) or name in _DEVICES:
        raise UsageError(f"{place} has the id {name!r}, which cannot name a file; use letters, digits, '.', '_', '-'")
    return Question(name, text.strip(), str(row.get("paper") or "") or None)


@dataclass(frozen=True, slots=True)
class Answered:
    """A result as JSON-ready values, and the papers that it cites, each once."""

    result: dict[str, Any]
    papers: list[Document]


AskOne: TypeAlias = Callable[[str, str | None], Answered]
"""Asks a question, of a paper where one is named."""


@contextmanager
def asking(
    program: str, place: str | None, lm: str, *, filters: list[str] | None, preset: str, verify: bool, verbose: bool
) -> Iterator[AskOne]:
    """Open the index at the place, or none for a program of one paper, and yield a function that asks the program."""
    import dspy

    from programs.lm import LM, translated
    from programs.progress import Narrator, listening
    from programs.registry import answering, load
    from programs.results.rendering import as_json
    from programs.retrieval.index import Index

    with ExitStack() as opened:
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
            console.say_outdated(index)
            wanted = console.read_filters(filters, index.fields())
        elif filters:
            raise UsageError(f"{program} asks one paper, so --filter has no use; name the paper with --paper")
        qa = load(program, index=index, preset=preset, verify=verify)
        console.say_state(qa)

        def ask_one(question: str, paper: str | None) -> Answered:
            if index is None:
                document = _paper(question, paper, place)
                prediction = qa(question=question, paper=document)
                papers = [document] if prediction.citations else []
            else:
                chosen = {**wanted, "document": [_indexed(index, paper, program)]} if paper else wanted
                prediction = qa(question=question, filters=chosen or None)
                papers = [index.document(each) for each in dict.fromkeys(c.document_id for c in prediction.citations)]
            return Answered({"program": program, "lm": lm, **as_json(prediction)}, papers)

        yield ask_one
    if lm == console.EXTRACTIVE:
        say("No language model was used: the answer is extracted from the paper. Name a model with --lm.")


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
    papers: dict[str, Document] = {}
    failed = 0
    with asked as ask_one:
        for question in questions:
            try:
                answered = ask_one(question.text, question.paper or paper)
            except LMError:
                raise
            except CorroborateError as error:
                failed += 1
                _print_line({"id": question.id, "question": question.text, "error": str(error)})
                continue
            _print_line({"id": question.id, **answered.result})
            papers.update({each.id: each for each in answered.papers})
            if folder:
                console.write_json(folder / f"{question.id}.json", answered.result)
    if references:
        write_references(references, papers.values())
    if failed:
        raise CorroborateError(f"{failed} of {len(questions)} questions were not answered; their lines say why")


def _print_line(line: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def _paper(question: str, paper: str | None, place: str | None) -> Document:
    """The paper to ask: a file, a paper of the index by its id, or the one whose passage fits best."""
    from programs.ingest.formats import read
    from programs.retrieval.index import Index, best_match

    if paper and (place is None or Path(paper).is_file()):
        if Path(paper).is_dir():
            raise UsageError(
                f"{paper} is a folder; name one paper of it, or ask all with `python -m programs index {paper}` and "
                "--program multi_signal"
            )
        if not Path(paper).is_file():
            raise UsageError(f"no file at {paper}; check the path, or name an index with --index to ask a paper of it")
        return read(paper)
    with Index.open(place or console.DEFAULT_INDEX) as index, index.reading():
        console.say_outdated(index)
        if not paper:
            paper = best_match(index, question)
            say(f"Asking {paper}, the paper that fits the question best; choose another with --paper ID.")
        return index.document(paper)


_VERDICT_STYLES = {"supported": "green", "contradicted": "red", "unverifiable": "yellow"}


def print_answer(result: Mapping[str, Any]) -> None:
    """Print a result; text from papers and models is never read as markup."""
    out = console.stdout()
    if result["answer"]:
        out.print(f"{result['answer']}\n")
    else:
        out.print("The papers do not hold an answer to this question.", style="bold")
        # What may be why: words of the question, mistyped or not, that nothing has that was read.
        texts = [text for each in result["passages"] for text in (each["title"], each["heading"], each["text"])]
        if texts and (missing := ", ".join(missing_words(result["question"], texts))):
            out.print(f"No passage that was read has: {missing}; check the spelling, or ask in other words.")
    _sources(out, result)
    _proofs(out, result)
    metrics = result["metrics"]
    calls = "" if result.get("lm") == console.EXTRACTIVE else f"{metrics['lm_calls']} calls, "
    out.print(f"\n{calls}{metrics['latency_ms'] / 1000:.1f} s", style="dim")


def _sources(out: Console, result: Mapping[str, Any]) -> None:
    """What is cited, under the name by which it is, with its sections; then each paper that was read and not cited."""
    named = [(label(passage["key"], number), passage) for number, passage in enumerate(result["passages"], start=1)]
    ids = {citation["passage"] for citation in result["citations"]}
    cited = [(name, passage) for name, passage in named if passage["id"] in ids]
    papers = {passage["document_id"] for _, passage in cited}
    others = [(name, passage) for name, passage in named if passage["document_id"] not in papers]
    sections: dict[tuple[str, str], dict[str, None]] = {}
    for name, passage in cited:
        sections.setdefault((name, _described(passage)), {})[passage["section"]] = None
    _listed(out, "Cited", [(*named, ", ".join(found)) for named, found in sections.items()])
    _listed(out, "\nAlso read" if cited else "\nRead", _a_paper_a_line(others))
    for figure in figures_of_answer(result):
        out.print(f"{figure['label']} of {figure['document_id']}: {figure['caption']}", style="dim")


def _listed(out: Console, heading: str, sources: Sequence[tuple[str, ...]]) -> None:
    if not sources:
        return
    out.print(heading, style="bold dim")
    for name, *described in sources:
        out.print(f"[{name}] {' · '.join(described)}", style="dim")


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


def _proofs(out: Console, result: Mapping[str, Any]) -> None:
    for sentence, citations in groupby(result["citations"], key=itemgetter("sentence")):
        _proof(out, sentence, list(citations))
    for claim in result["unsupported_claims"]:
        out.print(f"\nNot supported, and not repaired: {claim['claim']}\n  {claim['reason']}", style="red")
    for note in result.get("notes", []):
        out.print(f"\nNote: {note}", style="yellow")


def _proof(out: Console, sentence: str, citations: Sequence[Mapping[str, Any]]) -> None:
    """A sentence once, with its verdict, quotes and judges; a citation that has no part in its proof is named."""
    proving = [each for each in citations if each["verdict"] == "supported"] or citations
    said, markers = proving[0], ", ".join(each["marker"] for each in proving)
    out.print(f"\n{_verdict(said)} [{markers}] {sentence}", style=_VERDICT_STYLES[said["verdict"]])
    papers = {each["document_id"] for each in proving}
    for quote in [each for each in said["quotes"] if each["document_id"] in papers] or said["quotes"]:
        pages = printed_pages([quote])
        place = f"[{quote['start']}:{quote['end']}]{pages and f' {pages}'}"
        out.print(f"  {quote['document_id']} {place} “{quote['quote']}”")
    judged = (f"{each['name']}: {each['verdict']}" for each in said["judges"])
    out.print(f"  {'; '.join(judged)}", style="dim")
    for beside in (each for each in citations if each not in proving):
        out.print(f"  [{beside['marker']}] has no part in this: {beside['reason']}", style="yellow")


def _verdict(citation: Mapping[str, Any]) -> str:
    """The verdict with the checker's probability; where only a model holds the sentence for proved, that it does."""
    from programs.certificate import by_model_alone

    if by_model_alone(citation["verdict"], citation["judges"]):
        return f"supported by the model's proof alone (checker {citation['score']:.2f})"
    return f"{citation['verdict']} ({citation['score']:.2f})"


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
    index: console.AnyIndexOption = None,
    program: Annotated[str, typer.Option(help="See `list`.")] = "main_points",
    filters: console.FilterOption = None,
    lm: console.LMOption = console.EXTRACTIVE,
    lm_option: console.LMOptionsOption = None,
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
    """Answer a question from papers; every sentence of the answer is cited and checked.

    A slow model is shown fewer sentences at once, and what is expected to take over a minute is said before it begins.
    """
    lm = with_options(lm, lm_option)
    asked = asking(program, index, lm, filters=filters, preset=preset, verify=verify, verbose=verbose)
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
        write_references(references, answered.papers)
    if document:
        write_answer(document, result, answered.papers)
    if output_format is AnswerFormat.json:
        console.print_json(result)
    elif output_format is AnswerFormat.markdown:
        from programs.results.rendering import as_markdown

        typer.echo(as_markdown(result))
    else:
        print_answer(result)
