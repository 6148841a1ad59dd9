"""Which sentences of numbered evidence or of a paper answer a question, and whether any does; they are quoted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from programs.lm.extractive.answer_probability import (
    LEAST,
    answerability,
    is_unmentioned,
    mentioned_share,
    of_papers_on,
    ordered,
    papers_shown,
    passage_probabilities,
)
from programs.lm.extractive.cues import is_finding, is_of_kind, names_what_is_asked
from programs.lm.extractive.listing import of_each_paper
from programs.lm.extractive.relevance import SHORT, RankedSentence, SentenceRanking, central, diverse, leading, rank
from programs.lm.extractive.sources import Call, Evidence, Sentence, numbered_evidence, quoted, source_sentences
from programs.passages.framing import alternatives, asks_for_several
from signatures.evidence import WrittenSentence

THRESHOLD = 0.45
"""Of ``SentenceRanking.confidence``. Of half of PubMedQA's questions it keeps 9 in 10 with their own abstract, and
turns away 8 in 10 with the most similar other one; where the order has read the passages, it is not looked at."""
MOST_SENTENCES = 3
MOST_POINTS = 6
"""Without demonstrations that show how long answers are."""
MERE_TOUCH = 0.15
"""A text that hardly touches the question still has points to look at; only one that does not is left empty."""
MOST_BEFORE_BULLETS, MOST_BULLETS = 2, 6
LEAST_SHARE = 0.45
"""How good a bullet has to be against the best sentence, without demonstrations that show how many there are."""
_POINTS_ON = re.compile(r"\b(?:Tables?|Fig(?:ure)?s?)\b")
TELLING = ("abstract", "conclusion", "results")
"""Sections in which papers say what they found."""
PLANNED = ("introduction", "methods")
"""Sections that say what was known and done; they add nothing to an answer that tells what was found."""


def points(call: Call) -> dict[str, Any]:
    """The sentences of a paper that say most about the question, in its words, best first."""
    sentences = source_sentences(call.text("paper"))
    ranking = rank(call.text("question"), [each for each in sentences if each.section != "references"])
    if ranking.confidence < MERE_TOUCH and not _names_kind(ranking):
        return {"points": []}
    chosen = diverse(ranking.sentences, call.taught("points") or MOST_POINTS)
    return {"points": [each.sentence.text for each in chosen]}


def answer(call: Call) -> dict[str, Any]:
    """The sentences that answer the question best, quoted; none to abstain."""
    said = find(call.text("question"), numbered_evidence(call.text("evidence")), call.taught("answer")).sentences
    return {"answerable": bool(said), "answer": written(said)}


def answer_with_bullets(call: Call) -> dict[str, Any]:
    """The best sentences as the answer, further ones as bullets."""
    found = find(call.text("question"), numbered_evidence(call.text("evidence")), call.taught("answer"))
    said, more = found.sentences[:MOST_BEFORE_BULLETS], found.sentences[MOST_BEFORE_BULLETS:]
    if said and not found.is_list:
        more = _further(found, said, call.taught("bullets", beside="answer"))
    return {"answerable": bool(said), "answer": written(said), "bullets": written(more)}


def selected(call: Call) -> dict[str, Any]:
    """The numbers of the sentences that say most about the question, the best first."""
    sentences = numbered_evidence(call.text("evidence")).sentences
    ranked, count = rank(call.text("question"), sentences).sentences, call.taught("numbers") or MOST_SENTENCES
    return {"numbers": [each.sentence.number for each in diverse(ranked, count) or central(sentences)[:count]]}


def written(chosen: Iterable[RankedSentence]) -> list[WrittenSentence]:
    """Quotations of sentences, each with its number."""
    texts = (each.sentence for each in chosen)
    return [WrittenSentence(text=quoted(each.text), evidence=(each.number,)) for each in texts]


@dataclass(frozen=True, slots=True)
class Found:
    """What evidence has for a question: sentences to answer with, none to abstain, out of all of them."""

    sentences: tuple[RankedSentence, ...]
    ranking: SentenceRanking
    is_list: bool = False  # whether each paper that was asked for has one sentence


def find(question: str, evidence: Evidence, count: int | None) -> Found:
    """Look for what answers a question: up to ``count`` sentences, or as many as it needs."""
    if evidence.titles and asks_for_several(question) and (parts := alternatives(question)):
        return _joined([find(part, evidence, count) for part in parts], evidence.titles)
    ranking, found = rank(question, evidence.sentences), passage_probabilities(question, evidence.passages)
    query = ranking.query
    if not query.weights:
        return Found((), ranking)
    if found and not query.named and not query.cues:
        return Found(tuple(leading(_findings(ranking), count or MOST_SENTENCES)), ranking)
    if not _is_answered(question, evidence, ranking, found):
        return Found((), ranking)
    if found and evidence.titles and asks_for_several(question):
        of_each = of_each_paper(question, ordered(question, ranking, evidence.titles), evidence.titles)
        return Found(of_each, ranking, is_list=True)
    if found:
        ranking = ordered(question, of_papers_on(question, ranking, evidence), evidence.titles)
        saying = (each for each in ranking.sentences if names_what_is_asked(each.sentence.text, query.cues))
        ranking = SentenceRanking(query, tuple(saying))
    best = ranking.sentences
    return Found(tuple(diverse(best, count) if count else leading(best, MOST_SENTENCES)), ranking)


def _joined(found: Sequence[Found], titles: Mapping[str, str]) -> Found:
    """The lists of "A or B" in turns, each paper once."""
    turns = (each for turn in zip_longest(*(one.sentences for one in found)) for each in turn if each)
    first: dict[str, RankedSentence] = {}
    for each in turns:
        first.setdefault(titles.get(each.sentence.label, each.sentence.label), each)
    return Found(tuple(first.values()), found[0].ranking, is_list=True)


def _is_answered(question: str, evidence: Evidence, ranking: SentenceRanking, found: Mapping[str, float]) -> bool:
    """Whether the passages hold an answer: by what they speak of, and by the order where it has read them."""
    if not found:
        return ranking.confidence >= THRESHOLD
    beside = [*evidence.texts, *evidence.titles.values()]
    papers = [*papers_shown(evidence).values()] if evidence.titles else [beside]
    # Of harms, funders and the like the order knows too little to speak against a sentence that names them.
    likely = answerability(mentioned_share(ranking.query, papers), [*found.values(), 0.5 * _names_kind(ranking)])
    return likely >= LEAST and not is_unmentioned(question, ranking.query, beside)


def _names_kind(ranking: SentenceRanking) -> bool:
    """Whether a question asks for harms, funders and the like, and some sentence names them."""
    return any(is_of_kind(each.sentence.text, ranking.query.cues) for each in ranking.sentences)


def _findings(ranking: SentenceRanking) -> list[RankedSentence]:
    """Sentences that say what was found, the most telling first: for a question that names nothing."""
    return [each for each in central(tuple(each.sentence for each in ranking.sentences)) if _tells(each.sentence)]


def _tells(sentence: Sentence) -> bool:
    is_prose = sentence.length >= SHORT and "|" not in sentence.text and not _POINTS_ON.search(sentence.text)
    return is_prose and sentence.section in TELLING and is_finding(sentence.text)


def _further(found: Found, said: tuple[RankedSentence, ...], taught: int | None) -> tuple[RankedSentence, ...]:
    """Sentences that answer the question and that the summary does not have."""
    count = MOST_BULLETS if taught is None else min(taught, MOST_BULLETS)
    beside = found.ranking.sentences
    if said[0].sentence.section not in PLANNED:
        beside = tuple(each for each in beside if each.sentence.section not in PLANNED)
    further = [each for each in diverse(beside, count + len(said)) if each not in said]
    return tuple(each for each in further[:count] if each.score >= LEAST_SHARE * said[0].score)
