"""Half characters of models: replaced wherever they stand, before anything has to write them down."""

from enum import StrEnum
from typing import NamedTuple

import dspy
import pytest

from programs.main_points import MainPoints, MainPointsParameters
from programs.program import well_formed
from programs.results.rendering import as_json
from signatures.values import UnsupportedClaim
from tests.hashing_embedder import HashingEmbedder
from tests.papers import BONE
from tests.scripted_lm import PROVED, Script, answer, points


class Pair(NamedTuple):
    text: str
    number: int


class Part(StrEnum):
    bone = "\N{BONE}"


HALF, WHOLE = "bone \ud83d loss", "bone \N{BONE} loss"


@pytest.mark.parametrize(
    ("value", "mended"),
    [
        (HALF, "bone \ufffd loss"),
        (WHOLE, WHOLE),
        ([HALF, 3, None], ["bone \ufffd loss", 3, None]),
        ((HALF, True), ("bone \ufffd loss", True)),
        (Pair(HALF, 1), Pair("bone \ufffd loss", 1)),
        ({HALF}, {"bone \ufffd loss"}),
        ([Part.bone], [Part.bone]),
        ({HALF: HALF}, {"bone \ufffd loss": "bone \ufffd loss"}),
        (UnsupportedClaim(claim=HALF, reason="x"), UnsupportedClaim(claim="bone \ufffd loss", reason="x")),
    ],
)
def test_halves_are_replaced_and_nothing_else(value, mended):
    found = well_formed(value)
    assert (found, repr(found)) == (mended, repr(mended))


def test_an_answer_with_half_a_character_can_be_written_down():
    script = Script(
        points=points("Femur density fell by 12 percent in flight mice."),
        answer=answer("Femur density \ud800 fell by 12 percent in flight mice [1]."),
        proofs=PROVED,
    )
    with dspy.context(lm=script.lm()):
        found = MainPoints(HashingEmbedder(), MainPointsParameters(verify=False))(
            question="Did femur density fall?", paper=BONE
        )
    assert found.answer == ""
    assert 'it adds "\ufffd"' in found.notes[0]
    assert str(as_json(found)).encode()
