"""``answerable`` and ``answer``: one to three sentences of the passages, or none."""

from __future__ import annotations

import re
from dataclasses import dataclass

from programs.lm.extractive.bearing import LEAST, answerability, bearing, borne
from programs.lm.extractive.cues import bears_out, cues_of
from programs.lm.extractive.habits import DEFAULT_THRESHOLD, Habits, learn
from programs.lm.extractive.prompt import Field, ReadPrompt
from programs.lm.extractive.question import named_words
from programs.lm.extractive.relevance import SHORT, RankedSentence, SentenceRanking, rank
from programs.lm.extractive.roles import roles
from programs.lm.extractive.selection import central, diverse, leading
from programs.lm.extractive.sources import Sentence, source_sentences
from programs.lm.extractive.unspoken import is_unspoken
from programs.lm.extractive.wording import compressed, joined, quoted

# Without demos that show how long answers are.
MOST_SENTENCES = 3
IN_OTHER_WORDS = 0.6
"""Share of the threshold on common words that holds where the learned order has read the passages."""
_POINTS_ON = re.compile(r"\b(?:Tables?|Fig(?:ure)?s?)\b")
TELLING = ("abstract", "conclusion", "results")
"""Sections in which papers say what they found."""
_QUANTITY = re.compile(r"(?:[<>≤≥~]\s?)?\d[\d,.]*(?:\s?(?:±|–|-|to)\s?\d[\d.,]*)?\s?(?:%|[µμ]?[a-zA-Z]+(?:/[a-z]+)?)?")
_CLAUSE = re.compile(r"\s*(?:[,;:()]|\b(?:which|that|whereas|while|because|but)\b)\s*")


@dataclass(frozen=True, slots=True)
class FoundAnswer:
    """What the text has for the question: sentences to answer with, none when it abstains, out of all of them."""

    sentences: tuple[RankedSentence, ...]
    habits: Habits
    ranking: SentenceRanking


def answerable(prompt: ReadPrompt, field: Field) -> bool:
    """Whether the text covers enough of the question."""
    # Length and sections are learnt from answers, also when it is whether there is one that is asked for.
    name = ("summary" if is_bulleted(prompt) else "answer") if field.name == "answerable" else field.name
    return bool(find(prompt, name).sentences)


def answer(prompt: ReadPrompt, field: Field) -> str:
    """The sentences that cover the question best, each with its citation before the full stop; empty to abstain.

    Where the demos' answers are parts of sentences, a quantity or clause of the best sentence instead.
    """
    found = find(prompt, field.name)
    if found.habits.spans and found.sentences:
        return _span(roles(prompt).question_of(prompt.values), found.sentences[0])
    return joined([quoted(each.sentence.text, [each.sentence.label]) for each in found.sentences])


def find(prompt: ReadPrompt, name: str) -> FoundAnswer:
    """Look for what answers the question, as the demos' output field of that name does."""
    who, habits = roles(prompt), learn(prompt, name)
    question, text = who.question_of(prompt.values), who.text_of(prompt.values)
    ranking, found = rank(question, source_sentences(text), habits.sections), bearing(question, text)
    if found and ranking.query.weights and not named_words(question):
        return FoundAnswer(tuple(leading(findings(ranking), habits.sentences or MOST_SENTENCES)), habits, ranking)
    # Where the order has read the passages, other words for what is asked count for less, unless demos teach caution.
    lenient = found and habits.threshold <= DEFAULT_THRESHOLD
    least = habits.threshold * (IN_OTHER_WORDS if lenient else 1.0)
    boldness = min(1.0, habits.threshold / DEFAULT_THRESHOLD)
    if ranking.confidence < least or answerability(ranking, found) < LEAST * boldness:
        return FoundAnswer((), habits, ranking)
    if found and is_unspoken(question, ranking.query, who.beside_question(prompt.values)):
        return FoundAnswer((), habits, ranking)
    ranking = borne(question, ranking, found, who.titles(prompt.values))
    return FoundAnswer(_chosen(ranking, habits), habits, ranking)


def findings(ranking: SentenceRanking) -> list[RankedSentence]:
    """Sentences that say what was found, the most telling first: for a question that names nothing."""
    return [each for each in central(tuple(each.sentence for each in ranking.sentences)) if _tells(each.sentence)]


def _tells(sentence: Sentence) -> bool:
    is_prose = sentence.length >= SHORT and "|" not in sentence.text and not _POINTS_ON.search(sentence.text)
    return is_prose and sentence.section in TELLING and bears_out(sentence.text, ()) == 1.0


def is_bulleted(prompt: ReadPrompt) -> bool:
    """Whether the answer is a summary with bullets under it."""
    return {"summary", "bullets"} <= {field.name for field in prompt.outputs}


def _chosen(ranking: SentenceRanking, habits: Habits) -> tuple[RankedSentence, ...]:
    if habits.sentences:
        return tuple(diverse(ranking.sentences, habits.sentences))
    return tuple(leading(ranking.sentences, MOST_SENTENCES))


def _span(question: str, best: RankedSentence) -> str:
    """A quantity if the question asks for one, else the clause that adds most to the question's own words."""
    text = compressed(best.sentence.text)
    quantities = [match.group().strip(" .,") for match in _QUANTITY.finditer(text)]
    if quantities and any(cue.is_needed for cue in cues_of(question)):
        return quantities[0]
    clauses = [clause for clause in _CLAUSE.split(text.rstrip(".!? ")) if clause]
    asked = {word.lower() for word in question.split()}
    return max(clauses, key=lambda clause: sum(word.lower() not in asked for word in clause.split()[:12]))
