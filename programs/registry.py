"""The programs of the suite by name, and the best compiled state of each."""

from __future__ import annotations

import difflib
import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from programs.config import settings
from programs.errors import UsageError

if TYPE_CHECKING:
    from programs.program import Program
    from programs.retrieval.embedder import Embedder
    from programs.retrieval.index import Index
    from programs.retrieval.retriever import Retriever
    from programs.state import State

logger = logging.getLogger(__name__)

SHIPPED = Path(__file__).parent / "compiled"
"""Compiled states that come with the package."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One program.

    Attributes:
        name: What ``--program`` takes.
        summary: What it does, in one line.
        home: Module and class.
        asks: What it asks: one paper, or an index.
        command: What ``python -m programs`` runs it by.
    """

    name: str
    summary: str
    home: str
    asks: Literal["paper", "index"] = "index"
    command: Literal["ask", "retrieve", "write"] = "ask"

    @property
    def answers(self) -> bool:
        """Whether it answers questions."""
        return self.command == "ask"


PROGRAMS = (
    Entry(
        "main_points",
        "one paper, one question: points, matched passages, answer, repair",
        "programs.main_points:MainPoints",
        "paper",
    ),
    Entry(
        "rag_fusion",
        "a corpus: reworded queries, fused lists, PMCID citations, figures",
        "programs.rag_fusion:RagFusion",
    ),
    Entry(
        "multi_signal",
        "a corpus: tag expansion, eight ranking signals, strict citations",
        "programs.multi_signal:MultiSignal",
    ),
    Entry(
        "paper_retriever",
        "a collection: the right papers first, then their passages",
        "programs.paper_retriever:PaperRetriever",
        command="retrieve",
    ),
    Entry(
        "paper_writer",
        "a draft: evidence gathered per section, cited and checked",
        "programs.paper_writer:PaperWritingPipeline",
        command="write",
    ),
)


def load(
    name: str,
    *,
    index: Index | None = None,
    retriever: Retriever | None = None,
    embedder: Embedder | None = None,
    state: str | Path | None = "best",
    **parameters: Any,  # noqa: ANN401 - each program has parameters of its own
) -> Program[Any]:
    """Make a program, compiled where a compiled state fits.

    Args:
        name: As ``python -m programs list`` shows it.
        index: For programs that ask an index.
        retriever: What finds their passages, in place of the index itself: such as a ``paper_retriever``.
        embedder: What turns text into vectors; by default the configured model.
        state: "best" for the one with the highest validation score among those compiled for the current language model,
            the user's and the shipped ones; a path for that one; None for none.
        **parameters: Parameters of the program, which win over those of the state.

    Raises:
        UsageError: There is no such program, parameter or state.
        StateMismatch: The named state was made for other signatures.
    """
    program = create(name, index=index, retriever=retriever, embedder=embedder)
    if state == "best":
        _apply_best(program)
    elif state is not None:
        from programs.state import apply_state, read_state

        apply_state(program, read_state(state))
    program.with_parameters(**parameters)
    return program


def create(
    name: str,
    *,
    index: Index | None = None,
    retriever: Retriever | None = None,
    embedder: Embedder | None = None,
) -> Program[Any]:
    """Make a program as its authors wrote it; arguments and errors as for ``load``."""
    entry = entry_of(name)
    if entry.asks == "paper":
        return _constructor(entry)(embedder=embedder)
    source = retriever or index
    if source is None:
        raise UsageError(f"{name} asks an index; give one with index=programs.Index.open(…)")
    return _constructor(entry)(source)


def entry_of(name: str) -> Entry:
    """The program of that name.

    Raises:
        UsageError: There is none.
    """
    entry = next((entry for entry in PROGRAMS if entry.name == name), None)
    if entry is None:
        names = [entry.name for entry in PROGRAMS]
        near = difflib.get_close_matches(name, names, n=1) or names
        raise UsageError(f"there is no program {name!r}; did you mean {' or '.join(near)}?")
    return entry


def answering(name: str) -> Entry:
    """The program of that name, which answers questions.

    Raises:
        UsageError: There is none, or it does something else.
    """
    entry = entry_of(name)
    if not entry.answers:
        others = ", ".join(each.name for each in PROGRAMS if each.answers)
        raise UsageError(f"{name} answers no questions; use `python -m programs {entry.command}`, or one of {others}")
    return entry


def compiled_states(name: str) -> list[State]:
    """Every readable compiled state of a program, the best first; the user's before shipped ones of the same score.

    A file that cannot be read is named in a warning: one broken file must not stop every program.
    """
    paths = [path for folder in (settings().compiled, SHIPPED) for path in sorted(folder.glob(f"{name}.*.json"))]
    return sorted(_readable(paths), key=lambda state: -state.score)


def _readable(paths: Iterable[Path]) -> Iterator[State]:
    from programs.state import read_state

    for path in paths:
        try:
            yield read_state(path)
        except UsageError as error:
            logger.warning("Left out: %s", error)


def best_state(program: Program[Any]) -> State | None:
    """The best compiled state that was made for ``dspy.settings.lm`` and fits the program; None without one."""
    import dspy

    from programs.state import mismatch

    lm = getattr(dspy.settings.lm, "model", "")
    for state in compiled_states(program.name):
        if state.lm != lm:
            continue
        if difference := mismatch(program, state):
            logger.warning("%s was left out: %s; compile the program again", state.path, difference)
            continue
        return state
    logger.info("%s runs uncompiled: no state was compiled for %s", program.name, lm or "the current model")
    return None


def _apply_best(program: Program[Any]) -> None:
    from programs.state import apply_state

    state = best_state(program)
    if state is not None:
        apply_state(program, state)
        logger.info("%s runs compiled, from %s", program.name, state.path)


def _constructor(entry: Entry) -> Callable[..., Program[Any]]:
    module, _, name = entry.home.partition(":")
    constructor: Callable[..., Program[Any]] = getattr(import_module(module), name)
    return constructor
