"""How far numbered passages are about a question, by the learned order; and how likely they hold an answer at all.

    answerability = 1 / (1 + exp(−(7.54 · spoken + 0.33 · ln(p / (1 − p)) − 4.56)))                            in [0, 1]

``spoken`` is how much of what the question names one paper speaks of (``mentioned_share``), p the order's probability
of the best passage. Fitted by logistic regression on prompts of trials that the order was not trained on, in many
wordings, each with its paper and without, and on 60 questions in a reader's words (``python -m bench.silence --fit``).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from programs.languages import language_of
from programs.lm.extractive.relevance import Query, SentenceRanking
from programs.lm.extractive.sources import Evidence, PromptPassage
from programs.lm.extractive.weighted_terms import GENERIC, given_words, term, terms
from programs.models.order import LEARNED, shipped_order
from programs.retrieval.reranking import cross_encoder, sentence_order

SPOKEN, BEST, SHIFT = 7.54, 0.33, -4.56
LEAST = 0.35
"""Answerability below which nothing is called near."""


def passage_probabilities(question: str, passages: Sequence[PromptPassage]) -> Mapping[str, float]:
    """The order's probability that a passage answers the question, by the passage's label.

    Nothing where the question is not in English, which alone the order reads.
    """
    order = cross_encoder(LEARNED)
    if not passages or order is None or language_of(question) != "en":
        return {}
    scores = order.scores(question, [each.text for each in passages])
    return {each.label: score for each, score in zip(passages, scores, strict=True)}


def answerability(spoken: float, found: Iterable[float]) -> float:
    """How likely passages hold an answer, by ``mentioned_share`` and the order's probabilities."""
    best = min(max((*found, 1e-6)), 1 - 1e-6)
    return 1 / (1 + math.exp(-(SPOKEN * spoken + BEST * math.log(best / (1 - best)) + SHIFT)))


def ordered(question: str, ranking: SentenceRanking, titles: Mapping[str, str]) -> SentenceRanking:
    """The ranking's sentences by the order; ``titles`` go by the labels of passages."""
    order, sentences = cross_encoder(LEARNED), ranking.sentences
    if order is None:
        return ranking
    texts = [each.sentence.text for each in sentences]
    found = sentence_order(order, question, texts, [titles.get(each.sentence.label, "") for each in sentences])
    return replace(ranking, sentences=tuple(replace(sentences[at], score=score) for at, (score, _) in found.items()))


LEAST_NAMED = 0.4
"""Share of a question's rare words that are here, up to which it is about something else."""
COMMONEST, UNKNOWN = 3_000, 60_000
"""Place in the vocabulary up to which a word names nothing, and the place of a word that it does not hold."""
LEAST_COVERED = 0.5
"""Share of what the paper holds that speaks most of a question's words, below which another paper is not on it."""
SHARED = 5
"""Letters at the beginning that two words of one origin share at least: "mutagenic", "mutagenicity"."""
_ASKS_WHETHER = re.compile(r"\s*(?:does|do|did|can|could|will|would|may|is|are|was|were|has|have|had)\b", re.IGNORECASE)
_SPELLINGS = (("ae", "e"), ("oe", "e"), ("ph", "f"), ("ou", "o"), ("c", "k"), ("y", "i"), ("z", "s"))
"""Letters that British and American English write in each other's place: "haemoglobin", "leucocyte", "tumour"."""


def of_papers_on(question: str, ranking: SentenceRanking, evidence: Evidence) -> SentenceRanking:
    """The ranking without papers that do not name what the question, in English, is about, where others do.

    "Does metformin improve survival?" is not answered from a paper that never speaks of metformin.
    """
    spoken = {paper: _TextWords(of, ranking.query) for paper, of in papers_shown(evidence).items()}
    on_it = set(spoken)
    on_it = {paper for paper in on_it if any(map(spoken[paper].holds, given_words(question)))} or on_it
    titles = evidence.titles
    if titles:
        covered = _coverage(ranking.query.named, {paper: spoken[paper] for paper in on_it})
        on_it = {paper for paper, share in covered.items() if share >= LEAST_COVERED * max(covered.values())}
    kept = [each for each in ranking.sentences if titles.get(each.sentence.label, each.sentence.label) in on_it]
    return SentenceRanking(ranking.query, tuple(kept))


def papers_shown(evidence: Evidence) -> dict[str, list[str]]:
    """Title and texts of each paper by its title; a passage without one is its own paper, by its label."""
    texts: dict[str, list[str]] = {}
    for each in evidence.passages:
        paper = evidence.titles.get(each.label, each.label)
        texts.setdefault(paper, [paper]).append(each.text)
    return texts


def _coverage(named: Sequence[str], spoken: Mapping[str, _TextWords]) -> dict[str, float]:
    """How much each paper speaks of what a question names: rare words, and those of few of the papers, count more."""
    held = {word: {paper for paper, words in spoken.items() if words.holds(word)} for word in named}
    worth = {word: rarity(word) * math.log((len(spoken) + 1) / len(of)) for word, of in held.items() if of}
    return {paper: sum(each for word, each in worth.items() if paper in held[word]) for paper in spoken}


def is_unmentioned(question: str, query: Query, texts: Iterable[str]) -> bool:
    """Whether the subject of a question, a drug, a gene or a method, is named nowhere.

    Does semaglutide reduce body weight?      passages on a feed supplement and body weight: of semaglutide nothing
    Can CRISPR edit E. faecalis?              passages on herbs and E. faecalis: of CRISPR nothing

    Names are words that the learned order's vocabulary does not hold whole, and those of what the question says is
    given. Of tuning questions (``python -m bench.silence --fit``: prompts of trials that the order was not trained on)
    12 of 148 are answered without their paper, 18 where this is not looked at; with it 137, and 140.
    """
    spoken = _TextWords(texts, query)
    given, named = given_words(question), query.named
    if given and not any(map(spoken.holds, given)):
        return True
    rare = [word for word in named if _is_rare(word)]
    subject = given or (named if _ASKS_WHETHER.match(question) else ())
    leading = [word for word in given or subject[:1] if _is_rare(word)]
    if leading and leading[0] == subject[0] and not any(map(spoken.holds, leading)):
        return True
    return bool(rare) and sum(map(spoken.holds, rare)) <= LEAST_NAMED * len(rare)


def mentioned_share(query: Query, papers: Iterable[Sequence[str]]) -> float:
    """Share, in [0, 1], of what a question names that one of the papers speaks of: the one that speaks most of it.

    A word counts by the logarithm of its place among words by frequency (Zipf), so that "help" and "take" count
    nothing; 1 where nothing but such words is named.
    """
    worth = {word: rarity(word) for word in query.named if term(word) not in GENERIC}
    total = sum(worth.values())
    spoken = [_TextWords(texts, query) for texts in papers]
    shares = (sum(each for word, each in worth.items() if words.holds(word)) for words in spoken)
    return max(shares, default=0.0) / total if total else 1.0


def rarity(word: str) -> float:
    """How rare a word is, at least 0, by the logarithm of its place among words by frequency (Zipf)."""
    rank = shipped_order().vocabulary_rank(word)
    return max(0.0, math.log((UNKNOWN if rank is None else rank) / COMMONEST))


def _is_rare(word: str) -> bool:
    return shipped_order().vocabulary_rank(word) is None


class _TextWords:
    """The words of some texts, long forms of their short ones too, found again in other forms and spellings."""

    def __init__(self, texts: Iterable[str], query: Query) -> None:
        present = frozenset(each for text in texts for each in terms(text))
        for short, long in query.equals:
            present |= long if short <= present else frozenset()
        spelled = [each for each in map(_spelled, present) if len(each) >= SHARED]
        self._held = present.union(spelled)
        self._beginnings = frozenset(each[:SHARED] for each in spelled)

    def holds(self, word: str) -> bool:
        """Whether a word, as printed, is in the texts."""
        # Short words are others when spelled otherwise: "zinc" is not "since".
        spelled = _spelled(term(word))
        is_long = len(spelled) >= SHARED
        return term(word) in self._held or (is_long and (spelled in self._held or spelled[:SHARED] in self._beginnings))


def _spelled(word: str) -> str:
    for one, other in _SPELLINGS:
        word = word.replace(one, other)
    return word
