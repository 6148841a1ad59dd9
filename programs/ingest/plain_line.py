r"""A title or a name from a library as plain text: LaTeX by pylatexenc, HTML and JATS by the tags that titles have.

Water as H$_2$O for \textit{E. coli}            Water as H2O for E. coli
Growth at 10<sup>-3</sup> M &amp; more          Growth at 10^-3 M & more
"""

from __future__ import annotations

import html
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from programs.ingest.text_repair import joint

if TYPE_CHECKING:
    from pylatexenc.latex2text import LatexNodes2Text

_ENTITY = re.compile(r"&#?\w{1,32};")
_TAG = re.compile(
    r"</?(?:[a-z]+:[a-z-]+|i|b|u|em|strong|sup|sub|sc|scp|span|small|big|tt|font|br|p|italic|bold)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_RAISED = re.compile(r"<(?:\w+:)?(su[pb])>([^<>]*)</(?:\w+:)?\1>", re.IGNORECASE)

_MATH = re.compile(r"(?<!\\)\$(?=\S)([^$]*)(?<=\S)\$(?!\d)")  # pandoc's rule: "$5 and $6" is money
_SCRIPT = re.compile(r"([_^])\s*(?:\{([^{}]*)\}|(\\[A-Za-z]+|[^\s{}\\]))")
_TEXT_SCRIPT = re.compile(r"\\text(su)(?:perscript|(b)script)\s*\{([^{}]*)\}")
_DOLLAR = re.compile(r"(?<!\\)\$")
_COMMENT = re.compile(r"(?<!\\)%")
_LATEX = re.compile(r"\\[A-Za-z]+\{|\\[`'^\"~=.]|\$[^$]*[\\^_][^$]*\$")
_MACRO = re.compile(r"\\[A-Za-z]+\*?\s*|[\\{}$]")


def plain_line(text: str, *, is_latex: bool = False) -> str:
    """The text in one line without markup; ``is_latex`` says that braces and "--" are LaTeX's, too."""
    if is_latex or _LATEX.search(text):
        text = _without_latex(text)
    if "<" in text or "&" in text:
        text = _ENTITY.sub(lambda each: html.unescape(each[0]), text)
        text = _TAG.sub("", _RAISED.sub(_joined, text))
        text = _ENTITY.sub(lambda each: html.unescape(each[0]), text)
    return " ".join(text.split())


def _joined(raised: re.Match[str]) -> str:
    mark = raised[2].strip()
    before = raised.string[: raised.start()]
    return joint(before, mark, "sup" if raised[1].lower() == "sup" else "sub") + mark if mark else ""


@lru_cache(maxsize=4096)
def _without_latex(text: str) -> str:
    if not any(sign in text for sign in "\\$"):
        plain = text.replace("---", "—").replace("--", "–").replace("``", "“").replace("''", "”")
        return re.sub("[{}]", "", plain).replace("~", " ")
    kept, at = [], 0
    for math in _MATH.finditer(text):
        kept += [_DOLLAR.sub(r"\\$", text[at : math.start()]), f"${_scripts(math[1])}$"]
        at = math.end()
    kept.append(_DOLLAR.sub(r"\\$", text[at:]))
    source = _COMMENT.sub(r"\\%", _TEXT_SCRIPT.sub(_text_script, "".join(kept)))
    try:
        return str(_converter().latex_to_text(source))
    except (IndexError, KeyError, ValueError, RecursionError):  # a macro without what it takes, or braces without end
        return _MACRO.sub("", source)


def _scripts(math: str) -> str:
    return _SCRIPT.sub(lambda each: _tagged("sup" if each[1] == "^" else "sub", each[2] or each[3] or ""), math)


def _text_script(macro: re.Match[str]) -> str:
    return _tagged("sub" if macro[2] else "sup", macro[3])


def _tagged(tag: str, text: str) -> str:
    return f"<{tag}>{text}</{tag}>"


@lru_cache(maxsize=1)
def _converter() -> LatexNodes2Text:
    from programs.extras import require

    require("references", "text in LaTeX", "pylatexenc")
    from pylatexenc.latex2text import LatexNodes2Text

    return LatexNodes2Text(math_mode="text")
