"""Papers summed up and chosen, and pieces of evidence weighed, by the words that they share with a question."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Any

from metrics.words import inverse_document_frequency
from programs.lm.extractive.relevance import central, diverse, rank
from programs.lm.extractive.sources import Call, Sentence, compressed, passages, source_sentences
from programs.lm.extractive.weighted_terms import COMMON, NUMBER, is_content, raw_words, term, terms
from signatures.paper_retriever import LEAST_RELEVANCE, MOST_RELEVANCE, PaperRelevance
from signatures.paper_writer import ScoreResult

SENTENCES = 8
LONGEST_ABSTRACT = 20
"""Sentences that an abstract may have to stand for its paper whole."""
WORTH_LISTING = 0.1
"""Share of the question that a paper must cover to be listed at all."""


def paper_summary(call: Call) -> dict[str, Any]:
    """The abstract, which says most of a paper, or without one the sentences that do, in its order."""
    sentences = source_sentences(call.text("paper") or call.text("summaries"))
    abstract = tuple(each for each in sentences if each.section == "abstract")
    count = call.taught("paper_summary")
    if abstract and count is None and len(abstract) <= LONGEST_ABSTRACT:
        return {"paper_summary": _search_text(abstract)}
    ranked, count = central(abstract or sentences), count or SENTENCES
    chosen = sorted(diverse(ranked, count) or ranked[:count], key=lambda each: each.index)
    return {"paper_summary": _search_text(each.sentence for each in chosen)}


def evidence_score(call: Call) -> dict[str, Any]:
    """How much of the query a summary covers, in [0, 1]."""
    confidence = rank(call.text("query"), source_sentences(call.text("summary"))).confidence
    return {"result": ScoreResult(score=round(confidence, 4), reason="the share of the query's words that it holds")}


def _search_text(sentences: Iterable[Sentence]) -> str:
    return " ".join(compressed(each.text) for each in sentences)


def selections(call: Call) -> dict[str, Any]:
    """The papers that share words with the question, rated by the share of it that each covers.

    The question's words weigh alike, but numbers: which part a word plays in it, as in ``weighted_terms``, tells
    sentences of one paper apart; what was given tells papers apart, and that has little weight there.
    """
    question, papers = call.text("question"), passages(call.text("papers"))
    content = [word for word in raw_words(question) if is_content(word)]
    chosen = [word for word in content if term(word) not in COMMON] or content
    weights = {term(word): NUMBER if word[0].isdigit() else 1.0 for word in chosen}
    held = [frozenset(terms(paper.text)) & weights.keys() for paper in papers]
    counts = Counter(each for found in held for each in found)
    worth = {each: weight * inverse_document_frequency(len(papers), counts[each]) for each, weight in weights.items()}
    total = sum(worth.values()) or 1.0
    covered = [math.fsum(worth[each] for each in found) / total for found in held]
    listed = []
    for at in sorted(range(len(papers)), key=lambda at: -covered[at]):
        if covered[at] >= WORTH_LISTING:
            shared = dict.fromkeys(word for word in raw_words(question) if term(word) in held[at])
            reason = f"shares with the question: {', '.join(shared)}"
            relevance = round(LEAST_RELEVANCE + (MOST_RELEVANCE - LEAST_RELEVANCE) * covered[at])
            listed.append(PaperRelevance(paper=int(papers[at].label), relevance=relevance, reason=reason))
    return {"selections": listed}
