"""Which compiled state a program runs with: the model's own, else that of a model of its family and size, else none."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from programs.config import settings
from programs.errors import StateMismatch, UsageError
from programs.lm.model_size import LARGE, billions

if TYPE_CHECKING:
    from programs.compiled_state import State
    from programs.program import Program

logger = logging.getLogger(__name__)

SHIPPED = Path(__file__).parent / "compiled"
"""Compiled states that come with the package."""


def state_path(named: str) -> Path:
    """The file of a compiled state that is named by its path, or as `python -m programs list` prints it.

    Raises:
        UsageError: There is none.
    """
    places = (Path(named), settings().compiled / named, SHIPPED / named)
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise UsageError(
            f"there is no file {named}; give a compiled state, as a path or by its name in `list`, best or none"
        )
    return found


def compiled_states(name: str) -> list[State]:
    """Every readable compiled state of a program, the best first.

    What beat the uncompiled program comes before what did not, or lost to it on test, and the user's own before those
    that come with the package. Scores on different data sets say nothing about one another, so of the user's the data
    set comes first that was compiled on last, and of one data set the highest score on val.

    A file that cannot be read is named in a warning: one broken file must not stop every program.
    """
    own, shipped = (list(_readable(sorted(folder.glob(f"{name}.*.json")))) for folder in (settings().compiled, SHIPPED))
    latest: dict[str, int] = {}
    for state in own:
        made = state.provenance.dataset
        latest[made] = max(_written(state.path), latest.get(made, 0))
    own.sort(key=lambda state: (-latest[state.provenance.dataset], -state.score))
    shipped.sort(key=lambda state: -state.score)
    return sorted([*own, *shipped], key=lambda state: state.is_loss or not state.is_gain)


def _written(path: Path) -> int:
    """When a file was written, in nanoseconds; 0 for one that is gone again, as another process may publish."""
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def _readable(paths: Iterable[Path]) -> Iterator[State]:
    from programs.compiled_state import read_state

    for path in paths:
        try:
            yield read_state(path)
        except UsageError as error:
            logger.warning("Left out: %s", error)


def best_state(program: Program[Any]) -> State | None:
    """The best compiled state that fits the program, made for ``dspy.settings.lm``, else for a model that is like it.

    What is like it, ``likeness`` says. One that did worse on test than the uncompiled program is left out: it can still
    be named. None without one; which is taken, and why, is logged.
    """
    import dspy

    lm = getattr(dspy.settings.lm, "model", "")
    states = compiled_states(program.name)
    for like in LIKE:
        for state in states:
            if likeness(state.lm, lm) == like and (like == LIKE[0] or state.is_gain) and _may_be_used(state, program):
                logger.info("%s runs with %s, compiled for %s (%s)", program.name, state, state.lm, like)
                return state
    logger.info("%s runs uncompiled: no state was compiled for %s", program.name, lm or "the current model")
    return None


def _may_be_used(state: State, program: Program[Any]) -> bool:
    """Whether a state did no worse on test, and fits; what does not is named."""
    from programs.compiled_state import apply_state, mismatch

    if state.is_loss:
        logger.info("%s was left out: it did worse on test than the uncompiled program", state.path)
    elif difference := mismatch(program, state):
        logger.warning("%s was left out: %s; compile the program again", state.path, difference)
    else:
        try:
            apply_state(program.deepcopy(), state)
        except StateMismatch as error:  # one damaged file must not stop every program
            logger.warning("Left out: %s", error)
        else:
            return True
    return False


LIKE: Final = ("the same model", "a model of the same family and size", "a model of the same size")
"""What speaks for a state that was compiled for another model, the best first."""
_SMALL = 4.0
"""Thousand million parameters below which models, at or above which and below ``LARGE`` others, are of one size."""
_FAMILY = re.compile(r"[a-z]+(?:-[a-z]+)*")


def likeness(one: str, other: str) -> str:
    """Which of ``LIKE`` two names of models have in common; empty for none, and for no model and a model."""
    if one == other:
        return LIKE[0]
    if any(each.startswith("extractive") for each in (one, other)):
        return ""
    (family, size), (other_family, other_size) = _kind(one), _kind(other)
    if size != other_size:
        return ""
    if family and family == other_family:
        return LIKE[1]
    return LIKE[2] if size else ""


def _kind(name: str) -> tuple[str, str]:
    """Family and size: "ollama/qwen2.5-coder:1.5b" → ("qwen", "small"); empty where the name does not say."""
    bare = name.rpartition("/")[2].lower()
    family = _FAMILY.match(bare)
    size = billions(bare)
    said = ("small" if size < _SMALL else "medium" if size < LARGE else "large") if size else ""
    return (family[0] if family else ""), said
