"""The weights of a finished checker as the training has them, so that a training can go on from it.

The file holds most layers in 8-bit integers; what comes back is what they stand for, not what they were rounded from.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from programs.models import read_files

Weights = dict[str, NDArray[np.float32]]
_SPLIT = {"self": ("query", "key", "value"), "self.read": ("key", "value"), "self.asked": ("query",)}


def float_weights(folder: Path) -> Weights:
    """The weights by the names that transformers gives them, float32.

    Args:
        folder: With `model.onnx` and `manifest.json`, as `python -m optimize checker` wrote it.

    Raises:
        ModelUnusable: A file is missing or was altered.
    """
    import onnx
    from onnx import numpy_helper

    graph = onnx.load_from_string(read_files(folder).model).graph
    held = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    found: Weights = {
        "bert.embeddings.word_embeddings.weight": held["words"].astype(np.float32) * held["words.scale"],
        "bert.embeddings.position_embeddings.weight": held["positions"],
        "bert.embeddings.token_type_embeddings.weight": held["kinds"],
    }
    for name in [name.removesuffix(".weight") for name in held if name.endswith(".weight")]:
        for part, (weight, bias) in _parts(name, _whole(held, name), held[f"{name}.bias"]):
            found[_named(part, "weight")], found[_named(part, "bias")] = weight.T if weight.ndim == 2 else weight, bias
    return {name: np.array(each, np.float32, order="C") for name, each in found.items()}


def _named(name: str, kind: str) -> str:
    return f"{name}.{kind}" if name.startswith(("bert.", "classifier")) else f"bert.{name}.{kind}"


def _whole(held: dict[str, NDArray[np.generic]], name: str) -> NDArray[np.float32]:
    """A layer's weight [inputs, outputs], integers and channels in float32 put together."""
    weight = np.asarray(held[f"{name}.weight"], np.float32)
    if f"{name}.scale" in held:
        weight = weight * np.asarray(held[f"{name}.scale"], np.float32)
    if f"{name}.outliers" in held:
        weight[held[f"{name}.outliers"]] += np.asarray(held[f"{name}.outlier_weight"], np.float32)
    return weight


def _parts(
    name: str, weight: NDArray[np.float32], bias: NDArray[np.generic]
) -> list[tuple[str, tuple[NDArray[np.float32], NDArray[np.float32]]]]:
    """Queries, keys and values apart, which the graph computes in one product."""
    stem, _, end = name.partition(".attention.")
    if end not in _SPLIT:
        return [(name, (weight, np.asarray(bias, np.float32)))]
    kinds = _SPLIT[end]
    columns = zip(kinds, np.split(weight, len(kinds), axis=1), np.split(bias, len(kinds)), strict=True)
    return [(f"{stem}.attention.self.{kind}", (each, np.asarray(low, np.float32))) for kind, each, low in columns]
