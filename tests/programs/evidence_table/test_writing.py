"""The page of a table: safe with hostile papers, and used in a browser by keys alone."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace

import pytest

from programs.evidence_table.cell_values import ValueType
from programs.evidence_table.columns import Column
from programs.evidence_table.table import Cell, Table, TablePaper, TableRow
from programs.evidence_table.table_export import as_html, as_markdown_table, as_xlsx, cells, values
from programs.results.exports import as_csv, harmless

OPEN = "[popover]:popover-open"
HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=alert(1)>"
TEXT = "\U0001f9b4 Before. Density fell by 12 mg. After."


def reported(text, number=None, unit="", label=""):
    start = TEXT.index("Density")
    proof = {
        "sentence": "Density fell by 12 mg [1].",
        "quote": "Density fell by 12 mg.",
        "quotes": [{"passage": "P::1", "quote": "Density fell by 12 mg.", "start": 100 + start, "end": 122 + start}],
        "section": "results",
        "start": 100 + start,
        "end": 122 + start,
        "passage": "P::1",
        "verdict": "supported",
        "score": 0.97,
        "judges": [{"by": "checker", "name": "c", "verdict": "supported"}],
        "check": "checker/1",
    }
    passage = {"id": "P::1", "section": "results", "heading": "Bone", "text": TEXT, "start": 100}
    value = {"text": text, "number": number, "unit": unit}
    return Cell("reported", "", {"value": value, "citations": [proof], "passages": [passage], "notes": []})


NEAREST = {"id": "Q::1", "section": "methods", "heading": "", "text": HOSTILE, "start": 0}
WHY = "Not reported: the passages do not report it."
SILENT = Cell("not reported", "", {"value": None, "citations": [], "passages": [NEAREST], "notes": [WHY]})
TABLE = Table(
    [Column("dose", "How much?", ValueType("number")), Column("effect", "Which way?", ValueType("direction"))],
    [
        TableRow(TablePaper("P", "0", "Bones of mice", 2014), [reported("12 mg", 12.0, "mg"), reported("decreased")]),
        TableRow(TablePaper("Q", "0", HOSTILE, 2020), [SILENT, Cell("failed", "LMTimeout: no answer")]),
        TableRow(TablePaper("R", "0", "Aging yeast | worms"), [reported("9 mg", 9.0, "mg"), reported("increased")]),
    ],
    notes=["1 cells failed."],
)


def test_no_text_of_a_paper_becomes_markup():
    page = as_html(TABLE)
    assert "<img" not in page
    assert len(re.findall(r"<script", page)) == 1
    assert "&lt;/script&gt;&lt;script&gt;document.title" in page
    assert not re.search(r"(?:src|href)=\"(?!#)", page)


def test_markdown_holds_values_and_their_quotes():
    text = as_markdown_table(TABLE)
    assert "| Bones of mice (P) | 12 mg (1) | decreased (2) |" in text
    assert r"Aging yeast \| worms" in text
    assert "1. P, results: “Density fell by 12 mg.”" in text
    assert "<img" not in text.replace(r"\<img", "")


@pytest.fixture(scope="module")
def browser():
    from tests.browser import launched

    with launched() as opened:
        yield opened


@pytest.fixture
def page(browser, tmp_path):
    (tmp_path / "table.html").write_text(as_html(TABLE), encoding="utf-8")
    opened = browser.new_page(viewport={"width": 1280, "height": 860})
    problems = []
    opened.on("console", lambda message: problems.append(message.text))
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("request", lambda sent: None if sent.url.startswith("file:") else problems.append(sent.url))
    opened.goto((tmp_path / "table.html").as_uri())
    yield opened
    assert problems == []
    opened.close()


def shown(page):
    return [each.split("\n")[0] for each in page.locator("tbody tr:visible th").all_inner_texts()]


def test_a_copy_is_quoted_and_has_no_score_or_judge():
    copied = reported("12 mg", 12.0, "mg")
    copied.certificate["sentence"] = "“Density fell by 12 mg” [1]."
    table = Table([Column("dose", "How much?", ValueType("number"))], [TableRow(TablePaper("P", "0"), [copied])])
    line = next(csv.DictReader(io.StringIO(as_csv(cells(table)))))
    assert (line["verdict"], line["probability"], line["judged by"]) == ("quoted", "", "")
    for lm, said in (("extractive", "quoted from"), ("ollama/x", "proved by a passage of")):
        page = as_html(replace(table, lm=lm))
        assert f"1 cells are {said} their paper" in page
        assert "<dt>Verdict</dt><dd>quoted</dd>" in page
        assert "0.97" not in page


@pytest.mark.needs("test-all")
def test_keys_alone_open_a_cell_at_its_quote(page):
    page.locator(".cell").first.focus()
    page.keyboard.press("Enter")
    assert page.locator(f"{OPEN} mark").inner_text() == "Density fell by 12 mg."
    assert page.locator(f"{OPEN} h2").inner_text() == "How much?"
    page.keyboard.press("Escape")
    assert page.locator(OPEN).count() == 0
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert "the passages do not report it" in page.locator(f"{OPEN} .evidence").inner_text()
    assert page.locator(f"{OPEN} blockquote").inner_text() == HOSTILE
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert "LMTimeout" in page.locator(f"{OPEN} .evidence").inner_text()
    assert page.title() == "Evidence table: 3 papers × 2 questions"


@pytest.mark.needs("test-all")
def test_rows_are_sorted_by_value_and_those_without_come_last_and_filtered_by_words_and_column(page):
    sorter = page.locator(".sorter", has_text="dose")
    sorter.click()
    assert [each[:5] for each in shown(page)] == ["Aging", "Bones", "</scr"]
    assert page.locator("th", has=sorter).get_attribute("aria-sort") == "ascending"
    sorter.click()
    assert [each[:5] for each in shown(page)] == ["Bones", "Aging", "</scr"]
    page.locator("#sort").select_option("paper")
    assert shown(page)[-1] == "Bones of mice"
    page.locator("#search").fill("mice DECREASED")
    assert shown(page) == ["Bones of mice"]
    assert page.locator("#shown").inner_text() == "1 of 3 papers"
    page.locator("#search").fill("")
    page.locator("summary").click()
    page.locator('select[data-column="1"]').select_option("=increased")
    assert [each[:5] for each in shown(page)] == ["Aging"]


@pytest.mark.needs("test-all")
def test_a_phone_shows_a_card_a_paper_and_scrolls_nothing_sideways(page):
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.locator(".cell").first.click()
    assert page.locator(f"{OPEN} mark").is_visible()


# CSV and XLSX: what is in them, and that no text of a paper becomes a formula.

FORMULA = '=HYPERLINK("https://example.org","x")'
QUOTED = reported("12 mg", 12.0, "mg")
QUOTED.certificate["quotes"][0]["places"] = [{"page": 4}]
EMPTY = {"value": None, "citations": [], "passages": [{"text": "@nearest"}], "notes": ["Not reported: why."]}
HOSTILE_TABLE = Table(
    [Column("dose", "How much?", ValueType("number")), Column("+why", "Why?")],
    [TableRow(TablePaper("P", "0", FORMULA, 2020), [QUOTED, Cell("not reported", "", EMPTY)])],
)


def read(lines):
    return list(csv.reader(io.StringIO(as_csv(lines))))


def test_a_paper_a_line_and_the_sum_below():
    assert read(values(HOSTILE_TABLE)) == [
        ["paper", "key", "title", "authors", "year", "journal", "doi", "url", "dose", "'+why"],
        ["P", "P", f"'{FORMULA}", "", "2020", "", "", "", "12 mg", "not reported"],
        ["all papers", "", "", "", "", "", "", "", "reported 1 of 1; 12 mg (1 paper)", "reported 0 of 1"],
    ]


def test_a_cell_a_line_with_its_quote_and_page():
    header, *lines = read(cells(HOSTILE_TABLE))
    first, second = (dict(zip(header, line, strict=True)) for line in lines)
    names = ("value", "number", "unit", "quote", "page", "start", "judged by")
    start = str(100 + TEXT.index("Density"))
    assert [first[name] for name in names] == ["12 mg", "12.0", "mg", "Density fell by 12 mg.", "4", start, "checker/1"]
    assert (second["nearest evidence"], second["reason"]) == ("'@nearest", "Not reported: why.")


@pytest.mark.parametrize(
    ("value", "written"),
    [
        *((text, f"'{text}") for text in ("=1+1", "+1 x", "-a", "@x", "\t=1", "\r=1", "＝1")),
        *((same, same) for same in ("-12.4", "+3", "a=b", "", None, -3.5)),
    ],
)
def test_what_a_spreadsheet_would_calculate_begins_with_an_apostrophe(value, written):
    assert harmless(value) == written


@pytest.mark.needs("tables")
def test_the_workbook_has_values_cells_and_sums_and_no_formula():
    from openpyxl import load_workbook

    book = load_workbook(io.BytesIO(as_xlsx(HOSTILE_TABLE)))
    assert book.sheetnames == ["Table", "Cells", "Summary", "Disagreements"]
    assert [each.value for each in book["Table"][2]] == [
        *("P", "P", f"'{FORMULA}", None, 2020, None, None, None, "12 mg", "not reported")
    ]
    sheet = load_workbook(io.BytesIO(as_xlsx(TABLE)))["Disagreements"]
    assert [[each.value for each in row] for row in sheet][1:] == [
        ["effect", "increased", "R", "decreased", "P", "opposed labels"]
    ]
    assert "f" not in {each.data_type for sheet in book for row in sheet.iter_rows() for each in row}
