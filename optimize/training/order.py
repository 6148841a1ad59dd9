"""Train and evaluate the order: one passage that answers against others, and each for itself."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from optimize.training import loop
from optimize.training.ranking_lists import COLLECTIONS, JudgedCollection, epoch
from optimize.training.shipped_files import Weights, float_weights, int8_files
from programs.models import TOKENIZER, write_files
from programs.models.order import LearnedOrder, LogisticScale, passage_read, question_read
from programs.models.session import load_tokenizer

if TYPE_CHECKING:
    import torch
    from tokenizers import Tokenizer


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
        scored.append(ScoredQuestion(logits[: len(own)], relevant, logits[len(own) :]))
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


NAME = "corroborate-order-1"
PROBED = 12
"""Pairs that show which channels of the layers reach far."""


def export(weights: Weights, base: Path, folder: Path, dev: Sequence[JudgedCollection], tokens: int) -> LearnedOrder:
    """Write the order of trained weights, and calibrate it on what its integer layers say of ``dev``.

    ``base`` holds the `config.json` and `tokenizer.json` of the model it was trained from.
    """
    probe = [
        (question_read(need.plain), passage_read(need.plain, passage.text, passage.about))
        for collection in dev
        for need in collection.needs[:PROBED]
        for passage in [collection.passages[need.relevant[0]]]
    ]
    files = int8_files(weights, base, probe, tokens)

    def written(passage: LogisticScale) -> LearnedOrder:
        manifest = {"name": NAME, **files.manifest, "calibration": {"passage": asdict(passage)}}
        write_files(folder, replace(files, manifest=manifest))
        return LearnedOrder(folder)

    raw = written(LogisticScale(1.0, 0.0))
    found = [each for collection in dev for each in judged(raw, collection)]
    return written(
        fit_scale([logit for each in found for logit in each.logits], [hit for each in found for hit in each.relevant])
    )


ALONE = 0.5
"""Weight of each passage's own yes or no beside the choice among them: without it, logits of different questions could
not be compared, and no probability be had."""


@dataclass(frozen=True, slots=True)
class OrderSettings:
    """What decides the outcome, beside the data.

    Attributes:
        passes: How often each source's questions are asked in an epoch.
        epochs: Passes, with other wordings and other negatives.
        size: Texts of a list.
        batch: Lists a step.
        length: Tokens of a pair at most.
        rate: Highest learning rate; the last one is reached along a cosine.
    """

    seed: int = 0
    passes: dict[str, float] = field(
        default_factory=lambda: {
            "invented_sentences": 1.0,
            "invented_passages": 0.3,
            "written_sentences": 0.4,
            "written_passages": 0.15,
            "written_claims": 0.08,
            "written_abstracts": 0.15,
            "trials": 0.2,
            "evidence": 0.1,
            "handwritten_sentences": 0.1,
            "scifact": 0.1,
            "scifact_sentences": 0.15,
            "pubmed_qa": 0.1,
        }
    )
    epochs: int = 1
    size: int = 6
    batch: int = 4
    length: int = 128
    rate: float = 7e-5
    last_rate: float = 2e-6


def train(weights: Path, data: Path, run: loop.TrainingRun, settings: OrderSettings, start: Path) -> loop.Trainer:
    """Train on from the finished order ``start``; ``weights`` is the folder of the model that it descends from."""
    import torch

    torch.manual_seed(settings.seed)
    model = loop.load_model(weights, 1, float_weights(start))
    trainer = loop.Trainer(model, listwise_loss(settings.size), run.threads, run.device)
    tokenizer = load_tokenizer((weights / TOKENIZER).read_bytes(), settings.length)
    trainer.learn("questions", _planned(data, tokenizer, settings), settings.rate, settings.last_rate, run)
    return trainer


def listwise_loss(size: int) -> Any:  # noqa: ANN401 - a function on torch's tensors, which are not imported here
    """The loss of lists of so many texts: cross entropy of the choice among them, and of each alone."""
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits

    def loss(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        lists, wanted = logits.view(-1, size), targets.view(-1, size).float()
        chosen = -(torch.log_softmax(lists, dim=-1) * wanted).sum()
        return chosen + ALONE * binary_cross_entropy_with_logits(lists, wanted, reduction="sum") / size * 2

    return loss


def _planned(data: Path, tokenizer: Tokenizer, settings: OrderSettings) -> list[loop.Batch]:
    collections = {name: read(data) for name, read in COLLECTIONS.items() if settings.passes.get(name)}
    planned: list[loop.Batch] = []
    for number in range(settings.epochs):
        generator = random.Random(f"order {settings.seed} {number}")  # noqa: S311 - repeatable, not secret
        examples = []
        for ask in epoch(collections, settings.passes, settings.size, generator):
            encodings = tokenizer.encode_batch([(ask.question, text) for text in ask.texts])
            examples.append(loop.TrainingExample(encodings, [1] + [0] * (len(encodings) - 1)))
        planned += loop.batches(examples, settings.batch, generator)
    return planned
