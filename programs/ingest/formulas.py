r"""Formulas as text: TeX where the source has it, else MathML in one line.

<tex-math>\begin{document}$$E = mc^2$$\end{document}</tex-math>   →   E = mc^2
<mfrac><mi>a</mi><mn>2</mn></mfrac>                               →   a/2
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from programs.ingest.xml_parsing import Element, children, entity_text, name, raw_text

_TEX_BODY = re.compile(r"\\begin\{document\}(.*?)(?:\\end\{document\}|$)", re.DOTALL)
_SIMPLE = re.compile(r"\w*|[^\w\s]?|\w+\.\w+")
_IMAGES = ("graphic", "inline-graphic", "media")
_PREFERRED = ("tex-math", "math")
_OPERATORS = re.compile(r"\s*([=<>≤≥≈≠±×→∼])\s*")


def formula_text(element: Element) -> str:
    """The formula inside an element in its most exact form; empty when it is only an image.

    Of several ``alternatives`` one is taken: TeX, MathML, else whatever has text.
    """
    tag = name(element)
    if not tag:
        return entity_text(element)
    if tag in _IMAGES:
        return ""
    if tag == "tex-math":
        return _tex(raw_text(element))
    if tag == "math":
        return _OPERATORS.sub(r" \1 ", _row(element)).strip()
    if tag == "alternatives":
        return next(filter(None, map(formula_text, sorted(children(element), key=_preference))), "")
    texts = [element.text, *(text for each in element for text in (formula_text(each), each.tail))]
    return " ".join(" ".join(text for text in texts if text).split())


def _preference(alternative: Element) -> int:
    tag = name(alternative)
    return _PREFERRED.index(tag) if tag in _PREFERRED else len(_PREFERRED)


def _tex(source: str) -> str:
    body = _TEX_BODY.search(source)
    return " ".join((body[1] if body else source).split()).strip("$ ")


def _row(element: Element) -> str:
    return (element.text or "").strip() + "".join(map(_math, element))


def _math(element: Element) -> str:
    tag = name(element)
    if not tag:
        return entity_text(element)
    if tag in ("annotation", "annotation-xml"):
        return ""
    if tag == "mspace":
        return " "
    arity, written = _SHAPES.get(tag, (0, _grouped))
    inside = list(children(element))
    return written(*map(_math, inside)) if arity and len(inside) == arity else _row(element)


def _grouped(text: str) -> str:
    """The text, in parentheses unless it is one symbol or number."""
    return text if _SIMPLE.fullmatch(text) or (text.startswith("(") and text.endswith(")")) else f"({text})"


# Elements of MathML whose children stand above, below or beside each other: their number, and how they are written.
_SHAPES: Final[Mapping[str, tuple[int, Callable[..., str]]]] = {
    "mfrac": (2, lambda over, under: f"{_grouped(over)}/{_grouped(under)}"),
    "msup": (2, lambda base, above: f"{base}^{_grouped(above)}"),
    "msub": (2, lambda base, below: f"{base}_{_grouped(below)}"),
    "msubsup": (3, lambda base, below, above: f"{base}_{_grouped(below)}^{_grouped(above)}"),
    "munder": (2, lambda base, below: f"{base}_{_grouped(below)}"),
    "mover": (2, lambda base, above: f"{base}{above}" if len(above) == 1 else f"{base}^{_grouped(above)}"),
    "munderover": (3, lambda base, below, above: f"{base}_{_grouped(below)}^{_grouped(above)}"),
    "msqrt": (1, lambda inside: f"√{_grouped(inside)}"),
    "mroot": (2, lambda inside, degree: f"{_grouped(inside)}^(1/{degree})"),
}
