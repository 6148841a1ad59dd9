"""CSV and XLSX: what is in them, and that no text of a paper becomes a formula."""

from __future__ import annotations

import csv
import io

import pytest

from programs.evidence_table.columns import Column, ValueType
from programs.evidence_table.table import Cell, Table, TablePaper, TableRow
from programs.evidence_table.writing import as_csv, as_xlsx, cells, harmless, values

FORMULA = '=HYPERLINK("https://example.org","x")'
PROOF = {
    "sentence": "It fell by 12 mg [1].",
    "quote": "It fell by 12 mg.",
    "quotes": [{"quote": "It fell by 12 mg.", "places": [{"page": 4}]}],
    "section": "results",
    "start": 9,
    "end": 26,
    "passage": "P::1",
    "verdict": "supported",
    "score": 0.97,
    "judges": [{"by": "checker", "name": "c", "verdict": "supported"}],
    "check": "c",
}
RESULT = {"value": {"text": "12 mg", "number": 12.0, "unit": "mg"}, "citations": [PROOF], "passages": [], "notes": []}
EMPTY = {"value": None, "citations": [], "passages": [{"text": "@nearest"}], "notes": ["Not reported: why."]}
TABLE = Table(
    [Column("dose", "How much?", ValueType("number")), Column("+why", "Why?")],
    [TableRow(TablePaper("P", "0", FORMULA, 2020), [Cell("reported", "", RESULT), Cell("not reported", "", EMPTY)])],
)


def read(lines):
    return list(csv.reader(io.StringIO(as_csv(lines))))


def test_a_paper_a_line_and_the_sum_below():
    assert read(values(TABLE)) == [
        ["paper", "title", "year", "doi", "url", "dose", "'+why"],
        ["P", f"'{FORMULA}", "2020", "", "", "12 mg", "not reported"],
        ["all papers", "", "", "", "", "reported 1 of 1; 12 mg (1 paper)", "reported 0 of 1"],
    ]


def test_a_cell_a_line_with_its_quote_and_page():
    header, first, second = (read(cells(TABLE))[place] for place in range(3))
    told = dict(zip(header, first, strict=True))
    assert (told["value"], told["number"], told["unit"]) == ("12 mg", "12.0", "mg")
    assert (told["quote"], told["page"], told["start"], told["judged by"]) == ("It fell by 12 mg.", "4", "9", "c")
    missing = dict(zip(header, second, strict=True))
    assert (missing["nearest evidence"], missing["reason"]) == ("'@nearest", "Not reported: why.")


@pytest.mark.parametrize("text", ["=1+1", "+1 x", "-a", "@x", "\t=1", "\r=1", "＝1"])
def test_what_a_spreadsheet_would_calculate_begins_with_an_apostrophe(text):
    assert harmless(text) == f"'{text}"


@pytest.mark.parametrize("value", ["-12.4", "+3", "a=b", "", None, -3.5])
def test_what_is_harmless_stays(value):
    assert harmless(value) == value


@pytest.mark.needs("tables")
def test_the_workbook_has_values_cells_and_sums_and_no_formula():
    from openpyxl import load_workbook

    book = load_workbook(io.BytesIO(as_xlsx(TABLE)))
    assert book.sheetnames == ["Table", "Cells", "Summary", "Disagreements"]
    assert [each.value for each in book["Table"][2]] == ["P", f"'{FORMULA}", 2020, None, None, "12 mg", "not reported"]
    assert "f" not in {each.data_type for sheet in book for row in sheet.iter_rows() for each in row}


@pytest.mark.needs("tables")
def test_a_library_that_did_not_write_the_workbook_reads_the_same():
    calamine = pytest.importorskip("python_calamine", reason="another reader of XLSX, of the extra test-all")
    book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(as_xlsx(TABLE)))
    assert book.sheet_names == ["Table", "Cells", "Summary", "Disagreements"]
    assert book.get_sheet_by_name("Table").to_python()[1] == [
        "P",
        f"'{FORMULA}",
        2020.0,
        "",
        "",
        "12 mg",
        "not reported",
    ]
