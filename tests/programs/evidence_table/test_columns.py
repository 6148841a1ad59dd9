"""Columns from YAML, CSV and the command line."""

from __future__ import annotations

import pytest

from programs.errors import UsageError
from programs.evidence_table.cell_values import Value, ValueType
from programs.evidence_table.columns import Column, read_columns

YAML = """\
columns:
  - name: dose
    question: What was the daily dose?
    type: number
    unit: mg
  - name: design
    question: How was the study designed?
    type: choices
    choices: [parallel, crossover]
  - name: outcome
    question: What was measured?
"""
CSV = """\
name,question,type,unit,choices
dose,What was the daily dose?,number,mg,
design,How was the study designed?,choices,,parallel|crossover
outcome,What was measured?,,,
"""
OPTIONS = (
    "dose: What was the daily dose? [number in mg]",
    "design: How was the study designed? [parallel | crossover]",
    "outcome: What was measured?",
)
COLUMNS = [
    Column("dose", "What was the daily dose?", ValueType("number", unit="mg")),
    Column("design", "How was the study designed?", ValueType("choices", ("parallel", "crossover"))),
    Column("outcome", "What was measured?", ValueType("text")),
]


def test_all_three_ways_say_the_same(tmp_path):
    (tmp_path / "questions.yaml").write_text(YAML, encoding="utf-8")
    (tmp_path / "questions.csv").write_text(CSV, encoding="utf-8")
    assert read_columns(tmp_path / "questions.yaml") == COLUMNS
    assert read_columns(tmp_path / "questions.csv") == COLUMNS
    assert read_columns(None, OPTIONS) == COLUMNS
    assert [Column.from_dict(each.as_dict()) for each in COLUMNS] == COLUMNS


def test_a_heading_may_change_and_the_cells_stay():
    assert Column("a", "What?").key == Column("b", "What?").key
    assert Column("a", "What?").key != Column("a", "What?", ValueType("number")).key


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("q.yaml", "columns:\n  - name: a\n    question: b\n    type: colour\n", "column 1: there is no type 'colour'"),
        ("q.yaml", "columns:\n  - name: a\n    question: b\n  - name: A\n    question: c\n", "have the name 'a'"),
        ("q.yaml", "columns:\n  - name: a\n", "column 1: `question` must be a text, got None"),
        ("q.yaml", "columns:\n  - name: a\n    question: b\n    kind: text\n", "there is no field kind"),
        ("q.yaml", "- name: a\n  question: b\n  type: choices\n  choices: [yes, no]\n", "quotation marks"),
        ("q.yaml", "columns: 3\n", "holds no list of columns"),
        ("q.yaml", "columns: [\n", "cannot be read as YAML"),
        ("q.yaml", "columns: []\n", "needs questions"),
        ("q.yaml", "a: &a [x]\nb: *a\n", "cannot be read as YAML: aliases are not read"),
        ("q.yaml", "\x00\x01\x00\x02", "binary"),
        ("q.csv", "name,question\na,Was it high, or low?\n", "another number of fields"),
        ("q.csv", "name,question\na,\n", "line 2: `question` must be a text, got ''; write columns as dose,What was"),
    ],
)
def test_a_faulty_file_is_refused_with_the_place(tmp_path, name, text, message):
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        read_columns(tmp_path / name)


def test_a_question_is_enough_for_a_column(tmp_path):
    path = tmp_path / "questions.csv"
    path.write_text(f"question\nHow many were randomised?\n\nWas {'it high or ' * 9}low?\n", encoding="utf-8")
    first, second = read_columns(path)
    assert (first.name, first.question) == ("How many were randomised", "How many were randomised?")
    assert len(second.name) <= 80
    assert second.name.endswith(" …")
    with pytest.raises(UsageError, match="no file at"):
        read_columns(tmp_path / "none.yaml")
    with pytest.raises(UsageError, match="write 'name: question \\[type\\]'"):
        read_columns(None, ["dose"])


# Values by type, and whether quotes bear them out.

NUMBER, DIRECTION = ValueType("number"), ValueType("direction")


@pytest.mark.parametrize(
    ("wanted", "written", "value"),
    [
        (NUMBER, "20 mg daily", Value("20 mg daily", 20.0, "mg")),
        (NUMBER, "1,234 patients", Value("1,234 patients", 1234.0, "")),
        (NUMBER, "12.4 %", Value("12.4 %", 12.4, "%")),
        (NUMBER, "twelve mice", Value("twelve mice", 12.0, "")),
        (NUMBER, "2.5-fold", Value("2.5-fold", 2.5, "fold")),
        (NUMBER, "many", None),
        (DIRECTION, "Decreased", Value("decreased")),
        (DIRECTION, "it fell", None),
        (ValueType("yes/no"), "YES", Value("yes")),
        (ValueType("choices", ("Mouse", "Rat")), "mouse", Value("Mouse")),
        (ValueType(), "  flight  mice. ", Value("flight mice")),
        (ValueType(), " … ", None),
        (ValueType(), "x" * 301, None),
    ],
)
def test_what_is_read(wanted, written, value):
    assert wanted.read(written) == value


@pytest.mark.parametrize(
    ("wanted", "written", "quote", "borne"),
    [
        (NUMBER, "12 %", "Density fell by 12 percent.", True),
        (NUMBER, "12", "Density fell by 12 percent.", True),
        (NUMBER, "0.5 g", "They took 500 mg a day.", True),
        (NUMBER, "13 %", "Density fell by 12 percent.", False),
        (NUMBER, "12 mg", "Density fell by 12 percent.", False),
        (NUMBER, "fell by 12 %", "Density fell by 12 percent.", True),
        (NUMBER, "12 %, and it cures cancer", "Density fell by 12 percent.", False),
        (NUMBER, "not 12 %", "Density fell by 12 percent.", False),
        (ValueType(), "flight mice", "It fell in flight mice.", True),
        (ValueType(), "flight rats", "It fell in flight mice.", False),
        (ValueType(), "mice flight", "It fell in flight mice.", False),
    ],
)
def test_a_value_says_only_what_its_quotes_hold(wanted, written, quote, borne):
    value = wanted.read(written)
    assert wanted.borne_out(value, [quote]) is borne


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: ValueType("colour"), "there is no type 'colour'"),
        (lambda: ValueType("choices"), "two to 50 different labels"),
        (lambda: ValueType("choices", ("a", "A")), "two to 50 different labels"),
        (lambda: ValueType("text", ("a", "b")), "has no choices"),
        (lambda: ValueType("direction", unit="mg"), "has no unit"),
    ],
)
def test_a_type_that_makes_no_sense_is_refused(made, message):
    with pytest.raises(UsageError, match=message):
        made()
