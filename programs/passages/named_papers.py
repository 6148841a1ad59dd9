"""Papers that a question names, and questions that ask for several papers.

"What does Figure 2 of PMC1234567 show?"            the paper PMC1234567, where the index has it
"Did smith-2014 weigh bones?"                       the paper smith-2014: its id, as it is in the index
"What did Petrosyan et al. (2018) find?"            among papers that are at hand: that of Petrosyan, 2018
"Which trials tested herbal medicines?"             each trial that did
"Do the studies agree on exercise before a meal?"   each study
"""

from __future__ import annotations

import re

from signatures.identifiers import PMCID

# An id differs from a word or a number by having both: "bone.pdf" must not turn every question on bone to itself.
_ID = re.compile(r"(?=[^\s,;?!()\[\]\"“”]*[^\W\d_])(?=[^\s,;?!()\[\]\"“”]*\d)[^\s,;?!()\[\]\"“”]+")
PAPERS = (
    r"(?:trials|studies|papers|articles|publications|experiments|investigations"
    r"|ensayos|estudios|artículos|studien|études|essais)"
)
"""What papers are called: an alternative of regular expressions."""
_ASKED = re.compile(
    r"\b(?:which|what|list|name|find|all|how many|qué|cuáles|cuántos|welche|wie viele|quelles|quels|combien)\b"
    rf"(?:\s+[\w’'-]+){{0,4}}?\s+{PAPERS}\b"
    rf"|\b(?:do|did|are|the|across|between|among)\s+(?:the\s+|these\s+|all\s+)?{PAPERS}\b[^.?!]*"
    r"\b(?:agree|disagree|differ|conflict|contradict|consistent|compare)",
    re.IGNORECASE,
)


def ids_in(question: str) -> list[str]:
    """Everything in a question that may be the id of a paper, each once, PMCIDs in capitals."""
    printed = [match.group().strip(".:'’") for match in _ID.finditer(question)]
    # "PMC123's", "PMC123–PMC125" and "図PMC123の" hold PMCIDs too.
    found = [match.group().upper() for match in PMCID.finditer(question)]
    return list(dict.fromkeys([*found, *(each for each in printed if each and each.upper() not in found)]))


def asks_for_several(question: str) -> bool:
    """Whether a question asks which papers, or what papers say of one another."""
    return _ASKED.search(question) is not None
