"""A BERT encoder as an ONNX graph, made from its weights alone.

    weights = safetensors.numpy.load_file("model.safetensors")
    config = BertConfig.from_json(json.loads(Path("config.json").read_text()))
    model = bert_graph(weights, config)                                  # a text's vector: bytes, float32
    model = bert_graph(weights, config, probe=token_ids)                 # the same in 8-bit integers
    model = bert_graph(weights, config, probe=token_ids, pairs=True)     # scores of a pair of texts

A vector is the mean of the tokens' vectors at unit length; scores come from the first token's vector, through the
linear layers that transformers calls ``bert.pooler.dense`` and ``classifier``. Inputs are ``input_ids``, and
``token_type_ids`` of pairs, int32 [texts, tokens]; the output is ``vectors`` or ``logits``, float32 [texts, dimension
or labels]. A run takes one text, or several with the same number of tokens: there is neither padding nor mask, so that
a text's output does not depend on what it is run with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from programs.errors import ModelUnusable
from programs.models.session import Session

OPSET = 21
"""The newest operator set whose operators are used; ONNX Runtime has run it since 1.18."""
IR_VERSION = 10
"""The file format that belongs to operator set 21; `onnx` would write its newest, which older runtimes refuse."""
MICROSOFT = "com.microsoft"
"""Operators of ONNX Runtime itself: attention in one piece, products of quantised matrices."""


class GraphWriter:
    """Collects nodes and constants; every node's output gets its own name."""

    def __init__(self) -> None:
        self._nodes: list[Any] = []
        self._constants: dict[str, Any] = {}

    def constant(self, name: str, values: NDArray[Any]) -> str:
        """Add an array under a name, or find the one that has the name; returns the name."""
        if name not in self._constants:
            self._constants[name] = numpy_helper.from_array(np.asarray(values, order="C"), name)
        return name

    def node(self, operator: str, *inputs: str, name: str = "", domain: str = "", **attributes: Any) -> str:  # noqa: ANN401
        """Add an operator with one output; returns the output's name, which is ``name`` when that is given."""
        output = name or f"{operator}.{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, inputs, [output], output, domain=domain, **attributes))
        return output

    def split(self, tensor: str, parts: int) -> list[str]:
        """Cut the last axis into equal parts."""
        outputs = [f"{tensor}.part{number}" for number in range(parts)]
        self._nodes.append(helper.make_node("Split", [tensor], outputs, axis=-1, num_outputs=parts))
        return outputs

    def model(self, inputs: Mapping[str, int], outputs: Mapping[str, int]) -> bytes:
        """The finished model, with int32 inputs and float32 outputs by name, each with the number of its axes."""
        graph = helper.make_graph(
            self._nodes,
            "encoder",
            [_value(name, TensorProto.INT32, axes) for name, axes in inputs.items()],
            [_value(name, TensorProto.FLOAT, axes) for name, axes in outputs.items()],
            list(self._constants.values()),
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)]
        written: bytes = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION).SerializeToString()
        return written


def _value(name: str, kind: int, axes: int) -> Any:  # noqa: ANN401 - a protobuf message
    return helper.make_tensor_value_info(name, kind, [f"{name}.axis{axis}" for axis in range(axes)])


Matrix = NDArray[np.float32]
LARGEST_WEIGHT = 127
"""All that 8 bits hold. CPUs without VNNI add pairs of products in 16 bits, which then could overflow: the session asks
there for kernels that do not (`programs.models.session`). With 64, which needs none, vectors were twice as far off."""
OUTLIERS = 4
"""Channels of an input that are multiplied in float32; 8 gained nothing."""


def float_linear(graph: GraphWriter, name: str, source: str, weight: Matrix, bias: Matrix) -> str:
    """Write a layer in float32, ``source @ weight + bias``, weight [inputs, outputs]; gives the name of the result."""
    product = graph.node("MatMul", source, graph.constant(f"{name}.weight", weight))
    return graph.node("Add", product, graph.constant(f"{name}.bias", bias))


def outlier_linear(graph: GraphWriter, name: str, source: str, weight: Matrix, bias: Matrix, reach: Matrix) -> str:
    """The same in 8-bit integers, but for the channels whose ``reach``, their largest value [inputs], is largest."""
    outliers = np.sort(np.argsort(-reach, kind="stable")[:OUTLIERS])
    kept = np.ones(len(weight), dtype=np.float32)
    kept[outliers] = 0
    within = graph.node("Mul", source, graph.constant(f"{name}.kept", kept))
    beyond = graph.node("Gather", source, graph.constant(f"{name}.outliers", outliers), axis=-1)
    exact = graph.node("MatMul", beyond, graph.constant(f"{name}.outlier_weight", weight[outliers]))
    return graph.node("Add", _int8(graph, name, within, weight * kept[:, None], bias), exact)


def _int8(graph: GraphWriter, name: str, source: str, weight: Matrix, bias: Matrix) -> str:
    rounded, scale = rounded_columns(weight)
    return graph.node(
        "DynamicQuantizeMatMul",
        source,
        graph.constant(f"{name}.weight", rounded),
        graph.constant(f"{name}.scale", scale),
        "",  # zero points: none, the weights are symmetric
        graph.constant(f"{name}.bias", bias),
        domain=MICROSOFT,
    )


def rounded_columns(weight: Matrix) -> tuple[NDArray[np.int8], Matrix]:
    """Round a matrix to 8-bit integers, of its shape, with scales [columns]: integers times scales are near it."""
    scale = (np.abs(weight).max(axis=0) / LARGEST_WEIGHT).astype(np.float32)
    scale[scale == 0] = 1
    return np.rint(weight / scale).astype(np.int8), scale


Weights: TypeAlias = Mapping[str, Matrix]
TokenIds: TypeAlias = Sequence[int]
AXIS_0, AXIS_1 = np.array([0], dtype=np.int64), np.array([1], dtype=np.int64)
HEAD = ("bert.pooler.dense", "classifier")
"""Layers behind the encoder that scores pairs: ``NAME.weight`` [outputs, inputs] and ``NAME.bias``."""


@dataclass(frozen=True, slots=True)
class BertConfig:
    """What the weights' shapes do not say: layers, attention heads of each, and epsilon of layer normalisation."""

    layers: int
    heads: int
    epsilon: float

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> BertConfig:
        """Read the ``config.json`` of a BERT encoder with GELU and absolute positions; others are ``ModelUnusable``."""
        wanted = {"model_type": "bert", "hidden_act": "gelu", "position_embedding_type": "absolute"}
        for name, value in wanted.items():
            if values.get(name, value) != value:
                raise ModelUnusable(f"a graph is made of BERT models with {name} {value!r}, not {values[name]!r}")
        try:
            return cls(
                int(values["num_hidden_layers"]), int(values["num_attention_heads"]), float(values["layer_norm_eps"])
            )
        except KeyError as error:
            raise ModelUnusable(f"the model's config.json has no {error}; get the model's files again") from error


def bert_graph(weights: Weights, config: BertConfig, *, probe: Sequence[TokenIds] = (), pairs: bool = False) -> bytes:
    """Make the model.

    Args:
        weights: As Hugging Face names them, with or without ``bert.`` in front of the encoder's.
        config: The encoder's.
        probe: Some texts' token ids, a few hundred tokens in all. With them the layers compute in 8-bit integers,
            and the word embeddings take 8 bits; without, everything is float32.
        pairs: Whether it scores a text or a pair of texts; else it gives a text's vector.

    Raises:
        ModelUnusable: A weight is missing.
    """
    try:
        reach = _reach(_Encoder(weights, config, pairs), probe) if probe else None
        return _Encoder(weights, config, pairs, reach).model()
    except KeyError as error:
        raise ModelUnusable(f"the model's weights have no {error}; get the model's files again") from error


@dataclass
class _Encoder:
    """The encoder, in 8-bit integers where it is known how far the channels of its layers' inputs reach, by layer.

    The inputs of the layers behind attention are means over tokens, which have no outliers: their reach is not asked.
    """

    weights: Weights
    config: BertConfig
    pairs: bool
    reach: Mapping[str, Matrix] | None = None
    graph: GraphWriter = field(default_factory=GraphWriter)
    sources: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._prefix = "bert." if any(name.startswith("bert.") for name in self.weights) else ""

    def model(self, *, with_sources: bool = False) -> bytes:
        """The model; the inputs of its layers, [texts, tokens, channels], may be outputs as well."""
        tokens = self._embeddings()
        for number in range(self.config.layers):
            last = number == self.config.layers - 1
            tokens = self._layer(tokens, f"encoder.layer.{number}", first_only=last and self.pairs)
        output = self._output(tokens)
        inputs = ("input_ids", "token_type_ids") if self.pairs else ("input_ids",)
        outputs = {output: 2, **dict.fromkeys(self.sources.values() if with_sources else (), 3)}
        return self.graph.model(dict.fromkeys(inputs, 2), outputs)

    def _weight(self, name: str) -> Matrix:
        return np.asarray(self.weights[self._prefix + name], dtype=np.float32)

    def _embeddings(self) -> str:
        node, constant = self.graph.node, self.graph.constant
        kinds, positions = (self._weight(f"embeddings.{kind}_embeddings.weight") for kind in ("token_type", "position"))
        zero = constant("axis0", AXIS_0)
        length = node("Shape", "input_ids", start=1, end=2)
        if self.pairs:
            kind = node("Gather", constant("kinds", kinds), "token_type_ids")
            places = node("Slice", constant("positions", positions), zero, length, zero)
            places = node("Add", places, kind)
        else:
            places = node("Slice", constant("positions", positions + kinds[0]), zero, length, zero)
        return self._normalised(node("Add", self._words(), places), "embeddings.LayerNorm")

    def _words(self) -> str:
        node, constant = self.graph.node, self.graph.constant
        words = self._weight("embeddings.word_embeddings.weight")
        if self.reach is None:
            return node("Gather", constant("words", words), "input_ids")
        rounded, scale = rounded_columns(words.T)
        found = node("Cast", node("Gather", constant("words", rounded.T), "input_ids"), to=1)  # 1 is float32
        return node("Mul", found, node("Gather", constant("words.scale", scale[:, None]), "input_ids"))

    def _layer(self, tokens: str, name: str, *, first_only: bool = False) -> str:
        """One layer; of the last one a classifier reads the first token alone, so only that is computed."""
        attention = f"{name}.attention.self"
        if first_only:
            keys, values = self.graph.split(
                self._projected(tokens, attention, f"{attention}.read", ("key", "value")), 2
            )
            tokens = self.graph.node("Gather", tokens, self.graph.constant("first", AXIS_0), axis=1)
            queries = self._projected(tokens, attention, f"{attention}.asked", ("query",))
        else:
            three = self._projected(tokens, attention, attention, ("query", "key", "value"))
            queries, keys, values = self.graph.split(three, 3)
        seen = self.graph.node(
            "MultiHeadAttention", queries, keys, values, domain=MICROSOFT, num_heads=self.config.heads
        )
        seen = self._linear(seen, f"{name}.attention.output.dense")
        tokens = self._normalised(self.graph.node("Add", tokens, seen), f"{name}.attention.output.LayerNorm")
        thought = self.graph.node("Gelu", self._linear(tokens, f"{name}.intermediate.dense"), domain=MICROSOFT)
        thought = self._linear(thought, f"{name}.output.dense")
        return self._normalised(self.graph.node("Add", tokens, thought), f"{name}.output.LayerNorm")

    def _projected(self, tokens: str, attention: str, name: str, kinds: Sequence[str]) -> str:
        """Queries, keys or values side by side, in one product that gets a name."""
        weight = np.concatenate([self._weight(f"{attention}.{kind}.weight") for kind in kinds])
        bias = np.concatenate([self._weight(f"{attention}.{kind}.bias") for kind in kinds])
        return self._written(name, tokens, weight.T, bias)

    def _linear(self, source: str, name: str) -> str:
        return self._written(name, source, self._weight(f"{name}.weight").T, self._weight(f"{name}.bias"))

    def _written(self, name: str, source: str, weight: Matrix, bias: Matrix) -> str:
        if not name.endswith("attention.output.dense"):
            self.sources[name] = source
        if self.reach is None:
            return float_linear(self.graph, name, source, weight, bias)
        if name in self.reach:
            return outlier_linear(self.graph, name, source, weight, bias, self.reach[name])
        return _int8(self.graph, name, source, weight, bias)

    def _output(self, tokens: str) -> str:
        node, axis = self.graph.node, self.graph.constant("axis1", AXIS_1)
        if not self.pairs:
            mean = node("ReduceMean", tokens, axis, keepdims=0)
            return node("Div", mean, node("ReduceL2", mean, axis, keepdims=1), name="vectors")
        values = node("Squeeze", tokens, axis)
        for name in HEAD:
            values = values if name == HEAD[0] else node("Tanh", values)
            weight, bias = self.weights[f"{name}.weight"].T, self.weights[f"{name}.bias"]
            values = float_linear(self.graph, name, values, weight, bias)
        return node("Identity", values, name="logits")

    def _normalised(self, source: str, name: str) -> str:
        scale, shift = (
            self.graph.constant(f"{name}.{kind}", self._weight(f"{name}.{kind}")) for kind in ("weight", "bias")
        )
        return self.graph.node("LayerNormalization", source, scale, shift, epsilon=self.config.epsilon)


def _reach(encoder: _Encoder, probe: Sequence[TokenIds]) -> dict[str, Matrix]:
    """How far each channel of the layers' inputs goes with the probe, by the layers' names."""
    session = Session(encoder.model(with_sources=True))
    reach = {name: np.zeros(1, dtype=np.float32) for name in encoder.sources}
    for ids in probe:
        kinds = [np.zeros((1, len(ids)), dtype=np.int32)] if encoder.pairs else []
        found = session.run([np.array([ids], dtype=np.int32), *kinds], list(encoder.sources.values()))
        for name, values in zip(reach, found, strict=True):
            reach[name] = np.maximum(reach[name], np.abs(values[0]).max(axis=0))
    return reach
