"""``paper_summary``: what a paper is about in its own sentences."""

from __future__ import annotations

from programs.lm.extractive.prompt import Field, Prompt
from programs.lm.extractive.roles import roles
from programs.lm.extractive.selection import diverse
from programs.lm.extractive.sources import source_sentences
from programs.lm.extractive.tasks.summary import central
from programs.lm.extractive.wording import compressed, joined

MOST_SENTENCES = 8


def paper_summary(prompt: Prompt, field: Field) -> str:
    """The sentences that say most of a paper, in its order."""
    sentences = source_sentences(roles(prompt).text_of(prompt.values))
    chosen = sorted(diverse(central(sentences), MOST_SENTENCES), key=lambda each: each.index)
    return joined([compressed(each.sentence.text) for each in chosen])
