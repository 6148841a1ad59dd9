r"""Teaches the CommonMark parser TeX formulas, so that ``a_1 * b_2`` in them is not taken for emphasis.

    $$
    E = mc^2
    = h\nu
    $$

is one block, kept as it stands, and ``$x_1$`` within a sentence likewise.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

MATH_BLOCK = "math_block"
MATH_INLINE = "math_inline"
MOST_LINES = 200
"""Lines of a formula at most: a file of lines that begin one and never end it would be searched once for each."""

# Pandoc's rule: no space inside the dollar signs, and no digit after the closing one ("$5 and $6" are prices).
_INLINE = re.compile(r"\$(?=[^\s$])[^$\n]*?(?<=[^\s\\])\$(?!\d)")


def with_math(parser: MarkdownIt) -> MarkdownIt:
    """The parser, with rules for ``$$`` blocks and ``$`` formulas that give tokens with the source as content."""
    parser.block.ruler.before("fence", MATH_BLOCK, _block, {"alt": ["paragraph", "blockquote", "list"]})
    parser.inline.ruler.before("escape", MATH_INLINE, _inline)
    return parser


def _block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """From a line that begins with ``$$`` to the first that ends with it, in ``MOST_LINES``; else it is not a block."""
    first = _line(state, start)
    if not first.startswith("$$") or state.is_code_block(start):
        return False
    last = min(end, start + MOST_LINES)
    closing = next((n for n in range(start, last) if _line(state, n)[2 if n == start else 0 :].endswith("$$")), None)
    if closing is None:
        return False
    if not silent:
        token = state.push(MATH_BLOCK, "", 0)
        token.content = state.getLines(start, closing + 1, state.sCount[start], False).strip()
        token.map = [start, closing + 1]
        state.line = closing + 1
    return True


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]].rstrip()


def _inline(state: StateInline, silent: bool) -> bool:
    found = _INLINE.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        state.push(MATH_INLINE, "", 0).content = found[0]
    state.pos = found.end()
    return True
