"""Words by which a copy says something else: a modal, a cause, a fraction, a number in words, a unit.

Beside them the keys, stems, families and short forms among them, by which a word is found again in another text.

    quote   "Two thirds of the animals revived, while the controls did not."
    claim   "One third of the animals revived, while the controls did not."        one
    claim   "Two thirds of the animals revived, because the controls did not."     because

They are grammar to all that compares words of content, and each of them turns a copy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from metrics.support import lexicon
from metrics.support.lexicon import words
from metrics.support.quantities import MULTIPLES, UNITS, Quantity, same
from metrics.support.reading import Reading, Token, read

# Words of one family that the stemmer leaves apart ("degradation", "degradative") share at least this much.
FAMILY_PREFIX = 6
FAMILY_SHARE = 0.7
# A text with so much of a long form speaks of its short form.
MOST_OF_LONG_FORM = 0.66


def word_keys(window: Reading, acronyms: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """Everything by which a claim's word can be found in a window.

    Args:
        window: The sentences.
        acronyms: Acronym → keys of the words it stands for, as the passage defines them.
    """
    keys: set[str] = set()
    for token in window.tokens:
        keys.update((token.key, token.stem, family(token)))
        if token.direction:
            keys.add(direction_key(token.direction))
    for acronym, long_form in acronyms.items():
        if acronym in keys:
            keys |= long_form
        elif len(long_form & keys) >= MOST_OF_LONG_FORM * len(long_form):
            keys.add(acronym)
    keys.discard("·")
    return frozenset(keys)


def direction_key(direction: int) -> str:
    """The key under which a window says that something rises or falls."""
    return "↑" if direction > 0 else "↓"


def family(token: Token) -> str:
    """The beginning that words of one family share; for names and short words, which nothing stands in for, ``·``."""
    return "·" if token.kind != "word" or token.direction else _family(token.stem)


@lru_cache(maxsize=65_536)
def _family(root: str) -> str:
    if len(root) < FAMILY_PREFIX:
        return "·"
    return "^" + root[: max(FAMILY_PREFIX, round(FAMILY_SHARE * len(root)))]


_KINDS = (
    frozenset(words("may might could can would should must will shall possibly perhaps likely potentially")),
    frozenset(words("because since therefore thus hence due owing so consequently")),
    frozenset(words("if unless until whether")),
    frozenset({"median"}),
    frozenset(words("few hardly little")),
    frozenset(words("most majority mostly mainly largely predominantly")),
    frozenset(words("too")),
    frozenset(words("lead leads led cause causes caused resulted")),
)
"""What a copy may say only where the sentence has a word of the same kind."""
_PARTS = frozenset(
    words(
        "half halves third thirds quarter quarters fifth fifths tenth tenths twice thrice double triple halved halving"
    )
) | frozenset(MULTIPLES)
_MORE = lexicon.ADVERBS_OF_DEGREE | {"fewer"}


def small_words(ours: Sequence[str], theirs: Sequence[str], sentence: Sequence[str]) -> Iterator[str]:
    """Small words of a change that turn what the sentence says, each with what is wrong.

    Args:
        ours: Words of the copy that the sentence does not have there, in lower case.
        theirs: Those that it has instead.
        sentence: All of its words.
    """
    for word in ours:
        if word in theirs or (word in sentence and not _is_number(word)):
            continue
        if _is_of_its_own(word, theirs) or _is_other_number(word, theirs) or _is_other_unit(word, ours, theirs):
            yield f'it says "{word}", which the quotes do not say there'


def _is_of_its_own(word: str, theirs: Sequence[str]) -> bool:
    if word in _PARTS:
        return not _digits(theirs) and not any(map(_is_number, theirs))
    if word in _MORE:
        return not any(token.direction or token.word in lexicon.DEGREES for token in read(" ".join(theirs)).tokens)
    return any(word in kind and kind.isdisjoint(theirs) for kind in _KINDS)


def _is_other_number(word: str, theirs: Sequence[str]) -> bool:
    """Whether a number in words stands where the sentence has only others."""
    ours, others = _value(word), [each for each in map(_value, theirs) if each is not None]
    return ours is not None and bool(others) and not any(same(ours, each) for each in others)


def _is_other_unit(word: str, ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether another unit stands beside a number that is the same."""
    others = [UNITS[each] for each in theirs if each in UNITS]
    return word in UNITS and bool(others) and not _digits((*ours, *theirs)) and UNITS[word] not in others


def _is_number(word: str) -> bool:
    return _value(word) is not None


def _value(word: str) -> Quantity | None:
    if not word.isalpha():
        return None
    found = read(f"x {'1' if word == 'one' else word}").tokens
    return found[-1].quantity if found else None


def _digits(said: Sequence[str]) -> bool:
    return any(each[0].isdigit() for each in said)
