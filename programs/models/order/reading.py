"""What the model reads of a passage: where it stands, and the sentences nearest to the question.

question   "Did relapses differ between natalizumab and placebo?"
about      "Natalizumab in relapsing disease. Results"
passage    "Forty adults took part. … Relapses were fewer with the drug. … The drug was well tolerated."
read       "Natalizumab in relapsing disease. Results: Relapses were fewer with the drug. …"
"""

from __future__ import annotations

from metrics.support.premise import premise_parts, premise_text

WORDS = 50
"""Of a passage that are read."""
ABOUT_WORDS = 18
QUESTION_WORDS = 36
LONGEST = 20_000
"""Characters of a passage that are looked at."""


def question_read(question: str) -> str:
    """The words of a question that are read."""
    return " ".join(question[:LONGEST].split()[:QUESTION_WORDS])


def passage_read(question: str, passage: str, about: str = "") -> str:
    """The text that is held against the question.

    Args:
        question: A question or a claim.
        passage: Of any length.
        about: The paper's title and the heading that the passage stands under, as far as they are known.
    """
    passage = passage[:LONGEST]
    if len(passage.split()) > WORDS:
        parts = premise_parts(question, [passage], WORDS)
        passage = " ".join(premise_text(parts, [passage]).split()[: 2 * WORDS]) if parts else passage
    place = " ".join(about.split()[:ABOUT_WORDS])
    return f"{place}: {passage}" if place else passage
