"""What makes a claim look other than it is read here: letters of another script, overlays, signs that turn it round.

    "did nоt fall"        the о is Cyrillic: no machine reads "not"
    "did n̶o̶t̶ fall"        struck out: no reader reads "not"
    "it fell ✗"           a sign that says the opposite

What the quotes hold in the same form is not a disguise: "TGFβ", "hν", "≠".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

from metrics.support.veto import Veto
from metrics.visible_text import hidden

_LETTERS = re.compile(r"(?:[^\W\d_]|[\u0300-\u036f])+")
_ALPHABETS = frozenset({"LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "COPTIC", "CHEROKEE", "LISU", "SMALL CAPITAL"})
"""Scripts that have letters of the same look."""
_LIKE_LATIN = frozenset(
    "аеорсухіјѕԁһԛԝгпиАВЕЅЗІЈКМНОРСТУХԚԜοινυρκχΑΒΕΖΗΙΚΜΝΟΡΤΥΧϲϳօոսհցգԼՕՍ"  # Armenian
)
_OVERLAYS = re.compile("[\u0334-\u0338\u20d2\u20d3\u20d8-\u20da\u20dd-\u20e0\u20e2-\u20ea]")
_PLAIN_SIGNS = frozenset("°®©™℃℉№℗")
_DENYING = frozenset("¬≠∄∅⊘⊄∉≢‼⁉")


def disguises(claim: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """Every word and sign of a claim that a reader sees as something else.

    Args:
        claim: One sentence.
        quotes: What is to prove it.
    """
    text = "\n".join(quotes)
    known = set(_LETTERS.findall(text))
    is_latin = _mostly_latin(claim)
    for word in dict.fromkeys(_LETTERS.findall(claim)):
        if word not in known and (_is_mixed(word) or (is_latin and _looks_latin(word))):
            yield Veto("disguise", f"{word!r} has letters of several scripts: {_spelled(word)}")
    signs = dict.fromkeys(each for each in claim if _is_sign(each) and each not in text)
    if signs:
        yield Veto("disguise", f"the quotes do not hold {' '.join(signs)}")
    if found := hidden(claim):
        yield Veto("disguise", f"it holds {', '.join(found[:3])}")


def _is_sign(character: str) -> bool:
    if character in _DENYING or _OVERLAYS.match(character):
        return True
    return unicodedata.category(character) == "So" and character not in _PLAIN_SIGNS


def _is_mixed(word: str) -> bool:
    scripts = {_script(letter) for letter in word} & _ALPHABETS
    if scripts == {"LATIN", "GREEK"}:
        return any(_script(letter) == "GREEK" and letter in _LIKE_LATIN for letter in word)
    return len(scripts) > 1


def _looks_latin(word: str) -> bool:
    return len(word) > 1 and all(letter in _LIKE_LATIN for letter in word)


def _mostly_latin(text: str) -> bool:
    letters = [_script(each) for each in text if each.isalpha()]
    return 2 * letters.count("LATIN") > len(letters)


@lru_cache(maxsize=4096)
def _script(letter: str) -> str:
    name = unicodedata.name(letter, "")
    return "SMALL CAPITAL" if "LETTER SMALL CAPITAL" in name else name.split(" ")[0]


def _spelled(word: str) -> str:
    strange = [each for each in word if each.isalpha() and _script(each) != "LATIN"]
    return ", ".join(f"U+{ord(each):04X} {unicodedata.name(each, '')}" for each in dict.fromkeys(strange))
