"""A ligature that a font maps to a sign: found by the words that are left without it."""

import pytest

from programs.ingest.text_repair import sign_for_th, with_th

LOST = ["*e doses were low. *is trend was seen twice.", "*e levels fell.", "*ese authors agree (*p < 0.05)."]


def test_the_sign_is_found_and_replaced_only_before_letters():
    assert sign_for_th(LOST) == "*"
    assert with_th("*e dose (5* and ** ) of *eobroma", "*") == "The dose (5* and ** ) of Theobroma"


@pytest.mark.parametrize(
    "texts",
    [
        ["The doses were low.", "This trend.", "*e *is stood in a footnote of these tables."],
        ["*p < 0.05, *e and *is", "*values *means *groups *data"],
        ["(e) and (is) and “at” and -en"],
        ["*e alone says nothing. *e."],
        [],
    ],
)
def test_marks_are_no_ligatures(texts):
    sign = sign_for_th(texts)
    assert sign == ""
    assert with_th("*e dose", sign) == "*e dose"
