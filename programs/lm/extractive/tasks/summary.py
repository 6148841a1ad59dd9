"""``summary``: the sentences of a text that say most of it, or most of it in the light of a question."""

from __future__ import annotations

from collections import Counter

from programs.lm.extractive.habits import learn
from programs.lm.extractive.prompt import Field, Prompt
from programs.lm.extractive.relevance import SECTIONS, Ranked, rank
from programs.lm.extractive.roles import roles
from programs.lm.extractive.selection import diverse
from programs.lm.extractive.sources import Sentence, source_sentences
from programs.lm.extractive.tasks.answering import is_bulleted
from programs.lm.extractive.tasks.bulleted import opening
from programs.lm.extractive.wording import cited, compressed, joined
from programs.lm.extractive.words import STOP_TERMS

MOST_SENTENCES = 3


def summary(prompt: Prompt, field: Field) -> str:
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


def central(sentences: tuple[Sentence, ...]) -> list[Ranked]:
    """Sentences by the mean frequency of their content words in the text (SumBasic, Nenkova and Vanderwende 2005)."""
    counts = Counter(term for each in sentences for term in each.terms - STOP_TERMS)
    total = counts.total() or 1
    ranked = []
    for index, each in enumerate(sentences):
        words = each.terms - STOP_TERMS
        mean = sum(counts[term] for term in words) / total / len(words) if len(words) > 3 else 0.0
        ranked.append(Ranked(each, index, 0.0, mean * SECTIONS.get(each.section, 1.0), frozenset()))
    return sorted(ranked, key=lambda each: (-each.score, each.index))
