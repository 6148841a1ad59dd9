"""Papers that a question describes beside each other, without naming them.

    "What limits do the authors of the ontology training trial and of the structured writing therapy trial name?"

    the ontology training trial              the paper on ontologies, whose title and passages have these words
    the structured writing therapy trial     the one on writing therapy

One search for the whole question brings passages of the one that happens to have more of its words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from metrics.words import question_coverage

if TYPE_CHECKING:
    from programs.retrieval.filters import Filters
    from programs.retrieval.retriever import Retriever

LOOKED_AT = 10
"""Passages found for a description, whose papers may be the one."""
HELD = 0.6
"""Share of a description's words that title and passages of its paper have at least."""

_PAPER = r"(?:trial|study|paper|article|experiment|review)\b"
_DESCRIBED = r"the\s+(?P<{}>(?:(?!\bthe\b)[^,;?.]){{3,80}}?)\s+" + _PAPER
_PAIR = re.compile(
    rf"\b{_DESCRIBED.format('one')}(?:\s+(?!and\b|or\b|than\b)[\w-]+){{0,5}}?\s+(?:and|or|than|versus|vs\.?|with|to)\s+"
    rf"(?:(?:of|in|from|by|with|that)\s+)*{_DESCRIBED.format('other')}",
    re.IGNORECASE,
)


def descriptions_in(question: str) -> list[str]:
    """How a question describes two papers, in its order; empty where it does not describe two."""
    found = _PAIR.search(question)
    return [found["one"], found["other"]] if found else []


def described_in(question: str, retriever: Retriever, filters: Filters | None) -> list[str]:
    """Ids of the papers that a question describes, in its order: each the one that fits best of those found."""
    found = []
    for each in descriptions_in(question):
        texts: dict[str, list[str]] = {}
        for hit in retriever.search(each, LOOKED_AT, filters):
            paper = hit.chunk.document_id
            texts.setdefault(paper, [retriever.document(paper).title]).append(hit.chunk.text)
        fits = {paper: _held(each, of) for paper, of in texts.items()}
        best = max(fits, key=lambda paper: (sum(fits[paper]), fits[paper]), default="")
        found += [best] if best and fits[best][1] >= HELD else []
    return list(dict.fromkeys(found))


def _held(description: str, texts: Sequence[str]) -> tuple[float, float]:
    """Shares of a description's words that a paper's title has, and that it has with what was found of it."""
    said = f"the {description}"
    return question_coverage(said, texts[:1]), question_coverage(said, texts)
