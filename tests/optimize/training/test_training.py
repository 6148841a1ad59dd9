import dataclasses

import numpy as np
import pytest

from optimize.training.checker import finished, summed_loss, train
from optimize.training.loop import TrainingRun
from optimize.training.shipped_files import float_weights
from optimize.training.stages import Sources
from tests.optimize.training.conftest import SETTINGS

pytestmark = [pytest.mark.inference, pytest.mark.slow]


def test_training_lowers_the_loss_and_the_same_one_ends_with_the_same_weights(weights, data, trained):
    assert sum(trained.losses[-5:]) < 0.8 * sum(trained.losses[:5])
    again = train(weights, Sources(data), TrainingRun(), SETTINGS, trained.start).weights()
    for name, values in trained.trainer.weights().items():
        np.testing.assert_allclose(again[name], values, rtol=0, atol=1e-5)


def test_not_supported_is_met_by_either_other_class_and_smoothing_makes_certainty_cost():
    import torch  # which takes seconds, in the process alone that runs these tests

    logits = torch.tensor([[-9.0, 9.0, -9.0], [-9.0, -9.0, 9.0], [9.0, -9.0, -9.0]])
    losses = [float(summed_loss(row[None], torch.tensor([-1]))) for row in logits]
    assert losses[:2] == pytest.approx([0, 0], abs=1e-3)
    assert losses[2] > 10
    sure, target = torch.tensor([[20.0, 0.0, 0.0]]), torch.tensor([0])
    assert float(summed_loss(sure, target)) == pytest.approx(0, abs=1e-3)
    assert float(summed_loss(sure, target, smoothing=0.06)) == pytest.approx(0.06 * 2 / 3 * 20, abs=1e-2)


def test_a_training_goes_on_from_a_finished_checker(weights, data, trained):
    held, found = trained.trainer.weights(), float_weights(trained.checker)
    assert set(found) == set(held)
    for name, values in found.items():
        np.testing.assert_allclose(values, held[name], atol=0.02 * float(np.abs(held[name]).max()) + 1e-6)
    losses, stages = [], (dataclasses.replace(SETTINGS.stages[0], epochs=1),)
    run = TrainingRun(on_step=lambda part, step, steps, loss: losses.append(loss))
    further = train(weights, Sources(data), run, dataclasses.replace(SETTINGS, stages=stages), trained.checker)
    assert sum(losses[:3]) < sum(trained.losses[:3])
    mean, name = finished(further, trained.checker, 0.25), "classifier.weight"
    np.testing.assert_allclose(mean[name], 0.25 * found[name] + 0.75 * further.weights()[name], atol=1e-6)
