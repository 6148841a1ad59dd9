"""English word stems, by the Snowball project's stemmer (PyStemmer, MIT and BSD-3-Clause)."""

from __future__ import annotations

from functools import lru_cache

from Stemmer import Stemmer

# Without its own cache a call is one step under the interpreter's lock, so threads may share the stemmer.
_english = Stemmer("english", 0)


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The stem of a lower-case English word ("inhibited", "inhibits" → "inhibit").

    Args:
        word: One word in lower case; anything that is not English comes back nearly unchanged.
    """
    return str(_english.stemWord(word))
