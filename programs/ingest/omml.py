"""Formulas of Word (OMML) in one line: a fraction as "a/b", an exponent as "x^2", an index as "x_i"."""

from __future__ import annotations

import re
from typing import Final

from programs.ingest.xml_parsing import Element, child, children, name, raw_text

_JOINED: Final = {"sSup": ("e", "^", "sup"), "sSub": ("e", "_", "sub"), "f": ("num", "/", "den")}
_SIMPLE = re.compile(r"\w*|[^\w\s]")


def formula_text(element: Element) -> str:
    """The text of an ``oMath`` element or of a part of one."""
    tag = name(element)
    if tag == "t":
        return raw_text(element)
    if tag in _JOINED:
        first, mark, second = _JOINED[tag]
        return f"{_part(element, first)}{mark}{_part(element, second)}"
    if tag == "rad":
        return f"√{_part(element, 'e')}"
    if tag == "d":
        return f"({''.join(formula_text(each) for each in children(element, 'e'))})"
    return "".join(formula_text(each) for each in children(element) if not name(each).endswith("Pr"))


def _part(element: Element, tag: str) -> str:
    found = child(element, tag)
    text = "" if found is None else formula_text(found)
    return text if _SIMPLE.fullmatch(text) else f"({text})"
