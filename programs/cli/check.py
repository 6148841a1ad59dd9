"""``python -m programs check`` and ``list``: what there is, and whether it is sound.

An index and a model are checked; programs with their compiled states are listed, or the papers of an index.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from math import inf
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from programs.cli import console
from programs.config import settings
from programs.errors import StateMismatch
from programs.lm import with_options
from programs.registry import PROGRAMS, Entry, create

if TYPE_CHECKING:
    from programs.lm.trial import Trial
    from programs.retrieval.file_indexing import Soundness


_LISTED = ("name", "title", "summary", "command")
_SHOWN = frozenset({"lm", "optimizers", "candidate", "dataset", "scores", "date", "uncompiled"})
"""What is said about the provenance of a state."""


def listing(
    index: Annotated[
        str | None, typer.Option("--index", help="List the papers of this index instead: folder or address.")
    ] = None,
    output_format: console.FormatOption = console.Format.text,
) -> None:
    """List the programs, the command that runs each, and their compiled states; with --index the papers of an index.

    Of each model the state that programs run with is marked by an asterisk; states are in the folder of
    CORROBORATE_COMPILED, and deleting the file takes one back. One that does not fit this version is not used.
    """
    if index is not None:
        from programs.retrieval.index import Index

        with Index.open(index) as opened:
            papers = sorted(opened.documents(), key=lambda each: str(each["id"]))
        if output_format is console.Format.json:
            console.print_json(papers)
            return
        table = _table("paper", "year", "passages", "title", folded=True)
        for each in papers:
            title, year = str(each.get("title") or ""), str(each.get("year") or "")
            table.add_row(str(each["id"]), year, str(each["chunks"]), title)
        console.stdout().print(table)
        return
    compiled = {entry: list(_compiled(entry)) for entry in PROGRAMS}
    if output_format is console.Format.json:
        console.print_json(
            [
                {**{name: getattr(each, name) for name in _LISTED}, "compiled": states}
                for each, states in compiled.items()
            ]
        )
        return
    table = _table("program", "for", "what it does", "command")
    for entry in PROGRAMS:
        table.add_row(entry.name, entry.title, entry.summary, entry.command)
    console.stdout().print(table)
    if states := [each for found in compiled.values() for each in found]:
        console.stdout().print()
        console.stdout().print(_states(states))
        console.stdout().print(
            f"\n* is loaded for its model. Your own states are in {settings().compiled}; delete what you do not want."
        )


def _compiled(entry: Entry) -> Iterator[dict[str, Any]]:
    """The states of a program, the best first; of each model the first that fits is the one that is loaded."""
    from programs.compiled_state import apply_state
    from programs.retrieval.index import UnconnectedIndex
    from programs.state_choice import compiled_states

    served: set[str] = set()
    for state in compiled_states(entry.name):
        problem = ""
        try:
            apply_state(create(entry.name, index=None if entry.asks == "paper" else UnconnectedIndex()), state)
        except StateMismatch as error:
            problem = str(error)
        is_loaded = not (problem or state.is_loss or state.lm in served)
        if is_loaded:
            served.add(state.lm)
        made = {name: value for name, value in asdict(state.provenance).items() if name in _SHOWN}
        named = {"program": entry.name, "file": state.path.name}
        yield {**named, **made, "problem": problem, "loaded": is_loaded}


def _states(compiled: list[dict[str, Any]]) -> Table:
    table = _table("compiled state", "for", "by", "on", "scores")
    for state in compiled:
        scores = ", ".join(f"{split} {value:.3f}" for split, value in state["scores"].items())
        if state["uncompiled"]:
            scores += f" (uncompiled {', '.join(f'{value:.3f}' for value in state['uncompiled'].values())})"
        if state["problem"]:
            scores = "does not fit this version; compile again"
        by = ", ".join(state["optimizers"])
        if state["candidate"] == "uncompiled":
            by = f"uncompiled: {by} found none better"
        name = f"{state['file']} *" if state["loaded"] else state["file"]
        table.add_row(name, state["lm"], by, state["dataset"], scores)
    return table


def _table(*columns: str, folded: bool = False) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in columns:
        # A name that is cut short cannot be copied; those of files may be longer than a terminal is wide.
        table.add_column(column, no_wrap=column == columns[0] and not folded, overflow="fold")
    return table


def check(
    index: console.AnyIndexOption = None,
    lm: Annotated[
        str | None, typer.Option(help="Try this model with two short calls, and tell its pace: ollama/MODEL, …")
    ] = None,
    lm_option: console.LMOptionsOption = None,
    output_format: console.FormatOption = console.Format.text,
) -> None:
    """Tell what an index holds and whether it is sound, or with --lm whether a model and its server will do.

    Of a model it tells how fast it reads and writes, how much it is therefore shown, and what a question costs.

    Every paper is read and judged anew. The exit code is 1 when a paper is damaged, doubtful or outdated, when there is
    none, or when the model does not keep to the form that is asked for, and the error says what to do.
    """
    if lm is not None:
        _check_model(with_options(lm, lm_option), output_format)
        if index is None:
            return
    _check_index(index or console.DEFAULT_INDEX, output_format)


def _check_model(lm: str, output_format: console.Format) -> None:
    from programs.lm import translated
    from programs.lm.trial import try_model

    with translated(lm):
        trial = try_model(lm)
    with console.language_model(lm):
        document = _trial_document(trial)
    if output_format is console.Format.json:
        console.print_json(document)
    else:
        for line in _trial_lines(trial, document["shown"], document["cost_of_a_question"]):
            console.stdout().print(line)
    if not trial.keeps_form:
        raise typer.Exit(1)


def _trial_document(trial: Trial) -> dict[str, Any]:
    """JSON-ready values, with the tokens that it is shown of passages and the cost of a question by program."""
    from programs.lm.pace import MOST_TOKENS, Pace
    from programs.retrieval.index import UnconnectedIndex

    reads, writes = trial.reads, trial.tokens_a_second
    pace = Pace(reads or inf, writes) if reads or writes else None
    cost: dict[str, Any] = {}
    for each in PROGRAMS:
        if each.answers:
            prompts = create(each.name, index=None if each.asks == "paper" else UnconnectedIndex()).prompts()
            seconds = round(pace.seconds(prompts), 1) if pace else None
            cost[each.name] = {
                "calls": len(prompts),
                "tokens": sum(prompts),
                "seconds": seconds,
                "minutes": None if seconds is None else round(seconds / 60, 1),
            }
    shown = Pace(reads).room if reads else MOST_TOKENS
    return {**asdict(trial), "shown": shown, "cost_of_a_question": cost}


def _trial_lines(trial: Trial, shown: int, costs: Mapping[str, Any]) -> Iterator[str]:
    yield f"{trial.model}"
    yield f"  server    {trial.server or 'reached by its provider'}"
    yield f"  context   {f'{trial.context:,} tokens' if trial.context else 'unknown'}"
    if trial.capabilities:
        yield f"  can       {', '.join(trial.capabilities)}"
    by = "DSPy's chat layout" if trial.layout == "chat" else trial.layout
    yield f"  form      {by}: {'kept' if trial.keeps_form else 'not kept; it wrote ' + repr(trial.wrote)}"
    reads, writes = (
        "an unknown number of tokens" if rate is None else f"{rate:.1f} tokens"
        for rate in (trial.reads, trial.tokens_a_second)
    )
    yield f"  pace      reads {reads} a second, writes {writes} a second; a short call took {trial.seconds:.1f} s"
    why = "what it reads in about 10 s" if trial.reads else "as much as any model whose reading was not timed"
    yield f"  auto      {shown:,} tokens of passages at once, {why}"
    for name, cost in costs.items():
        seconds = "" if cost["seconds"] is None else f", about {cost['seconds']:.0f} s"
        yield f"  {name}: {cost['calls']} calls a question without repairs, {cost['tokens']:,} tokens read{seconds}"
    yield from trial.warnings


def _check_index(index: str, output_format: console.Format) -> None:
    from programs.retrieval.file_indexing import soundness
    from programs.retrieval.index import Index

    with Index.open(index) as opened, console.steps(opened.stats().documents, "Checking") as advance:
        found = soundness(opened, advance)
    actions = list(_actions(found, index))
    if output_format is console.Format.json:
        console.print_json({"index": index, **found.as_dict(), "actions": actions})
    else:
        for line in (*_holdings(found, index), *_faults(found), *actions):
            console.stdout().print(line)
    if not found.is_sound:
        raise typer.Exit(1)


def _holdings(found: Soundness, index: str) -> Iterator[str]:
    yield f"{index}: {found.papers} papers, {found.passages} passages"
    yield f"  embedder  {found.embedder}, {found.dimension} dimensions"
    yield f"  chunking  {found.chunking}"
    for name, counts in (("formats", found.formats), ("sections", found.sections), ("passages", found.kinds)):
        listed = ", ".join(f"{each} {count}" for each, count in counts.items())
        yield f"  {name:<9} {listed or 'none'}"
    if found.kept:
        options = ", ".join(f"{name} {value}" for name, value in found.kept.options.chosen.items() if value)
        yield f"  kept      by Qdrant {found.kept.server}: {options.replace('_', ' ').replace(' True', '')}"
        yield f"  loss      {found.kept.loss}"


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
    if found.outdated:
        yield f"Read them again: python -m programs index PAPERS --index {index}"
    if found.doubtful:
        yield (
            "Look at the files that are hard to read; get such a paper as JATS (`python -m programs fetch`) or as "
            f"another PDF, or take it out: python -m programs remove PAPER --index {index}"
        )
    if found.is_sound:
        yield "Sound: every paper is what was stored, readable, and read by the present reader."
