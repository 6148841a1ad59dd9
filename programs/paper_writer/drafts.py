"""Where a draft is kept while it is made and when it is done.

    draft/
      draft.md          the manuscript, with its figures beside it
      references.bib    the papers that it cites
      draft.json        sections, evidence, certificates, what is weak, notes
      prompts/          every prompt of every step; methods.final.md is the one that Methods was written from
      state/            every finished step, from which an interrupted run goes on

Every file is written whole or not at all.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from programs.errors import UsageError

MANUSCRIPT, BIBLIOGRAPHY, RECORD = "draft.md", "references.bib", "draft.json"

_STATE, _PROMPTS, _ORIGIN = "state", "prompts", "origin"


class Drafts(Protocol):
    """Keeps finished steps."""

    def load(self, step: str) -> Any | None:  # noqa: ANN401 - any JSON value
        """What was saved of a step, or None."""

    def save(self, step: str, value: Any) -> None:  # noqa: ANN401 - any JSON-ready value
        """Keep a finished step."""

    def keep_prompts(self, name: str, text: str) -> None:
        """Keep prompts for debugging."""


class Unsaved:
    """Keeps nothing: the draft is only returned."""

    def load(self, step: str) -> None:
        """Nothing was saved."""

    def save(self, step: str, value: Any) -> None:  # noqa: ANN401 - any JSON-ready value
        """Not kept."""

    def keep_prompts(self, name: str, text: str) -> None:
        """Not kept."""


class DraftFolder:
    """A folder that belongs to one draft.

    Args:
        folder: Made when there is none.
        origin: What the draft depends on; a run with another origin must not go on with it.

    Raises:
        UsageError: The folder holds another draft or other files.
    """

    def __init__(self, folder: str | Path, origin: Mapping[str, Any]) -> None:
        self.folder = Path(folder)
        if self.folder.is_file():
            raise UsageError(f"{self.folder} is a file; name a folder for the draft")
        known = self.load(_ORIGIN)
        if known is None and self.folder.is_dir() and any(each.name != _STATE for each in self.folder.iterdir()):
            raise UsageError(f"the folder {self.folder} holds files that are no draft; name a new one for the draft")
        changed = [name for name in origin if known is not None and known.get(name) != origin[name]]
        if changed:
            raise UsageError(
                f"the draft in {self.folder} was begun with another {' and '.join(changed)}; name a new "
                "folder to write from these, or go on with the former"
            )
        if known is None:
            self.save(_ORIGIN, dict(origin))

    def load(self, step: str) -> Any | None:  # noqa: ANN401 - any JSON value
        """What was saved of a step, or None.

        Raises:
            UsageError: The file is damaged.
        """
        path = self._state(step)
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise UsageError(f"{path} cannot be read ({error}); delete it, and that step is done again") from error

    def save(self, step: str, value: Any) -> None:  # noqa: ANN401 - any JSON-ready value
        """Keep a finished step."""
        self.write(self._state(step).relative_to(self.folder), as_json(value))

    def keep_prompts(self, name: str, text: str) -> None:
        """Keep prompts for debugging; an empty text is not kept."""
        if text:
            self.write(Path(_PROMPTS, name), text)

    def write(self, name: str | Path, text: str) -> None:
        """Write a file of the draft, whole or not at all."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f"{path.name}.part")
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(path)

    def copy(self, source: Path, name: str) -> None:
        """Put a copy of a file beside the manuscript."""
        path = self.folder / name
        unfinished = path.with_name(f"{path.name}.part")
        shutil.copyfile(source, unfinished)
        unfinished.replace(path)

    def _state(self, step: str) -> Path:
        return self.folder / _STATE / f"{step}.json"


def as_json(value: Any) -> str:  # noqa: ANN401 - any JSON-ready value
    """A JSON document as it is written to files."""
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"
