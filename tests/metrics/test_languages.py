"""Which language a claim is in, and how it spells numbers."""

import pytest

from metrics.support.languages import is_english, is_foreign, spellings

POLISH = "U wszystkich, którzy wznowili leczenie, dotychczasowy schemat zachował zdolność hamowania wirusa."
SPANISH = "En los ratones de vuelo la densidad fue de 0,92 en 150 000 células, y de 1.500 después."
GERMAN = "Die Unterstützung im Krankenhaus hatte keine nachweisbare Wirkung auf die Rückkehr zur Arbeit."
WOMEN = "Nach 12 Monaten waren in beiden Gruppen 79 % der Patientinnen zur Arbeit zurückgekehrt (p = 0,97)."
SALAD = "Oubd mjfmxkpts sfyxaa yj zsnty irtyy voqezwdi nxehzmyk mt."
ROW = "Colo-rectal 14.5 percent 10.8 percent 12.0 percent 13.8 percent 13.5 percent"
ENGLISH = "Femur density fell by 1.500 g in 150 000 mice of the flight group."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ENGLISH, True),
        (ROW, True),
        (POLISH, False),
        (SPANISH, False),
        (GERMAN, False),
        (WOMEN, False),
        # with words that English has too
        ("Nie: ból zmalał o 1,55 punktu z lekiem i o 1,40 punktu bez niego, a różnica nie była istotna.", False),
        ("Po 72 godzinach zmniejszenie bólu było jednak we wszystkich grupach podobne.", False),
        ("Lek ratunkowy w czasie do 48 godzin przyjęło 3,0% chorych leczonych samą indometacyną.", False),
        ("No: a diferencia de Curcuma longa, Ocimum sanctum no mostró efectos en este modelo.", False),
    ],
)
def test_what_is_english(text, expected):
    assert is_english(text) is expected


def test_nonsense_is_in_no_other_language():
    assert all(map(is_foreign, (POLISH, SPANISH, GERMAN, WOMEN)))
    assert not is_foreign(SALAD)
    assert not is_foreign(ENGLISH)


def test_numbers_are_spelled_as_in_english():
    first, second = spellings(SPANISH)
    assert "0.92" in first
    assert "150000" in first
    assert "1.500" in first
    assert "1500" in second
    assert spellings(ENGLISH) == (ENGLISH,)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Nur MDMA verschlechterte die Erkennung der Gesichter gegenüber Placebo (p < 0,001).", "0.001"),
        ("Der Unterschied war nicht signifikant und von der Dosis abhängig (P = 0,2533).", "0.2533"),
        ("Die Zeit bis zur Heilung war mit dem Mittel um 12,375 Tage kürzer als ohne.", "12.375"),
        ("La presión bajó en los ratones a los 15 y 45 min de la isquemia.", "15 and 45 min"),
    ],
)
def test_decimal_commas_of_any_length_and_the_spanish_and(text, number):
    assert any(number in each for each in spellings(text))
