"""Lists of sentences taken from a text, such as ``points``, ``bullets`` and ``evidence``."""

from __future__ import annotations

from programs.lm.extractive.habits import learn
from programs.lm.extractive.prompt import Field, ReadPrompt
from programs.lm.extractive.relevance import rank
from programs.lm.extractive.roles import roles
from programs.lm.extractive.selection import diverse
from programs.lm.extractive.sources import source_sentences
from programs.lm.extractive.wording import cited, compressed

# A text that hardly touches the question still has points to look at; only one that does not is left empty.
MERE_TOUCH = 0.15


def points(prompt: ReadPrompt, field: Field) -> list[str]:
    """The sentences of the text that say most about the question, in the text's words, best first.

    Sentences of numbered passages end with their citation.
    """
    who, habits = roles(prompt), learn(prompt, field.name)
    found = [each for each in source_sentences(who.text_of(prompt.values)) if each.section != "references"]
    ranking = rank(who.question_of(prompt.values), found, habits.sections)
    if ranking.confidence < min(MERE_TOUCH, habits.threshold):
        return []
    chosen = diverse(ranking.sentences, habits.items)
    return [_point(each.sentence.text, each.sentence.label) for each in chosen]


def _point(text: str, label: str) -> str:
    return cited(compressed(text), [label]) if label else text
