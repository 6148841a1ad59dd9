"""Quantities are read with their unit, comparison and place, and as each language spells them."""

import pytest

from metrics.support.languages import is_english, is_foreign, spellings
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
        ("seven tenths", 70, "percent"),
        ("37 °C", 37, "temperature"),
        ("In all 17\u202f863 were asked.", 17863, ""),
    ],
)
def test_value_and_dimension(text, value, dimension):
    (found,) = read(text)
    assert (found.value, found.dimension) == (pytest.approx(value), dimension)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        *((text, []) for text in ("IL-6 and p53", "5-HT receptors", "16S rRNA", "caspase-3")),
        ("3–5 years and 2 to 4 mg", [3, 5, 2, 4]),  # a range shares its unit
        ("At week 8 120 patients were seen.", [8, 120]),
        ("They took 2 500 mg tablets.", [2, 500]),
        ("Codons 12, 13, 61, 117 146 were read.", [12, 13, 61, 117, 146]),
        ("The ratio was 9:3 120 times.", [9, 3, 120]),
    ],
)
def test_numbers_of_names_are_none_and_two_beside_each_other_stay_two(text, values):
    found = read(text)
    assert [each.printed for each in found] == values
    assert "years" not in text or [each.dimension for each in found] == ["time", "time", "mass", "mass"]


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


POLISH = "U wszystkich, którzy wznowili leczenie, dotychczasowy schemat zachował zdolność hamowania wirusa."
SPANISH = "En los ratones de vuelo la densidad fue de 0,92 en 150 000 células, y de 1.500 después."
GERMAN = "Die Unterstützung im Krankenhaus hatte keine nachweisbare Wirkung auf die Rückkehr zur Arbeit."
WOMEN = "Nach 12 Monaten waren in beiden Gruppen 79 % der Patientinnen zur Arbeit zurückgekehrt (p = 0,97)."
ENGLISH = "Femur density fell by 1.500 g in 150 000 mice of the flight group."


@pytest.mark.parametrize(
    ("text", "english", "foreign"),
    [
        (ENGLISH, True, False),
        ("Colo-rectal 14.5 percent 10.8 percent 12.0 percent 13.8 percent 13.5 percent", True, False),
        ("Oubd mjfmxkpts sfyxaa yj zsnty irtyy voqezwdi nxehzmyk mt.", False, False),  # in no other language either
        *((text, False, True) for text in (POLISH, SPANISH, GERMAN, WOMEN)),
        # with words that English has too
        ("Nie: ból zmalał o 1,55 punktu z lekiem i o 1,40 punktu bez niego, a różnica nie była istotna.", False, True),
        ("Po 72 godzinach zmniejszenie bólu było jednak we wszystkich grupach podobne.", False, True),
        ("Lek ratunkowy w czasie do 48 godzin przyjęło 3,0% chorych leczonych samą indometacyną.", False, True),
        ("No: a diferencia de Curcuma longa, Ocimum sanctum no mostró efectos en este modelo.", False, True),
    ],
)
def test_what_is_english_and_what_is_in_a_language_that_is_known(text, english, foreign):
    assert (is_english(text), is_foreign(text)) == (english, foreign)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        (SPANISH, [("0.92", "150000", "1.500"), ("0.92", "150000", "1500")]),
        (ENGLISH, [("1.500", "150 000")]),
        ("Nur MDMA verschlechterte die Erkennung der Gesichter gegenüber Placebo (p < 0,001).", [("0.001",)]),
        ("Der Unterschied war nicht signifikant und von der Dosis abhängig (P = 0,2533).", [("0.2533",)]),
        ("La presión bajó en los ratones a los 15 y 45 min de la isquemia.", [("15 and 45 min",)]),
    ],
)
def test_numbers_are_spelled_as_in_english_in_each_way_that_they_may_be_read(text, numbers):
    found = spellings(text)
    assert len(found) == len(numbers)
    assert all(number in each for each, wanted in zip(found, numbers, strict=True) for number in wanted)


def test_a_decimal_comma_may_have_three_digits_behind_it():
    assert any("12.375" in each for each in spellings("Die Zeit bis zur Heilung war um 12,375 Tage kürzer als ohne."))
