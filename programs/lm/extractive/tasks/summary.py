"""``summary``: the sentences of a text that say most of it, or most of it in the light of a question."""

from __future__ import annotations

from programs.lm.extractive.habits import learn
from programs.lm.extractive.prompt import Field, ReadPrompt
from programs.lm.extractive.relevance import rank
from programs.lm.extractive.roles import roles
from programs.lm.extractive.selection import central, diverse
from programs.lm.extractive.sources import source_sentences
from programs.lm.extractive.tasks.answering import is_bulleted
from programs.lm.extractive.tasks.bulleted import opening
from programs.lm.extractive.wording import cited, compressed, joined

MOST_SENTENCES = 3


def summary(prompt: ReadPrompt, field: Field) -> str:
    """Up to three sentences in the order of the text; those of numbered passages are cited.

    With ``bullets`` beside it, it is the answer's first sentences instead.
    """
    if is_bulleted(prompt):
        return opening(prompt, field)
    who, habits = roles(prompt), learn(prompt, field.name)
    sentences = source_sentences(who.text_of(prompt.values))
    question = who.question_of(prompt.values)
    ranked = rank(question, sentences, habits.sections).sentences if question else central(sentences)
    count = min(habits.sentences or MOST_SENTENCES, MOST_SENTENCES)
    chosen = sorted(diverse(ranked, count) or central(sentences)[:count], key=lambda each: each.index)
    return joined([cited(compressed(each.sentence.text), [each.sentence.label]) for each in chosen])
