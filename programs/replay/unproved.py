"""What a file says that no paper can bear out, so that ``verify`` can name it.

A label was read from quotes by a model; points, conflicts, notes and the like were said by it, or told of the run. None
of it is a sentence with a certificate, and anyone who changes a file can change it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_SAID = (
    *("label", "value", "points", "conflicts", "expansion", "queries", "papers", "notes"),
    *("unsupported_claims", "repairs", "evidence", "unknown_citations"),
)
_REASON, _ERROR = "relevance_reason", "error"
"""Why a passage was chosen, and why a cell failed."""


def said_only(saved: Mapping[str, Any], results: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Names of what a file only says, labels with their values.

    Args:
        saved: The file, in which ``replay_parts`` found no fault.
        results: Its ``parts``.
    """
    found = [each for name, result in results.items() for each in _said(name, result)]
    cells = [cell for row in saved.get("rows", []) for cell in row["cells"]]
    failed = [_ERROR] if any(cell.get(_ERROR) for cell in cells) else []
    return list(dict.fromkeys([*found, *failed, *(["notes"] if saved.get("notes") else [])]))


def _said(part: str, result: Mapping[str, Any]) -> list[str]:
    said = [name for name in _SAID if result.get(name) and not (part and name == "value")]
    said += [_REASON] if any(each.get(_REASON) for each in result["passages"]) else []
    return [f"{part}: label {result['label']!r}".removeprefix(": ") if name == "label" else name for name in said]
