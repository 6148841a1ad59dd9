"""Words of a text, for counting and comparing."""

from __future__ import annotations

import math
import re

_WORD = re.compile(r"\d+(?:[.,]\d+)*|[\u3040-\u30ff\u3400-\u9fff]|[^\W\d_\u3040-\u30ff\u3400-\u9fff]+")


def words(text: str) -> list[str]:
    """Words and numbers in lower case; single characters of Chinese and Japanese, which part words by nothing."""
    return _WORD.findall(text.lower())


def inverse_document_frequency(texts: int, holding: int) -> float:
    """ln(1 + (N − n + ½) / (n + ½)): how much it says that a text holds a term which n of N texts hold; above 0.

    Robertson and Spärck Jones's weight as BM25 uses it (Robertson and Zaragoza 2009, doi:10.1561/1500000019), kept
    above 0 by the 1, as in Lucene.
    """
    return math.log(1 + (texts - holding + 0.5) / (holding + 0.5))
