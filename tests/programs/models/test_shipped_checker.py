"""The checker as it is shipped."""

import json
import subprocess
import sys

import pytest

from metrics.support.claim_check import GuardedCheck
from programs.models.checker import SHIPPED, SmallChecker

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


def test_the_model_is_small_and_its_manifest_names_its_files():
    manifest = json.loads((SHIPPED / "manifest.json").read_text(encoding="utf-8"))
    assert set(manifest["files"]) == {"model.onnx", "tokenizer.json"}
    assert (SHIPPED / "model.onnx").stat().st_size <= 25_000_000


@pytest.mark.slow
def test_judging_and_ordering_import_no_torch():
    code = (
        "import sys; from programs.models.checker import SmallChecker; from programs.models.order import LearnedOrder; "
        "SmallChecker().judge([('Relapses fell.', 'Relapses halved.')]); "
        "LearnedOrder().scores('Did relapses fall?', ['Relapses halved.']); "
        "sys.exit(bool({'torch', 'transformers'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=600).returncode == 0
