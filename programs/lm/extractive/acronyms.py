"""Short forms of names: those that a text itself defines, and those that a question's names take in it.

"bone mineral density (BMD)"                          →  BMD
"Enterococcus faecalis", asked for                    →  E. faecalis
"Kafta Sheraro National Park", asked for              →  KSNP
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from programs.lm.extractive.words import is_content, raw_words, term, terms

_SHORT = re.compile(r"\((?P<short>[A-Z][A-Za-z0-9-]{1,9}?)s?\)")
_SPECIES = re.compile(r"\b([A-Z][a-z]{2,}) ([a-z]{3,})\b")
_CAPITALS = re.compile(r"\b[A-Z]{3,6}\b")
# Words that initials may stand for.
_FEWEST, _MOST = 3, 6
# Characters before the bracket in which the long form is looked for.
_REACH = 120


def defined_in(text: str) -> dict[str, frozenset[str]]:
    """Short forms with the stems of their long forms' content words.

    A long form is the fewest words before the bracket whose initials, with or without small words, spell the short.
    """
    found: dict[str, frozenset[str]] = {}
    for match in _SHORT.finditer(text):
        letters = [letter for letter in match["short"].lower() if letter.isalpha()]
        long = _long_form(raw_words(text[max(0, match.start() - _REACH) : match.start()]), letters)
        if long and len(letters) > 1:
            found.setdefault(match["short"].lower(), frozenset(terms(" ".join(long))))
    return found


def named_in(question: str, text: str) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Pairs of terms: where a text has all of the first, it speaks of the second, which the question names in full.

    Initials count where the text writes them in capitals, two of them only for a species that it names in full as well.
    """
    for match in _SPECIES.finditer(question):
        genus, species = match.groups()
        if f"{genus[0]}. {species}" in text:
            yield frozenset({genus[0].lower(), term(species)}), frozenset({term(genus)})
        if match[0] in text and re.search(rf"\b{genus[0]}{species[0]}\b", text, re.IGNORECASE):
            yield frozenset({(genus[0] + species[0]).lower()}), frozenset({term(genus), term(species)})
    printed = set(_CAPITALS.findall(text))
    for named in _runs(raw_words(question)):
        short = "".join(word[0] for word in named).upper()
        if short in printed:
            yield frozenset({term(short)}), frozenset(term(word) for word in named)


def _runs(words: list[str]) -> Iterator[list[str]]:
    """Runs of content words that initials may stand for."""
    for start in range(len(words)):
        for end in range(start + _FEWEST, min(start + _MOST, len(words)) + 1):
            run = words[start:end]
            if all(is_content(word) and word[0].isalpha() for word in run):
                yield run


def _long_form(words: list[str], letters: list[str]) -> list[str]:
    for count in range(len(letters), min(len(words), len(letters) + 3) + 1):
        tail = words[-count:]
        content = [word for word in tail if is_content(word)]
        for initials in ([word[0].lower() for word in tail], [word[0].lower() for word in content]):
            if initials == letters:
                return content
    return []
