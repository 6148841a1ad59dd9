"""Reads Markdown: CommonMark with tables, TeX formulas and YAML front matter.

    ---
    title: Cold and yeast
    authors: [Ada Lovelace, "Turing, Alan"]
    year: 2019
    organism: [Saccharomyces cerevisiae]
    ---

    ## Results

    Cells in the cold lived **longer** [12].

    ![growth curve](growth.png)

    *Figure 1: Growth at 4 °C.*

Title, authors, year, journal, doi, pmcid and url of the front matter become the document's own fields, every other key
its metadata. The text becomes HTML, which ``programs.ingest.html`` reads as it reads a page; the HTML that is in it is
never trusted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from lxml import etree
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from programs.atomic_files import plain_values
from programs.errors import IngestError
from programs.ingest.decoding import decode
from programs.ingest.document import Document, Front, MetadataValue
from programs.ingest.front_matter import family_first, split_authors, year_of
from programs.ingest.html import document_of_paper, parse_text, shown_paper
from programs.ingest.html_blocks import NUMBERS
from programs.ingest.markdown_tables import table
from programs.ingest.tex import numbers_whole, tabular_rows
from programs.ingest.text_repair import clean_markdown

_BLOCK = re.compile(r"---[ \t]*\n(.*?)\n?(?:---|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL)
MOST_CHARACTERS = 65_536
"""Most characters of front matter that are read; papers have a few hundred."""

_OWN_FIELDS = frozenset({"title", "author", "authors", "year", "date", "journal", "doi", "pmcid", "url"})


def split_front_matter(path: Path, text: str) -> tuple[Front, str]:
    """The front matter of a text, and the text after it; an ``IngestError`` when it is not a YAML mapping."""
    block = _BLOCK.match(text)
    if block is None:
        return Front(), text
    try:
        values = plain_values(block[1], MOST_CHARACTERS)
    except ValueError as error:
        raise IngestError(path, f"its front matter is not YAML ({error})", "correct or remove it") from error
    if not isinstance(values, dict | None):
        raise IngestError(path, f"its front matter is a {type(values).__name__}", "write it as `key: value` lines")
    return _front_matter(path, {str(key): value for key, value in (values or {}).items()}), text[block.end() :]


def _front_matter(path: Path, values: Mapping[str, Any]) -> Front:
    values = {key: value for key, value in values.items() if value is not None}
    named = values.get("authors", values.get("author", ""))
    listed = named if isinstance(named, list) else None
    names = (str(each.get("name", "")) if isinstance(each, dict) else str(each) for each in listed or ())
    date = values.get("year", values.get("date"))
    if date is not None and year_of(date) is None:
        raise IngestError(path, f"its front matter has the year {date!r}", "give a year such as 2019")
    return Front(
        authors=split_authors(str(named or "")) if listed is None else tuple(map(family_first, names)),
        year=year_of(date),
        **{key: str(values.get(key, "")) for key in ("title", "journal", "pmcid", "url")},
        doi=str(values.get("doi", "")).removeprefix("https://doi.org/"),
        metadata={key: _filtered(value) for key, value in values.items() if key not in _OWN_FIELDS},
    )


def _filtered(value: object) -> MetadataValue:
    """The value as the index can filter by it: lists as lists of text, what is not a number as text."""
    if isinstance(value, list):
        return [str(item) for item in value]
    return value if isinstance(value, str | int | float | bool) else str(value)


MOST_LINES = 200
"""Most lines of a formula: in a file of unclosed formulas, the rest would be searched once for each of them."""

# Pandoc's rule: no space inside the dollar signs, and no digit after the closing one ("$5 and $6" are prices); with
# spaces, a formula has a sign of TeX or of comparison. "\(x\)" and "\[x\]" are as LaTeX and Nougat write them.
_INLINE = re.compile(
    r"\$(?=[^\s$])([^$\n]*?)(?<=[^\s\\])\$(?!\d)|\$ ([^$\n]{0,300}?[\\=<>^_][^$\n]{0,300}) \$(?!\d)|\\\((.{1,500}?)\\\)"
)
_DISPLAYED = re.compile(r"(?P<open>\$\$|\\\[|\\begin\{(?P<name>table\*?|tabular[x*]?)\})")
_CLOSING = {"$$": "$$", r"\[": r"\]"}


def _block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A formula or TeX's table, from the line that it begins to the one it ends, in ``MOST_LINES``; else no block."""
    first = _line(state, start)
    opened = _DISPLAYED.match(first)
    if opened is None or state.is_code_block(start):
        return False
    closes = _CLOSING.get(opened["open"], f"\\end{{{opened['name']}}}")
    last, skipped = min(end, start + MOST_LINES), len(opened["open"])
    lines = (number for number in range(start, last))
    closing = next((n for n in lines if _line(state, n)[skipped if n == start else 0 :].endswith(closes)), None)
    if closing is None:
        return False
    if not silent:
        token = state.push("tex_table" if opened["name"] else "math_block", "", 0)
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
        state.push("text", "", 0).content = _delimited(found)
    state.pos = found.end()
    return True


def _delimited(formula: re.Match[str]) -> str:
    r"""A formula between "\(" and "\)", as the reader of HTML knows it."""
    return rf"\({formula[1] or formula[2] or formula[3]}\)"


# Pandoc's "10^6^", "CO~2~" and "^13^C"; two powers or two ranges in one word are neither.
_PANDOC = re.compile(
    r"\^(?P<sup>[\w+−–,.*†‡§-]{1,20})\^(?![\w(])|(?<![\w)])\^(?P<mass>\d{1,3})\^(?=[A-Z])|~(?P<sub>[\w+−-]{1,12})~(?!\d)"
)


def _raised(state: StateInline, silent: bool) -> bool:
    found = _PANDOC.match(state.src, state.pos)
    if found is None or state.src[max(state.pos - 1, 0) : state.pos] == "~":
        return False
    if not silent:
        tag = "sub" if found["sub"] else "sup"
        state.push("html_inline", "", 0).content = f"<{tag}>{found[found.lastgroup or 0]}</{tag}>"
    state.pos = found.end()
    return True


_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9]*)")
_INLINE_TAGS = frozenset(
    """a abbr b big br cite code del em font i img ins kbd mark q s small span strike strong sub sup time tt u var
    wbr""".split()  # noqa: SIM905
)


class _Renderer(RendererHTML):
    """Writes what the parser found as HTML; the text of images is shown, addresses of links are not needed."""

    def math_block(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:  # noqa: ANN401 - options and environment
        return f"<pre>{escapeHtml(numbers_whole(tokens[idx].content))}</pre>"

    def tex_table(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:  # noqa: ANN401
        content = tokens[idx].content
        return f"<pre>{escapeHtml(tabular_rows(content) or content)}</pre>"

    def html_block(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:  # noqa: ANN401
        """What a page would show of a piece of HTML, which neither hides nor holds what is around it."""
        source = _INLINE.sub(_delimited, tokens[idx].content)
        shown = shown_paper(parse_text(env["path"], f"<div>{source}</div>"))
        etree.strip_tags(shown, "html", "body", "article", "main")
        shown.tag = "div"
        return etree.tostring(shown, encoding="unicode", method="html", with_tail=False)

    def html_inline(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:  # noqa: ANN401
        """A tag of a line; "a<b and c>d" is not a tag and stays."""
        content = tokens[idx].content
        tag = _TAG.match(content)
        if content.startswith("<!"):
            return ""
        return content if tag and tag[1].lower() in _INLINE_TAGS else escapeHtml(content)

    def image(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:  # noqa: ANN401
        token = tokens[idx]
        described = self.renderInlineAsText(token.children, options, env)
        caption = f"<figcaption>{escapeHtml(described)}</figcaption>" if described else ""
        return f'<img src="{escapeHtml(str(token.attrs.get("src", "")))}">{caption}'

    def link_open(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:  # noqa: ANN401
        return "[" if _is_citation(tokens[idx : idx + 3]) else ""

    def link_close(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:  # noqa: ANN401
        return "]" if _is_citation(tokens[max(idx - 2, 0) : idx + 1]) else ""


def _is_citation(tokens: Sequence[Token]) -> bool:
    """Whether a link is the number of a reference, "[12]", which without its brackets would be one of the sentence."""
    is_text = [token.type for token in tokens] == ["link_open", "text", "link_close"]
    return is_text and NUMBERS.fullmatch(tokens[1].content) is not None and tokens[1].content[0] != "["


_ATTRIBUTES: Final = re.compile(r"^(#{1,6}[ \t][^\n]*?)[ \t]*\{[#.-][^{}\n]*\}[ \t]*$", re.MULTILINE)
"""Pandoc's behind a heading: "# Methods {#sec:methods .unnumbered}"."""


def read(path: str | Path) -> Document:
    """Read a Markdown file; errors are of the classes that ``formats.read`` names."""
    path = Path(path)
    front, text = split_front_matter(path, decode(path))
    parser = MarkdownIt("commonmark", renderer_cls=_Renderer).enable(["table", "strikethrough"])
    parser.block.ruler.at("table", table, {"alt": ["paragraph", "reference"]})
    parser.block.ruler.before("fence", "math_block", _block, {"alt": ["paragraph", "blockquote", "list"]})
    parser.inline.ruler.before("escape", "math_inline", _inline)
    parser.inline.ruler.before("strikethrough", "raised", _raised)
    source, environment = _ATTRIBUTES.sub(r"\1", _tables_apart(clean_markdown(text))), {"path": path}
    html = parser.renderer.render(_items_apart(parser.parse(source, environment)), parser.options, environment)
    page = shown_paper(parse_text(path, f"<html><body>{html}</body></html>"))
    document = document_of_paper(path, page, front, opening=text, is_page=False)
    opens, *rest = document.sections
    if opens.kind == "introduction" and not opens.heading:  # what is above the first heading may be anything
        document = replace(document, sections=(replace(opens, kind="other"), *rest))
    return document


_LISTS = frozenset("bullet_list_open bullet_list_close ordered_list_open ordered_list_close list_item_close".split())  # noqa: SIM905


def _items_apart(tokens: Sequence[Token]) -> list[Token]:
    """Items of lists as paragraphs, with their numbers: they may be as long as some."""
    found, number = [], ""
    for token in tokens:
        if token.type == "list_item_open":
            number = f"{token.info}{token.markup} " if token.info else ""
        elif token.type not in _LISTS:
            token.hidden = False
            if token.type == "inline" and number:
                token.children = [Token("text", "", 0, content=number), *(token.children or ())]
                number = ""
            found.append(token)
    return found


_TABLE = re.compile(r"<(/?)table\b[^>]{0,500}>", re.IGNORECASE)


def _tables_apart(text: str) -> str:
    """The text with each HTML table as a block, also one inside a line or with empty lines in it."""
    parts: list[str] = []
    at, start = 0, -1
    for mark in _TABLE.finditer(text):
        if not mark[1] and start < 0:
            start = mark.start()
        elif mark[1] and start >= 0:
            table = re.sub(r"\n\s*\n", "\n", text[start : mark.end()])
            parts += [text[at:start], "\n\n", table, "\n\n"]
            at, start = mark.end(), -1
    return "".join((*parts, text[at:]))
