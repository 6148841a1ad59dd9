r"""The text of a paragraph, caption, heading or cell, and the blocks that are inside it.

Marks that print shows by position would run into the words before them. They become:

    mice<sup><xref ref-type="bibr">12</xref></sup>    mice [12]
    10<sup>6</sup> cells                              10^6 cells
    kg/m<sup>2</sup>, CO<sub>2</sub>, Ca<sup>2+</sup>  kg/m2, CO2, Ca2+
    0.59<sup>a</sup>; <sup>a</sup>Fisher's test       0.59^a; a Fisher's test
    M<sub>post</sub>, dose<sub>i</sub>, T<sub>max</sub>  M_post, dose_i, Tmax

Formulas become TeX where the source has it, else MathML in one line:

    <tex-math>\begin{document}$$E = mc^2$$\end{document}</tex-math>   E = mc^2
    <mfrac><mi>a</mi><mn>2</mn></mfrac>                               a/2
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from programs.ingest.decoding import Element, child, children, descendants, entity_text, name, raw_text
from programs.ingest.document import table_row
from programs.ingest.text_repair import Level, joint, marks_note

_ENDS_OPEN = re.compile(r"[\w)\]%’”\"]$")


def list_text(element: Element, indent: str = "") -> str:
    """One line per item, with "- " or its own label or number before it; nested lists are indented."""
    lines = []
    for number, each in enumerate(children(element), start=1):
        if name(each) == "list":
            lines.append(list_text(each, indent + "  "))
        elif name(each) == "list-item":
            bullet = line_of(each, "label") or (f"{number}." if element.get("list-type") == "order" else "-")
            texts, lists = [bullet], []
            for inner in children(each):
                for part in read_paragraph(inner).parts if name(inner) == "p" else [inner]:
                    if isinstance(part, str):
                        texts.append(part)
                    elif name(part) == "list":
                        lists.append(list_text(part, indent + "  "))
                    elif name(part) != "label":
                        texts.append(inline_text(part))
            lines += [indent + " ".join(texts).rstrip(), *lists]
        else:
            lines.append(f"{indent}{inline_text(each)}")
    return "\n".join(lines)


def definitions_text(element: Element) -> str:
    """One line per term: "CI: confidence interval"; nested lists are flattened."""
    lines = []
    for each in children(element):
        if name(each) == "def-item":
            term, definition = (" ".join(map(inline_text, children(each, part))) for part in ("term", "def"))
            lines.append(": ".join(filter(None, (term.rstrip(": "), definition))))
        else:
            lines.append(definitions_text(each) if name(each) == "def-list" else inline_text(each))
    return "\n".join(lines)


def caption_text(element: Element) -> str:
    """The caption's title and paragraphs as one paragraph; the title gets a full stop if it has none."""
    parts = [inline_text(each) for caption in children(element, "caption") for each in children(caption)]
    return sentences_joined(part for part in parts if part)


def sentences_joined(parts: Iterable[str]) -> str:
    """The parts in one line, each ended before the next starts."""
    text = ""
    for part in parts:
        text = f"{text}. {part}" if _ENDS_OPEN.search(text) else f"{text} {part}".strip()
    return text


def line_of(element: Element | None, part: str) -> str:
    """The text of a child such as ``label``, or of what is at a path of names; empty if there is none."""
    found = child(element, part)
    return "" if found is None else read_paragraph(found).text


# HTML's own limit for colspan (https://html.spec.whatwg.org/multipage/tables.html); wider ones are mistakes or attacks.
_MAX_SPAN = 1000
_MAX_COLUMNS = 1000


def table_text(table: Element) -> str:
    """One line for each row that has text; empty for a table without any."""
    below: dict[int, int] = {}  # column → rows further down that a cell above it covers
    lines = []
    for row in _rows(table):
        cells: list[str] = []
        for cell in (*children(row, "td", "th"), None):
            while below.get(len(cells), 0) > 0:
                below[len(cells)] -= 1
                cells.append("")
            if cell is None:
                break
            columns, rows = _span(cell, "colspan"), _span(cell, "rowspan")
            for offset in range(min(columns, _MAX_COLUMNS - len(cells))):
                if rows > 1:
                    below[len(cells)] = rows - 1
                cells.append("" if offset else inline_text(cell))
        if any(cells):
            lines.append(table_row(cells))
    return "\n".join(lines)


def _rows(table: Element) -> Iterator[Element]:
    """The table's own rows, not those of a table inside a cell."""
    for part in children(table, "thead", "tbody", "tfoot", "tr", "table"):
        if name(part) == "tr":
            yield part
        else:
            yield from _rows(part)


def _span(cell: Element, attribute: str) -> int:
    value = cell.get(attribute, "1").strip()
    return max(1, min(int(value), _MAX_SPAN)) if value.isdecimal() else 1


_TEX_BODY = re.compile(r"\\begin\{document\}(.*?)(?:\\end\{document\}|$)", re.DOTALL)
_SIMPLE = re.compile(r"\w*|[^\w\s]?|\w+\.\w+")
_IMAGES = ("graphic", "inline-graphic", "media")
_PREFERRED = {"tex-math": 0, "math": 1}
_LARGE = re.compile("[∏-∑∫-∳⋀-⋃⨀-⨿]|(?:arg )?(?:lim|max|min|sup|inf)")
_OPERATORS = re.compile(r"\s*([=<>≤≥≈≠±×→∼])\s*")


def formula_text(element: Element) -> str:
    """The formula inside an element in its most exact form, TeX before MathML; empty when it is only an image."""
    tag = name(element)
    if not tag:
        return entity_text(element)
    if tag in _IMAGES:
        return ""
    if tag == "tex-math":
        body = _TEX_BODY.search(source := raw_text(element))
        return " ".join((body[1] if body else source).split()).strip("$ ")
    if tag == "math":
        return spaced(_row(element))
    if tag == "alternatives":
        best_first = sorted(children(element), key=lambda each: _PREFERRED.get(name(each), 2))
        return next(filter(None, map(formula_text, best_first)), "")
    texts = [element.text, *(text for each in element for text in (formula_text(each), each.tail))]
    return " ".join(" ".join(text for text in texts if text).split())


def spaced(formula: str) -> str:
    """A formula in one line, with spaces around what compares its sides; "1 1/2" is no 11 halves."""
    return " ".join(_OPERATORS.sub(r" \1 ", _MIXED.sub(" ", formula).replace(_FRACTION, "")).split())


def parted(before: str, formula: str) -> str:
    """A formula behind a text; a number before it does not run into its fraction."""
    return f" {formula}" if before[-1:].isdigit() and _FRACTION_FIRST.match(formula) else formula


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
    arity, written = SHAPES.get(tag, (0, grouped))
    if tag == "mfrac" and element.get("linethickness", "").startswith("0"):
        written = SHAPES["choose"][1]
    inside = list(children(element))
    return written(*map(_math, inside)) if arity and len(inside) == arity else _row(element)


def grouped(text: str) -> str:
    """The text, in parentheses unless it is one symbol or number."""
    return text if _SIMPLE.fullmatch(text) or (text.startswith("(") and text.endswith(")")) else f"({text})"


def _limits(sign: str, below: str, above: str) -> str:
    """A sign with what is below and above it, and apart from what follows a sum or an integral."""
    parts = [sign, f"_{grouped(below)}" if below else "", f"^{grouped(above)}" if above else ""]
    return f"{''.join(parts)}{' ' if _LARGE.fullmatch(sign) else ''}"


_FRACTION = "\x03"
"""Before a fraction, until its formula is whole; no XML holds it."""
_FRACTION_FIRST = re.compile(r"\d+/\d")
_MIXED = re.compile(rf"(?<=\d){_FRACTION}(?=\d)")

# Elements of MathML whose children are above, below or beside each other: their number, and how they are written.
# Word's formulas and TeX are written by the same.
SHAPES: Final[Mapping[str, tuple[int, Callable[..., str]]]] = {
    "mfrac": (2, lambda over, under: f"{_FRACTION}{grouped(over)}/{grouped(under)}"),
    "choose": (2, lambda over, under: f"{over} choose {under}"),
    "msup": (2, lambda base, above: _limits(base, "", above)),
    "msub": (2, lambda base, below: _limits(base, below, "")),
    "msubsup": (3, _limits),
    "munder": (2, lambda base, below: _limits(base, below, "")),
    "mover": (2, lambda base, above: f"{base}{above}" if len(above) == 1 else f"{base}^{grouped(above)}"),
    "munderover": (3, _limits),
    "msqrt": (1, lambda inside: f"√{grouped(inside)}"),
    "mroot": (2, lambda inside, degree: f"{grouped(inside)}^(1/{degree})"),
}


# Not part of the sentence that they are anchored in; they are set after its paragraph.
_FLOATS: Final = frozenset(
    ["fig", "fig-group", "table-wrap", "table-wrap-group", "boxed-text", "supplementary-material", "media", "fn"]
)
# Displayed blocks, which divide the paragraph that they are in.
_DISPLAYED: Final = frozenset(
    """list def-list disp-quote disp-formula disp-formula-group code preformat verse-group speech statement
    array""".split()  # noqa: SIM905
)
# What is not printed, or printed elsewhere.
_UNPRINTED: Final = frozenset(
    ["alt-text", "long-desc", "object-id", "graphic", "inline-graphic", "permissions", "processing-meta"]
)
HTML_BLOCKS: Final = frozenset(
    """h1 h2 h3 h4 h5 h6 ul ol html body div section article main header hgroup center fieldset details summary address
    dd dt li p table pre blockquote dl figure hr""".split()  # noqa: SIM905
)
"""Elements of HTML that begin and end lines."""
# Elements that are printed apart from what is before them.
_BLOCKS: Final = HTML_BLOCKS | frozenset(
    """break p title list list-item def-list def-item term def disp-formula disp-quote td th tr label attrib
    verse-line code preformat array hr string-name""".split()  # noqa: SIM905
)
_FORMULAS: Final = frozenset(["math", "tex-math", "alternatives", "disp-formula", "inline-formula", "chem-struct"])

# Private characters around a citation printed as a superscript; neighbours are merged into one bracket at the end.
_OPEN, _CLOSE = "\ue000", "\ue001"
_BETWEEN_CITATIONS = re.compile(rf"{_CLOSE}(\s*[,;–—−-]?\s*){_OPEN}")
_CITATION = re.compile(rf"(\w|)\s*{_OPEN}\s*([^{_CLOSE}]*?)\s*{_CLOSE}")
# Characters before and after a raised text that decide how it is joined.
FEW = 24


class Paragraph:
    """What an element holds.

    Attributes:
        parts: Its text, divided at displayed blocks: strings and elements in reading order.
        floats: Figures, tables, boxes and footnotes anchored in it, in order.
    """

    def __init__(self, element: Element, *, apart: bool) -> None:
        """Read an element; blocks and floats are set apart, or written as part of its text."""
        self.parts: list[str | Element] = []
        self.floats: list[Element] = []
        self._pieces: list[str] = []
        self._sets_apart = apart
        self._write(element)
        self._end_part()

    @property
    def text(self) -> str:
        """The text without blocks and floats that are set apart."""
        return " ".join(part for part in self.parts if isinstance(part, str))

    def _write(self, element: Element) -> None:
        """Add the content of an element, without what follows it."""
        self._add(element.text)
        for each in element:
            self._write_child(each)
            self._add(each.tail)

    def _end_part(self) -> None:
        if text := " ".join(_bracketed("".join(self._pieces)).split()):
            self.parts.append(text)
        self._pieces.clear()

    def _write_child(self, element: Element) -> None:
        tag = name(element)
        if not tag:
            self._add(entity_text(element))
        elif tag in _UNPRINTED:
            return
        elif tag in _FLOATS and self._sets_apart:
            self.floats.append(element)
        elif tag in _DISPLAYED and self._sets_apart and has_text(element):
            self._end_part()
            self.parts.append(element)
        elif tag in _FORMULAS:
            self._add(parted("".join(self._pieces[-1:]), formula_text(element)))
        elif tag in ("sup", "sub"):
            self._write_raised(element, "sup" if tag == "sup" else "sub")
        elif tag == "xref":
            self._write_reference(element)
        elif tag == "given-names" and self._before()[-1:].isalpha():
            self._add(" ")  # "<surname>Coleman</surname><given-names>AL</given-names>"
            self._write(element)
        else:
            space = " " if tag in _BLOCKS or tag in _FLOATS else ""
            self._add(space)
            self._write(element)
            self._add(space)

    def _write_raised(self, element: Element, tag: Level) -> None:
        """A superscript or subscript: a citation, an exponent, a charge, a mark."""
        text = inline_text(element)
        cites = any(each.get("ref-type") == "bibr" for each in (element, *descendants(element, "xref")))
        if tag == "sup" and cites and not text.startswith(("[", "(")):
            bare = re.sub(r"\s*\[([^\]]*)\]", r"\1", text)  # its citations may be bracketed already
            self._add(f"{_OPEN}{bare}{_CLOSE}")
        elif text:
            before = self._before()
            self._add(joint(before, text, tag) + text)
            if tag == "sup" and not before[-1:].isalnum() and marks_note(text, _following(element)):
                self._add(" ")
        if raw_text(element)[-1:].isspace():  # the word space may be inside: "12<sup>a </sup>and"
            self._add(" ")

    def _write_reference(self, element: Element) -> None:
        """A pointer to a reference, figure or note; set apart where print relies on its position or style."""
        before, kind = self._before(), element.get("ref-type")
        raised = any(True for _ in children(element, "sup"))
        if kind == "bibr" and (raised or (before[-1:].isalpha() and _starts_with_digit(element))):
            text = raw_text(element).strip()
            self._add(f"{_OPEN}{text}{_CLOSE}" if before[-1:] not in ("[", "(") else text)
            return
        if kind in ("fig", "table") and (before[-1:].isalpha() or before.endswith(".")) and _starts_with_digit(element):
            self._add(" ")
        self._write(element)

    def _before(self) -> str:
        return "".join(self._pieces[-4:])[-FEW:]

    def _add(self, text: str | None) -> None:
        if text:
            self._pieces.append(text)


def read_paragraph(element: Element) -> Paragraph:
    """The element's text with its blocks and floats apart."""
    return Paragraph(element, apart=True)


def inline_text(element: Element) -> str:
    """All text inside an element, blocks and floats included, in one line."""
    return Paragraph(element, apart=False).text


def has_text(element: Element) -> bool:
    """Whether there is anything to read inside an element."""
    return any(text.strip() for text in element.itertext())


def _following(element: Element) -> str:
    text = element.tail or ""
    for each in element.itersiblings():
        if len(text) >= FEW:
            break
        text += raw_text(each) + (each.tail or "")
    return text[:FEW]


def _starts_with_digit(element: Element) -> bool:
    return raw_text(element).strip()[:1].isdigit()


def _bracketed(text: str) -> str:
    if _OPEN not in text:
        return text
    merged = _BETWEEN_CITATIONS.sub(lambda found: found[1] or ",", text)
    return _CITATION.sub(lambda found: f"{found[1]} [{found[2]}]" if found[1] else f"[{found[2]}]", merged)
