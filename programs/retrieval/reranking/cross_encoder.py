"""Models that read question and passage together: the learned order, which is the default, or another by its name.

    encoder = cross_encoder("learned")
    ordered("Did relapses fall?", hits, encoder)[0].relevance      # 0.81: how likely that passage answers

Each passage costs a forward pass, some milliseconds with the learned order. Importing this module is cheap: what runs a
model comes with the first passage.
"""

from __future__ import annotations

import functools
import hashlib
import math
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from programs.errors import EmbedderUnavailable
from programs.extras import require
from programs.ingest.document import Chunk
from programs.models.order import LEARNED, shipped_order
from programs.retrieval.records import Hit
from programs.retrieval.reranking.rerank import Reranked, SignalWeights, in_order

PAPER_RANK = 0.85
"""Log-odds that a passage loses with each e-fold of its paper's rank; from here to twice as much changes little.

On 200 training claims of SciFact nDCG@10 is 0.529 without it, 0.726 with it and 0.720 by the search alone; on 78
prompts on 33 trials of ``trials_train`` 0.666, 0.685 and 0.410.
"""
PASSAGE_RANK = 0.15
"""Log-odds that a passage loses with each e-fold of its own rank, which counts where the order knows little.

On the 89 prompts of Evidence Inference with an even CRC-32, each inside its paper, evidence stands first in 0.494,
among three in 0.798 and among five in 0.899; without it in 0.393, 0.787 and 0.899, with 0.5 in 0.472, 0.764 and 0.831.
"""
_SMALLEST = 1e-9


class CrossEncoder(Protocol):
    """What scores pairs."""

    def scores(self, question: str, passages: Sequence[str], about: Sequence[str] = ()) -> list[float]:
        """How well each passage answers the question, in [0, 1].

        Args:
            question: A question or a claim.
            passages: Texts.
            about: Title and heading of each, or nothing.
        """


@functools.cache
def cross_encoder(name: str) -> CrossEncoder | None:
    """The model of a name, the same one each time; nothing is loaded before it is asked.

    Args:
        name: "learned" for the order that is shipped, a name on the Hugging Face hub, a folder; empty for none.
    """
    if not name:
        return None
    return Remembering(shipped_order() if name == LEARNED else SentenceTransformerCrossEncoder(name))


class Remembering:
    """A cross-encoder that keeps its last scores: an evaluation asks the same questions of the same passages often.

    Args:
        encoder: What scores.
        most: How many scores are kept; each takes some 200 bytes.
    """

    def __init__(self, encoder: CrossEncoder, most: int = 50_000) -> None:
        self._encoder = encoder
        self._most = most
        self._kept: OrderedDict[bytes, float] = OrderedDict()
        self._lock = threading.Lock()

    def scores(self, question: str, passages: Sequence[str], about: Sequence[str] = ()) -> list[float]:
        """Scores of the passages for the question, as the encoder's; known pairs are not read again."""
        places = about or [""] * len(passages)
        keys = [_key(question, passage, place) for passage, place in zip(passages, places, strict=True)]
        with self._lock:
            known = {key: self._kept[key] for key in keys if key in self._kept}
        new = {key: at for at, key in enumerate(keys) if key not in known}
        if new:
            found = self._encoder.scores(
                question, [passages[at] for at in new.values()], [places[at] for at in new.values()]
            )
            known |= dict(zip(new, found, strict=True))
        with self._lock:
            for key in keys:
                self._kept[key] = known[key]
                self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return [known[key] for key in keys]

    def __deepcopy__(self, memo: dict[int, Any]) -> Remembering:
        # Optimizers copy programs; copies share a model and what it has said.
        return self


def _key(*texts: str) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.digest()


class SentenceTransformerCrossEncoder:
    """A cross-encoder of sentence-transformers with one output, loaded at first use.

    Args:
        name: Name on the Hugging Face hub, or a folder.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._loading = threading.Lock()
        self._loaded: Any = None

    def scores(self, question: str, passages: Sequence[str], about: Sequence[str] = ()) -> list[float]:
        """The model's logit of each pair through a sigmoid; a passage is read behind what it is about.

        Raises:
            EmbedderUnavailable: The model cannot be loaded.
            MissingExtra: What runs it is not installed.
        """
        require("models", f"the cross-encoder {self.name}")
        import torch

        places = about or [""] * len(passages)
        pairs = [
            (question, f"{place}: {passage}" if place else passage)
            for place, passage in zip(places, passages, strict=True)
        ]
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


def about(chunk: Chunk, metadata: Mapping[str, Any] | None) -> str:
    """What a passage is about: its paper's title and its heading."""
    title = str((metadata or {}).get("title", ""))
    return ". ".join(each for each in (title, chunk.heading) if each)


def ordered(question: str, hits: Sequence[Hit], encoder: CrossEncoder | None) -> list[Hit]:
    """Hits with their ``relevance``, best first; without a model as they are.

    Args:
        question: What is asked.
        hits: As a search found them, best first; the ranks of each paper and passage count.
        encoder: What scores passages.
    """
    if encoder is None or not hits:
        return list(hits)
    scores = _scores(question, hits, encoder)
    order = sorted(zip(hits, scores, _with_ranks(hits, scores), strict=True), key=lambda each: -each[2])
    return [replace(hit, relevance=score) for hit, score, _ in order]


def cross_encoded(
    ranked: Sequence[Reranked], question: str, encoder: CrossEncoder, weights: SignalWeights, shortlist: int
) -> list[Reranked]:
    """Add the ninth signal to the first ``shortlist`` and order these anew; the others stay behind them.

    The signal takes the ranks of paper and passage into account; the hits get their ``relevance``, which does not.
    """
    hits = [each.hit for each in ranked[:shortlist]]
    scores = _scores(question, hits, encoder)
    scored = [
        replace(each, hit=replace(each.hit, relevance=score)).with_signal("cross_encoder", signal, weights)
        for each, score, signal in zip(ranked[:shortlist], scores, _with_ranks(hits, scores), strict=True)
    ]
    return [*in_order(scored), *ranked[shortlist:]]


def _scores(question: str, hits: Sequence[Hit], encoder: CrossEncoder) -> list[float]:
    places = [about(hit.chunk, hit.metadata) for hit in hits]
    return encoder.scores(question, [hit.chunk.text for hit in hits], places) if hits else []


def _with_ranks(hits: Sequence[Hit], scores: Sequence[float]) -> list[float]:
    """Scores in which a passage counts less that the search found later, and most of all one of a later paper.

    A cross-encoder of this size tells well which passage of a paper answers, and a search which paper; on subjects that
    it was not trained on, the search knows more of passages as well.
    """
    rank: dict[str, int] = {}
    papers = [rank.setdefault(hit.chunk.document_id, len(rank) + 1) for hit in hits]
    return [
        _probability(_log_odds(score) - PAPER_RANK * math.log(paper) - PASSAGE_RANK * math.log(place))
        for place, (paper, score) in enumerate(zip(papers, scores, strict=True), start=1)
    ]


def _log_odds(probability: float) -> float:
    inside = min(max(probability, _SMALLEST), 1 - _SMALLEST)
    return math.log(inside / (1 - inside))


def _probability(log_odds: float) -> float:
    return 0.5 * (1 + math.tanh(0.5 * log_odds))
