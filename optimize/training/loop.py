"""The training loop: batches of like length, two threads each with its own part of a batch, gradients added up.

On a busy machine threads inside one matrix product wait for each other; parts of a batch need to meet only once a step.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from optimize.training.model import draw_from, padded

if TYPE_CHECKING:
    import torch
    from tokenizers import Encoding
    from transformers import BertForSequenceClassification

WARM_UP = 0.06
POOL = 24
"""Batches that are sorted by length together."""
LARGEST_NORM = 1.0


Loss: TypeAlias = "Callable[[torch.Tensor, torch.Tensor], torch.Tensor]"
"""Of logits, float [pairs, outputs], and targets, int [pairs]: a loss added up over examples."""


@dataclass(frozen=True, slots=True)
class Example:
    """Encoded pairs that are learned from together, with a target each: one claim, or all passages of a question."""

    encodings: Sequence[Encoding]
    targets: Sequence[int]


@dataclass(frozen=True, slots=True)
class Batch:
    """Examples of one step, all with as many pairs."""

    examples: Sequence[Example]


@dataclass(frozen=True, slots=True)
class TrainingStep:
    """What one step did."""

    number: int
    loss: float
    rate: float
    seconds: float


def batches(examples: Sequence[Example], size: int, generator: random.Random) -> list[Batch]:
    """Batches of examples of about the same length, in random order."""
    found = []
    for start in range(0, len(examples), POOL * size):
        pool = sorted(examples[start : start + POOL * size], key=lambda each: max(len(e.ids) for e in each.encodings))
        found += [Batch(pool[at : at + size]) for at in range(0, len(pool), size)]
    generator.shuffle(found)
    return found


def rate_at(step: int, steps: int, highest: float, last: float) -> float:
    """Learning rate: a linear rise over the first steps, then half a cosine down to the last one."""
    warm = max(1, int(WARM_UP * steps))
    if step < warm:
        return highest * (step + 1) / warm
    share = (step - warm) / max(1, steps - warm)
    return last + (highest - last) * 0.5 * (1 + math.cos(math.pi * share))


class Trainer:
    """A model with its optimizer; one call of `step` is one update."""

    def __init__(self, model: BertForSequenceClassification, loss: Loss, threads: int = 2, device: str = "cpu") -> None:
        """Take a model for training.

        Args:
            model: As `model.load_model` gives it; changed in place.
            loss: What is made small.
            threads: Parts of a batch that are worked on at once, on a CPU.
            device: "cpu" or as torch spells a GPU.
        """
        import torch

        self.model = model.train()
        torch.nn.Module.to(self.model, device)
        self.device = device
        self._loss = loss
        self.parameters = [each for each in model.parameters() if each.requires_grad]
        decayed = [each for each in self.parameters if each.ndim > 1]
        plain = [each for each in self.parameters if each.ndim <= 1]
        groups = [{"params": decayed, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}]
        self.optimizer = torch.optim.AdamW(groups, lr=0.0, fused=True)
        self._threads = threads if device == "cpu" else 1
        self._pool = ThreadPoolExecutor(self._threads, initializer=torch.set_num_threads, initargs=(1,))
        if device == "cpu":
            torch.set_num_threads(1)

    def step(self, batch: Batch, rate: float, number: int = 0) -> float:
        """Update the weights once and return the batch's mean loss; dropout draws from the step's number."""
        import torch

        parts = _parts(batch, self._threads)
        seeds = [len(parts) * number + place for place in range(len(parts))]
        done = list(self._pool.map(partial(self._gradients, of=len(batch.examples)), parts, seeds))
        for at, parameter in enumerate(self.parameters):
            first, *others = (gradients[at] for _, gradients in done)
            parameter.grad = first
            for other in others:
                first += other
        torch.nn.utils.clip_grad_norm_(self.parameters, LARGEST_NORM)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        return sum(loss for loss, _ in done)

    def _gradients(self, part: Batch, seed: int, of: int) -> tuple[float, Sequence[torch.Tensor]]:
        import torch

        draw_from(seed)
        ids, mask, types = (
            each.to(self.device) for each in padded([e for one in part.examples for e in one.encodings])
        )
        targets = torch.tensor([target for one in part.examples for target in one.targets], device=self.device)
        with torch.autocast(self.device.split(":")[0], torch.bfloat16):
            logits = self.model(input_ids=ids, attention_mask=mask, token_type_ids=types).logits
        loss = self._loss(logits.float(), targets) / of
        return float(loss.detach()), torch.autograd.grad(loss, self.parameters)


def train_stage(
    trainer: Trainer,
    planned: Sequence[Batch],
    rates: tuple[float, float],
    start: int,
    on_step: Callable[[TrainingStep], None],
) -> None:
    """Take a stage's steps from ``start`` on.

    Args:
        trainer: Model and optimizer.
        planned: The stage's batches, in order.
        rates: The highest and the last learning rate.
        start: Steps that are done already.
        on_step: Told of each step.
    """
    for number, batch in _from(planned, start):
        began = time.monotonic()
        rate = rate_at(number, len(planned), *rates)
        loss = trainer.step(batch, rate, number)
        on_step(TrainingStep(number + 1, loss, rate, time.monotonic() - began))


def _from(planned: Sequence[Batch], start: int) -> Iterator[tuple[int, Batch]]:
    return ((number, planned[number]) for number in range(start, len(planned)))


def _parts(batch: Batch, count: int) -> list[Batch]:
    size = max(1, math.ceil(len(batch.examples) / count))
    return [Batch(batch.examples[at : at + size]) for at in range(0, len(batch.examples), size)]
