"""From a small trained model to a checker's files, run without torch."""

import json
from dataclasses import astuple

import numpy as np
import pytest

from bench.intervals import calibration_error
from metrics.support.verdict import PremiseJudgement
from optimize.training.checker import fit, threshold
from optimize.training.labelled_claims import Pair
from optimize.training.loop import padded
from programs.errors import ModelUnusable
from programs.models import token_kinds
from programs.models.checker import CheckerCalibration, SmallChecker, calibrated
from programs.models.session import load_tokenizer

pytestmark = pytest.mark.inference

PAIR = ("Relapses fell with alphamab.", "Relapses rose with alphamab in trial 4.")


@pytest.fixture
def copied(trained, tmp_path):
    for path in trained.checker.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def test_the_exported_model_scores_as_the_trained_one(trained, weights):
    import torch

    with torch.no_grad():
        ids, mask, kinds = padded([load_tokenizer((weights / "tokenizer.json").read_bytes(), 64).encode(*PAIR)])
        logits = trained.trainer.model.eval()(input_ids=ids, attention_mask=mask, token_type_ids=kinds).logits
    np.testing.assert_allclose(SmallChecker(trained.checker).logits([PAIR]), logits.numpy(), atol=0.1)


def test_judgements_are_probabilities_and_do_not_depend_on_company(trained):
    checker = SmallChecker(trained.checker)
    alone = checker.judge([PAIR])[0]
    among = checker.judge([("Relapses rose.", "They cost."), PAIR, PAIR])[1]
    assert astuple(alone) == pytest.approx(astuple(among), abs=1e-12), "but for a processor's last digit"
    assert alone.supported + alone.contradicted + alone.neither == pytest.approx(1)
    assert checker.verdict(alone) in ("supported", "contradicted", "unverifiable")


@pytest.mark.slow
def test_any_length_is_judged_and_nothing_is_neither(trained):
    checker = SmallChecker(trained.checker)
    long = "Relapses fell. " * 5_000
    assert len(checker.judge([(long, long), ("x", long)] + [PAIR] * 3)) == 5
    assert checker.judge([("", long), ("Relapses fell.", " ")]) == [PremiseJudgement(0.0, 0.0, 1.0)] * 2
    assert checker.judge([]) == []


def altered(folder):
    (folder / "model.onnx").write_bytes((folder / "model.onnx").read_bytes()[:-1] + b"!")


def without_calibration(folder):
    manifest = json.loads((folder / "manifest.json").read_text())
    del manifest["calibration"]
    (folder / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    ("damage", "named"),
    [
        (altered, "is damaged: its SHA-256"),
        (lambda folder: (folder / "manifest.json").unlink(), "manifest.json is not there"),
        (lambda folder: (folder / "manifest.json").write_text("{}"), "manifest.json is damaged"),
        (without_calibration, "holds no 'calibration'"),
    ],
)
def test_a_damaged_folder_is_an_error_that_tells_what_to_do(copied, damage, named):
    damage(copied)
    with pytest.raises(ModelUnusable, match=rf"{named}.*; install the package again"):
        SmallChecker(copied).judge([PAIR])


def test_the_name_holds_the_hash_of_the_weights_and_words_of_both_texts_are_told_apart(trained, weights):
    manifest = json.loads((trained.checker / "manifest.json").read_text())
    assert SmallChecker(trained.checker).name.endswith("@sha256:" + manifest["files"]["model.onnx"][:12])
    tokenizer = load_tokenizer((weights / "tokenizer.json").read_bytes(), 64)
    assert token_kinds(tokenizer.encode("relapses fell", "relapses rose")) == [0, 2, 0, 0, 3, 1, 1]


def test_a_verdict_needs_its_threshold_and_the_lead():
    calibration = CheckerCalibration((1,) * 3, (0,) * 3, (0,) * 3, supported=0.6, contradicted=0.9)
    assert calibration.verdict(PremiseJudgement(0.7, 0.1, 0.2)) == "supported"
    assert calibration.verdict(PremiseJudgement(0.55, 0.1, 0.35)) == "unverifiable"
    assert calibration.verdict(PremiseJudgement(0.05, 0.85, 0.1)) == "unverifiable"
    assert calibration.verdict(PremiseJudgement(0.02, 0.95, 0.03)) == "contradicted"


def test_overconfident_logits_are_calibrated():
    generator = np.random.default_rng(0)
    targets = generator.integers(3, size=600)
    logits = generator.normal(size=(600, 3)) + np.eye(3)[targets]
    pairs = [Pair("c", "p", ("supported", "contradicted", "unverifiable")[each], "s", "d") for each in targets]
    fitted = fit(9 * logits, np.zeros((600, 3)), pairs)
    raw, none = CheckerCalibration((1.0,) * 3, (0.0,) * 3, (0.0,) * 3, 1, 1), np.zeros((600, 3))
    assert calibration_error(calibrated(9 * logits, none, fitted), targets) < 0.06
    assert calibration_error(calibrated(9 * logits, none, raw), targets) > 0.15


def test_a_threshold_gives_the_precision_asked_for_or_is_never_reached():
    probabilities = np.zeros((100, 3))
    probabilities[:, 1] = np.linspace(0.5, 1, 100)
    right = np.where(np.arange(100) >= 40, 1, 2)
    assert threshold(probabilities, right, 1, 0.9) == pytest.approx(probabilities[34, 1], abs=0.02)
    assert threshold(probabilities, np.full(100, 2), 1, 0.9) > 1
