"""Cells of a table: the sentence that says the value, and the number or label that is meant."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, get_args

from metrics.support.quantities import LABELS, UNITS, Quantity, quantities
from metrics.support.sentence_features import normalised
from programs.lm.extractive.answering import MOST_SENTENCES, Found, find, written
from programs.lm.extractive.labels import DIRECTIONS, VOTERS, direction_of, fitting, meaning_of, stated_label
from programs.lm.extractive.relevance import RankedSentence, leading
from programs.lm.extractive.sources import Call, Evidence, compressed, numbered_evidence
from programs.lm.extractive.weighted_terms import COMMON, is_content, raw_words, term, terms

_SPREAD = re.compile(
    r"\b(?i:p\s?(?:[<>=≤≥]|value)\W*|(?:day|week|month|visit|phase|grade|stage)[\s-]*)$"
    r"|\b(?:CIs?|intervals?|IQR|SDs?|SEM?)\b[^()\[\];]*$"
)
_INTERVAL = re.compile(r"\d+\s?%?,?\s?(?:CIs?\b|confidence|credible)", re.IGNORECASE)
_LENGTH = re.compile(r"\bhow (?:long|many (?:minutes|hours|days|weeks|months|years))\b|\bduration\b", re.IGNORECASE)
_ASKS_CHANGE = re.compile(
    r"\b(?:los[ts]|losing|loss|chang|decreas|reduc|declin|fall|fell|drop|increas|rise|rose|gain)\w*", re.IGNORECASE
)
_ABOUT = r"(?:(?:about|approximately|some|nearly|almost|a mean of|an average of) )?[-+~<>]?\s?"
_CHANGED_BY = re.compile(
    rf"(?:\bby|\b(?:lost|gained|(?:loss|chang|decreas|reduc|declin|fall|drop|increas|rise|gain)\w*"
    rf"(?: (?:of|was|were))?)) {_ABOUT}$",
    re.IGNORECASE,
)
_IS_CHANGE = re.compile(
    r"\s?(?:lower|higher|greater|smaller|less|more|loss|reduction|decrease|decline|drop|increase|gain)\b", re.IGNORECASE
)
_WHERE = re.compile(r"\b(?:in|at|of|on|after|under|using|with) (?P<where>[^?]+)\??$", re.IGNORECASE)
_PART = re.compile(r"[,;]|\b(?:and|but|whereas|while)\b", re.IGNORECASE)
_WANTED_UNIT = re.compile(r"\bin (?P<unit>\S+) if\b")


def cell(call: Call) -> dict[str, Any]:
    """The value, the one sentence that says it as a quotation, and whether there is one."""
    question, form = call.text("question"), call.text("form")
    choices = get_args(call.signature.output_fields["value"].annotation)
    evidence = numbered_evidence(call.text("evidence"))
    found = find(question, evidence, call.taught("answer"))
    saying: RankedSentence | None = None
    value = choices[-1] if choices else ""
    if found.sentences and choices:
        saying, value = _of_label(question, evidence, found, choices)
    elif found.sentences and form.startswith("a number"):
        saying, value = _of_number(found, question, form)
    elif found.sentences:
        saying, value = found.sentences[0], compressed(found.sentences[0].sentence.text)
    return {"answerable": bool(found.sentences), "answer": written([saying] if saying else []), "value": value}


def _of_label(
    question: str, evidence: Evidence, found: Found, choices: Sequence[Any]
) -> tuple[RankedSentence | None, Any]:
    """A direction with the best sentence that reports it; another label that a sentence states, with that one."""
    if any(meaning_of(each) in DIRECTIONS for each in choices):
        value = fitting(question, evidence.sentences, evidence.texts, choices)
        said = meaning_of(value)
        saying = [each for each in found.ranking.sentences[:VOTERS] if direction_of(each.sentence.text) == said]
        return (saying or found.sentences)[0], value
    stated = stated_label(question, found.ranking.sentences, choices)
    return (stated[1], stated[0]) if stated else (None, choices[-1])


def _of_number(found: Found, question: str, form: str) -> tuple[RankedSentence | None, str]:
    """The best sentence that holds a number of the kind that is asked for, with that number."""
    dimension = _dimension(question, form)
    # Of a change the best sentence is often that of another site.
    beside = leading(found.ranking.sentences, MOST_SENTENCES) if _ASKS_CHANGE.search(question) else found.sentences
    for each in beside:
        if value := _number(compressed(each.sentence.text), dimension, question):
            return each, value
    return None, ""


def _dimension(question: str, form: str) -> str | None:
    """Of the unit that is wanted; None for any. What is counted the program itself looks for."""
    wanted = _WANTED_UNIT.search(form)
    if wanted is None:
        return "time" if _LENGTH.search(question) else None
    return UNITS.get(wanted["unit"], (None, 1.0))[0]


def _number(text: str, dimension: str | None, question: str) -> str:
    """The first number of the dimension, or of any if none is wanted; not one of a name or test.

    A length of time is asked for in so many words, so a share or a dose is not an answer to it. Where a change is asked
    for, a group's own value is not an answer either.
    """
    plain = normalised(text)
    counted = [each for each in quantities(plain) if not _is_beside(plain, each)]
    if dimension != "time" and _ASKS_CHANGE.search(question):
        wanted = [each for each in counted if each.dimension == dimension] or counted
        changed = _change(plain, wanted, question)
        return text[changed.start : changed.end] if changed else ""
    best = next((each for each in counted if dimension in (None, each.dimension)), None)
    return text[best.start : best.end] if best else ""


def _change(plain: str, numbers: Sequence[Quantity], question: str) -> Quantity | None:
    """The number that says how much something changed where the question asks; None where it cannot be known apart."""
    asked = _WHERE.search(question)
    where = {term(word) for word in raw_words(asked["where"]) if is_content(word)} - COMMON if asked else set()
    if where and where.isdisjoint(terms(plain)):
        return None
    changes = [each for each in numbers if _CHANGED_BY.search(plain[: each.start]) or _IS_CHANGE.match(plain, each.end)]
    # "By 5 % with zinc and 3 % with iron": what follows a change may be one as well.
    left = [each for each in numbers if not changes or each in changes or each.start > changes[0].start]
    if len(left) > 1 and "respectively" in plain:
        return None
    if len(left) > 1 and changes:
        shared = {each: len(where & {*terms(_part(plain, each))}) for each in left}
        left = [each for each in left if shared[each] == max(shared.values()) > 0]
    return left[0] if len(left) == 1 else None


def _part(plain: str, number: Quantity) -> str:
    """The part of a sentence between conjunctions that has a number."""
    start = max((each.end() for each in _PART.finditer(plain, 0, number.start)), default=0)
    following = _PART.search(plain, number.end)
    return plain[start : following.start() if following else len(plain)]


def _is_beside(plain: str, number: Quantity) -> bool:
    """Whether a number names something, or tells when, or how sure another one is."""
    is_spread = _SPREAD.search(plain[: number.start]) or _INTERVAL.match(plain, number.start)
    return number.dimension in LABELS or bool(is_spread)
