"""Words as terms that can be compared, weighted by their part in a question.

"Reductions in LDL-cholesterol were 12.4%"  →  reduct in ldl cholesterol were 12.4

What was the effect of   400 mg zinc daily   on   appetite   compared with   placebo ?
                         given 0.4                asked 1                    other 0.2

Papers name what was given in nearly every sentence, and what was found only where they report it.
"""

from __future__ import annotations

import re

from metrics.support.lexicon import stem
from programs.languages import STOPWORDS
from signatures.identifiers import PMCID

_TERM = re.compile(r"\d+(?:[.,·]\d+)*|[^\W_]+")

# Words of nearly every paper, and of the way questions are put; they say something, but little.
_COMMON = """
    analysis author compare comparison data difference effect evidence experiment figure find found group impact
    influence investigate measure method observe outcome paper passage present problem propose report result role
    sample show significant study use work relation relationship association article mention describe main key
    conclude conclusion
"""
# Words that name no treatment, people or outcome by themselves.
_GENERIC = """
    treatment treating therapy intervention supplement administration dose dosage daily drug medication medicine
    programme program training exposure intake consumption mg patient participant people adult child person subject
    risk rate level number incidence frequency amount quality time day week month year care outcome change mean
    average trial fraction percentage percent proportion share ratio extent degree kind type sort way
"""
COMMON_WEIGHT = 0.3
_FORMS = """
    mice:mouse children:child kid:child kids:child women:woman men:man feet:foot teeth:tooth grew:grow grown:grow
    growth:grow rose:rise fell:fall died:die deaths:death baby:infant babies:infant belly:abdomen
"""
_IRREGULAR = {form: word for form, _, word in (pair.partition(":") for pair in _FORMS.split())}
"""Plurals, forms and everyday words that no stemmer joins."""


def terms(text: str) -> list[str]:
    """The stemmed words and numbers of a text in order, stop words among them."""
    return [term(word) for word in raw_words(text.lower())]


def term(word: str) -> str:
    """A word, as printed, as a term."""
    lower = word.lower()
    return stem(_IRREGULAR.get(lower, lower))


def raw_words(text: str) -> list[str]:
    """Words and numbers of a text as printed."""
    return _TERM.findall(text)


def is_content(word: str) -> bool:
    """Whether a word, as printed, can say what a text is about."""
    lower = word.lower()
    return lower not in STOPWORDS and (len(lower) > 1 or not lower.isascii() or word.isupper() or word.isdigit())


STOP_TERMS = frozenset(terms(" ".join(STOPWORDS))) | STOPWORDS
COMMON = frozenset(terms(_COMMON))
GENERIC = frozenset(terms(_GENERIC))


# Set by hand on Evidence Inference's questions, which have this very shape; other questions gain less.
ASKED, GIVEN, OTHER, NUMBER = 1.0, 0.4, 0.2, 0.3

_CHANGE = (
    r"(?:affect|alter|change|reduce|decrease|lower|increase|raise|improve|worsen|prevent|inhibit|promote|enhance|influence"
    r"|shorten|prolong|extend|accelerate|delay|protect|impair|induce|suppress|modulate|regulate|cause|predict)"
    r"(?:s|d|ed|ing)?\b"
)
_STUDY = (
    r"(?:\w+ ){0,2}(?:trials?|stud(?:y|ies)|experiments?|papers?|research|reviews?|surveys?)"
    r" (?:of|on|about|with|into|testing|comparing)"
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
    re.compile(
        r"^(?:is|are|was|were) (?P<given>.+?) (?:\w+ly )?(?P<asked>(?:better|worse|superior|inferior|effective|safe"
        r"|useful|beneficial|harmful|helpful|associated)\b.+)",
        re.IGNORECASE,
    ),
    # "In the trial of memantine, what was the mean age?"
    re.compile(rf"^(?:in|from|of|for) (?:the|a) {_STUDY} (?P<given>[^?,]+), (?P<asked>.+)", re.IGNORECASE),
    # "What was the mean age in the trial of memantine?"
    re.compile(rf"^(?P<asked>.+?) (?:the|a|any) {_STUDY} (?P<given>[^?,]+)", re.IGNORECASE),
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


def given_words(question: str) -> list[str]:
    """Words of what a question says is given, as printed; empty where it says nothing of the kind.

    Words such as "treatment" are among them only where there are no others.
    """
    named = named_words(_parts(question)[1])
    return [word for word in named if term(word) not in GENERIC] or named


def named_words(question: str) -> list[str]:
    """Words of a question that can name what it is about, as printed: no numbers, no words of every paper."""
    return [word for word in raw_words(question) if _names(word)]


def _names(word: str) -> bool:
    return is_content(word) and not word[0].isdigit() and term(word) not in COMMON and not PMCID.fullmatch(word)


def _parts(question: str) -> tuple[str, str, str]:
    """What is asked about, what is given, what that is compared with; the last two may be empty."""
    rest, given, tail = _without_other(question)
    for shape in _SHAPES if not given else ():
        if match := shape.search(rest):
            return match["asked"], match["given"], tail
    return rest, given, tail


def _without_other(question: str) -> tuple[str, str, str]:
    """A question without what it compares with, which may be in its midst; what was given, if known; the other."""
    if compared := _COMPARED_FIRST.search(question):
        return compared["asked"], compared["given"], compared["other"]
    other = _OTHER.search(question)
    return (question[: other.start()], "", question[other.end() :]) if other else (question, "", "")


def _weight(word: str, part: float) -> float:
    if word[0].isdigit():
        return part * NUMBER
    return part * (COMMON_WEIGHT if term(word) in COMMON else 1.0)
