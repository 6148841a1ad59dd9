import dataclasses
import shutil

import numpy as np
import pytest
from safetensors.numpy import load_file

from optimize.training.checker import finished, float_weights, summed_loss, train
from optimize.training.loop import CheckpointDiffers, TrainingRun, rate_at
from optimize.training.stages import Sources
from programs.models.checker import SmallChecker
from tests.optimize.training.conftest import SETTINGS

pytestmark = [pytest.mark.inference, pytest.mark.slow]


class Interrupted(Exception):
    pass


def state(trainer):
    return np.concatenate([value.numpy().ravel() for value in trainer.model.state_dict().values()])


def test_training_lowers_the_loss(trained):
    assert sum(trained.losses[-5:]) < 0.8 * sum(trained.losses[:5])


def test_an_interrupted_training_ends_with_the_same_weights(weights, data, trained, tmp_path):
    def stop(stage, step, steps):
        if stage == "claims" and step.number == 7:
            raise Interrupted

    with pytest.raises(Interrupted):
        train(weights, Sources(data), TrainingRun(tmp_path, every=3, on_step=stop), SETTINGS)
    resumed = train(weights, Sources(data), TrainingRun(tmp_path, resume=True), SETTINGS)
    np.testing.assert_allclose(state(resumed), state(trained.trainer), rtol=0, atol=1e-5)


def test_a_checkpoint_that_is_cut_or_of_other_settings_is_refused(weights, data, trained, tmp_path):
    shutil.copytree(trained.folder / "claims", tmp_path / "checkpoint")
    run = TrainingRun(tmp_path, resume=True)
    with pytest.raises(CheckpointDiffers, match="other settings"):
        train(weights, Sources(data), run, dataclasses.replace(SETTINGS, seed=2))
    path = tmp_path / "checkpoint" / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(CheckpointDiffers, match="damaged"):
        train(weights, Sources(data), run, SETTINGS)


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


def test_smoothing_makes_certainty_cost():
    import torch

    sure, target = torch.tensor([[20.0, 0.0, 0.0]]), torch.tensor([0])
    assert float(summed_loss(sure, target)) == pytest.approx(0, abs=1e-3)
    assert float(summed_loss(sure, target, smoothing=0.06)) == pytest.approx(0.06 * 2 / 3 * 20, abs=1e-2)


def test_a_training_goes_on_from_a_finished_checker(weights, data, trained, tmp_path):
    held = trained.trainer.model.state_dict()
    found = float_weights(trained.checker)
    assert set(found) == set(held)
    for name, values in found.items():
        np.testing.assert_allclose(values, held[name].numpy(), atol=0.02 * float(held[name].abs().max()) + 1e-6)
    stages = (dataclasses.replace(SETTINGS.stages[0], epochs=1),)
    settings = dataclasses.replace(SETTINGS, start=SmallChecker(trained.checker).name, kept=0.25, stages=stages)
    losses = []
    run = TrainingRun(tmp_path, on_step=lambda stage, step, steps: losses.append(step.loss))
    train(weights, Sources(data), run, settings, trained.checker)
    assert sum(losses[:3]) < sum(trained.losses[:3])
    last, mean = (
        load_file(folder / "model.safetensors")["classifier.weight"]
        for folder in (tmp_path / "relations", finished(tmp_path, settings, trained.checker))
    )
    np.testing.assert_allclose(mean, 0.25 * found["classifier.weight"] + 0.75 * last, atol=1e-6)
