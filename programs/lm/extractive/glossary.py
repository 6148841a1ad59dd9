"""English for questions in Spanish, German and Japanese, by a table of some 240 scientific terms.

It joins words to words, without grammar; a word that it does not hold is lost unless the text prints it the same way
(names, gene symbols, Latin species, numbers).
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

from programs.languages import LITTLE_WORDS, WORD, Language, folded, language_of

_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-.][A-Za-z0-9]+)*|\d+(?:[.,]\d+)*")
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


def _from_japanese(question: str) -> list[str]:
    """Longest entries first, wherever they are: Japanese does not part its words."""
    rest, found = question, []
    for entry, english in sorted(_table("ja").items(), key=lambda item: -len(item[0])):
        if entry in rest:
            found.append(english)
            rest = rest.replace(entry, " ")
    return [*found, *_LATIN.findall(question)]


def _from_words(question: str, language: Language) -> list[str]:
    table, kept, text = _table(language), [], folded(question)
    for entry in sorted((each for each in table if " " in each), key=len, reverse=True):
        if entry in text:
            kept.append(table[entry])
            text = text.replace(entry, " ")
    printed = {folded(word): word for word in WORD.findall(question)}
    # What the table lacks may be a name, which English prints the same way.
    return kept + [
        _looked_up(word, language) or printed.get(word, word)
        for word in WORD.findall(text)
        if word not in LITTLE_WORDS[language] and len(word) > 1
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
