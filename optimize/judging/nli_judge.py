"""A cross-encoder for natural language inference as judge, by its name on the Hugging Face hub or its folder.

Such a model reads two sentences: a premise and a hypothesis. So each sentence of the passages is a premise, and so are
three in a row, for what is said over more than one; the claim is the hypothesis. The strongest decides, as in SummaC's
zero-shot form (Laban et al. 2022, doi:10.1162/tacl_a_00453).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metrics.sentences import sentences
from metrics.support import Support
from programs.errors import UsageError
from signatures.values import Verdict

AT_ONCE = 3
"""Sentences of the longer premises."""

_VERDICTS: Mapping[str, Verdict] = {"entail": "supported", "contradict": "contradicted", "neutral": "unverifiable"}


@dataclass(frozen=True, slots=True)
class _Premise:
    passage: int
    start: int
    end: int
    text: str


class NLIJudge:
    """Judges by a model of sentence-transformers with the labels entailment, neutral and contradiction.

    The model is loaded at its first claim. Its claim of a contradiction counts only where nothing entails the claim:
    among many premises some are about something else.

    Args:
        model: Name on the Hugging Face hub, such as ``cross-encoder/nli-deberta-v3-base``, or a folder.
        load: Makes the model from its name; what it makes has ``predict`` and ``config.id2label``.
    """

    def __init__(self, model: str, load: Callable[[str], Any] | None = None) -> None:
        self.model = model
        self._load = load or load_cross_encoder
        self._loading = threading.Lock()
        self._loaded: Any = None

    @property
    def name(self) -> str:
        """The model's name, and the version of how it is asked."""
        return f"nli/1:{Path(self.model).name if Path(self.model).is_dir() else self.model}"

    def check(self, claim: str, passages: Sequence[str], question: str = "") -> Support:
        """Judge one claim; the question plays no part.

        Raises:
            UsageError: The model cannot be loaded, or has other labels.
        """
        premises = [premise for number, text in enumerate(passages) for premise in _premises(number, text)]
        if not premises:
            return Support("unverifiable", 0.0, None, "", 0, 0, "no passage was given")
        encoder, labels = self._model()
        scores = encoder.predict([(each.text, claim) for each in premises], apply_softmax=True, show_progress_bar=False)
        rows = [dict(zip(labels, map(float, row), strict=True)) for row in scores]
        return _decided(premises, rows)

    def _model(self) -> tuple[Any, tuple[Verdict, ...]]:
        with self._loading:
            if self._loaded is None:
                encoder = self._load(self.model)
                self._loaded = encoder, verdict_labels(encoder.config.id2label, self.model)
            encoder, labels = self._loaded
            return encoder, labels


def load_cross_encoder(model: str) -> Any:  # noqa: ANN401 - the library's class, which is imported when needed
    """Load a model of sentence-transformers.

    Raises:
        UsageError: There is none of this name.
    """
    from sentence_transformers import CrossEncoder

    try:
        return CrossEncoder(model)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"the NLI model {model!r} cannot be loaded ({error}); give the name of a cross-encoder on the Hugging Face "
            "hub, such as cross-encoder/nli-deberta-v3-base, or a folder"
        ) from error


def verdict_labels(names: Mapping[int, str], model: str) -> tuple[Verdict, ...]:
    """What each output of a model means, from its configuration.

    Raises:
        UsageError: Its labels are not entailment, neutral and contradiction, each once.
    """
    ordered = [names[number] for number in sorted(names)]
    labels = tuple(
        verdict for name in ordered for start, verdict in _VERDICTS.items() if name.strip().lower().startswith(start)
    )
    if len(ordered) != len(_VERDICTS) or set(labels) != set(_VERDICTS.values()):
        raise UsageError(
            f"the model {model!r} has the outputs {', '.join(ordered)}; an NLI judge has entailment, neutral and "
            "contradiction"
        )
    return labels


def _premises(passage: int, text: str) -> Iterator[_Premise]:
    spans = list(sentences(text))
    for size in (1, AT_ONCE):
        for first in range(len(spans) - size + 1):
            start, end = spans[first].start, spans[first + size - 1].end
            yield _Premise(passage, start, end, text[start:end])


def _decided(premises: Sequence[_Premise], rows: Sequence[Mapping[Verdict, float]]) -> Support:
    verdicts = [max(row, key=lambda verdict: row[verdict]) for row in rows]
    verdict: Verdict = next((each for each in ("supported", "contradicted") if each in verdicts), "unverifiable")
    shown: Verdict = "supported" if verdict == "unverifiable" else verdict
    best = max(range(len(rows)), key=lambda number: (verdicts[number] == verdict, rows[number][shown]))
    found, row = premises[best], rows[best]
    reason = (
        f"the passage is {row['supported']:.0%} entailment and {row['contradicted']:.0%} contradiction to the model"
    )
    return Support(verdict, row["supported"], found.passage, found.text, found.start, found.end, reason)
