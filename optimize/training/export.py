"""A trained checker as files that are shipped: int8 ONNX, tokenizer, manifest with hashes and calibration."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from optimize.training.calibration import Wanted, fit, fit_surface
from optimize.training.model import load_tokenizer
from optimize.training.pairs import Pair
from programs.models.checker import Calibration, SmallChecker
from programs.models.checker.surface import Surface

NAME = "corroborate-checker-1"
TOKENS = 256
"""Of a pair that the checker reads at most; pairs of the training are shorter."""
PROBED = 12
"""Pairs that show which channels of the layers reach far."""
WANTED = Wanted()
UNCALIBRATED = Calibration((1.0, 1.0, 1.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 1.0, 1.0)


def export(
    weights: Path, base: Path, folder: Path, trained: Sequence[Pair], pairs: Sequence[Pair], wanted: Wanted = WANTED
) -> SmallChecker:
    """Write the checker and calibrate it on what its integer layers say.

    Args:
        weights: Folder of a checkpoint with `model.safetensors`.
        base: Folder with the `config.json` and `tokenizer.json` of the model it was trained from.
        folder: Where the files go.
        trained: Pairs that were trained on, for the linear model on counts.
        pairs: Labelled pairs that were not trained on, for the calibration.
        wanted: Precision of verdicts.
    """
    from safetensors.numpy import load_file

    from programs.models.bert_graph import BertConfig, Classifier, bert_graph

    folder.mkdir(parents=True, exist_ok=True)
    described = json.loads((base / "config.json").read_text(encoding="utf-8"))
    tokens = min(TOKENS, int(described["max_position_embeddings"]))
    tokenizer = load_tokenizer(base, tokens)
    probe = [tokenizer.encode(pair.claim, pair.premise).ids for pair in pairs[:PROBED]]
    graph_config = BertConfig.from_json(described)
    model = bert_graph(load_file(weights / "model.safetensors"), graph_config, Classifier(), probe)
    (folder / "model.onnx").write_bytes(model)
    shutil.copyfile(base / "tokenizer.json", folder / "tokenizer.json")
    surface, asked = fit_surface(trained), [(pair.claim, pair.premise) for pair in pairs]
    _write_manifest(folder, tokens, surface, UNCALIBRATED)
    logits = SmallChecker(folder).logits(asked)
    _write_manifest(folder, tokens, surface, fit(logits, surface.scores(asked), pairs, wanted))
    return SmallChecker(folder)


def _write_manifest(folder: Path, tokens: int, surface: Surface, calibration: Calibration) -> None:
    manifest: dict[str, Any] = {
        "name": NAME,
        "tokens": tokens,
        "labels": ["supported", "contradicted", "unverifiable"],
        "calibration": asdict(calibration),
        "surface": surface.as_json(),
        "files": {
            name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in ("model.onnx", "tokenizer.json")
        },
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
