r"""TeX as text: formulas that fit in a line, and the tables that converters write as ``tabular``.

    3 0 \%                          30%            the digits of a number are apart where a converter read them singly
    \mathrm { p } = 0 . 0 4         p = 0.04
    1 0 ^ { - 3 } \mathrm { M }     10^-3 M
    \frac { a } { 2 } \leq x        a/2 ≤ x

What has a command that is not known here stays TeX, with its numbers whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.entities import html5
from typing import Final

from programs.ingest.document import table_row
from programs.ingest.jats.inline import SHAPES, grouped, parted, spaced
from programs.ingest.text_repair import joint

# TeX prints no space between two digits, and a comma with three digits after it parts thousands.
_IN_NUMBER = re.compile(
    r"(?<=\d)\s+(?=[\d.])|(?<=\d\.)\s+(?=\d)|(?<=\d)\s*(?:,|\{\s*,\s*\})\s*(?=\d\s?\d\s?\d(?!\s?\d))"
)
_LONGEST = 1000
_DEEPEST = 12
_BEFORE_UNIT = re.compile(r"(\d|\\%|\^\s*\{[^{}\\]*\})\s+(?=\\(?:%|mathrm))")
_ROMAN = re.compile(r"\\mathrm\s*\{([A-Za-z\s]+)\}\s*([\^_])\s*(?:\{([^{}\\]*)\}|([^\s\\{}]))")
_OF_SUM = re.compile(r"[∑∏∫](?:[_^\x02](?:\{[^{}]*\}|\w))?$")
_DONE = str.maketrans({"\x01": "^", "\x02": "_", "~": " "})
"""Marks before what is raised and written already, until all is written."""
_PLAIN = re.compile(r"[+−-]?[\w.]+|\w*[+−-]")
_WORDS = re.compile(r"\\(?:text(?:rm|bf|it|sf|normal)?|[mh]box)\s*\{([^{}]*)\}")
FRACTION = re.compile(r"\\(?:d|t|nice|x|s)?frac\s*(\{[^{}]*\}|\w)\s*(\{[^{}]*\}|\w)")
"""A fraction of what has no braces inside: "\\frac{1}{2}", "\\nicefrac12"."""
_COMMAND = re.compile(r"\\([A-Za-z]+\*?|.)")
_SIGNS: Final = {
    **dict.fromkeys([",", ";", ":", " ", "quad", "qquad", "enspace"], "~"),
    **dict.fromkeys(["!", "left", "right", "limits", "displaystyle", "rm", "it", "bf", "big", "Big", "bm"], ""),
    **dict.fromkeys("mathrm mathbf mathit mathsf mathcal mathbb boldsymbol operatorname operatorname*".split(), ""),  # noqa: SIM905
    **{each: f"~{each}~" for each in "log ln exp sin cos tan max min lim arg".split()},  # noqa: SIM905
    **{each: each for each in "%$#|"},
    **dict.fromkeys(["circ", "degree"], "°"),
    **dict.fromkeys(["ldots", "dots", "cdots"], "…"),
    **dict(zip("cdot sim to infty ast partial leqslant geqslant neq textmu".split(), "·∼→∞*∂≤≥≠µ", strict=True)),  # noqa: SIM905
}
_ACCENTS: Final = {"bar": "\u0304", "overline": "\u0304", "hat": "\u0302", "tilde": "\u0303", "dot": "\u0307"}
_GROUP = re.compile(
    r"\\(?P<two>[dt]?frac|binom)\{(?P<first>[^{}]*)\}\{(?P<second>[^{}]*)\}"
    rf"|\\(?P<one>sqrt|{'|'.join(_ACCENTS)})(?:\{{(?P<inside>[^{{}}]*)\}}|(?P<sign>\w))"
    r"|(?P<mark>[\^_])(?:\{(?P<raised>[^{}]*)\}|(?P<single>[^\\{}^_]))|\{(?P<group>[^{}]*)\}"
)
_COMMA = re.compile(r",(?!\d{3}(?!\d))|(?<!\d),")


def numbers_whole(source: str) -> str:
    """TeX without spaces inside its numbers."""
    return _IN_NUMBER.sub(lambda found: "," if "," in found[0] else "", source)


def formula_line(source: str, before: str = "") -> str:
    """A formula as text in one line, after the text before it; one that does not fit in a line stays TeX."""
    kept = f"${numbers_whole(source)}$"
    if len(source) > _LONGEST:
        return kept
    text = _ROMAN.sub(_symbol, _BEFORE_UNIT.sub(r"\1~", numbers_whole(source)))
    text = _WORDS.sub(lambda found: f"{{{'~'.join(found[1].split(' '))}}}", text)
    text = FRACTION.sub(lambda found: f"\\frac{{{found[1].strip('{}')}}}{{{found[2].strip('{}')}}}", text)
    text = "".join(_COMMAND.sub(_sign, text).split())
    for _ in range(_DEEPEST):
        text, count = _GROUP.subn(lambda found: _written(found, before), text)
        if not count:
            break
    if re.search(r"[\\{}&]", text):
        return kept
    return parted(before, spaced(_COMMA.sub(", ", re.sub(r"~(?=\x01)", "", text)).translate(_DONE)))


def _symbol(found: re.Match[str]) -> str:
    """A symbol in upright letters with what is above or below it, as "H2", "kg-1" and "Ca2+" are printed in a text."""
    base, raised = "".join(found[1].split()), "".join((found[3] or found[4] or "").split())
    is_joined = raised and not joint(base, raised, "sup" if found[2] == "^" else "sub")
    return f"{base}{raised}" if is_joined else found[0]


def _sign(command: re.Match[str]) -> str:
    """The character of a command; one that has none, or shapes what is after it, stays."""
    word = command[1]
    known = html5.get(f"{word};") if word.isalpha() and word not in _ACCENTS else None
    return _SIGNS.get(word, known or command[0])


def _written(found: re.Match[str], before: str) -> str:
    """An innermost group; what is raised follows the text before it, in the formula or before that."""
    if found["two"]:
        shape = "choose" if found["two"] == "binom" else "mfrac"
        written = SHAPES[shape][1](found["first"], found["second"])
        return f"({written})" if shape == "choose" else written
    if found["one"]:
        inside = found["inside"] or found["sign"] or ""
        return SHAPES["msqrt"][1](inside) if found["one"] == "sqrt" else f"{inside}{_ACCENTS[found['one']]}"
    if found["mark"] is None:
        return found["group"]
    raised = found["raised"] or found["single"] or ""
    if raised in ("°", "′", "*", "†", "‡"):
        return raised
    if found.start() == 0:
        return joint(before, raised, "sup" if found["mark"] == "^" else "sub") + raised if raised else ""
    space = "~" if _OF_SUM.search(found.string, 0, found.start()) else ""
    mark = "\x01" if found["mark"] == "^" else "\x02"
    return f"{mark}{raised if _PLAIN.fullmatch(raised) else grouped(raised)}{space}"


_TABULAR = re.compile(r"\\begin\{tabular[x*]?\}((?:(?!\\begin\{tabular).){0,50000}?)\\end\{tabular[x*]?\}", re.DOTALL)
_LAYOUT = re.compile(
    r"\A(?:\[[^\]]*\]|\{(?:[^{}]|\{[^{}]*\})*\})+"
    r"|\\(?:hline|(?:top|mid|bottom)rule|c(?:line|midrule)(?:\([^)]*\))?\{[^}]*\})"
)
_SPANNED = re.compile(
    r"\\multicolumn\s*\{\s*(\d{1,2})\s*\}\s*\{[^}]*\}|\\multirow\s*(?:\[[^\]]*\])?\{[^}]*\}\s*\{[^}]*\}"
)
_MATH = re.compile(r"(?<!\\)\$([^$]*)\$|\\\((.{0,500}?)\\\)")
_STYLE = re.compile(r"\\(?:[a-z]+\s*(?=\{)|(?=[%&#_$]))|[{}]")


def tabular_rows(source: str) -> str:
    """The rows of the tables in a piece of TeX, a line each; empty where there is none."""
    return "\n".join(row for table in _TABULAR.findall(source) for row in _rows(table))


def _rows(table: str) -> Iterator[str]:
    for line in re.split(r"\\\\(?:\[[^\]]*\])?", _LAYOUT.sub("", table.strip())):
        cells: list[str] = []
        for cell in re.split(r"(?<!\\)&", line):
            spanned = _SPANNED.search(cell)
            text = _MATH.sub(lambda found: formula_line(found[1] or found[2] or ""), _SPANNED.sub("", cell))
            cells += [" ".join(_STYLE.sub("", text).split()), *[""] * (int(spanned[1] or 1) - 1 if spanned else 0)]
        if any(cells):
            yield table_row(cells)
