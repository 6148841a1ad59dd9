"""Train the checker: pairs of each stage, the loss, and the settings that decide the outcome."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from optimize.training import loop
from optimize.training.checker_calibration import fit, fit_surface
from optimize.training.labelled_claims import LABELS, Pair
from optimize.training.shipped_files import Weights, float_weights, int8_files
from optimize.training.stages import STAGES, Sources, Stage, epoch_pairs
from programs.models import TOKENIZER, write_files
from programs.models.checker import CheckerCalibration, SmallChecker, pair_read
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
    weights: Path, sources: Sources, run: loop.TrainingRun, settings: TrainingSettings, start: Path | None = None
) -> loop.Trainer:
    """Train from the embedder's weights or the finished checker ``start``.

    ``weights`` is a folder with the embedder's `config.json`, `model.safetensors` and `tokenizer.json`.
    """
    import torch

    torch.manual_seed(settings.seed)
    model = loop.load_model(weights, len(LABELS), float_weights(start) if start else None, settings.dropout)
    trainer = loop.Trainer(model, partial(summed_loss, smoothing=settings.smoothing), run.threads, run.device)
    tokenizer = load_tokenizer((weights / TOKENIZER).read_bytes(), settings.length)
    parts = [
        loop.TrainingPart(
            stage.name, stage.rate, stage.last_rate, partial(_planned, stage, sources, tokenizer, settings.seed)
        )
        for stage in settings.stages
    ]
    loop.train_parts(trainer, parts, run)
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


def finished(trainer: loop.Trainer, start: Path | None = None, kept: float = 0.0) -> Weights:
    """The weights that a training ended with, mixed with those of the checker that it continued from.

    ``kept`` is the latter's share, in [0, 1] (Wortsman et al. 2022, Robust fine-tuning, arXiv:2109.01903).
    """
    learned = trainer.weights()
    if start is None:
        return learned
    before = float_weights(start)
    return {name: kept * before[name] + (1 - kept) * each for name, each in learned.items()}


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


# A trained cross-encoder as files that are shipped: int8 ONNX, tokenizer, manifest with hashes and calibration.

NAME = "corroborate-checker-1"
TOKENS = 256
"""Of a pair that the checker reads at most; pairs of the training are shorter."""
PROBED = 12
"""Pairs that show which channels of the layers reach far."""
UNCALIBRATED = CheckerCalibration((1.0, 1.0, 1.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 1.0, 1.0)


def export(weights: Weights, base: Path, folder: Path, trained: Sequence[Pair], pairs: Sequence[Pair]) -> SmallChecker:
    """Write the checker of trained weights, and calibrate it on what its integer layers say.

    ``base`` is the folder of the model it was trained from; the ``trained`` pairs fit the linear model on counts, the
    others the calibration.
    """
    files = int8_files(weights, base, [pair_read(pair.claim, pair.premise) for pair in pairs[:PROBED]], TOKENS)
    surface, asked = fit_surface(trained), [(pair.claim, pair.premise) for pair in pairs]

    def written(calibration: CheckerCalibration) -> SmallChecker:
        manifest = {
            "name": NAME,
            **files.manifest,
            "labels": list(LABELS),
            "calibration": asdict(calibration),
            "surface": surface.as_json(),
        }
        write_files(folder, replace(files, manifest=manifest))
        return SmallChecker(folder)

    logits = written(UNCALIBRATED).logits(asked)
    return written(fit(logits, surface.scores(asked), pairs))
