"""Writes DOCX files by hand: a ZIP of a document's XML, so that tests can also make what no word processor would."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

NAMESPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
)
_TYPES = """<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/>
<Override PartName="/word/document.xml"
 ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"""
_RELATIONS = """<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="r1" Target="word/document.xml"
 Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/></Relationships>"""
_STYLES = f"""<w:styles {NAMESPACES}>
<w:style w:type="paragraph" w:styleId="Title"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style>
<w:style w:type="paragraph" w:styleId="Heading2"><w:name w:val="heading 2"/></w:style>
<w:style w:type="character" w:styleId="Ghost"><w:name w:val="Ghost"/><w:rPr><w:vanish/></w:rPr></w:style>
</w:styles>"""


def run(text: str, properties: str = "") -> str:
    """A run of text with its properties, such as ``<w:vanish/>``."""
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(*runs: str, style: str = "") -> str:
    """A paragraph of runs, or of plain texts."""
    inner = "".join(each if each.startswith("<") else run(each) for each in runs)
    return f"<w:p><w:pPr>{f'<w:pStyle w:val={chr(34)}{style}{chr(34)}/>' if style else ''}</w:pPr>{inner}</w:p>"


def table(*rows: tuple[str, ...]) -> str:
    """A table of texts."""
    cells = ("".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) for row in rows)
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


def write_docx(path: Path, *blocks: str, document: str | None = None, **parts: bytes) -> Path:
    """A DOCX file of blocks, or of a whole ``document`` part; ``parts`` are added under ``word/`` as ``NAME.xml``."""
    body = f'<?xml version="1.0"?><w:document {NAMESPACES}><w:body>{"".join(blocks)}</w:body></w:document>'
    with ZipFile(path, "w", ZIP_DEFLATED) as packed:
        packed.writestr("[Content_Types].xml", _TYPES)
        packed.writestr("_rels/.rels", _RELATIONS)
        packed.writestr("word/styles.xml", _STYLES)
        packed.writestr("word/document.xml", document or body)
        for name, data in parts.items():
            packed.writestr(f"word/{name}.xml", data)
    return path
