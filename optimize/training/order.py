"""Train and evaluate the order: one passage that answers against others, and each for itself."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from optimize.training import loop
from optimize.training.ranking_lists import COLLECTIONS, JudgedCollection, epoch
from optimize.training.shipped_files import Weights, int8_files
from programs.models import TOKENIZER, ModelFiles, write_files
from programs.models.order import LearnedOrder, LogisticScale, passage_read, question_read
from programs.models.session import load_tokenizer

if TYPE_CHECKING:
    import torch
    from tokenizers import Tokenizer
    from transformers import BertForSequenceClassification


# How well an order tells passages that answer from others, inside a paper and among papers; its probabilities.

PULL = 1e-3
"""Towards a flat curve, so that values that part right from wrong without error give a finite one."""


def fit_scale(values: Sequence[float], right: Sequence[bool]) -> LogisticScale:
    """A logistic curve through values, which are standardised first.

    ``right`` is what each of them should have said; both answers must occur.
    """
    from sklearn.linear_model import LogisticRegression

    raw = np.asarray(values, dtype=float)
    mean, spread = raw.mean(), max(raw.std(), 1e-6)
    model = LogisticRegression(C=1 / (PULL * len(raw))).fit(((raw - mean) / spread)[:, None], np.asarray(right))
    factor = float(model.coef_[0, 0]) / spread
    return LogisticScale(factor, float(model.intercept_[0]) - factor * mean)


@dataclass(frozen=True, slots=True)
class ScoredQuestion:
    """A question's scores of the passages of its paper, some of which answer it, and of the nearest of other papers."""

    document: str
    logits: tuple[float, ...]
    relevant: tuple[bool, ...]
    others: tuple[float, ...]

    def hit(self, count: int) -> bool:
        """Whether a passage that answers is among the first so many; in a tie, those that do not answer go first."""
        order = sorted(range(len(self.logits)), key=lambda at: (-self.logits[at], self.relevant[at]))
        return any(self.relevant[at] for at in order[:count])


def judged(order: LearnedOrder, collection: JudgedCollection) -> list[ScoredQuestion]:
    """Score every question's own paper, and as many passages of others."""
    scored = []
    for number, need in enumerate(collection.needs):
        own, others = collection.by_document[need.document], collection.near_and_far(number)[1]
        passages = [collection.passages[at] for at in (*own, *others)]
        found = order.logits(need.plain, [each.text for each in passages], [each.about for each in passages])
        logits = tuple(found[at] for at in range(len(passages)))
        relevant = tuple(at in need.relevant for at in own)
        scored.append(ScoredQuestion(need.document, logits[: len(own)], relevant, logits[len(own) :]))
    return scored


def figures(found: Sequence[ScoredQuestion]) -> dict[str, float]:
    """Shares of questions with an answer among the first, and how well a paper that answers is kept from others.

    The latter is the AUROC of the best passage's score: each question with its paper, and with passages of others
    alone.
    """
    from sklearn.metrics import roc_auc_score

    best = [*(max(each.logits) for each in found), *(max(each.others) for each in found)]
    shares = {f"answer among the first {n}": sum(each.hit(n) for each in found) / len(found) for n in (1, 3, 5)}
    area = float(roc_auc_score([True] * len(found) + [False] * len(found), best))
    return {**shares, "AUROC, its paper against others": area}


# A trained encoder with fewer inner channels: of each layer's feed-forward part those stay that the loss depends on.
#
# What a channel is worth is |Σ activation · gradient| over some batches, the first-order change of the loss without it
# (Molchanov and others 2017, arXiv:1611.06440). Two thirds of an encoder's products are in these parts, so half of the
# channels take a third of the time. The weights that stay have to be trained on.


def narrow(model: BertForSequenceClassification, inner: int, batches: Sequence[loop.Batch], loss: loop.Loss) -> None:
    """Keep so many inner channels of every layer of a model on a CPU, those that matter most on ``batches``."""
    import torch

    kept = [torch.sort(torch.topk(each, inner).indices).values for each in _worth(model, batches, loss)]
    with torch.no_grad():
        for layer, channels in zip(_layers(model), kept, strict=True):
            rise, fall = layer.intermediate.dense, layer.output.dense
            layer.intermediate.dense = torch.nn.Linear(rise.in_features, inner)
            layer.output.dense = torch.nn.Linear(inner, fall.out_features)
            layer.intermediate.dense.weight.copy_(rise.weight[channels])
            layer.intermediate.dense.bias.copy_(rise.bias[channels])
            layer.output.dense.weight.copy_(fall.weight[:, channels])
            layer.output.dense.bias.copy_(fall.bias)
    model.config.intermediate_size = inner


def _worth(model: BertForSequenceClassification, batches: Sequence[loop.Batch], loss: loop.Loss) -> list[torch.Tensor]:
    import torch

    layers = _layers(model)
    worth = [torch.zeros(each.intermediate.dense.out_features) for each in layers]
    seen: dict[int, torch.Tensor] = {}

    def note(number: int, _module: object, _inputs: object, output: torch.Tensor) -> None:
        seen[number] = output

    hooks = [each.intermediate.register_forward_hook(partial(note, at)) for at, each in enumerate(layers)]
    try:
        for batch in batches:
            ids, mask, types, targets = loop.tensors(batch)
            logits = model(input_ids=ids, attention_mask=mask, token_type_ids=types).logits
            inner = [seen[at] for at in range(len(layers))]
            gradients = torch.autograd.grad(loss(logits.float(), targets), inner)
            scores = [(value.detach() * slope).sum((0, 1)).abs() for value, slope in zip(inner, gradients, strict=True)]
            worth = [total + each for total, each in zip(worth, scores, strict=True)]
    finally:
        for hook in hooks:
            hook.remove()
    return worth


def _layers(model: BertForSequenceClassification) -> list[Any]:
    return list(cast("Any", model.bert.encoder.layer))


NAME = "corroborate-order-1"
PROBED = 12
"""Pairs that show which channels of the layers reach far."""
RAW = LogisticScale(1.0, 0.0)


def export(weights: Weights, base: Path, folder: Path, dev: JudgedCollection, tokens: int) -> LearnedOrder:
    """Write the order of trained weights, and calibrate it on what its integer layers say of ``dev``.

    ``base`` holds the `config.json` and `tokenizer.json` of the model it was trained from.
    """
    probe = [
        (question_read(need.plain), passage_read(need.plain, passage.text, passage.about))
        for need in dev.needs[:PROBED]
        for passage in [dev.passages[need.relevant[0]]]
    ]
    files = int8_files(weights, base, probe, tokens)
    found = judged(_written(files, folder, RAW, RAW), dev)
    passage = fit_scale(
        [logit for each in found for logit in each.logits], [hit for each in found for hit in each.relevant]
    )
    # From the best passage's log-odds to whether there is an answer: with the paper and without it.
    best = [(max(logits), there) for each in found for logits, there in ((each.logits, True), (each.others, False))]
    odds = [passage.factor * logit + passage.shift for logit, _ in best]
    return _written(files, folder, passage, fit_scale(odds, [there for _, there in best]))


def _written(files: ModelFiles, folder: Path, passage: LogisticScale, answered: LogisticScale) -> LearnedOrder:
    calibration = {"passage": asdict(passage), "answered": asdict(answered)}
    write_files(folder, replace(files, manifest={"name": NAME, **files.manifest, "calibration": calibration}))
    return LearnedOrder(folder)


WORTH_BATCHES = 120
"""Batches from which a channel's worth is computed."""
ALONE = 0.5
"""Weight of each passage's own yes or no beside the choice among them: without it, logits of different questions could
not be compared, and no probability be had."""


@dataclass(frozen=True, slots=True)
class OrderSettings:
    """What decides the outcome, beside the data.

    Attributes:
        passes: How often each source's questions are asked in an epoch.
        closing: The same of the parts behind it, in which questions in natural words are learned.
        epochs: Passes of the first part, with other wordings and other negatives.
        size: Texts of a list.
        batch: Lists a step.
        length: Tokens of a pair at most.
        layers: Of the encoder, the first ones.
        inner: Inner channels of a layer's feed-forward part in the last part; 1536 before it.
        rate: Highest learning rate of the first part; the last rate of each is reached along a cosine.
    """

    seed: int = 0
    passes: dict[str, float] = field(
        default_factory=lambda: {
            "trials": 2.0,
            "evidence": 1.5,
            "handwritten": 0.5,
            "handwritten_sentences": 1.5,
            "scifact": 0.7,
            "scifact_sentences": 1.5,
            "pubmed_qa": 1.0,
        }
    )
    closing: dict[str, float] = field(
        default_factory=lambda: {
            "written_sentences": 1.0,
            "written_passages": 0.35,
            "written_claims": 0.25,
            "written_abstracts": 0.5,
            "trials": 0.3,
            "evidence": 0.15,
            "handwritten_sentences": 0.2,
            "scifact": 0.2,
            "scifact_sentences": 0.2,
            "pubmed_qa": 0.3,
        }
    )
    epochs: int = 1
    closing_epochs: int = 2
    narrow_epochs: int = 2
    size: int = 8
    batch: int = 4
    length: int = 128
    layers: int = 6
    inner: int = 768
    rate: float = 1.2e-4
    closing_rate: float = 7e-5
    narrow_rate: float = 1e-4
    last_rate: float = 2e-6


def train(weights: Path, data: Path, run: loop.TrainingRun, settings: OrderSettings) -> loop.Trainer:
    """Train from the embedder's weights in a folder."""
    import torch

    torch.manual_seed(settings.seed)
    loss = listwise_loss(settings.size)
    whole = loop.Trainer(loop.load_model(weights, 1, settings.layers), loss, run.threads, run.device)
    tokenizer = load_tokenizer((weights / TOKENIZER).read_bytes(), settings.length)
    planned = partial(_planned, data, tokenizer, settings)
    second = settings.epochs + settings.closing_epochs
    asked = partial(planned, settings.passes, range(settings.epochs))
    closing = partial(planned, settings.closing, range(settings.epochs, second))
    last = partial(planned, settings.closing, range(second, second + settings.narrow_epochs))
    parts = [
        loop.TrainingPart("findings", settings.rate, settings.last_rate, asked),
        loop.TrainingPart("questions", settings.closing_rate, settings.last_rate, closing),
    ]
    loop.train_parts(whole, parts, run)
    model = whole.model.to("cpu")
    narrow(model, settings.inner, last()[:WORTH_BATCHES], loss)
    narrowed = loop.Trainer(model, loss, run.threads, run.device)
    loop.train_parts(narrowed, [loop.TrainingPart("narrow", settings.narrow_rate, settings.last_rate, last)], run)
    return narrowed


def listwise_loss(size: int) -> Any:  # noqa: ANN401 - a function on torch's tensors, which are not imported here
    """The loss of lists of so many texts: cross entropy of the choice among them, and of each alone."""
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits

    def loss(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        lists, wanted = logits.view(-1, size), targets.view(-1, size).float()
        chosen = -(torch.log_softmax(lists, dim=-1) * wanted).sum()
        return chosen + ALONE * binary_cross_entropy_with_logits(lists, wanted, reduction="sum") / size * 2

    return loss


def _planned(
    data: Path, tokenizer: Tokenizer, settings: OrderSettings, passes: dict[str, float], numbers: range
) -> list[loop.Batch]:
    collections = {name: read(data) for name, read in COLLECTIONS.items() if passes.get(name)}
    planned: list[loop.Batch] = []
    for number in numbers:
        generator = random.Random(f"order {settings.seed} {number}")  # noqa: S311 - repeatable, not secret
        examples = []
        for ask in epoch(collections, passes, settings.size, generator):
            encodings = tokenizer.encode_batch([(ask.question, text) for text in ask.texts])
            examples.append(loop.TrainingExample(encodings, [1] + [0] * (len(encodings) - 1)))
        planned += loop.batches(examples, settings.batch, generator)
    return planned
