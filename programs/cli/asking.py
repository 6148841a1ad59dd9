"""What `ask` asks: a program, opened once, for one question or for a file of them."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from programs.cli.console import say
from programs.cli.options import DEFAULT_INDEX, EXTRACTIVE, read_filters, say_outdated, say_state
from programs.errors import CorroborateError, LMError, UsageError
from programs.ingest.decoding import decode
from programs.references import check_references, write_references

if TYPE_CHECKING:
    import dspy

    from programs.ingest.document import Document
    from programs.program import Program
    from programs.retrieval.index import Index


_NAME = re.compile(r"[\w.-]{1,100}", re.ASCII)
_DEVICES = frozenset({".", ".."})


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a file.

    Attributes:
        id: As the file names it, else its number from 1.
        text: What to ask.
        paper: The paper to ask, where the file names one.
    """

    id: str
    text: str
    paper: str | None = None


def read_questions(path: Path) -> list[Question]:
    """Read the questions of a .csv, .jsonl or .txt file.

    Raises:
        UsageError: It does not exist, has another form, or holds an empty question or an id twice.
    """
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
        raise UsageError(f"{path} names two questions {repeated!r}; give each an id of its own, or none")
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


@dataclass(frozen=True, slots=True)
class Asking:
    """What is asked and how, from the options of `ask`.

    Attributes:
        paper: A file, or the id of a paper in the index.
        place: Folder or address of the index; None where it was not named.
        program: Its name.
        filters: As ``--filter`` has them.
        preset: Of its parameters.
        lm: Name of the language model.
        verify: Whether answers are verified and repaired.
        verbose: Whether each step is printed.
    """

    paper: str | None
    place: str | None
    program: str
    filters: list[str] | None
    preset: str
    lm: str
    verify: bool
    verbose: bool

    @contextmanager
    def opened(self) -> Iterator[AskOne]:
        """Open the paper or index, and yield a function that asks it."""
        import dspy

        from programs.lm import LM, translated
        from programs.progress import Narrator, listening
        from programs.registry import answering

        of = self._of_paper if answering(self.program).asks == "paper" else self._of_index
        with ExitStack() as opened:
            opened.enter_context(translated(self.lm))
            if self.verbose:
                opened.enter_context(listening(lambda step: say(step.message)))
            opened.enter_context(dspy.context(lm=LM(self.lm), callbacks=[Narrator()] if self.verbose else []))
            yield of(opened)

    def _loaded(self, index: Index | None = None) -> Program[Any]:
        from programs.registry import load

        qa = load(self.program, index=index, preset=self.preset, verify=self.verify)
        say_state(qa)
        return qa

    def _of_paper(self, _: ExitStack) -> AskOne:
        if self.filters:
            raise UsageError(f"{self.program} asks one paper, so --filter has no use; name the paper with --paper")
        qa = self._loaded()

        def ask_one(question: str, paper: str | None) -> Answered:
            document = _paper(question, paper, self.place)
            return self._answered(qa(question=question, paper=document), lambda _: document)

        return ask_one

    def _of_index(self, opened: ExitStack) -> AskOne:
        from programs.retrieval.index import Index

        index = opened.enter_context(Index.open(self.place or DEFAULT_INDEX))
        opened.enter_context(index.reading())
        say_outdated(index)
        filters = read_filters(self.filters, index.fields())
        qa = self._loaded(index)

        def ask_one(question: str, paper: str | None) -> Answered:
            wanted = {**filters, "document": [index.document(paper).id]} if paper else filters
            return self._answered(qa(question=question, filters=wanted or None), index.document)

        return ask_one

    def _answered(self, prediction: dspy.Prediction, paper: Callable[[str], Document]) -> Answered:
        from programs.results.rendering import as_json

        cited = dict.fromkeys(each.document_id for each in prediction.citations)
        result = {"program": self.program, "lm": self.lm, **as_json(prediction)}
        return Answered(result, [paper(each) for each in cited])


def ask_all(asking: Asking, file: Path, folder: Path | None, references: Path | None) -> None:
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
    with asking.opened() as ask_one:
        failed = sum(not _asked(ask_one, each, asking.paper, folder, papers) for each in questions)
    say_extracted(asking.lm)
    if references:
        write_references(references, papers.values())
    if failed:
        raise CorroborateError(f"{failed} of {len(questions)} questions were not answered; their lines say why")


def say_extracted(lm: str) -> None:
    """Say so if no language model wrote the answer."""
    if lm == EXTRACTIVE:
        say("No language model was used: the answer is extracted from the paper. Name a model with --lm.")


def _asked(
    ask_one: AskOne, question: Question, paper: str | None, folder: Path | None, papers: dict[str, Document]
) -> bool:
    """Whether a question was answered; its line is printed either way."""
    try:
        answered = ask_one(question.text, question.paper or paper)
    except LMError:
        raise
    except CorroborateError as error:
        _print_lines([{"id": question.id, "question": question.text, "error": str(error)}])
        return False
    _print_lines([{"id": question.id, **answered.result}])
    papers.update({each.id: each for each in answered.papers})
    if folder:
        text = json.dumps(answered.result, ensure_ascii=False, indent=2)
        (folder / f"{question.id}.json").write_text(text + "\n", encoding="utf-8")
    return True


def _print_lines(lines: Iterable[dict[str, Any]]) -> None:
    for line in lines:
        sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
    sys.stdout.flush()


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
    from programs.retrieval.index import best_match

    chosen = best_match(index, question)
    say(f"Asking {chosen}, the paper that fits the question best; choose another with --paper ID.")
    return chosen
