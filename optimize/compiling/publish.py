"""Where compiled states go for ``programs.load`` to find them."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

from programs.config import settings
from programs.errors import CorroborateError
from programs.files import write_file
from programs.registry import SHIPPED
from programs.state import State, read_state


def publish(state: Path, folder: Path | None = None) -> Path:
    """Copy a compiled state to the user's own; the same prompts and demos take the same file.

    Args:
        state: A state file.
        folder: By default the user's (CORROBORATE_COMPILED).

    Returns:
        The copy.

    Raises:
        CorroborateError: It cannot be written there; the state that was given is untouched.
    """
    read = read_state(state)
    content = hashlib.sha256(json.dumps(read.content, sort_keys=True).encode()).hexdigest()
    return _copied(read, (folder or settings().compiled) / f"{_name(read)}.{content[:8]}.json")


def ship(state: Path) -> Path:
    """Copy a compiled state to those that come with the package: one for each program and model."""
    read = read_state(state)
    return _copied(read, SHIPPED / f"{_name(read)}.json")


def _name(state: State) -> str:
    """Program and model, fit for a file's name; a version behind the extractive LM's name is left out."""
    model = state.lm.removesuffix("/1") if state.lm.startswith("extractive") else state.lm
    return f"{state.program}.{re.sub(r'[^A-Za-z0-9-]+', '-', model)}"


def _copied(state: State, path: Path) -> Path:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return write_file(path, state.path.read_bytes())
    except OSError as error:
        raise CorroborateError(
            f"the compiled state is in {state.path}, but cannot be copied to {path} ({error.strerror}); set "
            "CORROBORATE_COMPILED to a folder that can be written, and copy it there"
        ) from error
