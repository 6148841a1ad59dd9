"""Columns from YAML, CSV and the command line."""

from __future__ import annotations

import pytest

from programs.errors import UsageError
from programs.evidence_table.columns import Column, ValueType, read_columns

YAML = """\
columns:
  - name: dose
    question: What was the daily dose?
    type: number with unit
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
    ("text", "message"),
    [
        ("columns:\n  - name: a\n    question: b\n    type: colour\n", "column 1: there is no type 'colour'"),
        ("columns:\n  - name: a\n    question: b\n  - name: A\n    question: c\n", "two columns have the name 'a'"),
        ("columns:\n  - name: a\n", "column 1: `question` must be a text, got None"),
        ("columns:\n  - name: a\n    question: b\n    kind: text\n", "there is no field kind"),
        ("columns:\n  - name: a\n    question: b\n    type: choices\n    choices: [yes, no]\n", "quotation marks"),
        ("columns: 3\n", "holds no list of columns"),
        ("columns: [\n", "cannot be read as YAML"),
        ("columns: []\n", "needs questions"),
        ("a: &a [x]\nb: *a\n", "cannot be read as YAML: aliases are not read"),
    ],
)
def test_a_faulty_file_is_refused_with_the_place(tmp_path, text, message):
    (tmp_path / "questions.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        read_columns(tmp_path / "questions.yaml")


def test_a_csv_line_with_a_field_too_many_is_refused(tmp_path):
    (tmp_path / "questions.csv").write_text("name,question\na,Was it high, or low?\n", encoding="utf-8")
    with pytest.raises(UsageError, match="another number of fields"):
        read_columns(tmp_path / "questions.csv")


def test_no_file_and_no_form(tmp_path):
    with pytest.raises(UsageError, match="no file at"):
        read_columns(tmp_path / "none.yaml")
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(UsageError, match="binary"):
        read_columns(tmp_path / "binary.yaml")
    with pytest.raises(UsageError, match="write 'name: question \\[type\\]'"):
        read_columns(None, ["dose"])
