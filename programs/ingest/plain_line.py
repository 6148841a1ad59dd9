r"""A title or a name from a library as plain text: LaTeX by pylatexenc, HTML and JATS by the tags that titles have.

Water as H$_2$O for \textit{E. coli}            Water as H2O for E. coli
Growth at 10<sup>-3</sup> M &amp; more          Growth at 10^-3 M & more
"""

from __future__ import annotations

import html
import logging
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from programs.ingest.tex import FRACTION, formula_line
from programs.ingest.text_repair import joint

if TYPE_CHECKING:
    from pylatexenc.latex2text import LatexNodes2Text

ENTITY = re.compile(r"&#?\w{1,32};")
_TAG = re.compile(
    r"</?(?:[a-z]+:[a-z-]+|i|b|u|em|strong|sup|sub|sc|scp|span|small|big|tt|font|br|p|italic|bold)(?:\s+[\w:-]+\s*=[^<>]*)?\s*/?>",
    re.IGNORECASE,
)
_RAISED = re.compile(r"<(?:\w+:)?(su[pb])>([^<>]*)</(?:\w+:)?\1>", re.IGNORECASE)

_MATH = re.compile(r"(?<!\\)\$(?=\S)([^$]*)(?<=\S)\$(?!\d)")  # pandoc's rule: "$5 and $6" is money
_TEXT_SCRIPT = re.compile(r"\\textsu([pb])(?:er)?script\s*\{([^{}]*)\}")
_LATEX = re.compile(r"\\[A-Za-z]+\{|\\[`'^\"~=.]|\$[^$]*[\\^_][^$]*\$")
_ATOM = re.compile(
    r"\\[`'^\"~=.]\s*(?:\{\\?[A-Za-z]{1,2}\}|\\[ij](?![A-Za-z])|[A-Za-z])"
    r"|\\[uvHcdbkrt](?:\s*\{\\?[A-Za-z]{1,2}\}|\s+[A-Za-z])|\\[A-Za-z]+\*?\s*|\\.?|---?|``|''|[~{}]"
)
_SIGNS = {"---": "—", "--": "–", "``": "“", "''": "”", "~": " ", "\\ ": " ", "{": "", "}": "", "\\": ""}


def plain_line(text: str, *, is_latex: bool = False) -> str:
    """The text in one line without markup; ``is_latex`` says that braces and "--" are LaTeX's, too."""
    if is_latex or _LATEX.search(text):  # accents and symbols as characters; of other macros what they are applied to
        text = _TEXT_SCRIPT.sub(r"<su\1>\2</su\1>", text)
        text = FRACTION.sub(_formula, _MATH.sub(_formula, text))
        text = _ATOM.sub(lambda each: _decoded(each[0]), text)
    if "<" in text or "&" in text:
        text = ENTITY.sub(lambda each: html.unescape(each[0]), text)
        text = _TAG.sub("", _RAISED.sub(_joined, text))
        text = ENTITY.sub(lambda each: html.unescape(each[0]), text)
    return " ".join(text.split())


def _joined(raised: re.Match[str]) -> str:
    mark = raised[2].strip()
    before = raised.string[: raised.start()]
    return joint(before, mark, "sup" if raised[1].lower() == "sup" else "sub") + mark if mark else ""


def _formula(found: re.Match[str]) -> str:
    """A formula as a line; one that is none loses its commands as other text does."""
    source = found[0].strip("$")
    text = formula_line(source, found.string[: found.start()])
    return source if "$" in text else text


@lru_cache(maxsize=4096)
def _decoded(atom: str) -> str:
    if atom in _SIGNS:
        return _SIGNS[atom]
    try:
        text = str(_converter().latex_to_text(atom.rstrip()))
    except (IndexError, KeyError, ValueError):  # a macro that takes something
        return ""
    return "" if "%s" in text or "<" in text else text


@lru_cache(maxsize=1)
def _converter() -> LatexNodes2Text:
    from programs.extras import require

    require("references", "text in LaTeX", "pylatexenc")
    from pylatexenc.latex2text import LatexNodes2Text

    logging.getLogger("pylatexenc.latex2text").disabled = True  # it would print which macros lack what they take
    return LatexNodes2Text(math_mode="text")
