"""The cross-encoder in torch and its training loop: batches of like length, each worked on in parts by two threads.

On a busy machine threads inside one matrix product wait for each other; parts of a batch need to meet only once a step.
"""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from programs.models import token_kinds

if TYPE_CHECKING:
    import torch
    from tokenizers import Encoding, Tokenizer
    from transformers import BertForSequenceClassification


# The cross-encoder in torch, for training: [CLS] claim [SEP] premise [SEP] → logits.


def load_model(
    folder: Path, outputs: int, layers: int | None = None, dropout: float = 0.0
) -> BertForSequenceClassification:
    """A BERT classifier from a folder of weights; without a head, the head is new.

    Args:
        folder: `config.json` and `model.safetensors`, such as the default embedder's.
        outputs: Logits of a pair.
        layers: The first so many of the encoder's layers; by default all.
        dropout: Share of values that a step leaves out behind each sublayer, in [0, 1).
    """
    from transformers import BertForSequenceClassification
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    cut: dict[str, Any] = {} if layers is None else {"num_hidden_layers": layers}
    model = BertForSequenceClassification.from_pretrained(
        folder,
        num_labels=outputs,
        attn_implementation="eager",  # on a CPU a step takes two thirds of the time that it takes with the fused kernel
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        classifier_dropout=0.0,
        **cut,
    )
    # Thirty thousand words cannot be learned anew from some ten thousand pairs, only unlearned.
    model.bert.embeddings.word_embeddings.weight.requires_grad_(False)
    _tell_kinds_apart(model)
    if dropout:
        _leave_out(model, dropout)
    return model


def _tell_kinds_apart(model: BertForSequenceClassification) -> None:
    """Four kinds of tokens instead of two: a word of both texts starts out as a word of its own text alone."""
    import torch

    two = model.bert.embeddings.token_type_embeddings.weight.detach()
    model.bert.embeddings.token_type_embeddings = torch.nn.Embedding(4, two.shape[1])
    model.bert.embeddings.token_type_embeddings.weight.data.copy_(two.repeat(2, 1))
    model.config.type_vocab_size = 4


_DRAWN = threading.local()


def draw_from(seed: int) -> None:
    """Have this thread's dropout draw from a seed: parts of a batch are worked on by threads, in any order."""
    import torch

    _DRAWN.generator = torch.Generator().manual_seed(seed)


def _leave_out(model: BertForSequenceClassification, share: float) -> None:
    """Put dropout behind every sublayer, which draws as its thread was told."""
    import torch

    class Dropout(torch.nn.Module):
        def forward(self, values: torch.Tensor) -> torch.Tensor:
            if not self.training:
                return values
            kept = torch.empty(values.shape).bernoulli_(1 - share, generator=_DRAWN.generator)
            return values * (kept / (1 - share)).to(values.device, values.dtype)

    ends = [name for name, _ in model.named_modules() if name.endswith("output.dropout")]
    for name in (*ends, "dropout"):
        model.set_submodule(name, Dropout())


def load_tokenizer(folder: Path, length: int) -> Tokenizer:
    """The tokenizer of a model's folder, cutting pairs to so many tokens, the longer side first."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(length, strategy="longest_first")
    return tokenizer


def padded(encodings: Sequence[Encoding]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Token ids, attention mask and kinds of tokens of some pairs: int64 [pairs, longest]."""
    import torch

    longest = max(len(each.ids) for each in encodings)
    rows = [
        (each.ids + [0] * (longest - len(each.ids)), [1] * len(each.ids) + [0] * (longest - len(each.ids)),
         token_kinds(each) + [0] * (longest - len(each.ids)))
        for each in encodings
    ]  # fmt: skip
    ids, mask, types = (torch.tensor(column) for column in zip(*rows, strict=True))
    return ids, mask, types


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
    """A model, changed in place, with its optimizer; one call of `step` is one update, in parts at once on a CPU."""

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
    """Take a stage's steps from ``start`` on, between the highest and the last learning rate."""
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
