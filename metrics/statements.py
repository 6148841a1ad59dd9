"""The sentences of an answer: what each says without its citations, what it cites, and whether it must cite.

    ## Findings                                        a heading: nothing to prove
    Flight changed bone in three ways:                 leads in a list: nothing to prove
    - Femur density fell by 12.4 % [1].                a claim
    Does it recover?                                   a question: nothing to prove
    The passages do not say how muscle changed.        an abstention: nothing to prove

Only claims are counted by the metrics of grounding and citation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from metrics.abstentions import is_abstention, is_measured
from metrics.passages import Citable, citable_ids, passages_of, read
from metrics.sentences import Span, sentences
from signatures import citation_markers

Outcome: TypeAlias = Literal["answered", "abstained", "abstained_with_claims", "empty", "failed"]


def answer_of(prediction: object) -> str:
    """The text of the answer, without outer white space; empty when there is none."""
    answer = read(prediction, "answer", "")
    return answer.strip() if isinstance(answer, str) else ""


def bare_answer(prediction: object) -> str:
    """The text of the answer without its citations."""
    return citation_markers.strip(answer_of(prediction), citable_ids(passages_of(prediction)) or None)


def statements_of(prediction: object) -> tuple[Statement, ...]:
    """The sentences of the answer with what they cite."""
    return statements(answer_of(prediction), passages_of(prediction))


def claims_of(prediction: object) -> tuple[Statement, ...]:
    """The sentences of the answer that say something to be proved."""
    return tuple(statement for statement in statements_of(prediction) if statement.needs_citation)


def is_answerable(example: object) -> bool:
    """Whether the gold data hold an answer to the question; examples that do not say are answerable."""
    return bool(read(example, "answerable", default=True))


def outcome(prediction: object) -> Outcome:
    """Tell answers from abstentions, and both from nothing.

    An abstention is declared (``answerable`` is False) or written ("The passages do not say."), whichever way the
    program chose. Declared together with claims it is not an abstention but a contradiction. An empty answer counts as
    an abstention only if it is declared. A prediction failed if it is missing, has an ``error``, or its answer is not
    text.
    """
    answer = read(prediction, "answer", "")
    if prediction is None or read(prediction, "error") or not isinstance(answer, str):
        return "failed"
    declared = read(prediction, "answerable", default=True) is False
    found = statements_of(prediction)
    if any(statement.needs_citation for statement in found):
        return "abstained_with_claims" if declared else "answered"
    written = any(is_abstention(statement.text) for statement in found)
    if declared or written:
        return "abstained"
    return "answered" if found else "empty"


_BULLET = re.compile(r"^[ \t]*(?:[-*•‣–+]|\d{1,2}[.)])[ \t]+")
_HEADING = re.compile(r"#{1,6}[ \t][^\n]{0,80}(?<![.!。！])$|\*\*[^*\n]{1,80}(?<![.!。！])\*\*:?$|[-=*_|:\s]+$")
"""No heading ends as a sentence does."""
_LEAD_IN = re.compile(r"[:：][*_]*$")
_CITED = r"\s*(?:\[[^\[\]]*\]\s*)*$"
_QUOTATION_CLOSED = re.compile(rf"[.!?…。！？][\"”’»«“」』]{_CITED}")
_SENTENCE_CLOSED = re.compile(rf"(?<!\bal)(?<!\bcf)(?<!\bfig)(?<!\be\.g)(?<!\bi\.e)[.!?…。！？]{_CITED}", re.IGNORECASE)
_QUOTATION_OPENED = re.compile(r"[\"“„«»「『][^\W_a-z]")
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


def statements(answer: str, passages: Sequence[Citable] = ()) -> tuple[Statement, ...]:
    """Read the sentences of an answer.

    Args:
        answer: Text, plain or Markdown.
        passages: What can be cited, which helps to tell citations from other brackets.

    Returns:
        The sentences in order; empty for an empty answer.
    """
    valid_ids = citable_ids(passages) or None
    spans = [part for span in sentences(answer) for part in _split(answer, span, valid_ids)]
    cited = citation_markers.cited_sentences(answer, spans, valid_ids)
    found = []
    for number, each in enumerate(cited, start=1):
        text = citation_markers.strip(_BULLET.sub("", answer[each.start : each.end]), valid_ids)
        found.append(Statement(number, text, each.start, each.end, each.ids, needs_citation(text)))
    return tuple(found)


def needs_citation(text: str) -> bool:
    """Whether a sentence, its citations taken out, says something that has to be proved.

    Questions, headings, lead-ins of lists and abstentions do not, unless they tell a share or a probability; neither
    does a sentence without a letter or digit.
    """
    text = text.strip()
    if not any(character.isalnum() for character in text):
        return False
    return is_measured(text) or not (
        _HEADING.match(text) or _LEAD_IN.search(text) or _QUESTION.search(text) or is_abstention(text)
    )


def _split(answer: str, span: Span, valid_ids: tuple[str, ...] | None) -> Iterator[Span]:
    """Part the quotations that a citation joins: '"Density fell." [1] "Muscle shrank." [2]' is two statements."""
    start = span.start
    for marker in citation_markers.find(answer[span.start : span.end], valid_ids):
        before, end = answer[start : span.start + marker.start], span.start + marker.end
        following = answer[end : span.end].lstrip()
        quotation_ends = _QUOTATION_CLOSED.search(before) and following[:1].isupper()
        quotation_starts = _QUOTATION_OPENED.match(following) and (
            _QUOTATION_CLOSED.search(before) or _SENTENCE_CLOSED.search(before)
        )
        if quotation_ends or quotation_starts:
            yield Span(start, end)
            start = span.start + len(answer[span.start : span.end]) - len(following)
    yield Span(start, span.end)
