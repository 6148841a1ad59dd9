"""Who outvotes whom on a sentence: the table in the code, and in the docs."""

from itertools import product
from pathlib import Path

import pytest

from metrics.support.verdict import Veto
from programs.proof.precedence import PRECEDENCE, decided

NUMBERS = Veto("numbers", "another number")
OPPOSITE = Veto("direction", "the other direction", opposed=True)
COURSE = Veto("course", "the other course", opposed=True)
MODEL, CHECKER = ("proved", "not proved", "fell through", "none"), ("supported", "contradicted", "unverifiable")


def test_the_docs_show_the_table_as_it_is():
    docs = (Path(__file__).parents[3] / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = [line for line in docs.splitlines() if line.startswith(("| certain |", "| in other words |", "| silent |"))]
    assert rows == [f"| {' | '.join(each)} |" for each in PRECEDENCE]


def test_a_line_fits_whatever_is_said():
    for model, objections, checker, probability in product(MODEL, ([], [COURSE], [NUMBERS]), CHECKER, (0.0, 0.5, 1.0)):
        assert decided(model, objections, checker, probability) in CHECKER


@pytest.mark.parametrize("model", MODEL)
@pytest.mark.parametrize("checker", CHECKER)
def test_nobody_outvotes_a_certain_guard(model, checker):
    assert decided(model, [NUMBERS], checker, 1.0) == "unverifiable"
    assert decided(model, [COURSE, OPPOSITE], checker, 1.0) == "contradicted"


@pytest.mark.parametrize(
    ("model", "objections", "checker", "probability", "verdict"),
    [
        # a rule on paraphrases is outvoted by model and checker together
        ("proved", [COURSE], "supported", 0.5, "supported"),
        ("proved", [COURSE], "unverifiable", 0.4, "contradicted"),
        ("none", [COURSE], "supported", 0.9, "unverifiable"),
        # a proof that fell through is repaired only by a sure checker, and a model that says no is not overruled
        ("fell through", [], "supported", 0.6, "supported"),
        ("fell through", [], "supported", 0.59, "unverifiable"),
        ("not proved", [], "supported", 1.0, "unverifiable"),
    ],
)
def test_who_outvotes_whom(model, objections, checker, probability, verdict):
    assert decided(model, objections, checker, probability) == verdict
