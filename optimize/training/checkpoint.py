"""A training that was interrupted goes on: weights and optimizer as safetensors, the place in the plan as JSON.

model.safetensors       the model's state
optimizer.safetensors   "exp_avg.17", "exp_avg_sq.17", "step.17": by number of the trained parameter
state.json              {"stage": "claims", "step": 400, "settings": {…}}
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from optimize.training.loop import Trainer
from programs.errors import CorroborateError


class CheckpointDiffers(CorroborateError):
    """A checkpoint is damaged or of a training with other settings."""


@dataclass(frozen=True, slots=True)
class Place:
    """How far a training is: so many steps of a stage are done."""

    stage: str
    step: int


def save_checkpoint(folder: Path, trainer: Trainer, place: Place, settings: dict[str, Any]) -> None:
    """Write a checkpoint into a folder of its own, complete or not at all."""
    from safetensors.torch import save_file

    fresh = folder.with_name(folder.name + ".new")
    fresh.mkdir(parents=True, exist_ok=True)
    save_file(
        {name: value.contiguous() for name, value in trainer.model.state_dict().items()}, fresh / "model.safetensors"
    )
    save_file(_optimizer_state(trainer), fresh / "optimizer.safetensors")
    state = {"stage": place.stage, "step": place.step, "settings": settings}
    (fresh / "state.json").write_text(json.dumps(state, indent=1) + "\n", encoding="utf-8")
    old = folder.with_name(folder.name + ".old")
    if folder.exists():
        os.replace(folder, old)
    os.replace(fresh, folder)
    for path in old.glob("*") if old.exists() else ():
        path.unlink()
    if old.exists():
        old.rmdir()


def load_checkpoint(folder: Path, trainer: Trainer, settings: dict[str, Any]) -> Place:
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
        return Place(state["stage"], int(state["step"]))
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
