"""Quantities are read with their unit, comparison and place."""

import pytest

from metrics.support import sentence_features
from metrics.support.quantities import quantities, same
from metrics.support.sentence_features import normalised


def read(text: str):
    return quantities(normalised(text))


@pytest.mark.parametrize(
    ("text", "value", "dimension"),
    [
        ("0.5 mg/kg of drug", 0.5e-6, "mass/mass"),
        ("1,000 men", 1000, ""),
        ("12·4%", 12.4, "percent"),
        ("−0.29 %", -0.29, "percent"),
        ("3.5 × 10^6 cells", 3.5e6, ""),
        ("ten-fold", 10, "fold"),
        ("twofold", 2, "fold"),
        ("$5 billion", 5e9, ""),
        ("type 2 diabetes", 2, "type"),
        ("half of the rats", 50, "percent"),
        ("Two thirds of them", 200 / 3, "percent"),
        ("one-third of them", 100 / 3, "percent"),
        ("three quarters", 75, "percent"),
        ("seven tenths", 70, "percent"),
        ("37 °C", 37, "temperature"),
    ],
)
def test_value_and_dimension(text, value, dimension):
    (found,) = read(text)
    assert found.value == pytest.approx(value)
    assert found.dimension == dimension


@pytest.mark.parametrize("text", ["IL-6 and p53", "5-HT receptors", "16S rRNA", "caspase-3"])
def test_numbers_of_names_are_no_quantities(text):
    assert read(text) == ()


def test_a_range_shares_its_unit():
    assert [found.dimension for found in read("3–5 years and 2 to 4 mg")] == ["time", "time", "mass", "mass"]


@pytest.mark.parametrize(
    ("claimed", "given", "expected"),
    [
        ("more than 10 mice", "12 mice", True),
        ("more than 10 mice", "8 mice", False),
        ("more than 10 mice", "less than 10 mice", False),
        ("at least 60 years", "≥ 60 years", True),
        ("about 12 %", "12.9 %", True),
        ("about 12 %", "19 %", False),
        ("p < 0.05", "p = 0.03", True),
        ("0.124 of all", "12.4 % of all", True),
        ("5 mg", "5", False),
        ("67 %", "two thirds", True),
        ("two thirds", "66.7 %", True),
        ("about two thirds", "65 %", True),
        ("two thirds", "61 %", False),
        ("two thirds", "one third", False),
        ("more than two thirds", "70 %", True),
        ("more than two thirds", "60 %", False),
    ],
)
def test_same(claimed, given, expected):
    assert same(read(claimed)[0], read(given)[0]) is expected


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("At week 8 120 patients were seen.", [8, 120]),
        ("They took 2 500 mg tablets.", [2, 0.5]),
        ("Codons 12, 13, 61, 117 146 were read.", [12, 13, 61, 117, 146]),
        ("The ratio was 9:3 120 times.", [9, 3, 120]),
        ("In all 17\u202f863 were asked.", [17863]),
    ],
)
def test_two_numbers_beside_each_other_stay_two(text, values):
    assert [each.value for each in sentence_features.read(text).quantities] == pytest.approx(values)
