"""How much text a model is given: the first passages that fit a number of tokens.

A token is counted as three quarters of a word, as in chunking: what a model's own tokenizer counts is near enough for
a limit, and the same for every model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from metrics.sentences import Span, sentences
from programs.ingest.chunking.token_windows import WORDS_PER_TOKEN
from programs.ingest.chunking.words import words
from programs.passage import Passage


def tokens(text: str) -> float:
    """About how many tokens a text has."""
    return len(words(text, Span(0, len(text)))) / WORDS_PER_TOKEN


def within_budget(passages: Sequence[Passage], budget: int) -> list[Passage]:
    """The passages that fit together, best first.

    One that does not fit is left out, and shorter ones behind it may still come in. A first passage that alone exceeds
    the budget is cut at the end of a sentence, or of a word where its first sentence is longer.

    Args:
        passages: Best first.
        budget: Tokens that all of them may have, at least 1.
    """
    kept: list[Passage] = []
    left = float(budget)
    for passage in passages:
        size = tokens(passage.text)
        if size <= left:
            kept.append(passage)
            left -= size
    return kept or [_cut(passage, budget) for passage in passages[:1]]


def _cut(passage: Passage, budget: int) -> Passage:
    counted = words(passage.text, Span(0, len(passage.text)))
    last = counted[max(int(budget * WORDS_PER_TOKEN), 1) - 1].end
    end = max((span.end for span in sentences(passage.text) if span.end <= last), default=last)
    return replace(passage, text=passage.text[:end], end=passage.start + end)
