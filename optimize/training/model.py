"""The cross-encoder in torch, for training: [CLS] claim [SEP] premise [SEP] → logits."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from programs.models import token_kinds

if TYPE_CHECKING:
    import torch
    from tokenizers import Encoding, Tokenizer
    from transformers import BertForSequenceClassification


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
