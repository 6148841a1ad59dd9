"""The words of a question, weighted by the part they play in it.

    What was the effect of   400 mg zinc daily   on   appetite   compared with   placebo ?
                             given 0.4                asked 1                    other 0.2

Papers name what was given in nearly every sentence, and what was found only where they report it.
"""

from __future__ import annotations

import re

from programs.lm.extractive.words import COMMON, COMMON_WEIGHT, is_content, raw_words, term

# Set by hand on Evidence Inference's questions, which have this very shape; other questions gain less.
ASKED, GIVEN, OTHER, NUMBER = 1.0, 0.4, 0.2, 0.3

_CHANGE = (
    r"(?:affect|alter|change|reduce|decrease|lower|increase|raise|improve|worsen|prevent|inhibit|promote|enhance|influence"
    r"|shorten|prolong|extend|accelerate|delay|protect|impair|induce|suppress|modulate|regulate|cause|predict)\w*"
)
# What is given, what is asked about it.
_SHAPES = (
    re.compile(
        r"\b(?:effects?|impact|influence|role|consequences?) of (?P<given>.+?) (?:up)?on (?P<asked>.+)", re.IGNORECASE
    ),
    re.compile(
        rf"^(?:does|do|did|can|could|will|would|may|how (?:does|do|did|can)) (?P<given>.+?) {_CHANGE} (?P<asked>.+)",
        re.IGNORECASE,
    ),
)
_THAN = r"\b(?:compared (?:with|to)|versus|vs\.?|relative to|rather than|as opposed to)(?!\w)"
_OTHER = re.compile(_THAN, re.IGNORECASE)
# "the effect of zinc compared with placebo on appetite"
_COMPARED_FIRST = re.compile(
    rf"\b(?:effects?|impact|influence) of (?P<given>.+?) {_THAN} (?P<other>.+?) (?:up)?on (?P<asked>.+)", re.IGNORECASE
)


def weighted_terms(question: str) -> list[tuple[str, float]]:
    """Stems of a question's content words in its order, each with a weight in (0, 1]."""
    rest, given, tail = _parts(question)
    parts = ((given, GIVEN), (rest, ASKED), (tail, OTHER))
    return [
        (term(word), _weight(word, weight)) for text, weight in parts for word in raw_words(text) if is_content(word)
    ]


def asked_terms(question: str) -> frozenset[str]:
    """Stems of what a question asks about, where it also names what is given: "appetite"; else nothing.

    Words of every paper and numbers are not among them.
    """
    rest, given, _ = _parts(question)
    words = [term(word) for word in raw_words(rest) if given and is_content(word) and not word[0].isdigit()]
    return frozenset(words) - COMMON


def given_words(question: str) -> list[str]:
    """Words of what a question says is given, as printed; empty where it says nothing of the kind."""
    return [word for word in raw_words(_parts(question)[1]) if _names(word)]


def named_words(question: str) -> list[str]:
    """Words of a question that can name what it is about, as printed: no numbers, no words of every paper."""
    return [word for word in raw_words(question) if _names(word)]


def _names(word: str) -> bool:
    return is_content(word) and not word[0].isdigit() and term(word) not in COMMON


def _parts(question: str) -> tuple[str, str, str]:
    """What is asked about, what is given, what that is compared with; the last two may be empty."""
    rest, given, tail = _without_other(question)
    for shape in _SHAPES if not given else ():
        if match := shape.search(rest):
            return match["asked"], match["given"], tail
    return rest, given, tail


def _without_other(question: str) -> tuple[str, str, str]:
    """A question without what it compares with, which may stand in its midst; what was given, if known; the other."""
    if compared := _COMPARED_FIRST.search(question):
        return compared["asked"], compared["given"], compared["other"]
    other = _OTHER.search(question)
    return (question[: other.start()], "", question[other.end() :]) if other else (question, "", "")


def _weight(word: str, part: float) -> float:
    if word[0].isdigit():
        return part * NUMBER
    return part * (COMMON_WEIGHT if term(word) in COMMON else 1.0)
