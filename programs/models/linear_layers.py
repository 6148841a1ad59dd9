"""Linear layers of an ONNX graph, in float32 or in products of 8-bit integers.

The integer layer measures the range of its input at every run and rounds it to 8 bits, one scale for the whole text;
the weights were rounded once, one scale for each output. One input channel in a hundred of a BERT model reaches ten
times as far as the others (Dettmers et al. 2022, LLM.int8(), arXiv:2208.07339) and would coarsen the scale for all, so
a few such channels are multiplied in float32 beside the integers. They are found with a probe.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from programs.models.graph_writer import MICROSOFT, GraphWriter

Matrix = NDArray[np.float32]
LARGEST_WEIGHT = 127
"""All that 8 bits hold. CPUs without VNNI add pairs of products in 16 bits, which then could overflow: the session asks
there for kernels that do not (`programs.models.session`). With 64, which needs none, vectors were twice as far off."""
OUTLIERS = 4
"""Channels of an input that are multiplied in float32; 8 gained nothing."""


class Linear(Protocol):
    """Writes one linear layer into a graph."""

    def __call__(self, graph: GraphWriter, name: str, source: str, weight: Matrix, bias: Matrix) -> str:
        """Write ``source @ weight + bias``, weight [inputs, outputs]; returns the name of the result."""


def float_linear(graph: GraphWriter, name: str, source: str, weight: Matrix, bias: Matrix) -> str:
    """A layer in float32."""
    product = graph.node("MatMul", source, graph.constant(f"{name}.weight", weight))
    return graph.node("Add", product, graph.constant(f"{name}.bias", bias))


@dataclass(frozen=True)
class Int8Linear:
    """Layers in 8-bit integers.

    Attributes:
        reach: Of the channels of some layers' inputs: the largest absolute value the probe found, [inputs], by the
            layer's name. Layers that are not named have no channels in float32.
    """

    reach: Mapping[str, Matrix] = field(default_factory=dict)

    def __call__(self, graph: GraphWriter, name: str, source: str, weight: Matrix, bias: Matrix) -> str:
        """Write one layer; arguments as for every `Linear`."""
        if name not in self.reach:
            return _int8(graph, name, source, weight, bias)
        outliers = np.sort(np.argsort(-self.reach[name], kind="stable")[:OUTLIERS])
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


def rounded_columns(weight: Matrix, largest: int = LARGEST_WEIGHT) -> tuple[NDArray[np.int8], Matrix]:
    """Round a matrix to integers of -largest to largest with one scale for each column.

    Returns:
        The integers, of the matrix's shape, and the scales [columns]; integers times scales are near the matrix.
    """
    scale = (np.abs(weight).max(axis=0) / largest).astype(np.float32)
    scale[scale == 0] = 1
    return np.rint(weight / scale).astype(np.int8), scale
