"""Candidates in the order of the weighted sum of their signals; no language model is called.

ranked = rerank(candidates, Keywords.of(question, expansion.added), now=2026)
ranked[0].final, ranked[0].signals      # 0.74, {"sim": 0.82, "bm25": 1.0, …}

final = 0.36·sim + 0.18·bm25 + 0.14·keyword_overlap + 0.12·sec_boost + 0.08·recency + 0.07·authority
+ 0.05·length_fit − 0.10·duplicate_penalty (+ w·cross_encoder: 4 in `multi_signal`, 0 in its preset `seed`)
"""

from __future__ import annotations

import functools
import hashlib
import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, Protocol, TypeAlias

from metrics.words import held_shares
from programs.errors import EmbedderUnavailable, UsageError
from programs.extras import require
from programs.ingest.document import Chunk
from programs.models.order import LEARNED, shipped_order
from programs.retrieval.records import Hit
from programs.retrieval.retriever import SearchCandidates
from programs.retrieval.signals import (
    SAME_MEANING,
    Keywords,
    authority,
    bm25_shares,
    duplicates,
    keyword_overlap,
    length_fit,
    recency,
    section_boost,
    similarities,
    stems,
)

FOUND_PAPER, FOUND_PASSAGE = 4.0, 2.0
"""Log-odds that a passage loses where the search did not find its paper, and the passage itself, as well as others.

A cross-encoder of this size tells well which passage of a paper answers, and a search which paper; on subjects that it
was not trained on, the search knows more of passages as well. Chosen on 300 training claims of SciFact, 74 prompts on
32 trials in three wordings and 174 questions on methods, all of which the order was not trained on but the claims; half
and twice as much change little.
"""
MEANING = 0.4
"""Share of the vectors' similarity in how well a search found a passage; the rest is BM25's."""
SECOND_LOOK = 12
"""Best passages whose other sentences are read as well. On the same prompts the evidence is first in 0.71 with it,
in 0.64 without; on the questions on methods in 0.45 and 0.39."""
_SMALLEST = 1e-9


class CrossEncoder(Protocol):
    """What scores pairs."""

    def scores(self, question: str, passages: Sequence[str], about: Sequence[str] = ()) -> list[float]:
        """How well each passage answers a question or a claim, in [0, 1].

        ``about`` holds the title and heading of each passage, or nothing.
        """

    def parts(self, passage: str) -> Sequence[str]:
        """Texts into which a passage can be cut where not all of it is read at once; none where all of it is."""


RERANKERS: Mapping[str, Callable[[], CrossEncoder]] = {LEARNED: shipped_order}
"""Those with a name of ours; any other name is a model's."""


@functools.cache
def cross_encoder(name: str) -> CrossEncoder | None:
    """The model of a name, the same one each time; nothing is loaded before it is asked.

    Args:
        name: One of ``RERANKERS``, such as "learned" for the order that is shipped; else a name on the Hugging Face
            hub, or a folder; empty for none.
    """
    if not name:
        return None
    made = RERANKERS[name]() if name in RERANKERS else SentenceTransformerCrossEncoder(name)
    return Remembering(made)


UNDER_TITLE = 0.7
"""Weight of a sentence's reading under its title. On 60 questions on mixed subjects the sentence that answers is first
for 23 by that reading alone and for 17 by the sentence alone, on 40 on trials for 22 by either and for 25 by both."""
WORDS, LEAST_HELD = 0.3, 0.05
"""Power with which the words of the question that a sentence holds count beside the order, and what counts for none of
them: the order hardly tells numbers apart, as of a table's rows."""
MOST_READ = 60
"""Sentences that are read under their title, too: those that most likely answer by themselves."""


def sentence_order(
    encoder: CrossEncoder, question: str, sentences: Sequence[str], titles: Sequence[str]
) -> dict[int, tuple[float, float]]:
    """Score and probability that it answers of each sentence, by its place, the best first.

    The probability is the weighed geometric mean of two readings, by itself and under its title, since either errs on
    sentences that name their subject, or leave it to the title. The score is that and the words of the question.
    """
    alone = encoder.scores(question, sentences)
    best = sorted(range(len(sentences)), key=lambda at: -alone[at])[:MOST_READ]
    under = encoder.scores(question, [sentences[at] for at in best], [titles[at] for at in best])
    joint = {at: alone[at] ** (1 - UNDER_TITLE) * one**UNDER_TITLE for at, one in zip(best, under, strict=True)}
    last = min(joint.values(), default=0.0)
    likely = [joint.get(at, min(one, last)) for at, one in enumerate(alone)]
    held = [max(each, LEAST_HELD) ** WORDS for each in held_shares(question, sentences)]
    scores = [one * share for one, share in zip(likely, held, strict=True)]
    return {at: (scores[at], likely[at]) for at in sorted(range(len(sentences)), key=lambda at: -scores[at])}


MOST_KEPT = 50_000
"""Scores, of some 200 bytes each."""


class Remembering:
    """A cross-encoder that keeps its last scores: an evaluation asks the same questions of the same passages often."""

    def __init__(self, encoder: CrossEncoder) -> None:
        self._encoder = encoder
        self._kept: OrderedDict[bytes, float] = OrderedDict()
        self._lock = threading.Lock()

    def scores(self, question: str, passages: Sequence[str], about: Sequence[str] = ()) -> list[float]:
        """Scores of the passages for the question, as the encoder's; known pairs are not read again."""
        places = about or [""] * len(passages)
        keys = [
            hashlib.blake2b(repr((question, *each)).encode(), digest_size=16).digest()
            for each in zip(passages, places, strict=True)
        ]
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
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return [known[key] for key in keys]

    def parts(self, passage: str) -> Sequence[str]:
        """As the encoder's."""
        return self._encoder.parts(passage)

    def __deepcopy__(self, memo: dict[int, Any]) -> Remembering:
        # Optimizers copy programs; copies share a model and what it has said.
        return self


class SentenceTransformerCrossEncoder:
    """A cross-encoder of sentence-transformers with one output, by its name or folder; loaded at first use."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._loading = threading.Lock()

    def scores(self, question: str, passages: Sequence[str], about: Sequence[str] = ()) -> list[float]:
        """The model's logit of each pair through a sigmoid; a passage is read after what it is about.

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
        with self._loading:
            model = self._model
        found = model.predict(pairs, activation_fn=torch.nn.Sigmoid(), show_progress_bar=False)
        return [float(score) for score in found]

    def parts(self, passage: str) -> Sequence[str]:
        """None: the model's window holds a passage."""
        return ()

    def __deepcopy__(self, memo: dict[int, Any]) -> SentenceTransformerCrossEncoder:
        # Optimizers copy programs; copies share a model's weights.
        return self

    @functools.cached_property
    def _model(self) -> Any:  # noqa: ANN401 - the library's class, which is not imported before it is needed
        from sentence_transformers import CrossEncoder as Model

        try:
            return Model(self.name, num_labels=1)
        except (OSError, ValueError) as error:
            raise EmbedderUnavailable(
                f"the cross-encoder {self.name!r} cannot be loaded ({error}); give the name of one on the Hugging Face "
                "hub, a folder, or none"
            ) from error


def about(chunk: Chunk, metadata: Mapping[str, Any] | None) -> str:
    """What a passage is about: its paper's title and its heading."""
    title = str((metadata or {}).get("title", ""))
    return ". ".join(each for each in (title, chunk.heading) if each)


def ordered(question: str, hits: Sequence[Hit], encoder: CrossEncoder | None) -> list[Hit]:
    """Hits with their ``relevance``, best first, also by how well the search found them; without a model as is."""
    if encoder is None or not hits:
        return list(hits)
    judged = zip(hits, _judged(question, hits, encoder), strict=True)
    return [replace(hit, relevance=score) for hit, (score, _) in sorted(judged, key=lambda each: -each[1][1])]


def cross_encoded(
    ranked: Sequence[Reranked], question: str, encoder: CrossEncoder, weights: SignalWeights, shortlist: int
) -> list[Reranked]:
    """Add the ninth signal to the first ``shortlist`` and sort these again; the others stay after them.

    The signal takes into account how well the search found paper and passage; the hits get their ``relevance``, which
    does not.
    """
    hits = [each.hit for each in ranked[:shortlist]]
    scored = [
        replace(each, hit=replace(each.hit, relevance=score)).with_signal("cross_encoder", signal, weights)
        for each, (score, signal) in zip(ranked[:shortlist], _judged(question, hits, encoder), strict=True)
    ]
    return [*in_order(scored), *ranked[shortlist:]]


def probabilities(
    question: str, texts: Sequence[str], about: Sequence[str], found: Sequence[float], encoder: CrossEncoder
) -> list[float]:
    """How likely each text answers, the best ones read to the end.

    ``about`` holds the title and heading of each, ``found`` the log-odds that each has beside what the encoder says,
    which decide with it which are the best.
    """
    scores = encoder.scores(question, texts, about) if texts else []
    best = sorted(range(len(texts)), key=lambda at: -(_log_odds(scores[at]) + found[at]))[:SECOND_LOOK]
    parts = [(at, part) for at in best for part in encoder.parts(texts[at])]
    if parts:
        again = encoder.scores(question, [part for _, part in parts], [about[at] for at, _ in parts])
        for (at, _), score in zip(parts, again, strict=True):
            scores[at] = max(scores[at], score)
    return scores


def _judged(question: str, hits: Sequence[Hit], encoder: CrossEncoder) -> list[tuple[float, float]]:
    """What the encoder says of each hit, and that together with how well the search found it."""
    found, places = _found(hits), [about(hit.chunk, hit.metadata) for hit in hits]
    scores = probabilities(question, [hit.chunk.text for hit in hits], places, found, encoder)
    together = (_log_odds(score) + each for score, each in zip(scores, found, strict=True))
    return [(score, 0.5 * (1 + math.tanh(0.5 * odds))) for score, odds in zip(scores, together, strict=True)]


def _found(hits: Sequence[Hit]) -> list[float]:
    """Log-odds that each passage loses to the best-found one: by how well a search found it, and its paper's best."""
    meaning = _shares([hit.dense_score for hit in hits], least=None)
    words = _shares([hit.sparse_score for hit in hits], least=0.0)
    own = [MEANING * one + (1 - MEANING) * other for one, other in zip(meaning, words, strict=True)]
    papers: dict[str, float] = {}
    for hit, share in zip(hits, own, strict=True):
        papers[hit.chunk.document_id] = max(share, papers.get(hit.chunk.document_id, 0.0))
    found = [
        FOUND_PAPER * papers[hit.chunk.document_id] + FOUND_PASSAGE * share
        for hit, share in zip(hits, own, strict=True)
    ]
    best = max(found, default=0.0)
    return [each - best for each in found]


def _shares(scores: Sequence[float | None], least: float | None) -> list[float]:
    """Scores from 0, for ``least`` or else for the lowest, to 1 for the highest; 0 where a list does not hold one."""
    known = [each for each in scores if each is not None]
    low = min(known, default=0.0) if least is None else least
    span = max(known, default=0.0) - low
    return [0.0 if each is None or span <= 0 else max(0.0, (each - low) / span) for each in scores]


def _log_odds(probability: float) -> float:
    inside = min(max(probability, _SMALLEST), 1 - _SMALLEST)
    return math.log(inside / (1 - inside))


@dataclass(frozen=True, slots=True)
class SignalWeights:
    """One factor per signal: any finite number; a negative one makes the signal a penalty."""

    sim: float = 0.36
    bm25: float = 0.18
    keyword_overlap: float = 0.14
    sec_boost: float = 0.12
    recency: float = 0.08
    authority: float = 0.07
    length_fit: float = 0.05
    duplicate_penalty: float = -0.10
    cross_encoder: float = 0.0

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) < math.inf:
                raise UsageError(f"the weight of {each.name} must be a finite number, got {value!r}")

    def final(self, signals: Mapping[str, float]) -> float:
        """The weighted sum of signals by name; signals that are not given count as 0."""
        return math.fsum(float(getattr(self, name)) * value for name, value in signals.items())


Mode: TypeAlias = Literal["scaled", "raw"]
"""Whether section and authority boosts are shares of the largest one, or as their tables have them."""

SEED_WEIGHTS = SignalWeights()


@dataclass(frozen=True, slots=True)
class Reranked:
    """A candidate with its signals, by the names that ``SignalWeights`` has, and their weighted sum."""

    hit: Hit
    signals: Mapping[str, float]
    final: float

    @property
    def is_duplicate(self) -> bool:
        """Whether a better candidate says the same."""
        return self.signals.get("duplicate_penalty", 0.0) > 0

    @property
    def document_id(self) -> str:
        """The paper it is in."""
        return self.hit.chunk.document_id

    @property
    def reason(self) -> str:
        """The signals in words, "Sim: 0.823 | Sec: 0.100 | …"."""
        named = [f"{label}: {self.signals.get(name, 0.0):.3f}" for name, label in _SHOWN_FIRST.items()]
        others = [f"{label}: {self.signals[name]:.3f}" for name, label in _SHOWN_LAST.items() if name in self.signals]
        return " | ".join([*named, f"Final: {self.final:.3f}", *others])

    def with_signal(self, name: str, value: float, weights: SignalWeights) -> Reranked:
        """The same with one more signal, and its final score with it."""
        signals = {**self.signals, name: value}
        return replace(self, signals=signals, final=weights.final(signals))


_SHOWN_FIRST = {"sim": "Sim", "sec_boost": "Sec", "keyword_overlap": "Keyword", "authority": "Authority"}
_SHOWN_LAST = {
    "bm25": "BM25",
    "recency": "Recency",
    "length_fit": "Length",
    "duplicate_penalty": "Duplicate",
    "cross_encoder": "Cross-encoder",
}


def rerank(
    candidates: SearchCandidates,
    keywords: Keywords,
    *,
    now: int,
    weights: SignalWeights = SEED_WEIGHTS,
    mode: Mode = "scaled",
    same_meaning: float = SAME_MEANING,
) -> list[Reranked]:
    """Order candidates by eight signals; equal scores stay in the order of the search.

    Similarity is that to the first of the queries, keywords are those of the question and of its expansion, recency is
    counted from the year ``now``.
    """
    if not candidates.hits:
        return []
    words = [stems(hit.chunk.text) for hit in candidates.hits]
    signals: list[dict[str, float]] = [
        {"sim": sim, "bm25": share, **_own_signals(hit, held, keywords, now, raw=mode == "raw")}
        for hit, sim, share, held in zip(
            candidates.hits,
            similarities(candidates.query, candidates.vectors),
            bm25_shares(candidates.bm25),
            words,
            strict=True,
        )
    ]
    scores = [weights.final(each) for each in signals]
    marked = duplicates(scores, candidates.vectors, words, same_meaning)
    ranked = [
        Reranked(hit, each, score).with_signal("duplicate_penalty", float(is_copy), weights)
        for hit, each, score, is_copy in zip(candidates.hits, signals, scores, marked, strict=True)
    ]
    return in_order(ranked)


def in_order(ranked: Sequence[Reranked]) -> list[Reranked]:
    """Best first; equal scores keep their order."""
    return sorted(ranked, key=lambda each: -each.final)


def _own_signals(hit: Hit, words: Set[int], keywords: Keywords, now: int, *, raw: bool) -> dict[str, float]:
    """Signals that look at one passage alone; its words are read with its paper's title, as the search reads them."""
    chunk, known = hit.chunk, hit.metadata or {}
    year = known.get("year")
    titled = words | stems(str(known.get("title", "")))
    return {
        "keyword_overlap": keyword_overlap(keywords, titled),
        "sec_boost": section_boost(chunk.section, raw=raw),
        "recency": recency(year if isinstance(year, int) else None, now),
        "authority": authority(*(str(known.get(name, "")) for name in ("url", "doi", "pmcid")), raw=raw),
        "length_fit": length_fit(len(chunk.text.split())),
    }
