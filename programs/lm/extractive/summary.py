"""``summary``: the sentences of a text that say most of it, or most of it in the light of a question.

With ``bullets`` under it, it is an answer's first sentences, and they are what else the text has for the question.
"""

from __future__ import annotations

from statistics import median

from programs.lm.extractive.answering import FoundAnswer, find, is_bulleted
from programs.lm.extractive.habits import learn
from programs.lm.extractive.points import points
from programs.lm.extractive.prompt import Field, ReadPrompt
from programs.lm.extractive.relevance import RankedSentence, rank
from programs.lm.extractive.roles import roles
from programs.lm.extractive.selection import central, diverse
from programs.lm.extractive.sources import source_sentences
from programs.lm.extractive.wording import cited, compressed, joined, quoted

MOST_SENTENCES = 3
_MOST_BEFORE_BULLETS = 2
MOST_BULLETS = 6
# How good a further sentence has to be against the best one, without demos that show how many there should be.
BEARS = 0.45


def summary(prompt: ReadPrompt, field: Field) -> str:
    """Up to three sentences in the order of the text; those of numbered passages are cited.

    With ``bullets`` beside it, it is the answer's first sentences instead.
    """
    if is_bulleted(prompt):
        return _opening(prompt, field)
    who, habits = roles(prompt), learn(prompt, field.name)
    sentences = source_sentences(who.text_of(prompt.values))
    question = who.question_of(prompt.values)
    ranked = rank(question, sentences, habits.sections).sentences if question else central(sentences)
    count = min(habits.sentences or MOST_SENTENCES, MOST_SENTENCES)
    chosen = sorted(diverse(ranked, count) or central(sentences)[:count], key=lambda each: each.index)
    return joined([cited(compressed(each.sentence.text), [each.sentence.label]) for each in chosen])


def _opening(prompt: ReadPrompt, field: Field) -> str:
    """The one or two sentences that cover the question best, quoted and cited; empty to abstain."""
    return joined([_quoted(each) for each in _first(find(prompt, field.name))])


def bullets(prompt: ReadPrompt, field: Field) -> list[str]:
    """Further sentences that bear on the question, none that the summary has; without a summary, points."""
    if not is_bulleted(prompt):
        return points(prompt, field)
    found = find(prompt, "summary")
    if not found.sentences:
        return []
    said, taught = _first(found), _taught(prompt, field)
    count, least = (MOST_BULLETS, BEARS * said[0].score) if taught is None else (min(taught, MOST_BULLETS), 0.0)
    further = [each for each in diverse(found.ranking.sentences, count + len(said)) if each not in said]
    return [_quoted(each) for each in further[:count] if each.score >= least]


def _taught(prompt: ReadPrompt, field: Field) -> int | None:
    """How many bullets answers have in the middle of the demos, which may be none; None without demos."""
    counts = [len(demo.outputs.get(field.name) or ()) for demo in prompt.demos if demo.outputs.get("summary")]
    return round(median(counts)) if counts else None


def _first(found: FoundAnswer) -> tuple[RankedSentence, ...]:
    return found.sentences[:_MOST_BEFORE_BULLETS]


def _quoted(each: RankedSentence) -> str:
    return quoted(each.sentence.text, [each.sentence.label])
