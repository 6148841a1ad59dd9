"""Whether an answer quotes papers in another language than the question's: extraction copies and cannot translate."""

from __future__ import annotations

import re

from programs.lm.extractive.glossary import language_of
from signatures import citations

QUOTED_AS_PRINTED = "The answer quotes the papers in their own language; it is not translated."

_QUOTATION = re.compile(r"“[^”]*”")
_MOSTLY = 0.5


def language_notes(question: str, answer: str) -> list[str]:
    """A note for an answer that mostly quotes, in English, after a question in Spanish, German or Japanese.

    Other languages are not told from English, so there is no note then.
    """
    said = citations.strip(answer)
    quoted = sum(len(match.group()) for match in _QUOTATION.finditer(said))
    if not quoted or quoted < _MOSTLY * len(said):
        return []
    return [QUOTED_AS_PRINTED] if language_of(question) != "en" and language_of(said) == "en" else []
