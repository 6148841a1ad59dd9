"""Saved files with one value changed, as somebody may change them."""

from __future__ import annotations

import copy
from typing import Any

GONE = object()
"""In the place of a value that is taken away."""


def changed(saved: Any, path: str, value: Any) -> Any:
    """A copy with another value, or what a function makes of the one that is there, at a path such as "rows.0.year"."""
    saved = copy.deepcopy(saved)
    *way, last = (int(each) if each.isdecimal() else each for each in path.split("."))
    at = saved
    for each in way:
        at = at[each]
    if value is GONE:
        del at[last]
    else:
        at[last] = value(at[last]) if callable(value) else value
    return saved
