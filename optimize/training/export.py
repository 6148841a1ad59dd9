"""A trained cross-encoder as files that are shipped: int8 ONNX, tokenizer, manifest with hashes and calibration."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from optimize.training.checker_evaluation import Wanted, fit, fit_surface
from optimize.training.labelled_claims import LABELS, Pair
from optimize.training.loop import load_tokenizer
from programs.models import ModelFiles, write_files
from programs.models.checker import CheckerCalibration, SmallChecker, pair_read

NAME = "corroborate-checker-1"
TOKENS = 256
"""Of a pair that the checker reads at most; pairs of the training are shorter."""
PROBED = 12
"""Pairs that show which channels of the layers reach far."""
WANTED = Wanted()
_LAYER = re.compile(r"encoder\.layer\.(\d+)\.")
UNCALIBRATED = CheckerCalibration((1.0, 1.0, 1.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 1.0, 1.0)


def export(
    weights: Path, base: Path, folder: Path, trained: Sequence[Pair], pairs: Sequence[Pair], wanted: Wanted = WANTED
) -> SmallChecker:
    """Write the checker and calibrate it on what its integer layers say.

    Args:
        weights: Folder of a checkpoint with `model.safetensors`.
        base: Folder of the model it was trained from.
        folder: Where the files go.
        trained: Pairs that were trained on, for the linear model on counts.
        pairs: Labelled pairs that were not trained on, for the calibration.
        wanted: Precision of verdicts.
    """
    files = int8_files(weights, base, [pair_read(pair.claim, pair.premise) for pair in pairs[:PROBED]], TOKENS)
    surface, asked = fit_surface(trained), [(pair.claim, pair.premise) for pair in pairs]

    def written(calibration: CheckerCalibration) -> SmallChecker:
        manifest = {
            "name": NAME,
            **files.manifest,
            "labels": list(LABELS),
            "calibration": asdict(calibration),
            "surface": surface.as_json(),
        }
        write_files(folder, replace(files, manifest=manifest))
        return SmallChecker(folder)

    logits = written(UNCALIBRATED).logits(asked)
    return written(fit(logits, surface.scores(asked), pairs, wanted))


def int8_files(weights: Path, base: Path, probe: Sequence[tuple[str, str]], tokens: int) -> ModelFiles:
    """A trained cross-encoder in 8-bit integers, with a manifest of what it was made from and reads.

    Args:
        weights: Folder of a checkpoint with `model.safetensors`; its layers are those that are used.
        base: Folder with the `config.json` and `tokenizer.json` of the model it was trained from.
        probe: Pairs that show which channels of the layers reach far.
        tokens: Of a pair that are read at most.
    """
    from safetensors.numpy import load_file

    from programs.models.bert_graph import BertConfig, Classifier, bert_graph

    described = json.loads((base / "config.json").read_text(encoding="utf-8"))
    tokens = min(tokens, int(described["max_position_embeddings"]))
    tokenizer, trained = load_tokenizer(base, tokens), load_file(weights / "model.safetensors")
    layers = 1 + max(int(found[1]) for name in trained if (found := _LAYER.search(name)))
    config = replace(BertConfig.from_json(described), layers=layers)
    model = bert_graph(trained, config, Classifier(), [tokenizer.encode(*pair).ids for pair in probe])
    return ModelFiles({"tokens": tokens}, model, (base / "tokenizer.json").read_bytes())
