"""What a file says that no paper can bear out, so that ``verify`` can name it.

A label was read from quotes by a model; points, conflicts, notes and the like were said by it, or told of the run. None
of it is a sentence with a certificate, and whoever changes a file can change it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_SAID = (
    *("label", "value", "points", "conflicts", "expansion", "queries", "papers", "notes"),
    *("unsupported_claims", "repairs"),
)


def said_only(saved: Mapping[str, Any], results: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Names of what a file only says, labels with their values.

    Args:
        saved: The file, in which ``replay_parts`` found no fault.
        results: Its ``parts``.
    """
    found = [each for name, result in results.items() for each in _said(name, result)]
    return list(dict.fromkeys([*found, *(["notes"] if saved.get("notes") else [])]))


def _said(part: str, result: Mapping[str, Any]) -> list[str]:
    said = [name for name in _SAID if result.get(name) and not (part and name == "value")]
    return [f"{part}: label {result['label']!r}".removeprefix(": ") if name == "label" else name for name in said]
