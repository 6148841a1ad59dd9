"""Files that grow by a line for each finished piece of work, and survive being cut off in the middle of one."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from programs.errors import UsageError


class Journal:
    """JSON lines that are written as work is done; safe to share between threads.

    Args:
        path: The file; it need not exist.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._writing = threading.Lock()

    def read(self) -> Iterator[dict[str, Any]]:
        """The lines so far. A last line that a killed process left unfinished is cut off: its work is done again.

        Raises:
            UsageError: Another line is no JSON object.
        """
        if not self.path.is_file():
            return
        content = self.path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if len(whole) < len(content):
            with self.path.open("r+b") as file:
                file.truncate(len(whole))
        for number, line in enumerate(whole.splitlines(), start=1):
            try:
                yield dict(json.loads(line))
            except (TypeError, ValueError) as error:
                raise UsageError(f"{self.path}:{number} is no JSON object ({error}); start a new run") from error

    def append(self, values: Mapping[str, Any]) -> None:
        """Write one line; when this returns, it outlives the process."""
        line = json.dumps(values, ensure_ascii=False) + "\n"
        with self._writing, self.path.open("a", encoding="utf-8") as file:
            file.write(line)

    def replace(self, lines: Iterable[Mapping[str, Any]]) -> None:
        """Write all lines anew, whole or not at all."""
        unfinished = self.path.with_suffix(".part")
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(self.path)
