"""Which language a question is in: English, or Spanish, German or Japanese by its script or its little words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Literal, TypeAlias

# Words that carry no topic, with those that only make up a question.
_ENGLISH = """
    a about above after again all also am an and any are as at be because been before being between both but by can
    could did do does doing done down during each either et few for from further had has have having he her here
    hers him his how i if in into is it its itself just may me might more most must my no nor not of off on once
    only or other our out over own per same shall she should so some such than that the their theirs them then there
    these they this those through to too under until up upon us very was we were what when where whether which while
    who whom whose why will with within without would yes you your al many much
"""
STOPWORDS = frozenset(_ENGLISH.split())

Language: TypeAlias = Literal["en", "es", "de", "ja"]

_JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
WORD = re.compile(r"[^\W\d_]+|\d+(?:[.,]\d+)*")
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
LITTLE_WORDS: Mapping[Language, frozenset[str]] = {
    "en": STOPWORDS,
    "es": frozenset(_SPANISH.split()),
    "de": frozenset(_GERMAN.split()),
}


def language_of(text: str) -> Language:
    """The language of a question, English when nothing speaks against it."""
    if _JAPANESE.search(text):
        return "ja"
    words = WORD.findall(folded(text))
    return max(LITTLE_WORDS, key=lambda language: sum(word in LITTLE_WORDS[language] for word in words))


def folded(text: str) -> str:
    """Lower case without accents: "Größe" → "grosse", "población" → "poblacion"."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character))
