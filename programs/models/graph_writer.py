"""Writes an ONNX graph node by node: names, constants, operator sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

OPSET = 21
"""The newest operator set whose operators are used; ONNX Runtime has run it since 1.18."""
IR_VERSION = 10
"""The file format that belongs to operator set 21; `onnx` would write its newest, which older runtimes refuse."""
MICROSOFT = "com.microsoft"
"""Operators of ONNX Runtime itself: attention in one piece, products of quantised matrices."""


class GraphWriter:
    """Collects nodes and constants; every node's output gets a name of its own."""

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
        """The finished model.

        Args:
            inputs: Names of the int32 inputs with the number of their axes.
            outputs: Names of the float32 outputs with the number of their axes.
        """
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
