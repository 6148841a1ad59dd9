import dataclasses

import numpy as np
import pytest
from safetensors.numpy import load_file

from optimize.training.checker import TrainingSettings, export, finished, float_weights, summed_loss, train
from optimize.training.loop import CheckpointDiffers, TrainingRun, rate_at
from optimize.training.stages import Share, Sources, Stage, calibration_pairs, epoch_pairs, without_sources
from programs.errors import UsageError

pytestmark = [pytest.mark.inference, pytest.mark.slow]

STAGE = Stage(
    "claims",
    (Share("handwritten", 30), Share("check_covid", 30)),
    epochs=8,
    rate=3e-3,
    last_rate=1e-4,
    words=40,
    batch=6,
)
SETTINGS = TrainingSettings(seed=1, length=48, stages=(dataclasses.replace(STAGE, name="relations", epochs=2), STAGE))


class Interrupted(Exception):
    pass


def state(trainer):
    return np.concatenate([value.numpy().ravel() for value in trainer.model.state_dict().values()])


def test_training_lowers_the_loss(weights, data, tmp_path):
    losses = []
    train(
        weights,
        Sources(data),
        TrainingRun(tmp_path, on_step=lambda stage, step, steps: losses.append(step.loss)),
        SETTINGS,
    )
    assert sum(losses[-5:]) < 0.8 * sum(losses[:5])


def test_an_interrupted_training_ends_with_the_same_weights(weights, data, tmp_path):
    whole = train(weights, Sources(data), TrainingRun(tmp_path / "whole"), SETTINGS)

    def stop(stage, step, steps):
        if stage == "claims" and step.number == 7:
            raise Interrupted

    with pytest.raises(Interrupted):
        train(weights, Sources(data), TrainingRun(tmp_path / "cut", every=3, on_step=stop), SETTINGS)
    resumed = train(weights, Sources(data), TrainingRun(tmp_path / "cut", resume=True), SETTINGS)
    np.testing.assert_allclose(state(resumed), state(whole), rtol=0, atol=1e-5)


def test_a_checkpoint_of_other_settings_is_refused(weights, data, tmp_path):
    train(weights, Sources(data), TrainingRun(tmp_path, every=1), SETTINGS)
    with pytest.raises(CheckpointDiffers, match="other settings"):
        train(weights, Sources(data), TrainingRun(tmp_path, resume=True), dataclasses.replace(SETTINGS, seed=2))


def test_a_cut_checkpoint_is_refused(weights, data, tmp_path):
    train(weights, Sources(data), TrainingRun(tmp_path, every=1), SETTINGS)
    path = tmp_path / "checkpoint" / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(CheckpointDiffers, match="damaged"):
        train(weights, Sources(data), TrainingRun(tmp_path, resume=True), SETTINGS)


def test_not_supported_is_met_by_either_other_class():
    import torch  # which takes seconds, in the process alone that runs these tests

    logits = torch.tensor([[-9.0, 9.0, -9.0], [-9.0, -9.0, 9.0], [9.0, -9.0, -9.0]])
    losses = [float(summed_loss(row[None], torch.tensor([-1]))) for row in logits]
    assert losses[:2] == pytest.approx([0, 0], abs=1e-3)
    assert losses[2] > 10


def test_the_learning_rate_rises_and_falls():
    rates = [rate_at(step, 100, 1.0, 0.1) for step in range(100)]
    assert rates[0] < rates[3] < rates[5] == max(rates)
    assert rates[-1] == pytest.approx(0.1, abs=0.01)


def test_dropout_draws_the_same_whichever_thread_is_first(weights, data, tmp_path):
    first, second = (train(weights, Sources(data), TrainingRun(tmp_path / name), SETTINGS) for name in "ab")
    np.testing.assert_allclose(state(first), state(second), rtol=0, atol=1e-5)
    plain = train(weights, Sources(data), TrainingRun(tmp_path / "c"), dataclasses.replace(SETTINGS, dropout=0.0))
    assert not np.allclose(state(first), state(plain), rtol=0, atol=1e-3)


def test_smoothing_makes_certainty_cost():
    import torch

    sure, target = torch.tensor([[20.0, 0.0, 0.0]]), torch.tensor([0])
    assert float(summed_loss(sure, target)) == pytest.approx(0, abs=1e-3)
    assert float(summed_loss(sure, target, smoothing=0.06)) == pytest.approx(0.06 * 2 / 3 * 20, abs=1e-2)


def test_members_go_out_from_the_stage_before_and_are_averaged(weights, data, tmp_path):
    settings = dataclasses.replace(SETTINGS, members=2)
    train(weights, Sources(data), TrainingRun(tmp_path), settings)
    first, second, mean = (
        load_file(folder / "model.safetensors")
        for folder in (tmp_path / "claims", tmp_path / "claims-2", finished(tmp_path, settings))
    )
    name = "classifier.weight"
    assert not np.allclose(first[name], second[name], atol=1e-4)
    np.testing.assert_allclose(mean[name], (first[name] + second[name]) / 2, atol=1e-6)
    alone = train(weights, Sources(data), TrainingRun(tmp_path / "alone"), SETTINGS)
    np.testing.assert_allclose(first[name], alone.model.state_dict()[name].numpy(), atol=1e-5)


def test_a_training_goes_on_from_a_finished_checker(weights, data, tmp_path):
    trained = train(weights, Sources(data), TrainingRun(tmp_path), SETTINGS)
    folder, pairs = tmp_path / "checker", epoch_pairs(STAGE, Sources(data), 0)
    made = export(finished(tmp_path, SETTINGS), weights, folder, pairs, calibration_pairs(Sources(data)))
    held = trained.model.state_dict()
    found = float_weights(folder)
    assert set(found) == set(held)
    for name, values in found.items():
        np.testing.assert_allclose(values, held[name].numpy(), atol=0.02 * float(held[name].abs().max()) + 1e-6)
    settings, losses = dataclasses.replace(SETTINGS, start=made.name), []
    run = TrainingRun(tmp_path / "on", every=5, on_step=lambda stage, step, steps: losses.append(step.loss))
    train(weights, Sources(data), run, settings, folder)
    afresh = []
    run = TrainingRun(tmp_path / "new", on_step=lambda stage, step, steps: afresh.append(step.loss))
    train(weights, Sources(data), run, SETTINGS)
    assert sum(losses[:3]) < sum(afresh[:3])
    with pytest.raises(CheckpointDiffers, match="other settings"):
        train(weights, Sources(data), TrainingRun(tmp_path / "on", resume=True), SETTINGS)
    last = load_file(tmp_path / "on" / "claims" / "model.safetensors")
    mean = load_file(finished(tmp_path / "on", dataclasses.replace(settings, kept=0.25), folder) / "model.safetensors")
    name = "classifier.weight"
    np.testing.assert_allclose(mean[name], 0.25 * found[name] + 0.75 * last[name], atol=1e-6)


def test_sources_are_left_out_by_name():
    (stage,) = without_sources((STAGE,), ["handwritten"])
    assert [share.source for share in stage.shares] == ["check_covid"]
    with pytest.raises(UsageError, match="handritten"):
        without_sources((STAGE,), ["handritten"])
    with pytest.raises(UsageError, match="no source"):
        without_sources((STAGE,), ["handwritten", "check_covid"])
