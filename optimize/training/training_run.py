"""A training: its parts in order, a checkpoint every so many steps, going on where it was interrupted."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from optimize.training.loop import Batch, Trainer, TrainingStep, train_stage
from programs.atomic_files import put_folder, standing_folder
from programs.errors import CorroborateError


class CheckpointDiffers(CorroborateError):
    """A checkpoint is damaged or of a training with other settings."""


@dataclass(frozen=True, slots=True)
class TrainingPlace:
    """How far a training is: so many steps of a stage are done."""

    stage: str
    step: int


def save_checkpoint(folder: Path, trainer: Trainer, place: TrainingPlace, settings: dict[str, Any]) -> None:
    """Write a checkpoint into a folder of its own, complete or not at all."""
    from safetensors.torch import save_file

    fresh = folder.with_name(folder.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    save_file(
        {name: value.contiguous() for name, value in trainer.model.state_dict().items()}, fresh / "model.safetensors"
    )
    save_file(_optimizer_state(trainer), fresh / "optimizer.safetensors")
    state = {"stage": place.stage, "step": place.step, "settings": settings}
    (fresh / "state.json").write_text(json.dumps(state, indent=1) + "\n", encoding="utf-8")
    put_folder(fresh, folder)


def load_checkpoint(folder: Path, trainer: Trainer, settings: dict[str, Any]) -> TrainingPlace:
    """Put a checkpoint's weights and optimizer into a trainer.

    Raises:
        CheckpointDiffers: It is damaged, or of other settings.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        state = json.loads((folder / "state.json").read_text(encoding="utf-8"))
        if state["settings"] != settings:
            raise CheckpointDiffers(
                f"{folder} is of a training with other settings; leave out --resume or give another --output."
            )
        trainer.model.load_state_dict(load_file(folder / "model.safetensors"))
        kept = load_file(folder / "optimizer.safetensors")
        for number, parameter in enumerate(trainer.parameters):
            names = ("step", "exp_avg", "exp_avg_sq")
            trainer.optimizer.state[parameter] = {name: kept[f"{name}.{number}"].to(parameter.device) for name in names}
        return TrainingPlace(state["stage"], int(state["step"]))
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise CheckpointDiffers(
            f"The checkpoint at {folder} is damaged ({error}); train again without --resume."
        ) from error


def _optimizer_state(trainer: Trainer) -> dict[str, Any]:
    return {
        f"{name}.{number}": value.contiguous()
        for number, parameter in enumerate(trainer.parameters)
        for name, value in trainer.optimizer.state[parameter].items()
    }


def _ignore_step(part: str, step: TrainingStep, steps: int) -> None:
    pass


@dataclass(frozen=True, slots=True)
class TrainingRun:
    """Where and how a training is computed; none of it decides what is learned.

    Attributes:
        output: Where checkpoints go: `output/checkpoint`, and `output/PART` at a part's end.
        device: "cpu" or as torch spells a GPU.
        resume: Go on from `output/checkpoint` where there is one.
        every: Steps between checkpoints.
        on_step: Told of each step: the part's name, the step, how many the part has.
    """

    output: Path
    threads: int = 2
    device: str = "cpu"
    resume: bool = False
    every: int = 100
    on_step: Callable[[str, TrainingStep, int], None] = _ignore_step


@dataclass(frozen=True, slots=True)
class TrainingPart:
    """Batches that are learned with one rise and fall of the learning rate.

    Attributes:
        name: In checkpoints and logs.
        rate, last_rate: The highest learning rate and that at the end.
        batches: Gives the batches, in order, the same ones whenever it is asked.
        start: The part that it goes out from, where that is not the one before it.
    """

    name: str
    rate: float
    last_rate: float
    batches: Callable[[], list[Batch]]
    start: str = ""


def train_parts(
    trainer: Trainer, parts: Sequence[TrainingPart], run: TrainingRun, settings: dict[str, Any], seed: int
) -> Trainer:
    """Train all parts in order, or those that are left, under settings as JSON that decide the outcome.

    Raises:
        CheckpointDiffers: The checkpoint to go on from is damaged, or of other settings.
    """
    import torch

    place = TrainingPlace(parts[0].name, 0)
    kept = standing_folder(run.output / "checkpoint")
    if run.resume and kept.is_dir():
        place = load_checkpoint(kept, trainer, settings)
    names = [part.name for part in parts]
    for part in parts[names.index(place.stage) :]:
        start = place.step if part.name == place.stage else 0
        if part.start and not start:
            load_checkpoint(run.output / part.start, trainer, settings)
        planned = part.batches()
        torch.manual_seed(seed + start)

        def told(step: TrainingStep, part: TrainingPart = part, steps: int = len(planned)) -> None:
            run.on_step(part.name, step, steps)
            if step.number % run.every == 0:
                save_checkpoint(run.output / "checkpoint", trainer, TrainingPlace(part.name, step.number), settings)

        train_stage(trainer, planned, (part.rate, part.last_rate), start, told)
        save_checkpoint(run.output / part.name, trainer, TrainingPlace(part.name, len(planned)), settings)
    return trainer


def log_to(path: Path) -> Callable[[str, TrainingStep, int], None]:
    """Steps as lines of JSON at the end of a file."""

    def told(stage: str, step: TrainingStep, steps: int) -> None:
        line = {"stage": stage, "of": steps, "time": round(time.time(), 1), **asdict(step)}
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    return told
