"""``reasoning``: what was done, in one true line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from programs.lm.extractive.prompt import ReadPrompt
from programs.lm.extractive.relevance import rank
from programs.lm.extractive.roles import roles
from programs.lm.extractive.sources import source_sentences


def reasoning(prompt: ReadPrompt, values: Mapping[str, Any]) -> str:
    """Say how the other output fields came about."""
    if "proofs" in values or "fixed_answer" in values:
        return "Compared each sentence of the answer with the passages by the guards and the checker."
    who = roles(prompt)
    if not who.text:
        return "Cut the question into its words; there is no text to compare it with."
    sentences = source_sentences(who.text_of(prompt.values))
    ranking = rank(who.question_of(prompt.values), sentences)
    return (
        f"Compared {len(sentences)} sentences of {who.text} with {who.question or 'one another'} by idf-weighted "
        f"overlap; the best three hold {ranking.confidence:.0%} of its words."
    )
