"""ONNX Runtime, as the small models use it: one thread a run, many runs at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from programs.config import forbid_telemetry
from programs.errors import ModelUnusable

forbid_telemetry()  # before the import, which would begin to report

import onnxruntime  # noqa: E402
from onnxruntime.capi import onnxruntime_pybind11_state as reasons  # noqa: E402

REFUSALS = (
    reasons.Fail,
    reasons.InvalidArgument,
    reasons.InvalidGraph,
    reasons.InvalidProtobuf,
    reasons.NoModel,
    reasons.NotImplemented,
    reasons.RuntimeException,
)
"""What the runtime raises for a file that it cannot run; they have no common base."""
PRECISE = "session.x64quantprecision"
"""Kernels whose sums of 8-bit products cannot overflow. CPUs with AVX2 or AVX-512 and no VNNI need them; with VNNI no
sum overflows, and they take twice as long."""
CPU_INFO = Path("/proc/cpuinfo")
UNWANTED = ["SkipLayerNormFusion"]
"""It joins an addition and a normalisation into one operator that takes five times as long as the two (1.31, x86)."""


def has_vnni(cpu_info: Path) -> bool:
    """Whether Linux lists instructions that add 8-bit products in 32 bits; False where there is no such list."""
    try:
        flags = next((line for line in cpu_info.read_text("utf-8").splitlines() if line.startswith("flags")), "")
    except OSError:
        return False
    return not {"avx512_vnni", "avx_vnni"}.isdisjoint(flags.split())


class Session:
    """A loaded model, from an ONNX file's bytes; safe to share between threads.

    Raises ``ModelUnusable`` where they are not a model that this version of ONNX Runtime runs.
    """

    def __init__(self, model: bytes) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3  # errors; they are raised as well
        if not has_vnni(CPU_INFO):
            options.add_session_config_entry(PRECISE, "1")
        try:
            self._session = onnxruntime.InferenceSession(
                model, options, providers=["CPUExecutionProvider"], disabled_optimizers=UNWANTED
            )
        except REFUSALS as error:
            raise ModelUnusable(f"ONNX Runtime {onnxruntime.__version__} cannot load the model: {error}") from error
        self._session._model_bytes = None  # kept by it for a change of providers only: the size of the model
        self._inputs = [each.name for each in self._session.get_inputs()]
        self._output = self._session.get_outputs()[0].name

    def run(self, inputs: Sequence[NDArray[np.int32]], outputs: Sequence[str] = ()) -> list[NDArray[np.float32]]:
        """Compute on the calling thread, from inputs [texts, tokens], the named outputs, by default the first."""
        wanted = list(outputs) or [self._output]
        found: list[Any] = self._session.run(wanted, dict(zip(self._inputs, inputs, strict=True)))
        return found


class TextModel:
    """A loaded ``Session`` with the tokenizer that gives its input; safe to share between threads.

    Every text is its own run on one core: nothing is padded, no core waits for another, and a text's output is
    the same bits whatever is beside it, although the integer layers take one scale for all that they are run with.

    Args:
        model: An ONNX file's bytes.
        tokenizer: Its JSON.
        tokens: Where texts are cut.
        kinds: What a model of pairs reads of them beside the tokens' ids.
    """

    def __init__(
        self, model: bytes, tokenizer: bytes, tokens: int, kinds: Callable[[Encoding], list[int]] | None = None
    ) -> None:
        self._session = Session(model)
        self.tokenizer = load_tokenizer(tokenizer, tokens)
        self._kinds = kinds

    def outputs(self, texts: Sequence[str] | Sequence[tuple[str, str]]) -> list[NDArray[np.float32]]:
        """The model's output for each text, or pair of texts, in their order."""
        if len(texts) <= 1:  # a question need not start threads
            return [self._output(text) for text in texts]
        return list(self._pool.map(self._output, texts))

    def _output(self, text: str | tuple[str, str]) -> NDArray[np.float32]:
        encoding = self.tokenizer.encode(text) if isinstance(text, str) else self.tokenizer.encode(*text)
        rows = [encoding.ids, *([self._kinds(encoding)] if self._kinds else [])]
        found: NDArray[np.float32] = self._session.run([np.array([row], dtype=np.int32) for row in rows])[0][0]
        return found

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(cores(), "small-model")


def load_tokenizer(content: bytes, tokens: int) -> Tokenizer:
    """A tokenizer that cuts at ``tokens`` and pads nothing, whatever its file says about both."""
    tokenizer = Tokenizer.from_str(content.decode())
    tokenizer.no_padding()
    tokenizer.enable_truncation(tokens)
    return tokenizer


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
