"""What the demos in a prompt teach: how much to say, where to abstain, where to look, how to score.

Few-shot optimizers choose which demos stand in the prompt; this is how that choice changes the answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import Any

import numpy as np

from metrics.sentences import sentence_texts
from programs.lm.extractive.prompt import Demo, ReadPrompt
from programs.lm.extractive.relevance import SECTIONS, rank
from programs.lm.extractive.sources import Roles, Sentence, as_text, roles, source_sentences, without_citations
from programs.lm.extractive.weighted_terms import STOP_TERMS, terms

DEFAULT_ITEMS = 6
# Of Ranking.confidence. Of half of PubMedQA's questions it keeps 9 in 10 with their own abstract, and turns away 8 in
# 10 with the most similar other one.
DEFAULT_THRESHOLD = 0.45
# Answers of at most so many words are parts of sentences.
SPAN_WORDS = 6
# Sentences from which demos outweigh the default preference for sections.
SECTION_PRIOR = 8
# Share of a demo's words by which a sentence of its text counts as where it was taken from.
TAKEN_FROM = 0.5


@dataclass(frozen=True, slots=True)
class Habits:
    """How to answer one output field."""

    items: int = DEFAULT_ITEMS  # entries of a list
    sentences: int | None = None  # sentences of an answer; None for as many as it needs
    threshold: float = DEFAULT_THRESHOLD  # lowest confidence that is answered, in [0, 1]
    spans: bool = False  # whether answers are parts of sentences
    # factor for each kind of section, as in ``relevance.rank``
    sections: Mapping[str, float] = field(default_factory=lambda: dict(SECTIONS))
    # pairs of confidence and score, both rising; empty without scored demos
    calibration: tuple[tuple[float, float], ...] = ()
    labels: Mapping[str, int] = field(default_factory=dict)  # how often each label was given

    def calibrated(self, confidence: float) -> float | None:
        """The score for a confidence: linear between demos, level beyond them; None without scored demos."""
        if not self.calibration:
            return None
        confidences, scores = zip(*self.calibration, strict=True)
        return float(np.interp(confidence, confidences, scores))


def learn(prompt: ReadPrompt, name: str) -> Habits:
    """Learn how the demos of a prompt answer an output field; what a demo lacks it does not teach."""
    given = [demo for demo in prompt.demos if name in demo.outputs]
    values = [demo.outputs[name] for demo in given]
    lists = [len(value) for value in values if isinstance(value, list) and value]
    texts = [str(value) for value in values if isinstance(value, str) and value.strip()]
    return Habits(
        items=_middle(lists, DEFAULT_ITEMS),
        sentences=_middle([len(sentence_texts(text)) for text in texts], 0) or None,
        threshold=_threshold(prompt, name),
        spans=bool(texts) and median(_is_span(text) for text in texts) > 0.5,
        sections=_sections(given, name, roles(prompt)),
        calibration=_calibration(_with_confidence(given, name, roles(prompt))),
        labels=Counter(str(value) for value in values if isinstance(value, (str, bool))),
    )


def boundary(above: Sequence[float], below: Sequence[float], default: float) -> float:
    """The threshold that parts two groups with the fewest errors; of several, the one nearest to the default.

    Candidates are the default and the middles between neighbouring values, so groups that lie on the right sides of the
    default leave it alone.
    """
    values = sorted({0.0, *above, *below, 1.0})
    candidates = [default, *((low + high) / 2 for low, high in pairwise(values))]

    def errors(at: float) -> int:
        return sum(value < at for value in above) + sum(value >= at for value in below)

    return min(candidates, key=lambda at: (errors(at), abs(at - default)))


def _is_span(text: str) -> bool:
    return len(text.split()) <= SPAN_WORDS and not text.rstrip().endswith((".", "!", "?", "]"))


def _middle(counts: Sequence[int], default: int) -> int:
    return round(median(counts)) if counts else default


def _threshold(prompt: ReadPrompt, name: str) -> float:
    """Between the confidences of demos that were answered and that were not, as ``answerable`` says where it is."""
    key = "answerable" if any("answerable" in demo.outputs for demo in prompt.demos) else name
    pairs = _with_confidence([demo for demo in prompt.demos if key in demo.outputs], key, roles(prompt))
    answered = [confidence for confidence, value in pairs if value]
    abstained = [confidence for confidence, value in pairs if not value]
    return boundary(answered, abstained, DEFAULT_THRESHOLD)


def _with_confidence(demos: Iterable[Demo], name: str, who: Roles) -> list[tuple[float, Any]]:
    pairs = []
    for demo in demos:
        question, text = who.question_of(demo.inputs), who.text_of(demo.inputs)
        if question and text:
            pairs.append((rank(question, source_sentences(text)).confidence, demo.outputs[name]))
    return pairs


def _calibration(pairs: Iterable[tuple[float, Any]]) -> tuple[tuple[float, float], ...]:
    """Isotonic regression of scores on confidences (pool adjacent violators): means of groups, rising in both."""
    scored = sorted(
        (at, float(value)) for at, value in pairs if isinstance(value, (int, float)) and not isinstance(value, bool)
    )
    pools: list[list[tuple[float, float]]] = []
    for pair in scored:
        pools.append([pair])
        while len(pools) > 1 and (
            _mean(pools[-2], 1) >= _mean(pools[-1], 1) or _mean(pools[-2], 0) >= _mean(pools[-1], 0)
        ):
            pools[-2] += pools.pop()
    return tuple((_mean(pool, 0), _mean(pool, 1)) for pool in pools)


def _mean(pool: Sequence[tuple[float, float]], part: int) -> float:
    return sum(pair[part] for pair in pool) / len(pool)


def _sections(demos: Iterable[Demo], name: str, who: Roles) -> dict[str, float]:
    """The default preference, drawn towards the sections from which the demos' outputs were taken."""
    seen: Counter[str] = Counter()
    for demo in demos:
        sentences = source_sentences(who.text_of(demo.inputs))
        value = demo.outputs[name]
        parts = value if isinstance(value, list) else sentence_texts(value) if isinstance(value, str) else []
        taken = [_taken_from(without_citations(as_text(part)), sentences) for part in parts]
        seen.update(section for section in taken if section)
    share_of_demos = seen.total() / (seen.total() + SECTION_PRIOR)
    highest = max(SECTIONS.values())
    return {
        section: factor * (1 - share_of_demos)
        + highest * share_of_demos * seen[section] / max(seen.values(), default=1)
        for section, factor in SECTIONS.items()
    }


def _taken_from(part: str, sentences: Sequence[Sentence]) -> str:
    words = frozenset(terms(part)) - STOP_TERMS
    best = max(sentences, key=lambda each: len(words & each.terms), default=None)
    return best.section if best and words and len(words & best.terms) >= TAKEN_FROM * len(words) else ""
