"""Words of a text, for counting and comparing."""

from __future__ import annotations

import re

_WORD = re.compile(r"\d+(?:[.,]\d+)*|[\u3040-\u30ff\u3400-\u9fff]|[^\W\d_\u3040-\u30ff\u3400-\u9fff]+")


def words(text: str) -> list[str]:
    """Words and numbers in lower case; single characters of Chinese and Japanese, which part words by nothing."""
    return _WORD.findall(text.lower())
