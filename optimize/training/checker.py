"""Train the checker: pairs of each stage, the loss, and the settings that decide the outcome."""

from __future__ import annotations

import json
import math
import random
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from optimize.training.finished_weights import float_weights
from optimize.training.loop import Batch, Example, Trainer, batches
from optimize.training.model import load_model, load_tokenizer
from optimize.training.pairs import LABELS, Pair
from optimize.training.run import TrainingPart, TrainingRun, train_parts
from optimize.training.stages import STAGES, Sources, Stage, epoch_pairs
from programs.models.checker import pair_read

if TYPE_CHECKING:
    import torch
    from tokenizers import Tokenizer


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """What decides a training's outcome, beside the data.

    Attributes:
        seed: Of pairs, their order and the new head.
        length: Tokens of a pair at most.
        dropout: Share of values that a step leaves out.
        smoothing: Share of a target that is spread over the labels, in [0, 1).
        members: How often the last stage is learned, each time from the stage before and in another order; the weights
            are averaged (Wortsman et al. 2022, Model soups, arXiv:2203.05482).
        stages: In order; two at least where there are several members.
        start: Name and hash of a finished checker that it goes on from; "" where it starts from the embedder.
        kept: Share of that checker's weights in the result, in [0, 1] (Wortsman et al. 2022, Robust fine-tuning,
            arXiv:2109.01903).
    """

    seed: int = 0
    length: int = 160
    dropout: float = 0.1
    smoothing: float = 0.05
    members: int = 1
    stages: tuple[Stage, ...] = STAGES
    start: str = ""
    kept: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """The settings in types that JSON has, as checkpoints and model cards keep them."""
        return json.loads(json.dumps(asdict(self)))  # type: ignore[no-any-return]


def train(
    weights: Path, sources: Sources, run: TrainingRun, settings: TrainingSettings, start: Path | None = None
) -> Trainer:
    """Train from the embedder's weights or a finished checker, or go on from the last checkpoint.

    Args:
        weights: Folder with the embedder's `config.json`, `model.safetensors` and `tokenizer.json`.
        sources: The training pairs.
        run: Where checkpoints go, and how to compute.
        settings: What to train.
        start: Folder of a finished checker to go on from, the one that the settings name.

    Raises:
        ModelUnusable: A file of the finished checker is missing or was altered.
    """
    import torch

    torch.manual_seed(settings.seed)
    model = load_model(weights, len(LABELS), dropout=settings.dropout)
    if start:
        model.load_state_dict({name: torch.from_numpy(each) for name, each in float_weights(start).items()})
    trainer = Trainer(model, partial(summed_loss, smoothing=settings.smoothing), run.threads, run.device)
    tokenizer = load_tokenizer(weights, settings.length)

    def part(stage: Stage, member: int = 0) -> TrainingPart:
        planned = partial(_planned, stage, sources, tokenizer, settings, settings.seed + member)
        start = settings.stages[-2].name if member else ""
        return TrainingPart(_member(stage, member), stage.rate, stage.last_rate, planned, start)

    *first, last = settings.stages
    parts = [*map(part, first), *(part(last, member) for member in range(settings.members))]
    return train_parts(trainer, parts, run, settings.as_dict(), settings.seed)


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


def _member(stage: Stage, member: int) -> str:
    return f"{stage.name}-{member + 1}" if member else stage.name


def finished(output: Path, settings: TrainingSettings, start: Path | None = None) -> Path:
    """The folder of the weights that a training ended with: the mean of its members and of what it went on from.

    Args:
        output: Where the training wrote.
        settings: Its settings.
        start: Folder of the checker that it went on from, as `train` was given it.
    """
    from safetensors.numpy import load_file, save_file

    last = settings.stages[-1]
    if settings.members == 1 and not settings.kept:
        return output / last.name
    folders = [output / _member(last, member) for member in range(settings.members)]
    weights = [load_file(folder / "model.safetensors") for folder in folders]
    averaged = {name: np.stack([each[name] for each in weights]).mean(axis=0) for name in weights[0]}
    if start and settings.kept:
        before = float_weights(start)
        averaged = {name: settings.kept * before[name] + (1 - settings.kept) * each for name, each in averaged.items()}
    folder = output / "averaged"
    folder.mkdir(exist_ok=True)
    save_file(averaged, folder / "model.safetensors")
    return folder


def _planned(
    stage: Stage, sources: Sources, tokenizer: Tokenizer, settings: TrainingSettings, first: int
) -> list[Batch]:
    """All batches of a stage, in order; its first pass draws from a seed, the others from the next ones."""
    found: list[Batch] = []
    for epoch in range(math.ceil(stage.epochs)):
        seed = first + epoch
        pairs = epoch_pairs(stage, sources, seed)
        pairs = pairs[: math.ceil(len(pairs) * min(1.0, stage.epochs - epoch))]
        encodings = tokenizer.encode_batch([pair_read(pair.claim, pair.premise) for pair in pairs])
        examples = [Example([each], [_target(pair)]) for each, pair in zip(encodings, pairs, strict=True)]
        found += batches(examples, stage.batch, _order(stage, seed))
    return found


def _order(stage: Stage, seed: int) -> random.Random:
    return random.Random(f"{stage.name} order {seed}")  # noqa: S311 - repeatable, not secret


def _target(pair: Pair) -> int:
    return LABELS.index(pair.label) if pair.label in LABELS else -1
