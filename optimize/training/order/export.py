"""A trained order as files that are shipped, calibrated on papers that it was not trained on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from optimize.training.export import int8_files
from optimize.training.order.calibration import fit_scale
from optimize.training.order.lists import Collection
from optimize.training.order.measured import Judged, judged
from programs.models.order import LearnedOrder, Scale
from programs.models.order.reading import passage_read, question_read
from programs.models.stored_model import ModelFiles, write_files

NAME = "corroborate-order-1"
PROBED = 12
"""Pairs that show which channels of the layers reach far."""
RAW = Scale(1.0, 0.0)


def export(weights: Path, base: Path, folder: Path, dev: Collection, tokens: int) -> LearnedOrder:
    """Write the order and calibrate it on what its integer layers say.

    Args:
        weights: Folder of a checkpoint with `model.safetensors`.
        base: Folder with the `config.json` and `tokenizer.json` of the model it was trained from.
        folder: Where the files go.
        dev: Passages and questions that were not trained on.
        tokens: Of a pair that are read at most.
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
    return _written(files, folder, passage, answered_scale(found, passage))


def answered_scale(found: Sequence[Judged], passage: Scale) -> Scale:
    """The curve from the best passage's log-odds to whether there is an answer, with the paper and without it."""
    best = [(max(logits), there) for each in found for logits, there in ((each.logits, True), (each.others, False))]
    odds = [passage.factor * logit + passage.shift for logit, _ in best]
    return fit_scale(odds, [there for _, there in best])


def _written(files: ModelFiles, folder: Path, passage: Scale, answered: Scale) -> LearnedOrder:
    calibration = {"passage": asdict(passage), "answered": asdict(answered)}
    write_files(folder, replace(files, manifest={"name": NAME, **files.manifest, "calibration": calibration}))
    return LearnedOrder(folder)
