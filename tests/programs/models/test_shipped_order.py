"""The order as it is shipped."""

import json

import pytest

from programs.models.order import SHIPPED, LearnedOrder

pytestmark = pytest.mark.inference

ABOUT = "Natalizumab in relapsing disease: a randomised trial. Results"
PASSAGES = [
    "This study aims to find out whether natalizumab reduces relapses. Relapses are a burden for many patients.",
    "Relapses were significantly fewer in the natalizumab group than in the placebo group (0.23 versus 0.73 a year).",
    "Forty adults with relapsing disease took part. They were randomised by a computer, with sealed envelopes.",
    "The funders had no part in the design of the study.",
]
QUESTION = "Does natalizumab reduce relapses compared with placebo?"


@pytest.fixture(scope="module")
def order():
    return LearnedOrder()


def test_a_finding_comes_before_aims_methods_and_funding(order):
    for about in ((), [ABOUT] * 4):
        scores = order.scores(QUESTION, PASSAGES, about)
        assert max(scores) == scores[1]


def test_a_question_on_something_else_is_less_likely_answered(order):
    asked, other = (order.scores(each, PASSAGES) for each in (QUESTION, "Does metformin lower the risk of dementia?"))
    assert order.answered(asked) > order.answered(other)


def test_the_model_is_small_and_its_manifest_names_its_files(order):
    manifest = json.loads((SHIPPED / "manifest.json").read_text(encoding="utf-8"))
    assert set(manifest["files"]) == {"model.onnx", "tokenizer.json"}
    assert (SHIPPED / "model.onnx").stat().st_size <= 25_000_000
    assert order.name == f"corroborate-order-1@sha256:{manifest['files']['model.onnx'][:12]}"
