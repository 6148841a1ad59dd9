"""Files that survive a crash, and YAML from untrusted sources.

Files are written whole or not at all; a ``Journal`` grows by a line for each finished piece of work.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import portalocker
import yaml
from pydantic import ValidationError

from programs.errors import CorroborateError, UsageError


def write_file(path: Path, content: str | bytes) -> Path:
    """Write a file beside its place, under an unpredictable name, and rename it into place; no link is written over."""
    if path.is_symlink():
        raise UsageError(
            f"{path} is a link to {path.readlink()}, which is not written over; delete it, or name another"
        )
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    try:
        with unfinished.open("xb") as file:
            file.write(content.encode("utf-8") if isinstance(content, str) else content)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return path


def exclusive_lock(path: Path, busy: str) -> IO[str]:
    """Take a lock that one process can hold at a time; closing the file lets another one have it.

    Raises:
        UsageError: Another process holds it, which ``busy`` says, or the folder cannot be written to.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.open("a", encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"{path.parent} cannot be written to ({error.strerror}); name a folder that you can write to"
        ) from error
    try:
        portalocker.lock(lock, portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING)
    except portalocker.LockException as error:
        lock.close()
        raise UsageError(busy) from error
    return lock


class Journal:
    """JSON lines that are written as work is done; safe to share between threads.

    Every line has at least the ``keys``; ``check`` raises ``ValueError`` for one of another shape.
    """

    def __init__(
        self, path: Path, keys: Iterable[str] = (), check: Callable[[Mapping[str, Any]], None] = lambda _: None
    ) -> None:
        self.path = path
        self._keys = frozenset(keys)
        self._check = check
        self._writing = threading.Lock()

    def read(self) -> Iterator[dict[str, Any]]:
        """The lines so far, but for a last one that is unfinished: a killed process left it, or another is writing it.

        Raises:
            UsageError: Another line is not a JSON object, lacks one of the keys, or is of another shape.
        """
        if not self.path.is_file():
            return
        content = self.path.read_bytes()
        for number, line in enumerate(content[: content.rfind(b"\n") + 1].split(b"\n"), start=1):
            if line.strip():
                yield self._parsed(line, number)

    def _parsed(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            values = dict(json.loads(line))
        except (TypeError, ValueError, RecursionError) as error:
            raise self._unreadable(number, f"is not a JSON object ({error})") from error
        if missing := sorted(self._keys - values.keys()):
            raise self._unreadable(number, f"has no {' and no '.join(missing)}")
        try:
            if b"\\ud" in line.lower():
                json.dumps(values, ensure_ascii=False).encode()  # refuses half a character
            self._check(values)
        except ValidationError as error:
            first = error.errors()[0]
            raise self._unreadable(
                number, f"was changed ({'.'.join(map(str, first['loc']))}: {first['msg']})"
            ) from error
        except ValueError as error:
            raise self._unreadable(number, f"was changed ({error})") from error
        return values

    def _unreadable(self, number: int, what: str) -> UsageError:
        return UsageError(
            f"{self.path}:{number} {what}; delete that line, and what it held is done again by the run's command with "
            "--resume"
        )

    def append(self, values: Mapping[str, Any]) -> None:
        """Write one line; when this returns, it outlives the process.

        Raises:
            CorroborateError: It cannot be written, mostly because the disk is full; the lines before it stay.
        """
        self.extend([values])

    def extend(self, lines: Iterable[Mapping[str, Any]]) -> None:
        """Write several lines, all of them or none; raises as ``append``.

        A last line that a killed process left unfinished is cut off: its work is done again.
        """
        text = _text(lines)
        if not text:
            return
        with self._writing:
            whole = self._whole()
            try:
                self._cut_to(whole)
                with self.path.open("a", encoding="utf-8") as file:
                    file.write(text)
            except OSError as error:
                self._cut_to(whole)
                raise _unwritten(self.path, error) from error

    def replace(self, lines: Iterable[Mapping[str, Any]]) -> None:
        """Write all lines anew, all of them or none; raises as ``append``."""
        try:
            write_file(self.path, _text(lines))
        except OSError as error:
            raise _unwritten(self.path, error) from error

    def _whole(self) -> int:
        """Bytes of the finished lines; nearly always all, so the end is looked at first."""
        size = self.path.stat().st_size if self.path.exists() else 0
        if not size:
            return 0
        with self.path.open("rb") as file:
            file.seek(size - 1)
            if file.read(1) == b"\n":
                return size
            file.seek(0)
            return file.read(size).rfind(b"\n") + 1

    def _cut_to(self, size: int) -> None:
        """Take back the beginning of a line that there was no room for, or no time; cutting needs none."""
        if self.path.exists() and self.path.stat().st_size > size:
            with self.path.open("r+b") as file:
                file.truncate(size)


def _text(lines: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _unwritten(path: Path, error: OSError) -> CorroborateError:
    reason = error.strerror or type(error).__name__
    return CorroborateError(
        f"{path} cannot be written ({reason}); what it holds is kept: make room, then continue with --resume"
    )


class _PlainLoader(yaml.SafeLoader):
    """Refuses aliases, of which a few bytes stand for gigabytes."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.composer.ComposerError(None, None, "aliases are not read", None)
        return super().compose_node(parent, index)


def plain_values(text: str, most: int) -> Any:  # noqa: ANN401 - any YAML value
    """The plain values of a YAML document that is not trusted, of so many characters at most.

    Raises:
        ValueError: It is longer, is not YAML, or holds an alias, a tag that is not plain YAML or a value that its tag
            does not allow; the message is one line.
    """
    if len(text) > most:
        raise ValueError(f"it has {len(text)} characters, more than {most}")
    try:
        return yaml.load(text, Loader=_PlainLoader)  # noqa: S506 - a safe loader, see above
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    # PyYAML also raises IndexError, for "!!int ''", and KeyError, for "!!bool x".
    except (yaml.YAMLError, ValueError, LookupError, AttributeError, TypeError) as error:
        raise ValueError(" ".join(f"{error}".split()) or type(error).__name__) from error
