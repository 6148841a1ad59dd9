"""Query expansion: a question with the other names of what it asks about.

dictionary = TagDictionary.load()
expansion = expand("How does microgravity affect mouse bone?", dictionary)
expansion.matched       # ("microgravity", "mouse", "bone")
expansion.query         # "How does microgravity affect mouse bone? weightlessness mice skeletal zero gravity …"
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest

from programs.errors import UsageError
from programs.retrieval.tag_dictionary import TagDictionary, TagEntry
from programs.retrieval.term_matching import Term

__all__ = ["Expansion", "TagDictionary", "TagEntry", "expand"]

LIMIT = 6
PER_ENTRY = 2
"""More terms drown the question. On 250 of SciFact's training claims searching with up to 12 terms, 4 an entry, loses
0.009 nDCG@10, and with 6, 2 an entry, 0.004; on the trials kept for choosing they gain 0.013 and 0.010."""


@dataclass(frozen=True, slots=True)
class Expansion:
    """A question and what was added to it.

    Attributes:
        question: As it was asked.
        matched: Names of the entries that have a term in it, in the order of the question.
        added: Terms of those entries that it does not hold.
        query: The question followed by the added terms; the question itself when there are none.
    """

    question: str
    matched: tuple[str, ...]
    added: tuple[str, ...]
    query: str


def expand(question: str, dictionary: TagDictionary, limit: int = LIMIT, per_entry: int = PER_ENTRY) -> Expansion:
    """Add the other terms of every entry that a question has a term of.

    The entries take turns, the first term of each before the second of any, so that a limit cuts off the least useful.

    Args:
        question: Any text.
        dictionary: Entries of terms.
        limit: How many terms to add at most, at least 0.
        per_entry: How many of them may come from one entry, at least 0.

    Raises:
        UsageError: For a negative limit.
    """
    if limit < 0 or per_entry < 0:
        raise UsageError(f"limits of an expansion must be at least 0, got limit={limit}, per_entry={per_entry}")
    found = list(dictionary.index.find(question))
    entries = list(dict.fromkeys(entry for each in found for _, entry in each.listed))
    present = {term.key for each in found for term, _ in each.listed}
    turns = _in_turns([list(islice(_others(entry, present), per_entry)) for entry in entries])
    added = tuple(islice({Term(text).key: text for text in turns}.values(), limit))
    return Expansion(question, tuple(entry.name for entry in entries), added, " ".join([question, *added]))


def _others(entry: TagEntry, present: set[str]) -> Iterator[str]:
    return (text for text in entry.terms if Term(text).key not in present)


def _in_turns(lists: Sequence[Sequence[str]]) -> Iterable[str]:
    return (text for turn in zip_longest(*lists) for text in turn if text is not None)
