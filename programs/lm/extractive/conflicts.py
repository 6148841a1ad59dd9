"""What papers say against each other: ``conflicts``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import combinations, product
from typing import Any

from metrics.support import check
from metrics.support.directions import DIRECTION_STEMS, Statement, statements
from metrics.support.premise import keys
from programs.lm.extractive.answering import find
from programs.lm.extractive.prompt import Field, ReadPrompt
from programs.lm.extractive.sources import Sentence, as_text, compressed, quotation, titles
from programs.lm.extractive.weighted_terms import COMMON, STOP_TERMS

RELEVANT = 0.35
"""How well a sentence has to answer the question, against the best one."""
COMPARED = 12
"""Sentences that are compared at most."""
SHARED, SHARED_PART = 4, 0.5
"""Words that two sentences on one thing have in common, and their share of the shorter one's words."""
SHARED_ALL = 3
"""So many are enough where they are all the words that either has."""
FINDINGS = frozenset({"", "abstract", "results", "discussion", "conclusion"})
"""Sections that say what was found; methods and introductions say what was done or thought before."""

# Two studies never measure the same number; it is what they say rose, fell or stayed that can be opposed.
_NUMBERS = re.compile(r"\s?[(\[][^()\[\]]*\d[^()\[\]]*[)\]]|\s?[<>=≤≥±]?\s?\b\d[\d.,]*(?:\s?%)?")
_PREPOSITION = re.compile(
    r"\b(?:after|among|as|at|because|before|between|by|compared|during|for|from|in|on|than|to|under|versus|when|while|"
    r"with|within|without)\b",
    re.IGNORECASE,
)


def conflicts(prompt: ReadPrompt, field: Field) -> list[dict[str, Any]]:
    """What sentences of different papers say against each other, as quotations, with the numbers of their passages.

    Precision comes first: one sentence has to say that a thing rises, the other that it falls or stays, neither may
    bear the other out by the checker, and they have to speak of one thing, in mostly the same words: "liver weight
    fell" and "spleen weight rose" are not a conflict, however much else they share.

    Without an input ``papers`` that tells which paper a passage comes from there is none to be found.
    """
    found = find(prompt, "answer")
    if not found.sentences:
        return []
    papers = titles(as_text(prompt.values.get("papers", "")))
    ranked = found.ranking.sentences
    least = RELEVANT * ranked[0].score
    near = [each.sentence for each in ranked if each.score >= least > 0 and each.sentence.section in FINDINGS]
    return [
        {
            "statement": f"{quotation(one)} In contrast, {quotation(other)}",
            "passages": [int(one.label), int(other.label)],
        }
        for one, other in _opposed(near[:COMPARED], papers)
    ]


def _opposed(sentences: list[Sentence], papers: Mapping[str, str]) -> Iterator[tuple[Sentence, Sentence]]:
    """Pairs that contradict each other, each pair of papers once; the better answer stands first."""
    seen = set()
    for one, other in combinations(sentences, 2):
        pair = frozenset((papers.get(one.label), papers.get(other.label)))
        if len(pair) < 2 or None in pair or pair in seen or not _share_words(one, other):
            continue
        first, second = (_NUMBERS.sub("", compressed(each.text)) for each in (one, other))
        if _say_opposites(first, second) and not any(
            check(claim, [text]).verdict == "supported" for claim, text in ((first, second), (second, first))
        ):
            seen.add(pair)
            yield one, other


def _share_words(one: Sentence, other: Sentence) -> bool:
    words = [_topical(each) for each in (one, other)]
    shared = len(words[0] & words[1])
    is_same = words[0] == words[1] and shared >= SHARED_ALL
    return is_same or (shared >= SHARED and shared >= SHARED_PART * min(map(len, words)))


def _topical(sentence: Sentence) -> set[str]:
    found = sentence.terms - STOP_TERMS - COMMON - DIRECTION_STEMS.keys()
    return {term for term in found if len(term) > 1 and not term[0].isdigit()}


def _say_opposites(one: str, other: str) -> bool:
    """Whether one says of a thing, which both name, that there is more of it, the other less or no change."""
    return any(
        first.sign != second.sign
        and frozenset() < subject_of(one, first) <= keys(other)
        and frozenset() < subject_of(other, second) <= keys(one)
        for first, second in product(statements(one), statements(other))
    )


def subject_of(sentence: str, statement: Statement) -> frozenset[str]:
    """What a statement of a sentence is about: the words before its word of direction, and its object.

    "Axolotl liver weight decreased after 14 days in orbit"     →  axolotl, liver, weight
    "Flight reduced soleus mass in mice"                        →  flight, soleus, mass
    "Serum CTX did not differ between groups"                   →  serum, CTX
    """
    before, _, after = sentence.partition(statement.text)
    return keys(f"{before} {_PREPOSITION.split(after)[0]}")
