"""Rows of the net: one JSON object a line, what goes in, why it is there, and what comes out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeAlias

HERE = Path(__file__).parent

Row: TypeAlias = dict[str, Any]


def rows(kind: str) -> list[Row]:
    """The rows of ``KIND.jsonl``, in its order."""
    return [json.loads(line) for line in (HERE / f"{kind}.jsonl").read_text(encoding="utf-8").splitlines() if line]


def write(kind: str, changed: list[Row]) -> None:
    """Replace the file."""
    lines = [json.dumps(each, ensure_ascii=False) for each in changed]
    (HERE / f"{kind}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def differences(recorded: Row, found: Row) -> list[str]:
    """A line for each value that is not as it was recorded."""
    return [
        f"{name}: recorded {json.dumps(recorded.get(name), ensure_ascii=False)}\n"
        f"{' ' * len(name)}     found {json.dumps(found.get(name), ensure_ascii=False)}"
        for name in sorted(recorded.keys() | found.keys())
        if recorded.get(name) != found.get(name)
    ]


def unsaid(must: Row, found: Row) -> Row:
    """What a message must say, or end with, and does not."""
    silent = [text for text in must["says"] if text not in found["message"]]
    ended = {name: wanted for name, wanted in must.items() if name != "says" and found.get(name) != wanted}
    return {**ended, **({"says": silent} if silent else {})}
