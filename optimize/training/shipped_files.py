"""Weights as the files that are shipped, a graph in 8-bit integers with its tokenizer and manifest, and back."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from programs.errors import ModelUnusable
from programs.models import TOKENIZER, ModelFiles, read_files
from programs.models.session import load_tokenizer
from programs.retrieval.model_files import weights_sha256

Weights = dict[str, NDArray[np.float32]]
_SPLIT = {"self": ("query", "key", "value"), "self.read": ("key", "value"), "self.asked": ("query",)}


def float_weights(folder: Path) -> Weights:
    """The weights of a finished checker by the names that transformers gives them, float32.

    Most layers are held in 8-bit integers; what comes back is what they stand for, not what they were rounded from.
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


_LAYER = re.compile(r"encoder\.layer\.(\d+)\.")


def int8_files(weights: Weights, base: Path, probe: Sequence[tuple[str, str]], tokens: int) -> ModelFiles:
    """A trained cross-encoder in 8-bit integers, with a manifest of what it was made from and reads.

    ``base`` holds the `config.json` and `tokenizer.json` of the model it was trained from; ``probe`` are pairs that
    show which channels of the layers reach far, and ``tokens`` of a pair are read at most.
    """
    from optimize.training.bert_graph import BertConfig, bert_graph

    described = json.loads((base / "config.json").read_text(encoding="utf-8"))
    tokens = min(tokens, int(described["max_position_embeddings"]))
    content = (base / TOKENIZER).read_bytes()
    tokenizer = load_tokenizer(content, tokens)
    layers = 1 + max(int(found[1]) for name in weights if (found := _LAYER.search(name)))
    config = replace(BertConfig.from_json(described), layers=layers)
    model = bert_graph(weights, config, probe=[tokenizer.encode(*pair).ids for pair in probe], pairs=True)
    return ModelFiles({"tokens": tokens}, model, content)


PROBE_TEXTS, PROBE_TOKENS = 8, 60
"""Random words find the channels that reach far as well as texts do: cosine 0.9979 and 0.9980 (weights in 7 bits)."""


def int8_embedder(folder: Path) -> ModelFiles:
    """The files of an embedder, a BERT encoder with mean pooling, from its folder as sentence-transformers saves it.

    Raises:
        ModelUnusable: It is of another kind, or a file is damaged.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    from optimize.training.bert_graph import BertConfig, bert_graph

    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        tokens = int(json.loads((folder / "sentence_bert_config.json").read_text(encoding="utf-8"))["max_seq_length"])
        tokenizer = (folder / TOKENIZER).read_bytes()
        weights = load_file(folder / "model.safetensors")
        first, last = load_tokenizer(tokenizer, tokens).encode("").ids
    except (OSError, ValueError, KeyError, SafetensorError) as error:
        raise ModelUnusable(f"a file of {folder} is damaged ({error}); get the model's files again") from error
    random = np.random.default_rng(0)
    words = random.integers(config["vocab_size"], size=(PROBE_TEXTS, PROBE_TOKENS))
    probe = [[first, *row, last] for row in words.tolist()]
    model = bert_graph(weights, BertConfig.from_json(config), probe=probe)
    return ModelFiles({"made_from": weights_sha256(folder), "tokens": tokens}, model, tokenizer)
