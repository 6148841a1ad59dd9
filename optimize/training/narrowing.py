"""A trained encoder with fewer inner channels: of each layer's feed-forward part those stay that the loss depends on.

What a channel is worth is |Σ activation · gradient| over some batches, the first-order change of the loss without it
(Molchanov and others 2017, arXiv:1611.06440). Two thirds of an encoder's products are in these parts, so half of the
channels take a third of the time. The weights that stay have to be trained on.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from optimize.training.loop import Batch, Loss
from optimize.training.model import padded

if TYPE_CHECKING:
    import torch
    from transformers import BertForSequenceClassification


def set_inner_channels(model: BertForSequenceClassification, inner: int) -> None:
    """Give every layer so many inner channels, with new weights."""
    import torch

    for layer in _layers(model):
        width = layer.output.dense.out_features
        layer.intermediate.dense = torch.nn.Linear(width, inner)
        layer.output.dense = torch.nn.Linear(inner, width)
    model.config.intermediate_size = inner


def narrow(model: BertForSequenceClassification, inner: int, batches: Sequence[Batch], loss: Loss) -> None:
    """Keep so many inner channels of every layer, those that are worth most.

    Args:
        model: Trained, on a CPU; changed in place.
        inner: Channels that stay.
        batches: What the channels' worth is told by; some hundred lists.
        loss: What the model was trained for.
    """
    import torch

    kept = [torch.sort(torch.topk(each, inner).indices).values for each in _worth(model, batches, loss)]
    before = [(each.intermediate.dense, each.output.dense) for each in _layers(model)]
    set_inner_channels(model, inner)
    with torch.no_grad():
        for layer, (rise, fall), channels in zip(_layers(model), before, kept, strict=True):
            layer.intermediate.dense.weight.copy_(rise.weight[channels])
            layer.intermediate.dense.bias.copy_(rise.bias[channels])
            layer.output.dense.weight.copy_(fall.weight[:, channels])
            layer.output.dense.bias.copy_(fall.bias)


def _worth(model: BertForSequenceClassification, batches: Sequence[Batch], loss: Loss) -> list[torch.Tensor]:
    import torch

    layers = _layers(model)
    worth = [torch.zeros(each.intermediate.dense.out_features) for each in layers]
    seen: dict[int, torch.Tensor] = {}

    def note(number: int, _module: object, _inputs: object, output: torch.Tensor) -> None:
        seen[number] = output

    hooks = [each.intermediate.register_forward_hook(partial(note, at)) for at, each in enumerate(layers)]
    try:
        for batch in batches:
            ids, mask, types = padded([pair for one in batch.examples for pair in one.encodings])
            targets = torch.tensor([target for one in batch.examples for target in one.targets])
            logits = model(input_ids=ids, attention_mask=mask, token_type_ids=types).logits
            inner = [seen[at] for at in range(len(layers))]
            gradients = torch.autograd.grad(loss(logits.float(), targets), inner)
            told = [(value.detach() * slope).sum((0, 1)).abs() for value, slope in zip(inner, gradients, strict=True)]
            worth = [total + each for total, each in zip(worth, told, strict=True)]
    finally:
        for hook in hooks:
            hook.remove()
    return worth


def _layers(model: BertForSequenceClassification) -> list[Any]:
    return list(cast("Any", model.bert.encoder.layer))
