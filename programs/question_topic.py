"""What a question is about, in a word or two."""

from __future__ import annotations

from programs.lm.extractive.answer_probability import rarity
from programs.lm.extractive.glossary import to_english
from programs.lm.extractive.weighted_terms import named_words


def topic(question: str) -> str:
    """The one or two rarest words that a question names, in title case; short forms stay as they are."""
    named = list(dict.fromkeys(named_words(to_english(question))))
    best = sorted(named, key=rarity, reverse=True)[:2]
    return " ".join(word if any(map(str.isupper, word[1:])) else word.capitalize() for word in named if word in best)
