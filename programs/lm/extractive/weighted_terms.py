"""Words as terms that can be compared, weighted by their part in a question, in English as far as the glossary goes.

"Reductions in LDL-cholesterol were 12.4%"  →  reduct in ldl cholesterol were 12.4

What was the effect of   400 mg zinc daily   on   appetite   compared with   placebo ?
                         given 0.4                asked 1                    other 0.2

Papers name what was given in nearly every sentence, and what was found only where they report it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Literal, TypeAlias

from metrics.support.lexicon import stem

_TERM = re.compile(r"\d+(?:[.,·]\d+)*|[^\W_]+")

# Words that carry no topic, with those that only make up a question.
_STOPWORDS = """
    a about above after again all also am an and any are as at be because been before being between both but by can
    could did do does doing done down during each either et few for from further had has have having he her here
    hers him his how i if in into is it its itself just may me might more most must my no nor not of off on once
    only or other our out over own per same shall she should so some such than that the their theirs them then there
    these they this those through to too under until up upon us very was we were what when where whether which while
    who whom whose why will with within without would yes you your al many much
"""

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


def folded(text: str) -> str:
    """Lower case without accents: "Größe" → "grosse", "población" → "poblacion"."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character))


STOPWORDS = frozenset(_STOPWORDS.split())
STOP_TERMS = frozenset(terms(_STOPWORDS)) | STOPWORDS
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


def asked_terms(question: str) -> frozenset[str]:
    """Stems of what a question asks about, where it also names what is given: "appetite"; else nothing.

    Words of every paper and numbers are not among them.
    """
    rest, given, _ = _parts(question)
    words = [term(word) for word in raw_words(rest) if given and is_content(word) and not word[0].isdigit()]
    return frozenset(words) - COMMON


def given_words(question: str) -> list[str]:
    """Words of what a question says is given, as printed; empty where it says nothing of the kind.

    Words such as "treatment" are among them only where there are no others.
    """
    named = named_words(_parts(question)[1])
    return [word for word in named if term(word) not in GENERIC] or named


def asked_words(question: str) -> list[str]:
    """Words of what a question asks about, as printed, where it also names what is given; else none."""
    rest, given, _ = _parts(question)
    return [word for word in named_words(rest) if term(word) not in GENERIC] if given else []


def named_words(question: str) -> list[str]:
    """Words of a question that can name what it is about, as printed: no numbers, no words of every paper."""
    return [word for word in raw_words(question) if _names(word)]


_PMCID = re.compile(r"PMC\d+", re.IGNORECASE)
_PROPER_NAME = re.compile(r"(?<=[\w,] )[A-Z][a-z]{2,}\b")


def proper_names(question: str) -> list[str]:
    """Capitalised words of a question behind its first one: places, species, people; no short forms."""
    return [word for word in _PROPER_NAME.findall(question) if _names(word)]


def _names(word: str) -> bool:
    return is_content(word) and not word[0].isdigit() and term(word) not in COMMON and not _PMCID.fullmatch(word)


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


# A table of some 240 scientific terms, for retrieval only: it joins words to words, without grammar, and a word that it
# does not hold is lost unless the text prints it the same way (names, gene symbols, Latin species, numbers).

Language: TypeAlias = Literal["en", "es", "de", "ja"]

_JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
_LATIN_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-.][A-Za-z0-9]+)*|\d+(?:[.,]\d+)*")
_WORD = re.compile(r"[^\W\d_]+|\d+(?:[.,]\d+)*")
# Little words, one of which is in nearly every sentence.
_SPANISH = """
    el la lo los las de desde hasta durante un una unos unas del al en y o que como cual
    cuales cuanto cuanta cuantos cuantas por para con sin
    se es son esta este fue ha tiene entre sobre afecta cuando donde quien su sus mas menos efecto efectos
"""
_GERMAN = """
    der die das den dem des ein eine einen einer einem eines und oder wie wird werden wurde warum welche welcher
    welches welchen ist sind im in von vom mit ohne bei auf zu zum zur fur hat haben auswirkung auswirkungen viel
    viele
"""
_LITTLE: Mapping[Language, frozenset[str]] = {
    "en": STOPWORDS,
    "es": frozenset(_SPANISH.split()),
    "de": frozenset(_GERMAN.split()),
}
# Endings that Spanish and German words take on; a table entry and a word meet when both are the same without them.
_INFLECTION = re.compile(r"(?:es|en|er|em|ern|os|as|s|e|n|a|o)$")


def to_english(question: str) -> str:
    """English words for what the table holds of a question, and whatever may be printed the same way in English.

    An English question comes back as it is.
    """
    language = language_of(question)
    if language == "en":
        return question
    return " ".join(_from_japanese(question) if language == "ja" else _from_words(question, language))


def language_of(text: str) -> Language:
    """The language of a question, English when nothing speaks against it."""
    if _JAPANESE.search(text):
        return "ja"
    words = _WORD.findall(folded(text))
    return max(_LITTLE, key=lambda language: sum(word in _LITTLE[language] for word in words))


def _from_japanese(question: str) -> list[str]:
    """Longest entries first, wherever they stand: Japanese does not part its words."""
    rest, found = question, []
    for entry, english in sorted(_table("ja").items(), key=lambda item: -len(item[0])):
        if entry in rest:
            found.append(english)
            rest = rest.replace(entry, " ")
    return [*found, *_LATIN_WORD.findall(question)]


def _from_words(question: str, language: Language) -> list[str]:
    table, kept, text = _table(language), [], folded(question)
    for entry in sorted((each for each in table if " " in each), key=len, reverse=True):
        if entry in text:
            kept.append(table[entry])
            text = text.replace(entry, " ")
    printed = {folded(word): word for word in _WORD.findall(question)}
    # What the table lacks may be a name, which English prints the same way.
    return kept + [
        _looked_up(word, language) or printed.get(word, word)
        for word in _WORD.findall(text)
        if word not in _LITTLE[language] and len(word) > 1
    ]


def _looked_up(word: str, language: Language) -> str:
    """English for a word, its bare form, or the parts of a German compound ("knochenverlust" → bone loss)."""
    table, bare_table, bare = _table(language), _bare_table(language), _INFLECTION.sub("", word)
    if english := table.get(word) or table.get(bare) or bare_table.get(bare):
        return english
    for cut in range(4, len(word) - 3):
        head, tail = word[:cut], _INFLECTION.sub("", word[cut:])
        first = table.get(head) or bare_table.get(_INFLECTION.sub("", head))
        if first and tail in bare_table:
            return f"{first} {bare_table[tail]}"
    return ""


@cache
def _bare_table(language: Language) -> dict[str, str]:
    bare: dict[str, str] = {}
    for word, english in _table(language).items():
        bare.setdefault(_INFLECTION.sub("", word), english)
    return bare


@cache
def _table(language: Language) -> dict[str, str]:
    """Folded words of a language with their English."""
    column = ("en", "es", "de", "ja").index(language)
    table: dict[str, str] = {}
    text = resources.files("programs.lm.extractive").joinpath("glossary.tsv").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line and not line.startswith("#"):
            cells = line.split("\t")
            for word in cells[column].split("|"):
                table.setdefault(word if language == "ja" else folded(word), cells[0])
    return table
