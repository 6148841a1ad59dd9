"""Answers to questions that ask which papers: one sentence of each paper that is on the subject, by its words.

    "Which trials studied people with type 2 diabetes?"      the subject: type, 2, diabetes

A paper is on it where its title and a sentence of it hold most of the subject's words, as the paper does that holds the
most. One whose title holds none of them has to speak of it twice: a word among a trial's exclusions is not its subject;
one whose title holds all of them need not speak of it where it is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from programs.lm.extractive.relevance import RankedSentence, SentenceRanking
from programs.lm.extractive.weighted_terms import COMMON, GENERIC, STOP_TERMS, terms
from programs.passages.framing import PAPERS

MOST = 10
"""Papers of which a sentence is quoted."""
SHARE = 0.75
"""Of the best paper's share of the subject's words, what another paper must hold to be on the subject."""
SPOKEN_TWICE = 2
_WHAT_THEY_DO = re.compile(rf"\b{PAPERS}(?:\s+\w+ed\b)?", re.IGNORECASE)
"""The papers that are asked for, and what they did: "trials tested"."""
IN_TITLE = 0.1
"""What a word of the subject counts more where it is in the title, so that such papers lead."""


def of_each_paper(question: str, ranking: SentenceRanking, titles: Mapping[str, str]) -> tuple[RankedSentence, ...]:
    """The sentence of each paper that says most of the subject; the best paper leads.

    ``titles`` go by the labels of passages. None where the question names no subject.
    """
    subject = _subject(question)
    by_paper: dict[str, list[RankedSentence]] = {}
    for each in ranking.sentences:
        by_paper.setdefault(titles.get(each.sentence.label, each.sentence.label), []).append(each)
    held = {paper: _held(subject, paper, of) for paper, of in by_paper.items()}
    least = SHARE * max(held.values(), default=0.0)
    on_it = sorted((paper for paper, share in held.items() if share >= least > 0), key=lambda each: -held[each])
    return tuple(
        max(by_paper[paper], key=lambda each: (len(subject & each.sentence.terms), each.score))
        for paper in on_it[:MOST]
    )


def _subject(question: str) -> frozenset[str]:
    """Terms of what the papers are to be about, without what says what papers do with it."""
    asked = frozenset(terms(_WHAT_THEY_DO.sub(" ", question))) - STOP_TERMS
    return asked - COMMON - GENERIC or asked - COMMON or asked


def _held(subject: frozenset[str], title: str, sentences: Sequence[RankedSentence]) -> float:
    """Share of the subject's terms in a paper's title and a sentence, and ``IN_TITLE`` for those of the title."""
    named = subject & frozenset(terms(title))
    found = list(filter(None, (subject & each.sentence.terms for each in sentences)))
    if named != subject and len(found) < (1 if named else SPOKEN_TWICE):
        return 0.0
    most = max((len(named | each) for each in found), default=len(named))
    return (most + IN_TITLE * len(named)) / len(subject) if subject else 0.0
