"""How well each sentence of a text answers a question, by the words they share.

    coverage(s) = Σ idf(t) · w(t) over question terms t in s  /  the same sum over all question terms         in [0, 1]
    score(s)    = coverage · section · form                                                                   at least 0

idf(t) = ln(1 + (N − n + ½)/(n + ½)), N sentences of which n hold t: Robertson and Spärck Jones's, as in BM25, from the
text itself. w is lower for words of every paper. Nothing but words counts: what a sentence says of itself or demands of
its reader is words like any other. It knows no synonyms but the initials of the question's words, no paraphrase.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from metrics.words import inverse_document_frequency
from programs.lm.extractive.cues import SHORT_FORMS, Cue, cues_of, is_of_kind, without_kinds
from programs.lm.extractive.sources import Sentence
from programs.lm.extractive.weighted_terms import (
    GENERIC,
    STOP_TERMS,
    is_content,
    named_words,
    raw_words,
    term,
    weighted_terms,
)

_CAPITALS = re.compile(r"\b[A-Z]{3,6}\b")
# Words that initials may stand for.
_FEWEST, _MOST = 3, 6


def initials_in(question: str, text: str) -> Iterator[tuple[str, list[str]]]:
    """Words of a question whose initials a text writes in capitals: "COPD", "chronic obstructive pulmonary disease"."""
    printed, words = set(_CAPITALS.findall(text)), raw_words(question)
    for start in range(len(words)):
        for end in range(start + _FEWEST, min(start + _MOST, len(words)) + 1):
            run = words[start:end]
            short = "".join(word[0] for word in run).upper()
            if short in printed and all(is_content(word) and word[0].isalpha() for word in run):
                yield short, run


# A mild preference for where papers state their findings; Evidence Inference's gold evidence is mostly in results.
SECTIONS: Mapping[str, float] = {
    "abstract": 1.15,
    "results": 1.2,
    "conclusion": 1.15,
    "discussion": 1.0,
    "introduction": 0.8,
    "methods": 0.75,
    "appendix": 0.8,
    "references": 0.2,
}
# Words of a sentence: fewer are rather a label, more than 120 rather a table that lost its lines.
SHORT, LONG, LONGEST = 6, 70, 120
# Share of little words (the, of, was …) among the different words of a sentence, below which it is not prose.
PROSE = 0.06
# Share of numbers among them, above which it is a table if it is poor in little words too; findings have many as well.
TABLE, TABLE_PROSE = 0.4, 0.15
# Coverage of a sentence that names the harms, funders and the like that are asked for, whatever else it names.
OF_KIND = 0.3
# Sentences that may hold an answer together.
TOGETHER = 3


@dataclass(frozen=True, slots=True)
class RankedSentence:
    """A sentence with its place among the others."""

    sentence: Sentence  # the sentence
    index: int  # its place in the text, from 0
    coverage: float  # share of the question that its own words cover, in [0, 1]
    score: float  # what it is ranked by, at least 0
    matched: frozenset[str]  # the question's terms that it holds


@dataclass(frozen=True, slots=True)
class Query:
    """A question as weighted terms."""

    weights: Mapping[str, float]  # term to weight, idf not yet in it
    cues: tuple[Cue, ...] = ()  # Kinds of sentence that it asks for
    # pairs of terms: where all of the first are in a sentence, it holds the second as well (acronyms)
    equals: tuple[tuple[frozenset[str], frozenset[str]], ...] = ()
    # words that name what it is about, as printed, without those that say what kind of answer it asks for
    named: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SentenceRanking:
    """Sentences, best first, ties in the text's order; and what they were ranked for."""

    query: Query
    sentences: tuple[RankedSentence, ...]

    @property
    def confidence(self) -> float:
        """How far the text seems to hold the answer, in [0, 1]: what one and three sentences cover, in the mean.

        Without idf: in the few sentences of some passages a word that is missing everywhere would outweigh all others.
        On half of PubMedQA's questions it tells their own abstract from the most similar other one with AUC 0.93.
        """
        # Sentences that name the harms or funders that are asked for come first, whatever else they name.
        is_of_kind = bool(self.query.cues)
        best = [each.matched for each in (self.sentences if is_of_kind else self.sentences[:TOGETHER])]
        single = max((self._share(found) for found in best), default=0.0)
        return (single + self._share(frozenset[str]().union(*best))) / 2

    def _share(self, found: frozenset[str]) -> float:
        total = sum(self.query.weights.values())
        return math.fsum(self.query.weights[term] for term in found) / total if total else 0.0


def rank(question: str, sentences: Sequence[Sentence]) -> SentenceRanking:
    """Score every sentence of one text, from which idf is taken."""
    query = query_from(question, "\n".join(each.text for each in sentences))
    held = [_held(each.terms, query) for each in sentences]
    counts = Counter(term for found in held for term in found)
    idf = {term: inverse_document_frequency(len(held), counts[term]) for term in query.weights}
    total = sum(idf[term] * weight for term, weight in query.weights.items()) or 1.0

    scored = []
    for index, (sentence, found) in enumerate(zip(sentences, held, strict=True)):
        covered = math.fsum(idf[term] * query.weights[term] for term in found) / total
        if is_of_kind(sentence.text, query.cues):
            covered = max(covered, OF_KIND)
        score = covered * _form(sentence)
        scored.append(RankedSentence(sentence, index, covered, score * SECTIONS.get(sentence.section, 1.0), found))
    return SentenceRanking(query, tuple(sorted(scored, key=lambda each: (-each.score, each.index))))


def query_from(question: str, text: str) -> Query:
    """Weigh the words of a question; short and long forms that the text defines stand for one another."""
    cues = cues_of(question)
    subject = without_kinds(question, cues)
    named = tuple(named_words(subject))
    if all(term(word) in GENERIC for word in named):
        named = () if cues else named
        subject = question
    weights: dict[str, float] = {}
    for word, weight in weighted_terms(subject):
        weights[word] = max(weight, weights.get(word, 0.0))
    named_short = initials_in(question, text)
    equals = [(frozenset({term(short)}), frozenset(map(term, run)) & weights.keys()) for short, run in named_short]
    return Query(weights, cues, tuple(equals), named)


def _held(present: frozenset[str], query: Query) -> frozenset[str]:
    """Question terms among the terms of a text."""
    found = present & query.weights.keys()
    for spelled, meant in query.equals:
        if spelled <= present:
            found |= meant
    return found


_LEANS = re.compile(
    r"\W*(?:the (?:opposite|reverse|same|latter|former|others?|remaining)\b|(?:a )?similar\b(?! to\b)|similarly\b"
    r"|likewise\b|conversely\b)",
    re.IGNORECASE,
)
"""How a sentence begins that says nothing without the one before it: "The opposite was seen with cortisol"."""


def _form(sentence: Sentence) -> float:
    """Factor for what cannot stand alone: labels, tables, lists of abbreviations, what leans on another, long ones."""
    little = len(sentence.terms & STOP_TERMS)
    numbers = sum(each[0].isdigit() for each in sentence.terms)
    size = len(sentence.terms)
    is_table = numbers > TABLE * size and little < TABLE_PROSE * size
    is_label = not SHORT <= sentence.length <= LONGEST
    if is_label or little < PROSE * size or is_table or SHORT_FORMS.search(sentence.text):
        return 0.3
    if _LEANS.match(sentence.text):
        return 0.5
    return 0.8 if sentence.length > LONG else 1.0


# Above this share of common words, two sentences say the same thing; abstracts and results often do.
SAME = 0.65
NEARLY = 0.25
"""How good a further sentence has to be against the best: on 100 questions none of three that answers is lost."""


def diverse(ranked: Sequence[RankedSentence], count: int) -> list[RankedSentence]:
    """The best of ranked sentences: none that nearly repeats a better one or shares nothing with the question."""
    chosen: list[RankedSentence] = []
    for candidate in ranked:
        if len(chosen) == count or candidate.score <= 0:
            break
        if not any(_overlap(candidate, other) > SAME for other in chosen):
            chosen.append(candidate)
    return chosen


def leading(ranked: Sequence[RankedSentence], count: int) -> list[RankedSentence]:
    """Like ``diverse``, but only sentences nearly as good as the best."""
    chosen = diverse(ranked, count)
    return [each for each in chosen if each.score >= NEARLY * chosen[0].score]


def central(sentences: tuple[Sentence, ...]) -> list[RankedSentence]:
    """Sentences by the mean frequency of their content words in the text (SumBasic, Nenkova and Vanderwende 2005)."""
    counts = Counter(term for each in sentences for term in each.terms - STOP_TERMS)
    total = counts.total() or 1
    scored = []
    for index, each in enumerate(sentences):
        words = each.terms - STOP_TERMS
        mean = sum(counts[term] for term in words) / total / len(words) if len(words) > 3 else 0.0
        scored.append(RankedSentence(each, index, 0.0, mean * SECTIONS.get(each.section, 1.0), frozenset()))
    return sorted(scored, key=lambda each: (-each.score, each.index))


def _overlap(one: RankedSentence, other: RankedSentence) -> float:
    first, second = one.sentence.terms - STOP_TERMS, other.sentence.terms - STOP_TERMS
    return len(first & second) / max(1, min(len(first), len(second)))
