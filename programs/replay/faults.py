"""What does not replay, and how two sets of named values differ."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that does not replay.

    Attributes:
        what: Which citation, passage or figure, by number and name.
        problem: What was expected and what was found.
    """

    what: str
    problem: str

    def __str__(self) -> str:
        return f"{self.what}: {self.problem}"


def differences(what: str, expected: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[Fault]:
    """A fault for every name whose values differ, or that only one of the two has."""
    for name in sorted(expected.keys() | found.keys()):
        one, other = expected.get(name), found.get(name)
        if name not in found:
            yield Fault(what, f"it has no {name}, replayed it is {one!r}")
        elif name not in expected or as_json(one) != as_json(other):
            yield Fault(what, f"its {name} is {other!r}, replayed it is {one!r}")


def as_json(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """A value as JSON, in which 1, 1.0 and true are three values."""
    return json.dumps(value, sort_keys=True)


def printable(name: object) -> str:
    """A name out of the file that a terminal can show: half a character stands as its escape."""
    return str(name).encode("utf-8", "backslashreplace").decode("utf-8")
