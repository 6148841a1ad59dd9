"""Train the checker: pairs of each stage, the loss, the settings that decide the outcome; its calibration and files."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from optimize.training import loop
from optimize.training.labelled_claims import LABELS, Pair
from optimize.training.shipped_files import Weights, float_weights, int8_files
from optimize.training.stages import STAGES, Sources, Stage, epoch_pairs
from programs.models import TOKENIZER, write_files
from programs.models.checker import CheckerCalibration, SmallChecker, Surface, calibrated, counted, pair_read
from programs.models.session import load_tokenizer

if TYPE_CHECKING:
    import torch
    from tokenizers import Tokenizer


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """What decides a training's outcome, beside the data.

    Attributes:
        length: Tokens of a pair at most.
        dropout: Share of values that a step leaves out.
        smoothing: Share of a target that is spread over the labels, in [0, 1).
        stages: In order.
    """

    seed: int = 0
    length: int = 160
    dropout: float = 0.1
    smoothing: float = 0.05
    stages: tuple[Stage, ...] = STAGES


def train(
    weights: Path, sources: Sources, run: loop.TrainingRun, settings: TrainingSettings, start: Path
) -> loop.Trainer:
    """Train on from the finished checker ``start``.

    ``weights`` is the folder of the embedder that it descends from: `config.json`, `model.safetensors` and
    `tokenizer.json`.
    """
    import torch

    torch.manual_seed(settings.seed)
    model = loop.load_model(weights, len(LABELS), float_weights(start), settings.dropout)
    trainer = loop.Trainer(model, partial(summed_loss, smoothing=settings.smoothing), run.threads, run.device)
    tokenizer = load_tokenizer((weights / TOKENIZER).read_bytes(), settings.length)
    for stage in settings.stages:
        trainer.learn(stage.name, _planned(stage, sources, tokenizer, settings.seed), stage.rate, stage.last_rate, run)
    return trainer


def summed_loss(logits: torch.Tensor, targets: torch.Tensor, smoothing: float = 0.0) -> torch.Tensor:
    """Cross entropy added up over pairs; a target of -1 is met by either class that is not "supported".

    Args:
        logits: float [pairs, 3].
        targets: int [pairs], in -1…2.
        smoothing: Share of a target that is spread over the labels (Szegedy et al. 2016).
    """
    import torch

    logs = torch.log_softmax(logits, dim=-1)
    either = torch.logsumexp(logs[:, 1:], dim=-1)
    one = logs.gather(1, targets.clamp(min=0)[:, None])[:, 0]
    wanted = torch.where(targets < 0, either, one)
    return -((1 - smoothing) * wanted + smoothing * logs.mean(-1)).sum()


def finished(trainer: loop.Trainer, start: Path, kept: float) -> Weights:
    """The weights that a training ended with, mixed with those of the checker that it continued from.

    ``kept`` is the latter's share, in [0, 1] (Wortsman et al. 2022, Robust fine-tuning, arXiv:2109.01903).
    """
    before = float_weights(start)
    return {name: kept * before[name] + (1 - kept) * each for name, each in trainer.weights().items()}


def _planned(stage: Stage, sources: Sources, tokenizer: Tokenizer, first: int) -> list[loop.Batch]:
    """All batches of a stage, in order; its first pass draws from a seed, the others from the next ones."""
    found: list[loop.Batch] = []
    for epoch in range(math.ceil(stage.epochs)):
        seed = first + epoch
        pairs = epoch_pairs(stage, sources, seed)
        pairs = pairs[: math.ceil(len(pairs) * min(1.0, stage.epochs - epoch))]
        encodings = tokenizer.encode_batch([pair_read(pair.claim, pair.premise) for pair in pairs])
        targets = [LABELS.index(pair.label) if pair.label in LABELS else -1 for pair in pairs]
        examples = [loop.TrainingExample([each], [target]) for each, target in zip(encodings, targets, strict=True)]
        order = random.Random(f"{stage.name} order {seed}")  # noqa: S311 - repeatable, not secret
        found += loop.batches(examples, stage.batch, order)
    return found


# From logits to probabilities that can be taken at their word, and verdicts that are sure enough: vector scaling (Guo
# et al. 2017, arXiv:1706.04599) of two models together, softmax(scale · logits + surface · scores + shift), one factor
# a class each, fitted on pairs of papers that were not trained on. The scores are those of a linear model on counts.

Matrix = NDArray[np.float64]
PULL = 0.01
"""Towards the values at the start, so that few pairs cannot bend the scale far."""
FEWEST = 15
"""Verdicts that a threshold's precision is measured on at least."""
PRECISION_SUPPORTED, PRECISION_CONTRADICTED = 0.65, 0.9
"""What a verdict must have on pairs that were not trained on."""
START = CheckerCalibration((1.0,) * 3, (0.5,) * 3, (0.0,) * 3, 1.01, 1.01)


def fit(logits: Matrix, scores: Matrix, pairs: Sequence[Pair]) -> CheckerCalibration:
    """Fit factors, shifts and thresholds to logits [pairs, 3] of the model and scores [pairs, 3] on counts.

    Pairs that are only "not supported" are left out.
    """
    from scipy.optimize import minimize

    known = [at for at, pair in enumerate(pairs) if pair.label in LABELS]
    logits, scores, targets = logits[known], scores[known], _targets(pairs)
    factors = np.array([START.scale, START.surface])

    def calibration(values: Matrix) -> CheckerCalibration:
        scale, surface, shift = (tuple(map(float, each)) for each in values.reshape(3, -1))
        return replace(START, scale=scale, surface=surface, shift=shift)

    def loss(values: Matrix) -> float:
        """Mean cross entropy, and the pull, which leaves the shifts alone."""
        right = calibrated(logits, scores, calibration(values))[np.arange(len(targets)), targets]
        bent = (values[: factors.size] - factors.ravel()) ** 2
        return float(-np.log(np.maximum(right, 1e-12)).mean() + PULL / 2 * bent.sum())

    found = calibration(minimize(loss, [*factors.ravel(), *START.shift]).x)
    probabilities = calibrated(logits, scores, found)
    supported = threshold(probabilities, targets, LABELS.index("supported"), PRECISION_SUPPORTED)
    contradicted = threshold(probabilities, targets, LABELS.index("contradicted"), PRECISION_CONTRADICTED)
    return replace(found, supported=supported, contradicted=contradicted)


def fit_surface(pairs: Sequence[Pair]) -> Surface:
    """Fit the linear model on counts of training pairs; those that are only "not supported" are left out."""
    from sklearn.linear_model import LogisticRegression

    counts = counted([(pair.claim, pair.premise) for pair in pairs if pair.label in LABELS])
    mean, spread = counts.mean(0), np.maximum(counts.std(0), 1e-3)
    model = LogisticRegression(C=1 / (PULL * len(counts)), max_iter=1_000)
    model.fit((counts - mean) / spread, _targets(pairs))
    return Surface(mean, spread, model.coef_.T, model.intercept_)


def threshold(probabilities: Matrix, targets: NDArray[np.int64], label: int, precision: float) -> float:
    """The lowest probability from which on a label's verdicts have the precision wanted; 1.01 where none has.

    The ``precision``, in [0, 1], is that of every set of verdicts above the threshold or a higher one that is large
    enough. Probabilities are [pairs, 3]; targets, [pairs], and ``label`` are indices into `LABELS`.
    """
    mine = np.flatnonzero(probabilities.argmax(1) == label)
    order = mine[np.argsort(-probabilities[mine, label], kind="stable")]
    right = np.cumsum(targets[order] == label) / np.arange(1, len(order) + 1)
    enough = [at for at in range(FEWEST - 1, len(order)) if right[at] >= precision]
    return float(probabilities[order[enough[-1]], label]) if enough else 1.01


def _targets(pairs: Sequence[Pair]) -> NDArray[np.int64]:
    return np.array([LABELS.index(pair.label) for pair in pairs if pair.label in LABELS])


# A trained cross-encoder as files that are shipped: int8 ONNX, tokenizer, manifest with hashes and calibration.

NAME = "corroborate-checker-1"
TOKENS = 256
"""Of a pair that the checker reads at most; pairs of the training are shorter."""
PROBED = 12
"""Pairs that show which channels of the layers reach far."""


def export(weights: Weights, base: Path, folder: Path, trained: Sequence[Pair], pairs: Sequence[Pair]) -> SmallChecker:
    """Write the checker of trained weights, and calibrate it on what its integer layers say.

    ``base`` is the folder of the model it was trained from; the ``trained`` pairs fit the linear model on counts, the
    others the calibration.
    """
    files = int8_files(weights, base, [pair_read(pair.claim, pair.premise) for pair in pairs[:PROBED]], TOKENS)
    surface, asked = fit_surface(trained), [(pair.claim, pair.premise) for pair in pairs]
    named = {"name": NAME, **files.manifest, "labels": list(LABELS), "surface": surface.as_json()}

    def written(calibration: CheckerCalibration) -> SmallChecker:
        write_files(folder, replace(files, manifest={**named, "calibration": asdict(calibration)}))
        return SmallChecker(folder)

    return written(fit(written(START).logits(asked), surface.scores(asked), pairs))
