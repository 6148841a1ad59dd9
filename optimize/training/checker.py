"""Train the checker: all stages in order, a checkpoint every so many steps."""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from optimize.training.checkpoint import Place, load_checkpoint, save_checkpoint
from optimize.training.loop import Batch, Step, Trainer, batches, train_stage
from optimize.training.model import load_model, load_tokenizer
from optimize.training.stages import STAGES, Sources, Stage, epoch_pairs

if TYPE_CHECKING:
    from tokenizers import Tokenizer


@dataclass(frozen=True, slots=True)
class Settings:
    """What decides a training's outcome, beside the data.

    Attributes:
        seed: Of pairs, their order and the new head.
        batch: Pairs a step.
        length: Tokens of a pair at most.
        stages: In order.
    """

    seed: int = 0
    batch: int = 16
    length: int = 160
    stages: tuple[Stage, ...] = STAGES

    def as_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return json.loads(json.dumps(asdict(self)))  # type: ignore[no-any-return]


def train(
    weights: Path,
    data: Path,
    output: Path,
    settings: Settings,
    *,
    threads: int = 2,
    device: str = "cpu",
    resume: bool = False,
    every: int = 100,
    on_step: Callable[[str, Step, int], None] = lambda stage, step, steps: None,
) -> Trainer:
    """Train from the embedder's weights, or go on from the last checkpoint.

    Args:
        weights: Folder with the embedder's `config.json`, `model.safetensors` and `tokenizer.json`.
        data: Folder of training data.
        output: Where checkpoints go: `output/checkpoint`, and `output/STAGE` at a stage's end.
        settings: What to train.
        threads: CPU threads.
        device: Where to train.
        resume: Go on from `output/checkpoint` where there is one.
        every: Steps between checkpoints.
        on_step: Told of each step: the stage's name, the step, how many the stage has.
    """
    import torch

    torch.manual_seed(settings.seed)
    trainer = Trainer(load_model(weights), threads, device)
    tokenizer, sources = load_tokenizer(weights, settings.length), Sources(data)
    place = Place(settings.stages[0].name, 0)
    if resume and (output / "checkpoint").is_dir():
        place = load_checkpoint(output / "checkpoint", trainer, settings.as_dict())
    names = [stage.name for stage in settings.stages]
    for stage in settings.stages[names.index(place.stage) :]:
        start = place.step if stage.name == place.stage else 0
        planned = _planned(stage, sources, tokenizer, settings)
        torch.manual_seed(settings.seed + start)

        def told(step: Step, stage: Stage = stage, planned: list[Batch] = planned) -> None:
            on_step(stage.name, step, len(planned))
            if step.number % every == 0:
                save_checkpoint(output / "checkpoint", trainer, Place(stage.name, step.number), settings.as_dict())

        train_stage(trainer, planned, (stage.rate, stage.last_rate), start, told)
        save_checkpoint(output / stage.name, trainer, Place(stage.name, len(planned)), settings.as_dict())
    return trainer


def finished(output: Path, settings: Settings) -> Path:
    """The folder of the weights that a training ended with."""
    return output / settings.stages[-1].name


def _planned(stage: Stage, sources: Sources, tokenizer: Tokenizer, settings: Settings) -> list[Batch]:
    """All batches of a stage, in order."""
    found: list[Batch] = []
    for epoch in range(math.ceil(stage.epochs)):
        seed = settings.seed + epoch
        pairs = epoch_pairs(stage, sources, seed)
        pairs = pairs[: math.ceil(len(pairs) * min(1.0, stage.epochs - epoch))]
        found += batches(pairs, tokenizer, settings.batch, _order(stage, seed))
    return found


def _order(stage: Stage, seed: int) -> random.Random:
    return random.Random(f"{stage.name} order {seed}")  # noqa: S311 - repeatable, not secret


def log_to(path: Path) -> Callable[[str, Step, int], None]:
    """Steps as lines of JSON at the end of a file."""

    def told(stage: str, step: Step, steps: int) -> None:
        line = {"stage": stage, "of": steps, "time": round(time.time(), 1), **asdict(step)}
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    return told
