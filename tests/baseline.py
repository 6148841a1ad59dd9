"""A predictor asked without a model, through the adapter as in our programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import dspy

import programs
from programs.ingest.line_shapes import SectionKind
from programs.passages import Passage
from programs.passages.numbered_sentences import NumberedSentences
from programs.written_sentences import joined, pieces_of
from signatures.evidence import WriteAnswer


def asked(signature: type[dspy.Signature], demos: Sequence[Mapping[str, Any]] = (), **inputs: Any) -> dspy.Prediction:
    """What the baseline answers to the values of a signature's inputs."""
    predictor, lm = dspy.Predict(signature), programs.LM("extractive")
    predictor.demos = [dspy.Example(**demo) for demo in demos]
    with dspy.context(lm=lm, adapter=programs.adapter_for(lm)):
        return predictor(**inputs)


def passage(text: str, section: SectionKind = "results", *, title: str = "", key: str = "") -> Passage:
    """A passage of the paper of a title, or of one without."""
    paper = title or key or "PMC1"
    return Passage(f"{paper}::0", paper, section, "", text, 0, len(text), title=title, key=key)


@dataclass(frozen=True)
class Said:
    """An answer as readers see it: passages cited by number or key."""

    answerable: bool
    answer: str
    bullets: tuple[str, ...]


def answered(
    question: str,
    *passages: Passage,
    demos: Sequence[Mapping[str, Any]] = (),
    signature: type[dspy.Signature] = WriteAnswer,
) -> Said:
    """What the baseline answers from the numbered sentences of passages."""
    evidence = NumberedSentences.of(passages)
    step = asked(signature, demos, evidence=evidence.shown(), question=question)
    answer, bullets = (joined(pieces_of(step.get(name) or (), evidence), evidence) for name in ("answer", "bullets"))
    return Said(step.answerable, answer[0], tuple(each.cited for each in bullets[1]))
