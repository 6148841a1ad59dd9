"""Reads DOCX, the files of Word and of what writes like it: headings by style, tables, captions, notes, lists.

``mammoth`` makes HTML of the styles; ``programs.ingest.html`` reads that. Before it sees a file, its parts are checked
and rewritten without what is not printed: hidden and deleted text, pictures, and whatever else is not words.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile, ZipFile, ZipInfo

from lxml import etree

from programs.errors import EmptyFile, IngestError, UnsafeFile, UnsupportedFormat
from programs.extras import lacking
from programs.ingest.decoding import Element, child, children, name, raw_text, read_bytes
from programs.ingest.document import Document, Front
from programs.ingest.html import document_of_paper, parse_text, shown_paper
from programs.ingest.jats.inline import SHAPES, spaced

# How the parts of a formula are written, by the names of MathML's elements for them.
_SHAPED: Final[Mapping[str, tuple[str, Sequence[str]]]] = {
    "f": ("mfrac", ("num", "den")),
    "sSup": ("msup", ("e", "sup")),
    "sSub": ("msub", ("e", "sub")),
    "sSubSup": ("msubsup", ("e", "sub", "sup")),
    "limLow": ("munder", ("e", "lim")),
    "limUpp": ("mover", ("e", "lim")),
}


def formula_text(element: Element) -> str:
    """The text of an ``oMath`` element or of a part of one."""
    tag = name(element)
    if tag == "t":
        return raw_text(element)
    if tag in _SHAPED:
        shape, parts = _SHAPED[tag]
        if _stated(element, "type") == "noBar":
            shape = "choose"
        return SHAPES[shape][1](*(_part(element, part) for part in parts))
    if tag == "nary":
        sign = _stated(element, "chr", "∫")
        return SHAPES["munderover"][1](sign, _part(element, "sub"), _part(element, "sup")) + _part(element, "e")
    if tag == "rad":
        degree = _part(element, "deg")
        return SHAPES["mroot" if degree else "msqrt"][1](_part(element, "e"), *filter(None, [degree]))
    if tag in ("acc", "bar"):
        return f"{_part(element, 'e')}{_stated(element, 'chr', _ACCENTS[tag])}"
    if tag == "d":
        inside = _stated(element, "sepChr", "|").join(map(formula_text, children(element, "e")))
        return f"{_stated(element, 'begChr', '(')}{inside}{_stated(element, 'endChr', ')')}"
    parts_of = (formula_text(each) for each in children(element) if not name(each).endswith("Pr"))
    return {"m": "; ", "eqArr": "; ", "mr": ", ", "func": " "}.get(tag, "").join(parts_of)


_ACCENTS: Final = {"acc": "\N{COMBINING CIRCUMFLEX ACCENT}", "bar": "\N{COMBINING MACRON}"}


def _part(element: Element, tag: str) -> str:
    found = child(element, tag)
    return "" if found is None else formula_text(found)


def _stated(element: Element, tag: str, default: str = "") -> str:
    """What the properties of a part of a formula say, which may be nothing; the default where they are silent."""
    found = child(element, f"{name(element)}Pr/{tag}")
    return default if found is None else found.get(f"{_M}val", "")


_MAIN: Final = "word/document.xml"
# What mammoth reads. Pictures, fonts, macros and comments are dropped.
_PARTS = re.compile(r"\[Content_Types\]\.xml|(?:.*/)?_rels/[^/]+\.rels|[^/]+/(?:[\w-]+)\.xml")
_MOST_PARTS = 5000
_MOST_BYTES = 128 * 2**20
"""Of all parts that are read, unpacked: a thesis of 500 pages has 10 MB of them."""
_MOST_ELEMENTS = 3_000_000
_MAX_DEPTH = 100
_MOST_BASES = 10
_RAISED = 4
"""Half points above or below the line."""
_OLD_WORD = b"\xd0\xcf\x11\xe0"
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
# A switch of a run is on where it is there, and not set to "0" or "false".
_ON = "[not(contains('|0|false|off|none|', concat('|', @w:val, '|')))]"
_HIDDEN_STYLES = f"//w:style[w:rPr/w:vanish{_ON}]/@w:styleId"
# White letters are seen on a coloured cell alone; sizes are in half points.
_WHITE = "translate(w:color/@w:val, 'f', 'F')='FFFFFF' and not(w:shd or w:highlight or ancestor::w:tc)"
_UNSEEN = f"w:vanish{_ON} or w:webHidden{_ON} or w:strike{_ON} or w:dstrike{_ON} or w:sz/@w:val<5 or {_WHITE}"
_UNPRINTED = f"//w:del | //w:moveFrom | //w:r[w:rPr[{_UNSEEN}]]"
_STYLES = """
p[style-name='Title'] => h1.title:fresh
p[style-name='Subtitle'] => p:fresh
p[style-name='Author'] => p:fresh
p[style-name='Abstract Title'] => h2:fresh
p[style-name='Abstract title'] => h2:fresh
p[style-name^='toc '] => nav > p:fresh
p[style-name='header'] => nav > p:fresh
p[style-name='footer'] => nav > p:fresh
p[style-name='Source Code'] => pre:separator('\\n')
"""


def read(path: str | Path) -> Document:
    """Read a DOCX file; errors are of the classes that ``formats.read`` names."""
    path = Path(path)
    parts = _clean(path)
    if missing := lacking("docx"):
        reason = f"reading DOCX needs {' and '.join(missing)}, not installed here"
        raise IngestError(path, reason, "add it with: pip install 'corroborate-papers[docx]'")
    from mammoth import convert_to_html

    try:
        converted = convert_to_html(
            io.BytesIO(parts),
            style_map=_STYLES,
            include_embedded_style_map=False,
            external_file_access=False,
            convert_image=lambda image: [],
        )
    except RecursionError as error:
        raise _unsafe(path, "its tables or lists nest too deeply") from error
    page = shown_paper(parse_text(path, f"<html><body>{converted.value}</body></html>"))
    return document_of_paper(path, page, Front(), is_page=False)


def _clean(path: Path) -> bytes:
    """The file repacked with only its text parts, checked and without what is not printed."""
    data = read_bytes(path)
    if not data:
        raise EmptyFile(path, "empty (0 bytes)", "check the download or remove the file")
    if data.startswith(_OLD_WORD):
        reason = "an encrypted file, or one written by Word before 2007"
        raise UnsupportedFormat(path, reason, "open it in Word or LibreOffice and save it as .docx without a password")
    written = io.BytesIO()
    try:
        with ZipFile(io.BytesIO(data)) as packed, ZipFile(written, "w") as kept:
            parts = _parts(path, packed)
            roots = {part.filename: _parsed(path, part.filename, packed.read(part)) for part in parts}
            hidden = {each for root in roots.values() for each in _found(root, _HIDDEN_STYLES)}
            levels = _levels(roots.values())
            for name, root in roots.items():
                _raise(root, levels)
                _strip(root, hidden)
                kept.writestr(name, etree.tostring(root, encoding="UTF-8", xml_declaration=True))
    except (BadZipFile, NotImplementedError, EOFError, OSError) as error:
        raise IngestError(path, f"damaged, or not a DOCX file ({error})", "save it again") from error
    return written.getvalue()


def _parts(path: Path, packed: ZipFile) -> list[ZipInfo]:
    entries = packed.infolist()
    if len(entries) > _MOST_PARTS:
        raise _unsafe(path, f"it has more than {_MOST_PARTS} parts")
    parts = list({each.filename: each for each in entries if _PARTS.fullmatch(each.filename)}.values())
    if not any(part.filename == _MAIN or part.filename.startswith("word/document") for part in parts):
        raise UnsupportedFormat(path, "a ZIP file without a Word document in it", "give the file its right ending")
    if any(part.flag_bits & 1 for part in parts):
        raise UnsupportedFormat(path, "an encrypted ZIP file", "save it without a password")
    if (size := sum(part.file_size for part in parts)) > _MOST_BYTES:
        raise _unsafe(path, f"its text unpacks to {size / 2**20:.0f} MiB, more than {_MOST_BYTES // 2**20}")
    return parts


def _parsed(path: Path, name: str, data: bytes) -> Element:
    """The root of one part; what declares entities, or is too deep or too large, is refused while it is read."""
    if b"<!DOCTYPE" in (head := data.replace(b"\0", b"")[:65536]) or b"<!ENTITY" in head:
        raise _unsafe(path, f"its part {name} declares its own document type")
    parser = etree.XMLPullParser(
        ("start", "end"), resolve_entities=False, load_dtd=False, no_network=True, huge_tree=False, remove_comments=True
    )
    depth = elements = 0
    try:
        for start in range(0, len(data), 2**16):
            parser.feed(data[start : start + 2**16])
            for event, _ in parser.read_events():
                depth += 1 if event == "start" else -1
                elements += event == "start"
                if depth > _MAX_DEPTH:
                    raise _unsafe(path, f"the elements of its part {name} nest more than {_MAX_DEPTH} deep")
            if elements > _MOST_ELEMENTS:
                raise _unsafe(path, f"its part {name} has more than {_MOST_ELEMENTS:,} elements")
        return parser.close()
    except etree.XMLSyntaxError as error:
        raise IngestError(path, f"its part {name} is not well-formed XML ({error.msg})", "save it again") from error


def _levels(roots: Iterable[Element]) -> dict[str, str]:
    """The styles that raise or lower letters, themselves or by the style that they are based on."""
    styles = {style.get(f"{_W}styleId", ""): style for root in roots for style in _found(root, "//w:style")}

    def level(name: str, most: int = _MOST_BASES) -> str:
        style = styles.get(name)
        if style is None or not most:
            return ""
        own, bases = _found(style, "w:rPr/w:vertAlign/@w:val"), _found(style, "w:basedOn/@w:val")
        return str(own[0]) if own else level(bases[0], most - 1) if bases else ""

    return {name: found for name in styles if (found := level(name))}


def _raise(root: Element, levels: Mapping[str, str]) -> None:
    """Say at each run what its style or its place above or below the line means."""
    for stated in _found(root, "//w:r/w:rPr[not(w:vertAlign)][w:rStyle or w:position]"):
        style, place = _found(stated, "w:rStyle/@w:val"), _found(stated, "number(w:position/@w:val)")
        moved = "superscript" if place >= _RAISED else "subscript" if place <= -_RAISED else ""
        if said := levels.get(style[0], moved) if style else moved:
            etree.SubElement(stated, f"{_W}vertAlign", {f"{_W}val": said})


def _strip(root: Element, hidden: Set[str]) -> None:
    """Take out deleted, moved and hidden text; formulas become their text."""
    for formula in list(root.iter(f"{_M}oMath")):
        run = etree.Element(f"{_W}r")
        text = spaced(formula_text(formula))
        etree.SubElement(run, f"{_W}t").text = f"{text}; " if _is_followed(formula) else text
        if (parent := formula.getparent()) is not None:
            parent.replace(formula, run)
    for paragraph in list(root.iter(f"{_M}oMathPara")):
        if (parent := paragraph.getparent()) is not None:
            at = parent.index(paragraph)
            parent[at : at + 1] = [each for each in paragraph if each.tag == f"{_W}r"]
    styles = _found(root, "//w:r/w:rPr/w:rStyle/@w:val | //w:p/w:pPr/w:pStyle/@w:val")
    styled = [each.getparent().getparent().getparent() for each in styles if each in hidden]
    for element in [*_found(root, _UNPRINTED), *styled]:
        if (parent := element.getparent()) is not None:
            parent.remove(element)


def _is_followed(formula: Element) -> bool:
    """Whether another formula follows without a word between them."""
    parent = formula.getparent()
    beside = (each for each in formula.itersiblings() if name(each).startswith("oMath") or raw_text(each))
    following = next(beside, None)
    if following is None and parent is not None and name(parent) == "oMathPara":
        return _is_followed(parent)
    return following is not None and name(following).startswith("oMath")


def _found(root: Element, path: str) -> Any:  # noqa: ANN401 - as the path says
    return root.xpath(path, namespaces={"w": _W.strip("{}")})


def _unsafe(path: Path, reason: str) -> UnsafeFile:
    return UnsafeFile(path, reason, "save it as PDF, or give the paper in parts")
