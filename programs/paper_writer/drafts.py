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

import hashlib
import itertools
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Protocol, TypeVar

import portalocker
from pydantic import BaseModel, ValidationError

from programs.errors import UsageError
from programs.files import write_file

M = TypeVar("M", bound=BaseModel)

MANUSCRIPT, BIBLIOGRAPHY, RECORD = "draft.md", "references.bib", "draft.json"

_STATE, _PROMPTS, _ORIGIN, _LOCK, _WRITTEN = "state", "prompts", "origin", "lock", "manuscript"
_MOST_NAMED = 5
"""Parts of what a draft depends on that an error lists."""


class Drafts(Protocol):
    """Keeps finished steps."""

    def close(self) -> None:
        """Release what it holds."""

    def load(self, step: str) -> Any | None:  # noqa: ANN401 - any JSON value
        """What was saved of a step, or None."""

    def save(self, step: str, value: Any) -> None:  # noqa: ANN401 - any JSON-ready value
        """Keep a finished step."""

    def keep_prompts(self, name: str, text: str) -> None:
        """Keep prompts for debugging."""


class Unsaved:
    """Keeps nothing: the draft is only returned."""

    def close(self) -> None:
        """Nothing is held."""

    def load(self, step: str) -> None:
        """Nothing was saved."""

    def save(self, step: str, value: Any) -> None:  # noqa: ANN401 - any JSON-ready value
        """Not kept."""

    def keep_prompts(self, name: str, text: str) -> None:
        """Not kept."""


class DraftFolder:
    """A folder that belongs to one draft, and to one process at a time; close it, or use it as a context manager.

    Args:
        folder: Made when there is none.
        origin: What the draft depends on; a run with another origin must not go on with it.

    Raises:
        UsageError: The folder holds another draft or other files, cannot be written to, or is in use.
    """

    def __init__(self, folder: str | Path, origin: Mapping[str, Any]) -> None:
        self.folder = Path(folder)
        if self.folder.is_file():
            raise UsageError(f"{self.folder} is a file; name a folder for the draft")
        known = self._origin()
        if known is None and self.folder.is_dir() and any(each.name != _STATE for each in self.folder.iterdir()):
            reason = "holds files that do not belong to a draft; name a new one for the draft"
            raise UsageError(f"the folder {self.folder} {reason}")
        self._lock = self._locked()
        try:
            # An origin without a finished step, as after a mistyped model name, may still change.
            if known is None or not self._steps():
                self.save(_ORIGIN, dict(origin))
            elif changed := [_changed(name, known.get(name), now) for name, now in origin.items()]:
                self._refuse([each for each in changed if each])
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> DraftFolder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let other processes go on with the draft."""
        self._lock.close()

    def load(self, step: str) -> Any | None:  # noqa: ANN401 - any JSON value
        """What was saved of a step, or None.

        Raises:
            UsageError: The file is damaged.
        """
        path = self._state(step)
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
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
        with _writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_file(path, text)

    def write_manuscript(self, text: str) -> str:
        """Write the manuscript; one that was edited since it was written is kept beside it.

        Returns:
            What is to be said of that; empty if nothing.
        """
        path, kept = self.folder / MANUSCRIPT, ""
        if path.is_file() and path.read_bytes() != text.encode() and _digest(path) != self.load(_WRITTEN):
            numbered = (path.with_name(f"{MANUSCRIPT}.bak-{number}") for number in itertools.count(1))
            backup = next(each for each in numbered if not each.exists())
            with _writing(backup):
                path.replace(backup)
            kept = f"{MANUSCRIPT} was edited after it was written; your edition is kept as {backup.name}"
        self.write(MANUSCRIPT, text)
        self.save(_WRITTEN, _digest(path))
        return kept

    def copy(self, source: Path, name: str) -> None:
        """Put a copy of a file beside the manuscript."""
        path = self.folder / name
        with _writing(path):
            write_file(path, source.read_bytes())

    def _state(self, step: str) -> Path:
        return self.folder / _STATE / f"{step}.json"

    def _steps(self) -> list[Path]:
        """The files of all finished steps."""
        return [each for each in (self.folder / _STATE).rglob("*.json") if each != self._state(_ORIGIN)]

    def _origin(self) -> dict[str, Any] | None:
        known = self.load(_ORIGIN)
        if known is None or isinstance(known, dict):
            return known
        raise UsageError(f"{self._state(_ORIGIN)} is not an origin of a draft; name a new folder for the draft")

    def _refuse(self, changed: list[str]) -> None:
        if changed:
            raise UsageError(
                f"the draft in {self.folder} was begun with another {' and '.join(changed)}; name a new "
                "folder to write from these, or go on with the former"
            )

    def _locked(self) -> IO[str]:
        path = self.folder / _STATE / _LOCK
        with _writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            lock = path.open("a", encoding="utf-8")
        try:
            portalocker.lock(lock, portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING)
        except portalocker.LockException as error:
            lock.close()
            raise UsageError(
                f"the draft in {self.folder} is being written by another process; wait until it is done, or name a new "
                "folder"
            ) from error
        return lock


def restored(drafts: Drafts, step: str, model: type[M]) -> M | None:
    """What was saved of a step as a value, or None.

    Raises:
        UsageError: The file is damaged.
    """
    saved = drafts.load(step)
    try:
        return None if saved is None else model.model_validate(saved)
    except ValidationError as error:
        raise UsageError(
            f"state/{step}.json in the draft's folder is of another form than this step has; delete it, and that step "
            "is done again"
        ) from error


def _changed(name: str, before: Any, now: Any) -> str:  # noqa: ANN401 - JSON values
    """What differs, with its parts where it has any; empty if nothing does."""
    if before == now:
        return ""
    if not isinstance(before, Mapping) or not isinstance(now, Mapping):
        return name
    parts = sorted(each for each in {*before, *now} if before.get(each) != now.get(each))
    more = f" and {len(parts) - _MOST_NAMED} more" if len(parts) > _MOST_NAMED else ""
    return f"{name} ({', '.join(parts[:_MOST_NAMED])}{more})"


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or error
        raise UsageError(f"{path} cannot be written ({reason}); name a folder that you can write to") from error


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def as_json(value: Any) -> str:  # noqa: ANN401 - any JSON-ready value
    """A JSON document as it is written to files."""
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"
