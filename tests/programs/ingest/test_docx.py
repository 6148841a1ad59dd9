"""DOCX becomes a document as the other formats do; what is not printed is no evidence, and bombs are refused."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from programs.errors import IngestError, NoText, UnsafeFile, UnsupportedFormat
from programs.ingest.formats import read
from tests.word_files import NAMESPACES, paragraph, run, table, write_docx

pytestmark = pytest.mark.needs("docx")

BOLD, HIGH = "<w:b/>", '<w:vertAlign w:val="superscript"/>'


def test_a_paper_of_word_has_title_authors_sections_tables_and_captions(tmp_path: Path) -> None:
    path = write_docx(
        tmp_path / "cold.docx",
        paragraph("Cold and yeast: a trial", style="Title"),
        paragraph("Ada Lovelace", run("1", HIGH), ", Alan Turing", run("2", HIGH)),
        paragraph("1 Department of Engines, University of London"),
        paragraph("Abstract", style="Heading1"),
        paragraph("Cells lived longer in the cold."),
        paragraph("Results", style="Heading1"),
        paragraph("There were 10", run("6", HIGH), " cells."),
        paragraph("Subgroups", style="Heading2"),
        paragraph("Table 1. Deaths by arm"),
        table(("Arm", "Deaths"), ("Drug", "12")),
        paragraph(run("Discussion", BOLD)),
        paragraph("So it seems."),
    )
    document = read(path)
    assert (document.id, document.title) == ("cold", "Cold and yeast: a trial")
    assert document.authors == ("Lovelace, Ada", "Turing, Alan")
    found = [(each.kind, each.level, each.heading, document.text[each.start : each.end]) for each in document.sections]
    assert found == [
        ("notice", 1, "", "1 Department of Engines, University of London"),
        ("abstract", 1, "Abstract", "Cells lived longer in the cold."),
        ("results", 1, "Results", "There were 10^6 cells."),
        ("results", 2, "Subgroups", "Table 1. Deaths by arm\n\n| Arm | Deaths |\n| Drug | 12 |"),
        ("discussion", 2, "Discussion", "So it seems."),
    ]
    assert [(figure.id, figure.caption) for figure in document.figures] == [("table1", "Deaths by arm")]


def test_a_title_without_a_style_is_told_by_the_authors_below_it(tmp_path: Path) -> None:
    path = write_docx(
        tmp_path / "plain.docx",
        paragraph("Cold and yeast in a long trial"),
        paragraph("Ada Lovelace and Alan Turing"),
        paragraph(run("Methods", BOLD)),
        paragraph("We cooled cells."),
    )
    document = read(path)
    assert (document.title, document.authors) == ("Cold and yeast in a long trial", ("Lovelace, Ada", "Turing, Alan"))
    assert [section.kind for section in document.sections if section.heading] == ["methods"]


def formula(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


def test_what_is_not_printed_is_no_evidence(tmp_path: Path) -> None:
    path = write_docx(
        tmp_path / "hidden.docx",
        paragraph("Seen. ", run("Hidden by itself. ", "<w:vanish/>"), run("By style. ", '<w:rStyle w:val="Ghost"/>')),
        paragraph(f"<w:del>{run('Deleted.')}</w:del>", f"<w:ins>{run('Inserted.')}</w:ins>"),
        paragraph(run("Shown again.", '<w:vanish w:val="0"/>')),
        paragraph("Said. ", run("Struck.", "<w:strike/>"), run("White.", '<w:color w:val="ffffff"/>')),
        paragraph("Seen. ", run("Tiny.", '<w:sz w:val="2"/>'), run("Red.", '<w:color w:val="FF0000"/>')),
    )
    assert read(path).text == "Seen.\n\nInserted.\n\nShown again.\n\nSaid.\n\nSeen. Red."


STYLES = (
    '<w:style w:type="character" w:styleId="High"><w:rPr><w:vertAlign w:val="superscript"/></w:rPr></w:style>'
    '<w:style w:type="character" w:styleId="Higher"><w:basedOn w:val="High"/></w:style>'
)
PRODUCT = '<m:nary><m:naryPr><m:chr m:val="∏"/></m:naryPr><m:sub>{}</m:sub><m:sup>{}</m:sup><m:e>{}</m:e></m:nary>'
CHOOSE = (
    '<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e><m:f><m:fPr><m:type m:val="noBar"/></m:fPr>'
    "<m:num>{}</m:num><m:den>{}</m:den></m:f></m:e></m:d>"
)
X1 = f"<m:e>{formula('x')}</m:e><m:sub>{formula('1')}</m:sub><m:sup>{formula('2')}</m:sup>"
MATHS = {
    f"<m:sSup><m:e>{formula('x')}</m:e><m:sup>{formula('2')}</m:sup></m:sSup>": "x^2",
    PRODUCT.format(formula("k=1"), formula("9"), formula("y")): "∏_(k = 1)^9 y",
    CHOOSE.format(formula("n"), formula("2")): "[n choose 2]",
    f"<m:sSubSup>{X1}</m:sSubSup>": "x_1^2",
    f"{formula('p=1')}</m:oMath><m:oMath>{formula('q=2')}": "p = 1; q = 2",
    f"{formula('p=1')}</m:oMath><w:proofErr/><m:oMath>{formula('q=2')}": "p = 1; q = 2",
}
RAISED = {
    '<w:rStyle w:val="High"/>': "10^6",
    '<w:rStyle w:val="Higher"/>': "10^6",
    '<w:position w:val="6"/>': "10^6",
    '<w:position w:val="1"/>': "106",
    '<w:rStyle w:val="High"/><w:vertAlign w:val="baseline"/>': "106",
}


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        *((f"<m:oMath>{maths}</m:oMath>", text) for maths, text in MATHS.items()),
        *((run("10") + run("6", properties), text) for properties, text in RAISED.items()),
    ],
)
def test_formulas_are_read_and_letters_raised_by_style_and_place(tmp_path: Path, parts: str, text: str) -> None:
    styles = f"<w:styles {NAMESPACES}>{STYLES}</w:styles>".encode()
    path = write_docx(tmp_path / "a.docx", paragraph(run("Take "), parts, run(" as is.")), stylesadded=styles)
    assert read(path).text == f"Take {text} as is."


def test_a_bomb_and_a_part_that_lies_about_its_size_are_refused(tmp_path: Path) -> None:
    path = write_docx(tmp_path / "bomb.docx", paragraph("Text."), footnotes=b" " * (129 * 2**20))
    assert path.stat().st_size < 2**20
    with pytest.raises(UnsafeFile, match="unpacks to 129 MiB"):
        read(path)
    data = bytearray(write_docx(path, paragraph("Text. " * 1000)).read_bytes())
    place = data.rfind(b"word/document.xml") - 46 + 24
    data[place : place + 4] = struct.pack("<I", 10)
    path.write_bytes(data)
    with pytest.raises(IngestError, match="damaged"):
        read(path)


ENTITIES = ("<!DOCTYPE x>", '<!DOCTYPE x [<!ENTITY a "A">]>', '<!DOCTYPE x [<!ENTITY a SYSTEM "file:/x">]>')
NESTED = "<w:tbl><w:tr><w:tc>" * 60 + paragraph("deep") + "</w:tc></w:tr></w:tbl>" * 60


def test_entities_tables_in_tables_without_end_and_no_text_are_refused(tmp_path: Path) -> None:
    for declared in ENTITIES:
        document = f"<?xml version='1.0'?>{declared}<w:document {NAMESPACES}><w:body>&a;</w:body></w:document>"
        with pytest.raises(UnsafeFile, match="its own document type"):
            read(write_docx(tmp_path / "a.docx", document=document))
    with pytest.raises(UnsafeFile, match="nest"):
        read(write_docx(tmp_path / "a.docx", NESTED))
    with pytest.raises(NoText):
        read(write_docx(tmp_path / "a.docx", paragraph(" ")))


@pytest.mark.parametrize(
    ("data", "error", "said"),
    [(b"\xd0\xcf\x11\xe0" + b"\0" * 99, UnsupportedFormat, "before 2007"), (b"PK\x03\x04 cut", IngestError, "damaged")],
)
def test_other_files_are_named(tmp_path: Path, data: bytes, error: type[IngestError], said: str) -> None:
    path = tmp_path / "other.docx"
    path.write_bytes(data)
    with pytest.raises(error, match=said):
        read(path)
