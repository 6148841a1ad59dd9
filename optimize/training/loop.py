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
from typing import TYPE_CHECKING

from optimize.training.model import padded
from optimize.training.pairs import LABELS, Pair

if TYPE_CHECKING:
    import torch
    from tokenizers import Encoding, Tokenizer
    from transformers import BertForSequenceClassification

WARM_UP = 0.06
POOL = 24
"""Batches that are sorted by length together."""
LARGEST_NORM = 1.0


@dataclass(frozen=True, slots=True)
class Batch:
    """Encoded pairs and their labels: an index into `LABELS`, or -1 for "not supported"."""

    encodings: list[Encoding]
    targets: list[int]


@dataclass(frozen=True, slots=True)
class Step:
    """What one step did."""

    number: int
    loss: float
    rate: float
    seconds: float


def batches(pairs: Sequence[Pair], tokenizer: Tokenizer, size: int, generator: random.Random) -> list[Batch]:
    """Batches of pairs of about the same length, in random order."""
    encodings = tokenizer.encode_batch([(pair.claim, pair.premise) for pair in pairs])
    both = list(zip(encodings, (_target(pair) for pair in pairs), strict=True))
    found = []
    for start in range(0, len(both), POOL * size):
        pool = sorted(both[start : start + POOL * size], key=lambda each: len(each[0].ids))
        parts = [pool[at : at + size] for at in range(0, len(pool), size)]
        found += [Batch([each[0] for each in part], [each[1] for each in part]) for part in parts]
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

    def __init__(self, model: BertForSequenceClassification, threads: int = 2, device: str = "cpu") -> None:
        """Take a model for training.

        Args:
            model: As `model.load_model` gives it; changed in place.
            threads: Parts of a batch that are worked on at once, on a CPU.
            device: "cpu" or as torch spells a GPU.
        """
        import torch

        self.model = model.train()
        torch.nn.Module.to(self.model, device)
        self.device = device
        self.parameters = [each for each in model.parameters() if each.requires_grad]
        decayed = [each for each in self.parameters if each.ndim > 1]
        plain = [each for each in self.parameters if each.ndim <= 1]
        groups = [{"params": decayed, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}]
        self.optimizer = torch.optim.AdamW(groups, lr=0.0, fused=True)
        self._threads = threads if device == "cpu" else 1
        self._pool = ThreadPoolExecutor(self._threads, initializer=torch.set_num_threads, initargs=(1,))
        if device == "cpu":
            torch.set_num_threads(1)

    def step(self, batch: Batch, rate: float) -> float:
        """Update the weights once and return the batch's mean loss."""
        import torch

        parts = _parts(batch, self._threads)
        done = list(self._pool.map(lambda part: self._gradients(part, len(batch.targets)), parts))
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

    def _gradients(self, part: Batch, of: int) -> tuple[float, Sequence[torch.Tensor]]:
        import torch

        ids, mask, types = (each.to(self.device) for each in padded(part.encodings))
        with torch.autocast(self.device.split(":")[0], torch.bfloat16):
            logits = self.model(input_ids=ids, attention_mask=mask, token_type_ids=types).logits
        loss = summed_loss(logits.float(), torch.tensor(part.targets, device=self.device)) / of
        return float(loss.detach()), torch.autograd.grad(loss, self.parameters)


def summed_loss(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Cross entropy added up over pairs; a target of -1 is met by either class that is not "supported".

    Args:
        logits: float [pairs, 3].
        targets: int [pairs], in -1…2.
    """
    import torch

    logs = torch.log_softmax(logits, dim=-1)
    either = torch.logsumexp(logs[:, 1:], dim=-1)
    one = logs.gather(1, targets.clamp(min=0)[:, None])[:, 0]
    return -torch.where(targets < 0, either, one).sum()


def train_stage(
    trainer: Trainer, planned: Sequence[Batch], rates: tuple[float, float], start: int, on_step: Callable[[Step], None]
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
        loss = trainer.step(batch, rate)
        on_step(Step(number + 1, loss, rate, time.monotonic() - began))


def _from(planned: Sequence[Batch], start: int) -> Iterator[tuple[int, Batch]]:
    return ((number, planned[number]) for number in range(start, len(planned)))


def _target(pair: Pair) -> int:
    return LABELS.index(pair.label) if pair.label in LABELS else -1


def _parts(batch: Batch, count: int) -> list[Batch]:
    size = max(1, math.ceil(len(batch.targets) / count))
    return [
        Batch(batch.encodings[at : at + size], batch.targets[at : at + size])
        for at in range(0, len(batch.targets), size)
    ]
