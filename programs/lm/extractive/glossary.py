"""English words for a question in Spanish, German or Japanese, from a table of some 240 scientific terms.

It serves retrieval only: it joins words to words, without grammar, and a word that it does not hold is lost unless the
text prints it the same way (names, gene symbols, Latin species, numbers). It cannot write in another language.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal, TypeAlias

from programs.lm.extractive.words import STOPWORDS, folded

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


@dataclass(frozen=True, slots=True)
class Translation:
    """A question as English search words.

    Attributes:
        language: What the question is written in, by its script and its little words.
        words: English words of what the table holds, and whatever may be printed the same way in an English text.
        known: Share of the question's content words that the table holds, in [0, 1]; 1 for English.
    """

    language: Language
    words: str
    known: float


def to_english(question: str) -> Translation:
    """Put a question into English words; an English one comes back as it is."""
    language = language_of(question)
    if language == "en":
        return Translation("en", question, 1.0)
    if language == "ja":
        return _from_japanese(question)
    return _from_words(question, language)


def language_of(text: str) -> Language:
    """The language of a question, English when nothing speaks against it."""
    if _JAPANESE.search(text):
        return "ja"
    words = _WORD.findall(folded(text))
    votes = Counter({language: sum(word in little for word in words) for language, little in _LITTLE.items()})
    return max(_LITTLE, key=lambda language: votes[language])


def _from_japanese(question: str) -> Translation:
    """Longest entries first, wherever they stand: Japanese does not part its words."""
    rest, found = question, []
    for entry, english in sorted(_table("ja").items(), key=lambda item: -len(item[0])):
        if entry in rest:
            found.append(english)
            rest = rest.replace(entry, " ")
    printed = _LATIN_WORD.findall(question)
    unknown = len(re.findall(r"[\u30a0-\u30ff]{3,}|[\u4e00-\u9fff]{2,}", rest))
    words = [*found, *printed]
    return Translation("ja", " ".join(words), len(words) / max(1, len(words) + unknown))


def _from_words(question: str, language: Language) -> Translation:
    table, kept, known, total = _table(language), [], 0, 0
    text = folded(question)
    for entry in sorted((each for each in table if " " in each), key=len, reverse=True):
        if entry in text:
            kept.append(table[entry])
            text = text.replace(entry, " ")
            known, total = known + 1, total + 1
    printed = {folded(word): word for word in _WORD.findall(question)}
    for word in _WORD.findall(text):
        if word in _LITTLE[language] or len(word) < 2:
            continue
        english = _looked_up(word, table)
        total, known = total + 1, known + bool(english)
        # What the table lacks may be a name, which English prints the same way.
        kept.append(english or printed.get(word, word))
    return Translation(language, " ".join(kept), known / max(1, total))


def _looked_up(word: str, table: Mapping[str, str]) -> str:
    """English for a word, its bare form, or the parts of a German compound ("knochenverlust" → bone loss)."""
    bare = _INFLECTION.sub("", word)
    for form in (word, bare):
        if form in table:
            return table[form]
    bare_table = _bare_table(tuple(table.items()))
    if bare in bare_table:
        return bare_table[bare]
    for cut in range(4, len(word) - 3):
        head, tail = word[:cut], _INFLECTION.sub("", word[cut:])
        first = table.get(head) or bare_table.get(_INFLECTION.sub("", head))
        if first and tail in bare_table:
            return f"{first} {bare_table[tail]}"
    return ""


@cache
def _bare_table(entries: tuple[tuple[str, str], ...]) -> dict[str, str]:
    bare: dict[str, str] = {}
    for word, english in entries:
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
