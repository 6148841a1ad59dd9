"""What was said of a cited paper after it came out, in words that are shown wherever it is cited."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def corrected(passage: Mapping[str, Any]) -> str:
    """Of a passage as results hold it: "Retracted by 10.1000/notice"; empty where nothing is known."""
    said = "; ".join(passage.get("corrections", ()))
    return said[:1].upper() + said[1:]
