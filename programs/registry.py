"""The programs of the suite by name."""

from __future__ import annotations

import difflib
import logging
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from programs.errors import UsageError

if TYPE_CHECKING:
    from programs.evidence_table import EvidenceTable
    from programs.program import Program
    from programs.retrieval.embedder import Embedder
    from programs.retrieval.index import Index
    from programs.retrieval.retriever import Retriever, Search

logger = logging.getLogger(__name__)


DEFAULTS, SEED = "defaults", "seed"
"""Presets of parameters: what measured best, and the numbers of the systems as their authors described them."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One program.

    Attributes:
        name: What ``--program`` takes.
        title: What it is for, in a user's words.
        summary: What it does, in one line.
        home: Its class, in the module of its name.
        asks: What it asks: one paper, or an index.
        command: What ``python -m programs`` runs it by.
    """

    name: str
    title: str
    summary: str
    home: str
    asks: Literal["paper", "index"] = "index"
    command: Literal["ask", "write", "table"] = "ask"

    @property
    def module(self) -> str:
        """Where its class is."""
        return f"programs.{self.name}"

    @property
    def constructor(self) -> Any:  # noqa: ANN401 - a class; each has its own arguments
        """Its class, which is imported only now."""
        return getattr(import_module(self.module), self.home)

    @property
    def answers(self) -> bool:
        """Whether it answers questions."""
        return self.command == "ask"


PROGRAMS = (
    Entry(
        "main_points", "One paper in depth", "one paper, one question: points, passages, answer", "MainPoints", "paper"
    ),
    Entry(
        "rag_fusion",
        "Across papers: summary",
        "several papers: the question reworded, one summary that cites them",
        "RagFusion",
    ),
    Entry(
        "multi_signal",
        "Across papers: evidence, conflicts",
        "several papers: what they say of it, and where they disagree",
        "MultiSignal",
    ),
    Entry(
        "paper_retriever",
        "Best papers first",
        "many papers: the right ones first, then their passages, answer",
        "PaperRetriever",
    ),
    Entry(
        "paper_writer",
        "A draft with its evidence",
        "a draft: evidence gathered per section, cited and checked",
        "PaperWritingPipeline",
        command="write",
    ),
    Entry(
        "evidence_table",
        "A table of papers and questions",
        "papers × questions: a value a cell, proved by a passage, or not reported",
        "EvidenceTable",
        command="table",
    ),
)


def load(
    name: str,
    *,
    index: Index | None = None,
    retriever: Retriever | Search | None = None,
    embedder: Embedder | None = None,
    state: str | Path | None = "best",
    preset: str = DEFAULTS,
    **parameters: Any,  # noqa: ANN401 - each program has its own parameters
) -> Program[Any]:
    """Make a program, compiled where a compiled state fits.

    Args:
        name: As ``python -m programs list`` shows it.
        index: For programs that ask an index.
        retriever: What finds their passages, in place of the index itself: such as a ``paper_retriever``, or a function
            of a query, see ``programs.retrieval.retriever``.
        embedder: What turns text into vectors; by default the configured model.
        state: "best" for the best that fits the current language model, see ``programs.state_choice``; a path, or a
            name as `list` prints it, for that one; None or "none" for none.
        preset: "defaults", or "seed" for the parameters of the system as its author described it, which win over those
            of the state.
        **parameters: Parameters of the program, which win over those of state and preset.

    Raises:
        UsageError: There is no such program, parameter or state.
        StateMismatch: The named state was made for other signatures.
    """
    program = create(name, index=index, retriever=retriever, embedder=embedder)
    program.set_parameters(**parameters)
    if state not in (None, "none"):
        from programs.compiled_state import apply_state, read_state
        from programs.state_choice import best_state, state_path

        found = best_state(program) if state == "best" else read_state(state_path(str(state)))
        if found is not None:
            apply_state(program, found)
            logger.info("%s runs compiled, from %s", program.name, found.path)
    program.set_parameters(**{**_preset(program, preset), **parameters})
    return program


def load_table(index: Index) -> EvidenceTable:
    """The program that fills tables, made as by ``load``."""
    from programs.evidence_table import EvidenceTable

    program = load("evidence_table", index=index)
    assert isinstance(program, EvidenceTable)  # noqa: S101 - what ``PROGRAMS`` says
    return program


def _preset(program: Program[Any], preset: str) -> dict[str, Any]:
    if preset == DEFAULTS:
        return {}
    seed = getattr(type(program.settings), "seed", None)
    if preset != SEED or seed is None:
        presets = f"{DEFAULTS} and {SEED}" if seed else f"only {DEFAULTS}"
        raise UsageError(f"{program.name} has no preset {preset!r}; it has {presets}")
    return asdict(seed())


def create(
    name: str,
    *,
    index: Index | None = None,
    retriever: Retriever | Search | None = None,
    embedder: Embedder | None = None,
) -> Program[Any]:
    """Make a program as its authors wrote it; arguments and errors as for ``load``."""
    entry = entry_of(name)
    source = retriever or index
    if entry.asks == "index" and source is None:
        raise UsageError(f"{name} asks an index; give one with index=programs.Index.open(…)")
    made: Program[Any] = entry.constructor(source) if entry.asks == "index" else entry.constructor(embedder=embedder)
    return made


def entry_of(name: str) -> Entry:
    """The program of that name; a ``UsageError`` names the nearest where there is none."""
    entry = next((entry for entry in PROGRAMS if entry.name == name), None)
    if entry is None:
        names = [entry.name for entry in PROGRAMS]
        near = difflib.get_close_matches(name, names, n=1)
        advice = f"did you mean {near[0]}?" if near else f"the programs are {', '.join(names)}"
        raise UsageError(f"{name!r} is not a program; {advice}")
    return entry


def answering(name: str) -> Entry:
    """The program of that name, which answers questions; a ``UsageError`` where it does something else."""
    entry = entry_of(name)
    if not entry.answers:
        others = ", ".join(each.name for each in PROGRAMS if each.answers)
        raise UsageError(f"{name} answers no questions; use `python -m programs {entry.command}`, or one of {others}")
    return entry
