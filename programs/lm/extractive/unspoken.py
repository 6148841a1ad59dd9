"""Whether a question names what nothing here speaks of: a drug, a gene, a method that no passage or title has.

    Does semaglutide reduce body weight?      passages on a feed supplement and body weight: of semaglutide nothing
    Can CRISPR edit E. faecalis?              passages on herbs and E. faecalis: of CRISPR nothing

Names are words that the learned order's vocabulary does not hold whole, and those of what the question says is given.
Of tuning questions (``python -m bench.silence --fit``: prompts of trials that the order was not trained on) 17 of 148
are answered without their paper, 58 where this is not looked at; with it 70 of 74, and 71.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from programs.lm.extractive.question import given_words, named_words
from programs.lm.extractive.relevance import Query
from programs.lm.extractive.words import term, terms
from programs.models.order import shipped_order

LEAST_NAMED = 0.4
"""Share of a question's rare words that stand here, up to which it is about something else."""
SHARED = 5
"""Letters at the beginning that two words of one origin share at least: "mutagenic", "mutagenicity"."""
_ASKS_WHETHER = re.compile(r"\s*(?:does|do|did|can|could|will|would|may|is|are|was|were|has|have|had)\b", re.IGNORECASE)
_SPELLINGS = (("ae", "e"), ("oe", "e"), ("ph", "f"), ("ou", "o"), ("c", "k"), ("y", "i"), ("z", "s"))
"""Letters that British and American English write in each other's place: "haemoglobin", "leucocyte", "tumour"."""


def is_unspoken(question: str, query: Query, texts: Iterable[str]) -> bool:
    """Whether the subject of a question is named nowhere.

    Args:
        question: In English.
        query: The same, with the short and long forms that the texts define.
        texts: All that is given beside the question.
    """
    present = frozenset(each for text in texts for each in terms(text))
    for short, long in query.equals:
        present |= long if short <= present else frozenset()
    spoken = _Spoken(present)
    given, named = given_words(question), named_words(question)
    if given and not any(map(spoken.holds, given)):
        return True
    rare = [word for word in named if _is_rare(word)]
    subject = given or (named if _ASKS_WHETHER.match(question) else [])
    leading = [word for word in given or subject[:1] if _is_rare(word)]
    if leading and leading[0] == subject[0] and not any(map(spoken.holds, leading)):
        return True
    return bool(rare) and sum(map(spoken.holds, rare)) <= LEAST_NAMED * len(rare)


def _is_rare(word: str) -> bool:
    return not shipped_order().knows(word)


class _Spoken:
    """The words of some texts, found again in other forms and spellings."""

    def __init__(self, present: Iterable[str]) -> None:
        self._words = frozenset(map(_spelled, present))
        self._beginnings = frozenset(each[:SHARED] for each in self._words if len(each) >= SHARED)

    def holds(self, word: str) -> bool:
        """Whether a word, as printed, stands in the texts."""
        spelled = _spelled(term(word))
        return spelled in self._words or (len(spelled) >= SHARED and spelled[:SHARED] in self._beginnings)


def _spelled(word: str) -> str:
    for one, other in _SPELLINGS:
        word = word.replace(one, other)
    return word
