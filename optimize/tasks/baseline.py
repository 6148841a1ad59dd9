"""Baselines before a data set: asked like `main_points`, so that their figures stand beside its."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from optimize.dataset.data import Dataset
from optimize.dataset.example import Example
from optimize.tasks.baselines import BASELINES
from optimize.tasks.main_points import MainPointsTask
from optimize.tasks.space import Space
from optimize.tasks.task import CallCount, Demo, Posed
from programs.program import Program
from programs.retrieval.embedding.embedder import Embedder

_MODEL = MainPointsTask()


@dataclass(frozen=True, slots=True)
class BaselineTask:
    """A baseline as optimizers see a program; there is nothing to optimise.

    Attributes:
        name: One of ``optimize.tasks.baselines.BASELINES``.
        metrics: Those of `main_points`.
    """

    name: str
    metrics: tuple[str, ...] = _MODEL.metrics

    @property
    def space(self) -> Space:
        """Nothing to search."""
        return {}

    def program(self, dataset: Dataset, embedder: Embedder | None) -> Program[Any]:
        """The baseline, which may know the questions of the training split."""
        return BASELINES[self.name](dataset.splits.get("train", ()))

    def pose(self, example: Example, dataset: Dataset) -> Posed:
        """As `main_points` is asked."""
        return _MODEL.pose(example, dataset)

    def demos(self, example: Example, dataset: Dataset, rng: random.Random) -> Mapping[str, Demo]:
        """None: there is no prompt."""
        return {}

    def calls(self, program: Program[Any], dataset: Dataset) -> CallCount:
        """A label is chosen by the model, from what the baseline found."""
        return CallCount(0, 1)
