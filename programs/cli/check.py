"""``python -m programs check``, ``list``, ``verify`` and ``highlight``: what there is, and whether it holds.

An index and a model are checked, programs and their states are listed, a saved answer, draft or table is proved again,
and its quotes are marked in a PDF.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from programs.cli.console import DEFAULT_INDEX, Format, FormatOption, LMOptionsOption, print_json, say, stdout, steps
from programs.config import settings
from programs.errors import StateMismatch, UsageError
from programs.lm import with_options
from programs.registry import PROGRAMS, Entry, compiled_states, create

if TYPE_CHECKING:
    from programs.ingest.document import Document
    from programs.lm.trial import Trial
    from programs.program import Program
    from programs.retrieval.files import Soundness
    from programs.retrieval.index import Index
    from programs.state import State


def listing(output_format: FormatOption = Format.text) -> None:
    """List the programs, the command that runs each, and their compiled states with their scores.

    Of each model the state that programs run with is marked by an asterisk; states stand in the folder of
    CORROBORATE_COMPILED, and deleting the file takes one back. One that does not fit this version is not used.
    """
    compiled = [each for entry in PROGRAMS for each in _compiled(entry)]
    if output_format is Format.json:
        print_json(
            [
                {
                    "name": entry.name,
                    "summary": entry.summary,
                    "command": entry.command,
                    "compiled": [state for state in compiled if state["program"] == entry.name],
                }
                for entry in PROGRAMS
            ]
        )
        return
    stdout().print(_programs())
    if compiled:
        stdout().print()
        stdout().print(_states(compiled))
        stdout().print(
            f"\n* is loaded for its model. Your own states are in {settings().compiled}; delete what you do not want."
        )


def _compiled(entry: Entry) -> Iterator[dict[str, Any]]:
    """The states of a program, the best first; of each model the first that fits is the one that is loaded."""
    served: set[str] = set()
    for state in compiled_states(entry.name):
        described = _described(entry, state)
        is_loaded = not (described["problem"] or state.is_loss or state.lm in served)
        if is_loaded:
            served.add(state.lm)
        yield {**described, "loaded": is_loaded}


def _described(entry: Entry, state: State) -> dict[str, Any]:
    made = state.provenance
    return {
        "program": entry.name,
        "file": state.path.name,
        "lm": made.lm,
        "optimizers": list(made.optimizers),
        "candidate": made.candidate,
        "dataset": made.dataset,
        "scores": dict(made.scores),
        "date": made.date,
        "uncompiled": dict(made.uncompiled),
        "problem": _problem(entry, state),
    }


def _problem(entry: Entry, state: State) -> str:
    """Why a state cannot be used; empty for one that can."""
    from programs.state import apply_state

    try:
        apply_state(_unconnected(entry), state)
    except StateMismatch as error:
        return str(error)
    return ""


def _unconnected(entry: Entry) -> Program[Any]:
    """A program that is only looked at: what it would ask is not there."""
    from programs.retrieval.index import UnconnectedIndex

    return create(entry.name, index=None if entry.asks == "paper" else UnconnectedIndex())


def _programs() -> Table:
    table = _table("program", "what it does", "command")
    for entry in PROGRAMS:
        table.add_row(entry.name, entry.summary, entry.command)
    return table


def _states(compiled: list[dict[str, Any]]) -> Table:
    table = _table("compiled state", "for", "by", "on", "scores")
    for state in compiled:
        scores = ", ".join(f"{split} {value:.3f}" for split, value in state["scores"].items())
        if state["uncompiled"]:
            scores += f" (uncompiled {', '.join(f'{value:.3f}' for value in state['uncompiled'].values())})"
        if state["problem"]:
            scores = "does not fit this version; compile again"
        mark = "*" if state["loaded"] else ""
        table.add_row(f"{state['file']} {mark}".strip(), state["lm"], _made_by(state), state["dataset"], scores)
    return table


def _made_by(state: dict[str, Any]) -> str:
    """The optimizers; of a program that none of them made better, that it is the uncompiled one."""
    names = ", ".join(state["optimizers"])
    return f"uncompiled: {names} found none better" if state["candidate"] == "uncompiled" else names


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in columns:
        table.add_column(column, no_wrap=column == columns[0])  # a name that is cut short cannot be copied
    return table


_TOKENS_AN_ANSWER = 500
"""Of a usual call; the estimate of minutes rests on it."""


def check(
    index: Annotated[
        str | None, typer.Option("--index", help=f"Folder or address of an index. [default: {DEFAULT_INDEX}]")
    ] = None,
    lm: Annotated[str | None, typer.Option(help="Try this model with two short calls: ollama/MODEL, …")] = None,
    lm_option: LMOptionsOption = None,
    output_format: FormatOption = Format.text,
) -> None:
    """Tell what an index holds and whether it is sound, or with --lm whether a model and its server will do.

    Every paper is read and judged anew. The exit code is 1 when a paper is damaged, doubtful or outdated, when there is
    none, or when the model does not keep to the form that is asked for, and what to do is told.
    """
    if lm is not None:
        _check_model(with_options(lm, lm_option), output_format)
        if index is None:
            return
    _check_index(index or DEFAULT_INDEX, output_format)


def _check_model(lm: str, output_format: Format) -> None:
    from programs.lm import translated
    from programs.lm.trial import try_model

    with translated(lm):
        trial = try_model(lm)
    if output_format is Format.json:
        print_json(_trial_document(trial))
    else:
        for line in _trial_lines(trial):
            stdout().print(line)
    if not trial.keeps_form:
        raise typer.Exit(1)


def _trial_document(trial: Trial) -> dict[str, Any]:
    """JSON-ready values, with the cost of a question by program."""
    from programs.registry import PROGRAMS

    pace = trial.tokens_a_second
    cost = {
        each.name: {
            "calls": each.calls,
            "minutes": round(each.calls * _TOKENS_AN_ANSWER / pace / 60, 1) if pace else None,
        }
        for each in PROGRAMS
        if each.answers
    }
    return {**asdict(trial), "cost_of_a_question": cost}


def _trial_lines(trial: Trial) -> Iterator[str]:
    """Lines for a reader."""
    document = _trial_document(trial)
    yield f"{trial.model}"
    yield f"  server    {trial.server or 'reached by its provider'}"
    yield f"  context   {f'{trial.context:,} tokens' if trial.context else 'not told'}"
    if trial.capabilities:
        yield f"  can       {', '.join(trial.capabilities)}"
    by = "a JSON schema" if trial.layout == "schema" else "DSPy's chat layout"
    yield f"  form      {by}: {'kept' if trial.keeps_form else 'not kept; it wrote ' + repr(trial.wrote)}"
    pace = "not told" if trial.tokens_a_second is None else f"{trial.tokens_a_second:.1f} tokens a second"
    yield f"  pace      {pace}; a short call took {trial.seconds:.1f} s"
    for name, cost in document["cost_of_a_question"].items():
        minutes = "" if cost["minutes"] is None else f", about {cost['minutes']} minutes"
        yield f"  {name}: {cost['calls']} calls a question without repairs{minutes}"
    yield from trial.warnings


def _check_index(index: str, output_format: Format) -> None:
    from programs.retrieval.files import soundness
    from programs.retrieval.index import Index

    with Index.open(index) as opened, steps(opened.stats().documents, "Checking") as advance:
        found = soundness(opened, advance)
    actions = list(_actions(found, index))
    if output_format is Format.json:
        print_json({"index": index, **found.as_dict(), "actions": actions})
    else:
        for line in (*_holdings(found, index), *_faults(found), *actions):
            stdout().print(line)
    if not found.is_sound:
        raise typer.Exit(1)


def _holdings(found: Soundness, index: str) -> Iterator[str]:
    yield f"{index}: {found.papers} papers, {found.passages} passages"
    yield f"  embedder  {found.embedder}, {found.dimension} dimensions"
    yield f"  chunking  {found.chunking}"
    for name, counts in (("formats", found.formats), ("sections", found.sections), ("passages", found.kinds)):
        yield f"  {name:<9} {_counts(counts) or 'none'}"
    if found.kept:
        keeping = ", ".join(f"{name} {value}" for name, value in found.kept.keeping.chosen.items() if value)
        yield f"  kept      by Qdrant {found.kept.server}: {keeping.replace('_', ' ').replace(' True', '')}"
        yield f"  loss      {found.kept.loss}"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _faults(found: Soundness) -> Iterator[str]:
    for each in found.doubtful:
        yield f"Hard to read: {each.paper} ({each.file or 'from no file'}): {'; '.join(each.reasons)}"
    for paper in found.damaged:
        yield f"Damaged, what the index holds is not what was stored: {paper}"
    for paper in found.outdated:
        yield f"Read by an older reader: {paper}"


def _actions(found: Soundness, index: str) -> Iterator[str]:
    if not found.papers:
        yield (
            "Empty: it was never filled, is being filled for the first time, or `index` was interrupted; fill it: "
            f"python -m programs index PAPERS --index {index}"
        )
    if found.damaged:
        yield (
            "Take damaged papers out and index their files again; disk or memory may be failing: "
            f"python -m programs remove PAPER --index {index}"
        )
    if found.unsealed:
        yield "Begun by an earlier version, without seals: damage is not seen in all papers; a new index has them."
    if found.outdated:
        yield f"Read them again: python -m programs index PAPERS --index {index}"
    if found.doubtful:
        yield (
            "Look at the files that are hard to read; get such a paper as JATS (`python -m programs fetch`) or as "
            f"another PDF, or take it out: python -m programs remove PAPER --index {index}"
        )
    if found.is_sound:
        yield "Sound: every paper is what was stored, readable, and read by the present reader."


def verify(
    answer: Annotated[
        Path, typer.Argument(help="What `ask --output` wrote, the draft.json of `write`, or the table.json of `table`.")
    ],
    index: Annotated[
        str | None, typer.Option("--index", help=f"Folder or address of the index. [default: {DEFAULT_INDEX}]")
    ] = None,
    paper: Annotated[
        list[Path] | None, typer.Option(help="The paper's file, when the answer came from a file; repeat for more.")
    ] = None,
    output_format: FormatOption = Format.text,
) -> None:
    """Replay every citation of an answer, a draft or a table: texts, quotes, guards, verdicts, read from the papers.

    Exit code 1 when something does not hold, with its name.
    """
    from programs.replay import told

    saved = read_saved(answer)
    with ExitStack() as stack:
        papers = _Papers(index, paper or [], stack)
        found = told(saved, papers.document)
        older = papers.read_by_older() if found["faults"] else []
    if output_format is Format.json:
        print_json({"answer": str(answer), **found})
    elif found["faults"]:
        for fault in found["faults"]:
            stdout().print(f"FAILED {fault['what']}: {fault['problem']}")
        if older:
            say(
                f"An older version read {', '.join(older)}, which may be why: index again, and ask or verify anew with "
                "what is read now."
            )
    else:
        _print_proved(saved, found)
    if found["faults"]:
        raise typer.Exit(1)


def _print_proved(saved: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    from programs.replay import parts

    verdicts = Counter(citation["verdict"] for result in parts(saved).values() for citation in result["citations"])
    counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
    stdout().print(f"All {verdicts.total()} citations replay: {counts or 'an answer without citations'}")
    for sentence in found["only_models_say"]:
        stdout().print(f"Quotes and guards hold; that they prove it only a model says: {sentence!r}")
    for sentence in found["uncited"]:
        stdout().print(f"Not cited, so not proved: {sentence!r}")
    if found["said_only"]:
        stdout().print(f"Beside the proof, and checked by nothing: {', '.join(found['said_only'])}")


def read_saved(path: Path) -> dict[str, Any]:
    """The JSON of a saved answer, draft or table.

    Raises:
        UsageError: The file does not exist, or is not a file of certificates.
    """
    try:
        result = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=_without_doubles)
    except FileNotFoundError as error:
        raise UsageError(f"no file at {path}; make one with `ask --output {path}`") from error
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read ({error.strerror}); give the file that `ask --output` wrote"
        ) from error
    except RecursionError as error:
        raise UsageError(f"{path} nests too deep for an answer; give the file that `ask --output` wrote") from error
    except ValueError as error:  # no UTF-8, no JSON, or a number of more digits than Python reads
        raise UsageError(f"{path} is not a JSON document ({error}); give the file that `ask --output` wrote") from error
    if not isinstance(result, dict):
        raise UsageError(f"{path} does not hold a saved answer; give the file that `ask --output` wrote")
    return result


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object without repeated names: of two values one reader would see the first, another the last."""
    found = dict(pairs)
    if len(found) < len(pairs):
        double = next(name for number, (name, _) in enumerate(pairs) if name in dict(pairs[:number]))
        raise ValueError(f"it has the name {double!r} twice in one object")
    return found


class _Papers:
    """The papers that an answer names, from the given files or else from an index."""

    def __init__(self, index: str | None, files: Sequence[Path], stack: ExitStack) -> None:
        from programs.ingest.reader import read
        from programs.retrieval.index import Index

        self._files = {document.id: document for document in map(read, files)}
        self._index: Index | None = None
        if index is not None or not files:
            self._index = stack.enter_context(Index.open(index or DEFAULT_INDEX))
        self._asked: set[str] = set()

    def document(self, document_id: str) -> Document:
        """A paper's text.

        Raises:
            UsageError: It is neither in the files nor in an index.
        """
        if document_id in self._files:
            return self._files[document_id]
        if self._index is None:
            raise UsageError(f"none of the given papers is {document_id}; name its file with --paper, or an --index")
        self._asked.add(document_id)
        return self._index.document(document_id)

    def read_by_older(self) -> list[str]:
        """Those of the asked papers that were read by an older reader."""
        return sorted(self._asked.intersection(self._index.outdated())) if self._index else []


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
        raise UsageError(f"{paper} is not a PDF; give the paper's PDF with --paper")
    if not paper.is_file():
        raise UsageError(f"no file at {paper}; check the path of --paper")
    if not output.parent.is_dir() or (output.exists() and output.samefile(paper)):
        raise UsageError(f"{output} cannot be written; name another file, in a folder that is there, with --output")
    results = parts(read_saved(answer)).values()
    marked = mark(results, read(paper), paper, output)
    pages = sorted({page for each in marked for page in each.boxes})
    count = f"{len(marked)} quote{'s' if len(marked) > 1 else ''}"
    stdout().print(f"{output}: {count} marked on page {', '.join(map(str, pages))}")
