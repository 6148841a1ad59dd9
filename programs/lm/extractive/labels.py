"""Labels, yes or no, and scores: what the best sentences say to a question or claim.

A label's meaning is known for the sets that evaluations of science use. Among other labels the one is chosen whose own
words the best sentences hold, then the one that the demos give most often, then the last, which is mostly the cautious
one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from metrics.support import check
from metrics.support.sentence_features import read
from programs.lm.extractive.cues import ASIDE
from programs.lm.extractive.demonstrations import Habits, learn
from programs.lm.extractive.prompt import Field, ReadPrompt, UnknownTask
from programs.lm.extractive.relevance import RankedSentence, SentenceRanking, ranked
from programs.lm.extractive.sources import passages, roles
from programs.lm.extractive.weighted_terms import COMMON, STOP_TERMS, is_content, raw_words, term, terms

Meaning: TypeAlias = Literal["yes", "no", "maybe", "supported", "contradicted", "unverifiable", "more", "less", "same"]

_MEANINGS: Mapping[Meaning, str] = {
    "yes": r"^(?:yes|true)$",
    "no": r"^(?:no|false)$",
    "maybe": r"^(?:maybe|unclear|unknown|mixed)$",
    "unverifiable": r"^(?:not[ _]enough|nei$|neutral|unverifiable|insufficient|not[ _]mentioned|unsupported|neither)",
    "supported": r"^(?:support|entail)",
    "contradicted": r"^(?:contradict|refute)",
    "same": r"\bno\b.*\b(?:differ|change|effect)|\bunchanged\b|\bsame\b",
    "more": r"\bincreas|\bhigher\b|\bmore\b|\bup\b",
    "less": r"\bdecreas|\breduc|\blower\b|\bless\b|\bdown\b",
}
_TOLD = r"(?:\w+[ -]){0,3}?(?:significan|differ|effect|affect|chang|associat|correlat|improv|increas|reduc|benefit)"
_SAME = re.compile(
    rf"\b(?:no|not|nor|neither|without|non)[ -]{_TOLD}"
    r"|\bsimilar\b|\bcomparable\b|\bunchanged\b|\bfailed to\b|\bp ?= ?0?\.(?:0[6-9]|[1-9])",
    re.IGNORECASE,
)
_MORE = re.compile(r"\b(?:increas|higher|greater|more\b|improv|longer|rose|elevat|enhanc|better|larger)", re.IGNORECASE)
_LESS = re.compile(r"\b(?:decreas|lower|reduc|less\b|fewer|shorter|fell|declin|smaller|attenuat|worse)", re.IGNORECASE)
_HEDGED = re.compile(
    r"\b(?:may|might|could|possibl|unclear|inconclusive|further (?:studies|research)|remains to be|mixed)\b",
    re.IGNORECASE,
)
_TOLD_OF = re.compile(r"significan|\bp ?[<=>≤]|associat|correlat|differ|predict", re.IGNORECASE)
# Sentences that have a say, the best ones. Measured on Evidence Inference: a single one is right far less often.
VOTERS = 5
# Sentences that have a say on yes or no: the best that report a finding; one of them that denies is enough. On the
# training split of PubMedQA 63 % of the labels are right so, 53 % by a majority of the best five sentences of any kind.
FINDINGS = 2
# Confidence under which the text is silent, where maybe is a choice. An answer in words needs more.
SILENT = 0.25


def label(prompt: ReadPrompt, field: Field) -> Any:  # noqa: ANN401 - one of the field's values, of any JSON type
    """The label of an enumeration that fits the text best."""
    choices: Sequence[Any] = field.schema["enum"]
    meanings = {meaning: choice for choice in choices if (meaning := meaning_of(str(choice)))}
    habits = learn(prompt, field.name)
    verdict = _verdict(prompt, habits, meanings)
    if verdict in meanings:
        return meanings[verdict]
    return _by_words(prompt, habits, choices)


_OF_EVERY_STUDY = frozenset(terms("trial trials patient patients participant participants subject subjects"))


def stated_label(
    question: str, sentences: Sequence[RankedSentence], choices: Sequence[Any]
) -> tuple[Any, RankedSentence] | None:
    """The label that a sentence states in so many words, with the best such sentence; None where none does.

    Of yes and no, a sentence with all that the question names states the one, or denies it. Other labels are stated by
    a sentence that holds the words of one of them alone. Sentences are a paper's, best first.
    """
    meant = {meaning_of(str(choice)): choice for choice in choices}
    if {"yes", "no"} <= meant.keys():
        asked = {term(word) for word in raw_words(question) if is_content(word)} - COMMON - _OF_EVERY_STUDY
        saying = next((each for each in sentences if asked and asked <= each.sentence.terms), None)
        return (meant["no" if _denies(saying, asked) else "yes"], saying) if saying else None
    for each in sentences:
        held = [choice for choice in choices if frozenset(terms(str(choice).replace("_", " "))) <= each.sentence.terms]
        if len(held) == 1:
            return held[0], each
    return None


def _denies(ranked: RankedSentence, asked: set[str]) -> bool:
    return any(token.negated and term(token.word) in asked for token in read(ranked.sentence.text).tokens if token.word)


def yes_or_no(prompt: ReadPrompt, field: Field) -> bool:
    """A statement or question as true or false: whether the text affirms it."""
    return _verdict(prompt, learn(prompt, field.name), {"yes": True, "no": False}) == "yes"


def meaning_of(choice: str) -> Meaning | None:
    """What a label means, where that is known."""
    return next((meaning for meaning, words in _MEANINGS.items() if re.search(words, choice, re.IGNORECASE)), None)


def _verdict(prompt: ReadPrompt, habits: Habits, meanings: Mapping[Meaning, Any]) -> Meaning | None:
    if meanings.keys() & {"supported", "contradicted", "unverifiable"}:
        who = roles(prompt)
        question, text = who.question_of(prompt.values), who.text_of(prompt.values)
        return check(question, [passage.text for passage in passages(text)] or [text]).verdict
    ranking = ranked(prompt, habits.sections)
    if meanings.keys() & {"more", "less"}:
        return _direction(ranking)
    if meanings.keys() & {"yes", "no"}:
        return _stance(ranking, habits, "maybe" in meanings)
    return None


def _direction(ranking: SentenceRanking) -> Meaning:
    """The direction that the best sentences report, each with the weight of its score."""
    votes: dict[Meaning, float] = {"more": 0.0, "less": 0.0, "same": 0.0}
    for each in ranking.sentences[:VOTERS]:
        if (said := direction_of(each.sentence.text)) is not None:
            votes[said] += each.score
    return max(votes, key=lambda meaning: votes[meaning])


def direction_of(sentence: str) -> Meaning | None:
    """More, less or the same, as a sentence reports it; None where it reports none, or both."""
    if _SAME.search(sentence):
        return "same"
    more, less = len(_MORE.findall(sentence)), len(_LESS.findall(sentence))
    if more == less or ASIDE.search(sentence):
        return None
    return "more" if more > less else "less"


def _stance(ranking: SentenceRanking, habits: Habits, may_be: bool) -> Meaning:
    """No if a finding denies, maybe if the text is silent or findings hedge; no instead where maybe is not a choice."""
    if ranking.confidence < (SILENT if may_be else habits.threshold):
        return "maybe" if may_be else "no"
    related = [each for each in ranking.sentences if each.score > 0]
    voters = [each for each in related if _reports(each.sentence.text)] or related
    texts = [each.sentence.text for each in voters[:FINDINGS]]
    if any(_SAME.search(text) for text in texts):
        return "no"
    return "maybe" if may_be and texts and all(_HEDGED.search(text) for text in texts) else "yes"


def _reports(text: str) -> bool:
    """Whether a sentence tells what was found: an effect, its absence, a relation, a probability."""
    return any(pattern.search(text) for pattern in (_SAME, _MORE, _LESS, _TOLD_OF))


def _by_words(prompt: ReadPrompt, habits: Habits, choices: Sequence[Any]) -> Any:  # noqa: ANN401
    best = ranked(prompt, habits.sections).sentences
    held = frozenset[str]().union(*(each.sentence.terms for each in best[:VOTERS]))

    def fit(choice: Any) -> tuple[float, int]:  # noqa: ANN401
        words = frozenset(terms(str(choice).replace("_", " "))) - STOP_TERMS
        return len(words & held) / max(1, len(words)), habits.labels.get(str(choice), 0)

    return max(reversed(choices), key=fit)


_RANGE = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)\s*(?:-|–|—|to|and|\.\.\.?|through)\s*(\d+(?:\.\d+)?)(?![\d.]*\d)")
_SCORE_NAME = re.compile(r"score|rating|relevance|confidence|grade|probability|similarity|support|groundedness|quality")


def score(prompt: ReadPrompt, field: Field) -> float | int:
    """The confidence that the text answers the question, calibrated on the demos' scores or else spread over the range.

    Raises:
        UnknownTask: The field is not a score: neither its name nor a range in its type or description says so.
    """
    low, high = score_range(field)
    habits = learn(prompt, field.name)
    confidence = ranked(prompt, habits.sections).confidence
    calibrated = habits.calibrated(confidence)
    value = low + (high - low) * confidence if calibrated is None else calibrated
    value = min(high, max(low, value))
    return round(value) if field.schema.get("type") == "integer" else round(value, 4)


def score_range(field: Field) -> tuple[float, float]:
    """Lowest and highest score: from the schema, else from the description, else 0 to 1 for a fraction."""
    schema = field.schema
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    if low is not None and high is not None:
        return float(low), float(high)
    stated = _RANGE.search(f"{field.desc} {schema.get('description', '')}")
    if stated and float(stated[1]) < float(stated[2]):
        return float(stated[1]), float(stated[2])
    if schema.get("type") == "number" and _SCORE_NAME.search(field.name):
        return 0.0, 1.0
    raise UnknownTask(
        f"The extractive LM cannot tell what number {field.name!r} should be; name it a score and state its range "
        "in the field's description, such as '0 to 1', or use a model"
    )
