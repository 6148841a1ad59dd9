"""``conflicts``: what sentences of different papers say against each other, among those that answer the question.

Precision comes first: one sentence has to say that a thing rises, the other that it falls or stays, neither may bear
the other out by the checker, and they have to speak of one thing, in mostly the same words: "liver weight fell" and
"spleen weight rose" are not a conflict, however much else they share.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

from metrics.support import check
from programs.lm.extractive.answering import find
from programs.lm.extractive.prompt import Field, ReadPrompt
from programs.lm.extractive.relevance import RankedSentence
from programs.lm.extractive.roles import as_text
from programs.lm.extractive.sources import Sentence
from programs.lm.extractive.subjects import subject_of
from programs.lm.extractive.wording import cited_labels, compressed, quoted
from programs.lm.extractive.words import COMMON, STOP_TERMS

# How well a sentence has to answer the question, against the best one, and how many are compared at most.
RELEVANT = 0.35
COMPARED = 12
# Words that two sentences on one thing have in common, and their share of the shorter one's words.
SHARED, SHARED_PART = 4, 0.5
# So many are enough where they are all the words that either has.
SHARED_ALL = 3
# Two studies never measure the same number; it is what they say rose, fell or stayed that can be opposed.
_NUMBERS = re.compile(r"\s?[(\[][^()\[\]]*\d[^()\[\]]*[)\]]|\s?[<>=≤≥±]?\s?\b\d[\d.,]*(?:\s?%)?")
# Methods and introductions say what was done or thought before, not what was found.
FINDINGS = frozenset({"", "abstract", "results", "discussion", "conclusion"})


def conflicts(prompt: ReadPrompt, field: Field) -> list[dict[str, Any]]:
    """Each conflict with both sentences as quotations, and the numbers of their passages.

    Without an input ``papers`` that tells which paper a passage comes from there is none to be found.
    """
    found = find(prompt, "answer")
    if not found.sentences:
        return []
    papers = _papers(as_text(prompt.values.get("papers", "")))
    near = [each.sentence for each in found.ranking.sentences if _is_near(each, found.ranking.sentences[0])]
    return [
        {
            "statement": f"{quoted(one.text, [one.label])} In contrast, {quoted(other.text, [other.label])}",
            "passages": [int(one.label), int(other.label)],
        }
        for one, other in _opposed(near[:COMPARED], papers)
    ]


def _papers(text: str) -> dict[str, int]:
    """The paper of each passage, from lines such as "[1][4] Bone loss in flight mice (2014)"."""
    lines = (line.partition(" ")[0] for line in text.splitlines())
    return {label: number for number, marks in enumerate(lines) for label in cited_labels(marks)}


def _is_near(each: RankedSentence, best: RankedSentence) -> bool:
    return each.score >= RELEVANT * best.score > 0 and each.sentence.section in FINDINGS


def _opposed(sentences: list[Sentence], papers: Mapping[str, int]) -> Iterator[tuple[Sentence, Sentence]]:
    """Pairs that contradict each other, each pair of papers once; the better answer stands first."""
    seen = set()
    for one, other in combinations(sentences, 2):
        pair = frozenset((papers.get(one.label), papers.get(other.label)))
        if len(pair) < 2 or None in pair or pair in seen:
            continue
        if _on_one_thing(one, other) and _turned(one, other) and not _agree(one, other):
            seen.add(pair)
            yield one, other


def _on_one_thing(one: Sentence, other: Sentence) -> bool:
    first, second = (subject_of(_without_numbers(each)) for each in (one, other))
    if not (first.named and first.named <= second.words and second.named and second.named <= first.words):
        return False
    words = [_topical(each) for each in (one, other)]
    shared = len(words[0] & words[1])
    if first.words == second.words and len(first.words) >= SHARED_ALL:
        return True
    return shared >= SHARED and shared >= SHARED_PART * min(map(len, words))


def _topical(sentence: Sentence) -> set[str]:
    return {term for term in sentence.terms - STOP_TERMS - COMMON if len(term) > 1 and not term[0].isdigit()}


def _turned(one: Sentence, other: Sentence) -> bool:
    """Whether one says that there is more of it, the other that there is less or no change."""
    courses = {subject_of(_without_numbers(each)).course for each in (one, other)}
    return len(courses) == 2 and courses < {"more", "less", "none"}


def _agree(one: Sentence, other: Sentence) -> bool:
    first, second = _without_numbers(one), _without_numbers(other)
    return any(check(claim, [text]).verdict == "supported" for claim, text in ((first, second), (second, first)))


def _without_numbers(sentence: Sentence) -> str:
    return _NUMBERS.sub("", compressed(sentence.text))
