"""Values by type, and whether quotes bear them out."""

from __future__ import annotations

import pytest

from programs.errors import UsageError
from programs.evidence_table.columns import Value, ValueType

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


def test_a_number_is_left_without_the_words_beside_it():
    assert NUMBER.bare(Value("a reduction of 12 %", 12.0, "%")) == Value("12 %", 12.0, "%")
    assert ValueType().bare(Value("a reduction")) is None


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
