"""Words of a text as terms that can be compared: lower case and stemmed.

"Reductions in LDL-cholesterol were 12.4%"  →  reduct in ldl cholesterol were 12.4
"""

from __future__ import annotations

import re
import unicodedata

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
    analysis author authors compare compared comparison data difference differences effect effects evidence
    experiment figure find findings found group groups impact influence investigate measure measured method methods
    observe observed outcome paper passage present problem propose proposed report reported result results role
    sample show shown shows significant significantly studies study use used using work relation relationship
    association associated article mention mentioned describe described main key
"""
COMMON_WEIGHT = 0.3
# Plurals and forms that no stemmer joins.
_IRREGULAR = {"mice": "mouse", "children": "child", "women": "woman", "men": "man", "feet": "foot", "teeth": "tooth"}
_IRREGULAR |= {
    "grew": "grow",
    "grown": "grow",
    "growth": "grow",
    "rose": "rise",
    "fell": "fall",
    "died": "die",
    "deaths": "death",
}


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
