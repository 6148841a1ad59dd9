"""English word stems, by the Snowball project's stemmer (PyStemmer, MIT and BSD-3-Clause)."""

from __future__ import annotations

from functools import lru_cache

from Stemmer import Stemmer

_FORMS = {
    "give": "gave given giving",
    "take": "took taken taking",
    "begin": "began begun",
    "become": "became",
    "choose": "chose chosen",
    "eat": "ate eaten",
    "keep": "kept",
    "know": "knew known",
    "make": "made making",
    "say": "said",
    "send": "sent",
    "show": "showed shown",
    "sleep": "slept",
    "spend": "spent",
    "tell": "told",
    "think": "thought",
    "undergo": "underwent undergone",
    "write": "wrote written",
}
_BASE = {form: base for base, forms in _FORMS.items() for form in forms.split()}
"""Forms of irregular verbs, which no rule of endings joins; none of those that tell a direction."""

# Without its own cache a call is one step under the interpreter's lock, so threads may share the stemmer.
_english = Stemmer("english", 0)


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The stem of a lower-case English word ("inhibited", "inhibits" → "inhibit").

    Args:
        word: One word in lower case; anything that is not English comes back nearly unchanged.
    """
    return str(_english.stemWord(_BASE.get(word, word)))
