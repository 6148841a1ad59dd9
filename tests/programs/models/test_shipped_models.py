"""The checker and the order as they are shipped."""

import json
import subprocess
import sys

import pytest

from metrics.support.claim_check import GuardedCheck
from programs.models.checker import SmallChecker
from programs.models.order import LearnedOrder

pytestmark = pytest.mark.inference

PASSAGE = (
    "Forty adults with relapsing disease took part. Relapses were significantly fewer in the natalizumab group than in "
    "the placebo group (0.23 versus 0.73 a year, p < 0.001). The drug was well tolerated."
)


@pytest.fixture(scope="module")
def checker():
    return SmallChecker()


def test_a_finding_is_held_for_better_supported_than_the_same_turned_around(checker):
    right, turned = checker.judge(
        [
            ("Natalizumab reduced relapses compared with placebo.", PASSAGE),
            ("Natalizumab increased relapses compared with placebo.", PASSAGE),
        ]
    )
    assert right.supported > turned.supported
    assert right.contradicted < turned.contradicted


def test_another_topic_is_left_open(checker):
    (found,) = checker.judge([("Statins lower cholesterol in children.", PASSAGE)])
    assert checker.verdict(found) == "unverifiable"
    assert found.neither == max(found.supported, found.contradicted, found.neither)


def test_a_copy_with_another_number_is_refused(checker):
    judge = GuardedCheck(checker)
    copied = PASSAGE.split(". ")[1] + "."
    assert judge.check(copied, [PASSAGE]).verdict == "supported"
    assert judge.check(copied.replace("0.23", "0.32"), [PASSAGE]).verdict != "supported"


ABOUT = "Natalizumab in relapsing disease: a randomised trial. Results"
LISTED = [
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
        scores = order.scores(QUESTION, LISTED, about)
        assert max(scores) == scores[1]


def test_a_question_on_something_else_is_less_likely_answered(order):
    asked, other = (order.scores(each, LISTED) for each in (QUESTION, "Does metformin lower the risk of dementia?"))
    assert order.answered(asked) > order.answered(other)


@pytest.mark.parametrize("name", ["checker", "order"])
def test_the_models_are_small_and_their_manifests_name_their_files(name, request):
    model = request.getfixturevalue(name)
    manifest = json.loads((model.folder / "manifest.json").read_text(encoding="utf-8"))
    assert set(manifest["files"]) == {"model.onnx", "tokenizer.json"}
    assert (model.folder / "model.onnx").stat().st_size <= 25_000_000
    assert model.name == f"corroborate-{name}-1@sha256:{manifest['files']['model.onnx'][:12]}"


@pytest.mark.slow
def test_judging_and_ordering_import_no_torch():
    code = (
        "import sys; from programs.models.checker import SmallChecker; from programs.models.order import LearnedOrder; "
        "SmallChecker().judge([('Relapses fell.', 'Relapses halved.')]); "
        "LearnedOrder().scores('Did relapses fall?', ['Relapses halved.']); "
        "sys.exit(bool({'torch', 'transformers'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=600).returncode == 0
