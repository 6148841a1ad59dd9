"""The ninth signal, off by default: a model that reads question and passage together.

It costs a forward pass a passage, so only the shortlist is scored with it. Importing this module is cheap: torch and
sentence-transformers come with the first passage.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, Protocol

from programs.errors import EmbedderUnavailable
from programs.extras import require
from programs.retrieval.reranking.rerank import Reranked, in_order
from programs.retrieval.reranking.weights import Weights


class CrossEncoder(Protocol):
    """What scores pairs."""

    def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        """How well each passage answers the question, in [0, 1]."""


class SentenceTransformerCrossEncoder:
    """A cross-encoder of sentence-transformers with one output, loaded at first use.

    Args:
        name: Name on the Hugging Face hub, or a folder.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._loading = threading.Lock()
        self._loaded: Any = None

    def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        """The model's logit of each pair through a sigmoid.

        Raises:
            EmbedderUnavailable: The model cannot be loaded.
            MissingExtra: What runs it is not installed.
        """
        require("models", f"the cross-encoder {self.name}")
        import torch

        pairs = [(question, passage) for passage in passages]
        found = self._model().predict(pairs, activation_fn=torch.nn.Sigmoid(), show_progress_bar=False)
        return [float(score) for score in found]

    def __deepcopy__(self, memo: dict[int, Any]) -> SentenceTransformerCrossEncoder:
        # Optimizers copy programs; copies share a model's weights.
        return self

    def _model(self) -> Any:  # noqa: ANN401 - the library's class, which is not imported before it is needed
        from sentence_transformers import CrossEncoder as Model

        with self._loading:
            if self._loaded is None:
                try:
                    self._loaded = Model(self.name, num_labels=1)
                except (OSError, ValueError) as error:
                    raise EmbedderUnavailable(
                        f"the cross-encoder {self.name!r} cannot be loaded ({error}); give the name of one on the "
                        "Hugging Face hub, a folder, or none"
                    ) from error
            return self._loaded


def cross_encoded(
    ranked: Sequence[Reranked], question: str, encoder: CrossEncoder, weights: Weights, shortlist: int
) -> list[Reranked]:
    """Add the signal to the first ``shortlist`` and order these anew; the others stay behind them."""
    first = ranked[:shortlist]
    scores = encoder.scores(question, [each.hit.chunk.text for each in first])
    scored = [each.with_signal("cross_encoder", score, weights) for each, score in zip(first, scores, strict=True)]
    return [*in_order(scored), *ranked[shortlist:]]
