"""What a sentence says something of, and whether it rises, falls or stays.

It is the words before the first word of direction or effect, and its object:


"Axolotl liver weight decreased after 14 days in orbit"     →  axolotl, liver, weight
"Flight reduced soleus mass in mice"                        →  flight, soleus, mass
"Serum CTX did not differ between groups"                   →  serum, CTX
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from typing import Literal, TypeAlias

from metrics.support import lexicon
from metrics.support.lexicon import words
from metrics.support.reading import Reading, Token, read

Course: TypeAlias = Literal["more", "less", "none", "some"]
"""What is said of something: it rises, falls or stays, or there is an effect without direction."""

_SIGNIFICANT = 0.05
# Two words of direction so near each other may be one signal.
_TOGETHER = 3
_TURNED: dict[Course, Course] = {"more": "less", "less": "more"}
_COMPARED = frozenset(["than", "versus", "vs"])
_PREPOSITIONS = frozenset(
    words(
        """
        after among as at because before between by compared during for from in on than to under versus when while
        with within without
        """
    )
)


@dataclass(frozen=True, slots=True)
class _Signal:
    """A word of a sentence that says what something does.

    Attributes:
        course: more, less, none (no effect, or negated) or some (an effect without direction).
        position: Index of its token.
        text: As printed, with its negation.
    """

    course: Course
    position: int
    text: str


@dataclass(frozen=True, slots=True)
class Subject:
    """A sentence's words as keys of the guards, without those of direction, effect and number.

    Attributes:
        named: What it speaks of; empty where it states no direction and no effect.
        words: All its content words.
        course: What it says of it: more, less, none or some; None where it says nothing.
    """

    named: frozenset[str]
    words: frozenset[str]
    course: Course | None


def subject_of(text: str) -> Subject:
    """Read a sentence."""
    tokens = read(text).tokens
    found = _signals(read(text))
    strong = next((each for each in found if each.course != "some"), found[0] if found else None)
    return Subject(_keys(_around(tokens, strong) if strong else ()), _keys(tokens), strong.course if strong else None)


def _around(tokens: tuple[Token, ...], signal: _Signal) -> tuple[Token, ...]:
    """The words before a signal in its clause, and those after it up to a preposition or a number."""
    clause = tokens[signal.position].clause
    before = [token for token in tokens[: signal.position] if token.clause == clause]
    after = takewhile(
        lambda token: token.clause == clause and token.quantity is None and token.word not in _PREPOSITIONS,
        tokens[signal.position + 1 :],
    )
    return (*before, *after)


def _keys(tokens: tuple[Token, ...]) -> frozenset[str]:
    return frozenset(token.key for token in tokens if _is_content(token))


def _is_content(token: Token) -> bool:
    is_effect = token.word in lexicon.EFFECT or token.word in lexicon.NO_EFFECT
    return token.weight >= 1 and token.quantity is None and not token.direction and not is_effect


def _signals(reading: Reading) -> list[_Signal]:
    """The signals of a sentence in order; "decreased less" and "greater reduction" are one signal each."""
    found: list[_Signal] = []
    for index, token in enumerate(reading.tokens):
        course = _course(reading, index)
        if course is None:
            continue
        text = f"not {token.text}" if token.negated else token.text
        if found and _is_one(reading, found[-1], index, course):
            found[-1] = _merged(found[-1], course, text)
        else:
            found.append(_Signal(course, index, text))
    return [signal for signal in found if not _only_degree(reading, signal)]


def _is_one(reading: Reading, previous: _Signal, index: int, course: Course) -> bool:
    """Whether two words of direction stand together, one of them telling how much of the other there is."""
    if previous.course == "none" and course in _TURNED and index - previous.position == 1:
        return True  # "no significant reduction", "non-significant reduction"
    if previous.course not in _TURNED or course not in _TURNED or index - previous.position > _TOGETHER:
        return False
    between = reading.tokens[previous.position + 1 : index]
    degree = {reading.tokens[at].word for at in (previous.position, index)} & lexicon.DEGREES
    return bool(degree) and all(token.weight < 1 and token.word not in ("and", "or", "than") for token in between)


def _merged(first: _Signal, course: Course, text: str) -> _Signal:
    """The product of two directions: less of a decrease is more."""
    merged = first.course if course == "more" else _TURNED.get(first.course, first.course)
    return _Signal(merged, first.position, f"{first.text} {text}")


def _course(reading: Reading, index: int) -> Course | None:
    token = reading.tokens[index]
    if token.word in lexicon.NO_EFFECT:
        return "some" if token.negated else "none"
    if token.direction:
        return "none" if token.negated else "more" if token.direction > 0 else "less"
    if token.word in lexicon.EFFECT:
        return "none" if token.negated else "some"
    if token.word in lexicon.PROVEN and token.negated:
        return "none"
    return _course_of_p(reading, index)


def _course_of_p(reading: Reading, index: int) -> Course | None:
    """What a p value says: above the usual level no effect is proven, below it there is one."""
    value = reading.tokens[index + 1].quantity if index + 1 < len(reading.tokens) else None
    if reading.tokens[index].word != "p" or value is None:
        return None
    return "some" if value.value <= _SIGNIFICANT or value.comparator == "<" else "none"


def _only_degree(reading: Reading, signal: _Signal) -> bool:
    """Whether a signal is a mere "more" before an adjective, and nothing is compared."""
    is_adverb = signal.text.lower() in lexicon.ADVERBS_OF_DEGREE
    following = reading.tokens[signal.position + 1 :]
    return is_adverb and not any(
        token.word in _COMPARED and token.clause == following[0].clause for token in following[:8]
    )
