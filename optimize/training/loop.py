"""The cross-encoder in torch and its training loop, in batches of like length."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from programs.models import token_kinds

if TYPE_CHECKING:
    import numpy as np
    import torch
    from numpy.typing import NDArray
    from tokenizers import Encoding
    from transformers import BertForSequenceClassification

    from optimize.training.shipped_files import Weights


def load_model(
    folder: Path, outputs: int, start: Weights | None = None, dropout: float = 0.0
) -> BertForSequenceClassification:
    """A BERT classifier with so many outputs from a folder of weights; without a head, the head is new.

    ``start`` are the weights of a finished one, with inner layers of any width, in the place of the folder's;
    ``dropout`` is the share of values, in [0, 1), that a step leaves out behind the embeddings and each sublayer.
    """
    import torch
    from transformers import BertForSequenceClassification
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    inner: dict[str, Any] = {} if start is None else {"intermediate_size": len(start[_INNER])}
    model = BertForSequenceClassification.from_pretrained(
        folder,
        num_labels=outputs,
        attn_implementation="eager",  # on a CPU a step takes two thirds of the time that it takes with the fused kernel
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=0.0,
        classifier_dropout=dropout,
        ignore_mismatched_sizes=True,
        **inner,
    )
    # Four kinds of tokens instead of two: a word of both texts starts out as a word of its own text alone.
    kinds = model.bert.embeddings.token_type_embeddings.weight.detach().repeat(2, 1)
    model.bert.embeddings.token_type_embeddings = torch.nn.Embedding(*kinds.shape)
    model.bert.embeddings.token_type_embeddings.weight.data.copy_(kinds)
    model.config.type_vocab_size = len(kinds)
    if start is not None:
        model.load_state_dict({name: torch.from_numpy(each) for name, each in start.items()})
    # Thirty thousand words cannot be learned anew from some ten thousand pairs, only unlearned.
    model.bert.embeddings.word_embeddings.weight.requires_grad_(False)
    return model


_INNER = "bert.encoder.layer.0.intermediate.dense.weight"


def padded(encodings: Sequence[Encoding]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Token ids, attention mask and kinds of tokens of some pairs: int64 [pairs, longest]."""
    import torch
    from torch.nn.utils.rnn import pad_sequence

    columns = zip(*((each.ids, [1] * len(each.ids), token_kinds(each)) for each in encodings), strict=True)
    ids, mask, types = (pad_sequence([torch.tensor(row) for row in rows], batch_first=True) for rows in columns)
    return ids, mask, types


WARM_UP = 0.06
POOL = 24
"""Batches that are sorted by length together."""
LARGEST_NORM = 1.0


Loss: TypeAlias = "Callable[[torch.Tensor, torch.Tensor], torch.Tensor]"
"""Of logits, float [pairs, outputs], and targets, int [pairs]: a loss added up over examples."""


@dataclass(frozen=True, slots=True)
class TrainingExample:
    """Encoded pairs that are learned from together, with a target each: one claim, or all passages of a question."""

    encodings: Sequence[Encoding]
    targets: Sequence[int]


Batch: TypeAlias = Sequence[TrainingExample]
"""Examples of one step, all with as many pairs."""


def batches(examples: Sequence[TrainingExample], size: int, generator: random.Random) -> list[Batch]:
    """Batches of examples of about the same length, in random order."""
    found: list[Batch] = []
    for start in range(0, len(examples), POOL * size):
        pool = sorted(examples[start : start + POOL * size], key=lambda each: max(len(e.ids) for e in each.encodings))
        found += [pool[at : at + size] for at in range(0, len(pool), size)]
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
    """A model, changed in place, with its optimizer; one call of `step` is one update."""

    def __init__(self, model: BertForSequenceClassification, loss: Loss, threads: int = 2, device: str = "cpu") -> None:
        import torch

        torch.set_num_threads(threads)
        self.model = model.train()
        torch.nn.Module.to(self.model, device)
        self.device = device
        # Without AVX-512 bfloat16 is emulated: a step took thirty times as long.
        self._is_half = device != "cpu" or torch.backends.cpu.get_cpu_capability().startswith("AVX512")
        self._loss = loss
        self.parameters = [each for each in model.parameters() if each.requires_grad]
        groups = [
            {"params": [each for each in self.parameters if each.ndim > 1], "weight_decay": 0.01},
            {"params": [each for each in self.parameters if each.ndim <= 1], "weight_decay": 0.0},
        ]
        self.optimizer = torch.optim.AdamW(groups, lr=0.0, fused=True)

    def step(self, batch: Batch, rate: float, number: int = 0) -> float:
        """Update the weights once and return the batch's mean loss; dropout draws from the step's number."""
        import torch

        torch.manual_seed(number)
        wanted = torch.tensor([target for one in batch for target in one.targets])
        read = padded([pair for one in batch for pair in one.encodings])
        ids, mask, types, targets = (each.to(self.device) for each in (*read, wanted))
        with torch.autocast(self.device.split(":")[0], torch.bfloat16, enabled=self._is_half):
            logits = self.model(input_ids=ids, attention_mask=mask, token_type_ids=types).logits
        loss = self._loss(logits.float(), targets) / len(batch)
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.parameters, LARGEST_NORM)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        return float(loss.detach())

    def learn(self, part: str, batches: Sequence[Batch], highest: float, last: float, run: TrainingRun) -> None:
        """Learn batches in order, with one rise and fall of the learning rate, from the highest to the last one."""
        for number, batch in enumerate(batches):
            loss = self.step(batch, rate_at(number, len(batches), highest, last), number)
            run.on_step(part, number + 1, len(batches), loss)

    def weights(self) -> dict[str, NDArray[np.float32]]:
        """What was learned, by the names that transformers gives it."""
        return {name: value.detach().cpu().numpy() for name, value in self.model.state_dict().items()}


@dataclass(frozen=True, slots=True)
class TrainingRun:
    """How a training is computed; none of it decides what is learned.

    Attributes:
        device: "cpu" or as torch spells a GPU.
        on_step: Called after each step: the part's name, the step, how many the part has, and the mean loss.
    """

    threads: int = 1
    device: str = "cpu"
    on_step: Callable[[str, int, int, float], None] = lambda *_: None
