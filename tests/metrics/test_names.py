"""Names that a claim brings along, and those that it has from what was given."""

import pytest

from metrics.support.guards import unheld_names, vetoes

GARDEN = "Fresh parts of the plant were collected in February from the Botanical Garden of the University of Pretoria."
GIVEN = (
    GARDEN,
    "Chelidonium grows in northern China, where Alzheimer's disease is treated with it.",
    "Effects of neem",
)


def names(claim, given=GIVEN):
    return [veto.reason for veto in unheld_names(claim, given)]


@pytest.mark.parametrize(
    ("claim", "name"),
    [
        ("The plants came from the garden of the University of Cape Town.", "Cape"),
        ("In the garden the plant grew next to Sutherlandia.", "Sutherlandia"),
    ],
)
def test_a_name_that_nothing_given_holds_is_refused(claim, name):
    assert f'no passage names "{name}"' in names(claim)
    assert "name" in {veto.rule for veto in vetoes(claim, [GARDEN], given=GIVEN)}
    assert not any("no passage names" in veto.reason for veto in vetoes(claim, [GARDEN]))


@pytest.mark.parametrize(
    "claim",
    [
        "The plants came from the garden of the University of Pretoria.",
        "Chinese patients with Alzheimer disease were treated with the plant.",
        "Sutherlandia is a word that a sentence may begin with.",
        "It was so: Fresh parts of the plant were taken, as is shown in Table 2.",
        "The plant of the garden is known to Turkish and to Danish readers.",
        "Die Pflanzen kamen aus dem Garten der Stadt Kapstadt und wurden im Sommer gesammelt.",
    ],
)
def test_names_that_are_held_or_are_none_are_left_alone(claim):
    assert names(claim) == []


def test_without_anything_given_nothing_is_said():
    assert names("The plants came from the garden of the University of Cape Town.", ()) == []
