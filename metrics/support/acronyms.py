"""Short forms that a text defines itself: "bone mineral density (BMD)"."""

from __future__ import annotations

import re
from functools import lru_cache

from metrics.support.reading import read

_SHORT_FORM = re.compile(r"\(([A-Za-z][A-Za-z0-9-]{1,9}?)s?[);,]")
_WORD = re.compile(r"[^\W_]+")
# A long form has at most so many words, in at most so many characters.
LONGEST_WORDS, LONGEST = 8, 120


@lru_cache(maxsize=4096)
def acronyms(text: str) -> dict[str, frozenset[str]]:
    """Short forms and the keys of the words they stand for.

    A short form counts when its letters are found in order as the words' initials, the first letter at the first word.

    Args:
        text: A passage or claim.
    """
    found = {}
    for match in _SHORT_FORM.finditer(text):
        before = _WORD.findall(text, max(0, match.start() - LONGEST), match.start())
        long_form = _long_form(before[-LONGEST_WORDS:], match[1])
        if long_form:
            short = read(match[1]).tokens
            keys = frozenset(token.key for token in read(" ".join(long_form).lower()).tokens if token.weight > 0)
            if short and keys:
                found[re.sub(r"[^\w+]", "", match[1].lower())] = keys
    return found


def _long_form(words: list[str], short: str) -> list[str]:
    """The shortest run of words before the bracket whose initials hold the short form's letters in order."""
    letters = [letter.lower() for letter in short if letter.isalpha()]
    if not any(letter.isupper() for letter in short):
        return []
    for start in range(len(words) - 1, -1, -1):
        if words[start][0].lower() == letters[0] and _holds(words[start:], letters):
            return words[start:]
    return []


def _holds(words: list[str], letters: list[str]) -> bool:
    text = " ".join(words).lower()
    at = 0
    for letter in letters:
        at = text.find(letter, at) + 1
        if at == 0:
            return False
    return len(words) >= len(letters) - 1 or len(letters) <= 2 * len(words)
