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
its metadata. Markup becomes plain text; code, equations and tables keep their lines. HTML gives its text and is never
trusted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from programs.atomic_files import plain_values
from programs.errors import IngestError
from programs.ingest.decoding import decode
from programs.ingest.document import Document, DocumentBuilder, Front, MetadataValue, table_row
from programs.ingest.front_matter import (
    OpeningBlock,
    completed,
    family_first,
    find_pmcid,
    split_authors,
    split_authors_below,
    split_rest,
    title_place,
    year_of,
)
from programs.ingest.html import parse_text, shown_paper
from programs.ingest.html_blocks import blocks_of
from programs.ingest.jats.inline import line_of
from programs.ingest.line_shapes import split_caption
from programs.ingest.tex import formula_line, numbers_whole, tabular_rows
from programs.ingest.text_repair import Level, clean_markdown, joint

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
    if values is None:
        return Front(), text[block.end() :]
    if not isinstance(values, dict):
        raise IngestError(path, f"its front matter is a {type(values).__name__}", "write it as `key: value` lines")
    return _front_matter(path, {str(key): value for key, value in values.items()}), text[block.end() :]


def _front_matter(path: Path, values: Mapping[str, Any]) -> Front:
    def text(key: str) -> str:
        value = values.get(key)
        return "" if value is None else str(value)

    date = values.get("year", values.get("date"))
    if date is not None and year_of(date) is None:
        raise IngestError(path, f"its front matter has the year {date!r}", "give a year such as 2019")
    return Front(
        title=text("title"),
        authors=_authors(values.get("authors", values.get("author"))),
        year=year_of(date),
        journal=text("journal"),
        doi=text("doi").removeprefix("https://doi.org/"),
        pmcid=text("pmcid"),
        url=text("url"),
        metadata={
            key: _metadata_value(value) for key, value in values.items() if key not in _OWN_FIELDS and value is not None
        },
    )


def _authors(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        return split_authors(str(value or ""))
    return tuple(family_first(str(item.get("name", "") if isinstance(item, dict) else item)) for item in value)


def _metadata_value(value: object) -> MetadataValue:
    """The value as it is when the index can filter by it; lists as lists of text, everything else as text."""
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
        state.push("math_inline", "", 0).content = found[1] or found[2] or found[3]
    state.pos = found.end()
    return True


# "[12]" is printed as a reference also where it is a link: without its brackets 12 would be a number of the sentence.
_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9]*)")
_RAISED = re.compile(r"<(?P<end>/?)(?P<name>su[pb])\s*>", re.IGNORECASE)
_INLINE_TAGS = frozenset(
    """a abbr b big br cite code del em font i img ins kbd mark q s small span strike strong sub sup time tt u var
    wbr""".split()  # noqa: SIM905
)
_REFERENCE_NUMBERS = re.compile(r"\d+(?:\s*[,–-]\s*\d+)*")


@dataclass(frozen=True, slots=True)
class _Block(OpeningBlock):
    """A block with the addresses of a paragraph's images, and what is in their square brackets."""

    images: tuple[str, ...] = ()
    description: str = ""


def read(path: str | Path) -> Document:
    """Read a Markdown file; errors are of the classes that ``formats.read`` names."""
    path = Path(path)
    front, text = split_front_matter(path, decode(path))
    parser = MarkdownIt("commonmark").enable("table")
    # Formulas give tokens with their source as content.
    parser.block.ruler.before("fence", "math_block", _block, {"alt": ["paragraph", "blockquote", "list"]})
    parser.inline.ruler.before("escape", "math_inline", _inline)
    blocks = _captions_first(list(_blocks(path, parser.parse(_tables_apart(clean_markdown(text))))))
    title, place = front.title, title_place(blocks)
    if place is not None and title in ("", blocks[place].text):
        title = blocks.pop(place).text
    authors, around, blocks = split_authors_below(blocks) if title else ((), [], blocks)
    blocks, rest = split_rest(blocks, is_page=False)
    builder = DocumentBuilder()
    builder.add_notices([block.text for block in around])
    builder.add_section("")
    _fill(builder, blocks)
    builder.add_notices([block.text for block in rest])
    pmcid = find_pmcid(front.pmcid or path.stem)
    return builder.build(id=pmcid or path.stem, source=path.name, **completed(front, title, authors, text, pmcid))


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


def _fill(builder: DocumentBuilder, blocks: Sequence[_Block]) -> None:
    """Add all blocks; images wait for the caption after them, and become figures by their description without one."""
    top = min((block.level for block in blocks if block.kind == "heading"), default=1)
    waiting: list[_Block] = []
    for block in blocks:
        caption = split_caption(block.text) if block.kind == "paragraph" else None
        if block.kind == "paragraph" and not block.text:
            waiting.append(block)
            continue
        if caption is not None:
            images = [image for shown in (*waiting, block) for image in shown.images]
            builder.add_figure(caption.label, caption.text, image_urls=images)
            waiting = []
            continue
        _add_described(builder, waiting)
        waiting = [_Block("paragraph", "", images=block.images, description=block.description)] if block.images else []
        if block.kind == "heading":
            builder.add_section(block.text, level=block.level - top + 1)
        else:
            builder.add_paragraph(block.text, keep_lines=block.kind == "verbatim")
    _add_described(builder, waiting)


def _add_described(builder: DocumentBuilder, images: Iterable[_Block]) -> None:
    """Images that no caption follows: "![Figure 2: Growth](…)" and other descriptions are captions themselves."""
    for image in images:
        caption = split_caption(image.description)
        if caption is not None:
            builder.add_figure(caption.label, caption.text, image_urls=image.images)
        elif image.description:
            builder.add_figure("", image.description, kind="figure", image_urls=image.images)


def _blocks(path: Path, tokens: Sequence[Token]) -> Iterator[_Block]:
    level, number, row = 0, "", list[str]()
    table: list[str] = []
    for token in tokens:
        match token.type:
            case "heading_open":
                level = int(token.tag[1])
            case "heading_close":
                level = 0
            case "list_item_open":
                number = f"{token.info}{token.markup} " if token.info else ""
            case "tr_close":
                table += [table_row(row)] if any(row) else []
                row = []
            case "table_close":
                yield _Block("verbatim", "\n".join(table))
                table = []
            case "td_open" | "th_open":
                row.append("")
            case "inline" if row:
                row[-1] = _plain(token)
            case "inline":
                yield _inline_block(token, level, number)
                number = ""
            case "fence" | "code_block":
                yield _Block("verbatim", token.content.strip("\n"))
            case "math_block":
                yield _Block("verbatim", numbers_whole(token.content))
            case "tex_table":
                yield _Block("verbatim", tabular_rows(token.content) or token.content)
            case "html_block":
                yield from _of_html(path, token.content)


def _of_html(path: Path, html: str) -> Iterator[_Block]:
    """The blocks of a piece of HTML, as a page has them."""
    for block in blocks_of(shown_paper(parse_text(path, f"<div>{html}</div>"))):
        label, text = line_of(block.element, "label"), _INLINE.sub(_formula, block.text)
        if label:
            text = f"{label}. {text.removeprefix(label).strip()}"
        yield _Block("paragraph" if label else block.kind, text, block.level)


def _formula(found: re.Match[str]) -> str:
    return formula_line(found[1] or found[2] or found[3], found.string[: found.start()])


def _captions_first(blocks: Sequence[_Block]) -> list[_Block]:
    """The blocks, with a table's caption before its rows where a converter has it below them."""
    found = list(blocks)
    is_rows = [block.text.startswith("| ") for block in found]
    captions = [split_caption(block.text) if block.kind == "paragraph" else None for block in found]
    for place in range(1, len(found)):
        caption, above = captions[place], captions[place - 2] if place > 1 else None
        is_below = caption and caption.is_table and is_rows[place - 1] and not any(is_rows[place + 1 : place + 2])
        if is_below and not (above and above.is_table):
            found[place - 1 : place + 1] = found[place], found[place - 1]
    return found


def _inline_block(token: Token, level: int, number: str) -> _Block:
    """A heading or paragraph; images in a paragraph are beside its text."""
    if level:
        return _Block("heading", _plain(token), level)
    images = [child for child in token.children or () if child.type == "image"]
    text = _plain(token, with_images=False)
    return _Block(
        "paragraph",
        number + text if text else "",
        images=tuple(str(image.attrs["src"]) for image in images if image.attrs.get("src")),
        description=" ".join(filter(None, (_plain(image) for image in images))),
    )


def _plain(token: Token, *, with_images: bool = True) -> str:
    parts: list[str] = []
    links: list[int] = []
    for child in token.children or ():
        match child.type:
            case "text" | "code_inline":
                parts.append(child.content)
            case "math_inline":
                parts.append(formula_line(child.content, "".join(parts[-3:])))
            case "softbreak" | "hardbreak":
                parts.append(" ")
            case "image" if with_images:
                parts.append(_plain(child))
            case "link_open":
                links.append(len(parts))
            case "link_close":
                start = links.pop()
                text = "".join(parts[start:])
                parts[start:] = [f"[{text}]" if _REFERENCE_NUMBERS.fullmatch(text) else text]
            case "html_inline" if raised := _RAISED.match(child.content):
                if raised["end"] and links:
                    _join_raised(parts, links.pop(), "sup" if raised["name"].lower() == "sup" else "sub")
                elif not raised["end"]:
                    links.append(len(parts))
            case "html_inline":
                parts.append(_inline_html(child.content))
    return " ".join("".join(parts).split())


def _join_raised(parts: list[str], start: int, level: Level) -> None:
    """Set a raised text apart from what is before it: "10^6", and a citation behind a full stop "[12]"."""
    text, before = "".join(parts[start:]).strip(), "".join(parts[:start])[-24:]
    cites = level == "sup" and before[-1:] in (".", ",", ";", ":") and _REFERENCE_NUMBERS.fullmatch(text)
    parts[start:] = [f" [{text}]" if cites else joint(before, text, level) + text if text else ""]


def _inline_html(tag: str) -> str:
    """Nothing for a tag, a space for a line break; "a<b and c>d" is not a tag and stays."""
    name = _TAG.match(tag)
    if name is None or name[1].lower() not in _INLINE_TAGS:
        return tag if not tag.startswith("<!") else ""
    return " " if name[1].lower() == "br" else ""
