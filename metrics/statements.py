"""The sentences of an answer: what each says without its citations, what it cites, and whether it must cite.

## Findings                                        a heading: nothing to prove
Flight changed bone in three ways:                 leads in a list: nothing to prove
- Femur density fell by 12.4 % [1].                a claim
Does it recover?                                   a question: nothing to prove
The passages do not say how muscle changed.        an abstention: nothing to prove
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from metrics.abstention_phrases import is_abstention
from metrics.passages import Passage, citable_ids
from metrics.sentences import sentences
from signatures import citations

_BULLET = re.compile(r"^[ \t]*(?:[-*•‣–+]|\d{1,2}[.)])[ \t]+")
_HEADING = re.compile(r"#{1,6}[ \t]|\*\*[^*\n]{1,80}\*\*:?$|[-=*_|:\s]+$")
_LEAD_IN = re.compile(r"[:：][*_]*$")
_QUESTION = re.compile(r"[?？][\"'”’»*_]*$")


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of an answer.

    Attributes:
        number: Its place in the answer, from 1, as feedback names it.
        text: What it says, without citations and list bullet.
        start: Offset in the answer.
        end: Offset after it, its citations included.
        cites: Ids that it cites, each once, in order.
        needs_citation: Whether it says something that has to be proved.
    """

    number: int
    text: str
    start: int
    end: int
    cites: tuple[str, ...]
    needs_citation: bool


def statements(answer: str, passages: Sequence[Passage] = ()) -> tuple[Statement, ...]:
    """Read the sentences of an answer.

    Args:
        answer: Text, plain or Markdown.
        passages: What can be cited, which helps to tell citations from other brackets.

    Returns:
        The sentences in order; empty for an empty answer.
    """
    valid_ids = citable_ids(passages) or None
    cited = citations.cited_sentences(answer, sentences(answer), valid_ids)
    return tuple(_statement(number, answer, sentence, valid_ids) for number, sentence in enumerate(cited, start=1))


def needs_citation(text: str) -> bool:
    """Whether a sentence, its citations taken out, says something that has to be proved.

    Questions, headings, lead-ins of lists and abstentions do not; neither does a sentence without a letter or digit.
    """
    text = text.strip()
    if not any(character.isalnum() for character in text):
        return False
    return not (_HEADING.match(text) or _LEAD_IN.search(text) or _QUESTION.search(text) or is_abstention(text))


def _statement(
    number: int, answer: str, sentence: citations.CitedSentence, valid_ids: tuple[str, ...] | None
) -> Statement:
    printed = answer[sentence.start : sentence.end]
    text = citations.strip(_BULLET.sub("", printed), valid_ids)
    return Statement(number, text, sentence.start, sentence.end, sentence.ids, needs_citation(text))
