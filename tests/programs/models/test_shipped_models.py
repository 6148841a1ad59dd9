"""The embedder, the checker and the order as they are shipped, and their files."""

import json
import subprocess
import sys

import pytest

from metrics.support.claim_check import GuardedCheck
from programs.errors import EmbedderUnavailable, ModelUnusable
from programs.models import MANIFEST, MODEL, TOKENIZER, ModelFiles, read_files, write_files
from programs.models.checker import SmallChecker
from programs.models.minilm import SmallEmbedder
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
    assert max(asked) > max(other)


@pytest.mark.parametrize("model", [SmallChecker(), LearnedOrder(), SmallEmbedder()])
def test_the_models_are_small_and_their_files_are_as_the_manifest_says(model):
    manifest = json.loads((model.folder / MANIFEST).read_text(encoding="utf-8"))
    assert set(manifest["files"]) == {MODEL, TOKENIZER}
    assert read_files(model.folder).manifest["tokens"] == manifest["tokens"]
    assert (model.folder / MODEL).stat().st_size <= 25_000_000


def test_names_hold_the_hash_of_the_weights():
    for name, model in (("checker", SmallChecker()), ("order", LearnedOrder())):
        assert model.name == f"corroborate-{name}-1@sha256:{model.manifest['files'][MODEL][:12]}"


STORED = ModelFiles({"tokens": 256}, b"a graph", b"{}")


def cut(path):
    path.write_bytes(path.read_bytes()[:-1])


@pytest.mark.parametrize(
    ("name", "harm", "reason"),
    [
        (MODEL, cut, r"model\.onnx is damaged: its SHA-256 is \w+, not \w+"),
        (TOKENIZER, cut, r"tokenizer\.json is damaged"),
        (MANIFEST, lambda path: path.write_text('{"made_'), r"manifest\.json is damaged"),
        (MANIFEST, lambda path: path.write_text("[]"), r"manifest\.json is damaged"),
        (MANIFEST, lambda path: path.write_bytes(b"\xff\xfe"), r"manifest\.json is damaged"),
        (MODEL, lambda path: path.unlink(), r"model\.onnx is not there"),
        (MANIFEST, lambda path: path.unlink(), r"manifest\.json is not there"),
    ],
)
def test_a_damaged_folder_is_named_and_what_is_written_is_read(tmp_path, name, harm, reason):
    write_files(tmp_path / "models" / "small", STORED)
    assert read_files(tmp_path / "models" / "small") == STORED
    harm(tmp_path / "models" / "small" / name)
    with pytest.raises(ModelUnusable, match=reason):
        read_files(tmp_path / "models" / "small")
    with pytest.raises(EmbedderUnavailable, match=rf"cannot be loaded: .*{reason}.*; install the package again"):
        SmallEmbedder(tmp_path / "models" / "small").embed(["anything"])


@pytest.mark.slow
def test_the_models_import_nothing_heavy():
    code = (
        "import sys; from programs.models.checker import SmallChecker; from programs.models.order import LearnedOrder; "
        "from programs.models.minilm import SmallEmbedder; "
        "SmallChecker().judge([('Relapses fell.', 'Relapses halved.')]); "
        "LearnedOrder().scores('Did relapses fall?', ['Relapses halved.']); "
        "SmallEmbedder().embed(['Relapses halved.']); "
        "sys.exit(bool({'torch', 'transformers', 'sklearn', 'scipy', 'onnx'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=600).returncode == 0
