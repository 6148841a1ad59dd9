"""Short forms that a text itself defines: "bone mineral density (BMD)"."""

from __future__ import annotations

import re

from programs.lm.extractive.words import is_content, raw_words, terms

_SHORT = re.compile(r"\((?P<short>[A-Z][A-Za-z0-9-]{1,9}?)s?\)")
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


def _long_form(words: list[str], letters: list[str]) -> list[str]:
    for count in range(len(letters), min(len(words), len(letters) + 3) + 1):
        tail = words[-count:]
        content = [word for word in tail if is_content(word)]
        for initials in ([word[0].lower() for word in tail], [word[0].lower() for word in content]):
            if initials == letters:
                return content
    return []
