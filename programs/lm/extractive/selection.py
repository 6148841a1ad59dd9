"""Which of the ranked sentences to take: the best, without saying the same thing twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from programs.lm.extractive.relevance import SECTIONS, RankedSentence
from programs.lm.extractive.sources import Sentence
from programs.lm.extractive.words import STOP_TERMS

# Above this share of common words, two sentences say the same thing; abstracts and results often do.
SAME = 0.65
# How good a further sentence has to be, against the best: with other words of the question, and without.
ADDS, REPEATS = 0.25, 0.4


def diverse(ranked: Sequence[RankedSentence], count: int) -> list[RankedSentence]:
    """The best sentences of which none nearly repeats a better one.

    Args:
        ranked: Best first.
        count: How many at most; sentences that share nothing with the question are never among them.
    """
    chosen: list[RankedSentence] = []
    for candidate in ranked:
        if len(chosen) == count or candidate.score <= 0:
            break
        if not any(_overlap(candidate, other) > SAME for other in chosen):
            chosen.append(candidate)
    return chosen


def leading(ranked: Sequence[RankedSentence], count: int) -> list[RankedSentence]:
    """Like ``diverse``, but only sentences nearly as good as the best, or with words of the question that it lacks."""
    chosen = diverse(ranked, count)
    covered: set[str] = set()
    kept: list[RankedSentence] = []
    for each in chosen:
        needed = ADDS if len(each.matched - covered) > 1 else REPEATS
        if each.score >= needed * chosen[0].score:
            kept.append(each)
            covered |= each.matched
    return kept


def central(sentences: tuple[Sentence, ...]) -> list[RankedSentence]:
    """Sentences by the mean frequency of their content words in the text (SumBasic, Nenkova and Vanderwende 2005)."""
    counts = Counter(term for each in sentences for term in each.terms - STOP_TERMS)
    total = counts.total() or 1
    ranked = []
    for index, each in enumerate(sentences):
        words = each.terms - STOP_TERMS
        mean = sum(counts[term] for term in words) / total / len(words) if len(words) > 3 else 0.0
        ranked.append(RankedSentence(each, index, 0.0, mean * SECTIONS.get(each.section, 1.0), frozenset()))
    return sorted(ranked, key=lambda each: (-each.score, each.index))


def _overlap(one: RankedSentence, other: RankedSentence) -> float:
    first, second = one.sentence.terms - STOP_TERMS, other.sentence.terms - STOP_TERMS
    return len(first & second) / max(1, min(len(first), len(second)))
