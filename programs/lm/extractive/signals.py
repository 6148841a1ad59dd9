"""Words of a sentence that say what something does: it rises, falls or stays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from metrics.support import lexicon
from metrics.support.reading import Reading

Course: TypeAlias = Literal["more", "less", "none", "some"]

SIGNIFICANT = 0.05
# Two words of direction so near each other may be one signal.
TOGETHER = 3
_TURNED: dict[Course, Course] = {"more": "less", "less": "more"}
COMPARED = frozenset(["than", "versus", "vs"])


@dataclass(frozen=True, slots=True)
class Signal:
    """A word of a sentence that says what something does.

    Attributes:
        course: more, less, none (no effect, or negated) or some (an effect without direction).
        position: Index of its token.
        text: As printed, with its negation.
    """

    course: Course
    position: int
    text: str


def signals(reading: Reading) -> list[Signal]:
    """The signals of a sentence in order; "decreased less" and "greater reduction" are one signal each."""
    found: list[Signal] = []
    for index, token in enumerate(reading.tokens):
        course = _course(reading, index)
        if course is None:
            continue
        text = f"not {token.text}" if token.negated else token.text
        if found and _is_one(reading, found[-1], index, course):
            found[-1] = _merged(found[-1], course, text)
        else:
            found.append(Signal(course, index, text))
    return [signal for signal in found if not _only_degree(reading, signal)]


def _is_one(reading: Reading, previous: Signal, index: int, course: Course) -> bool:
    """Whether two words of direction stand together, one of them telling how much of the other there is."""
    if previous.course == "none" and course in _TURNED and index - previous.position == 1:
        return True  # "no significant reduction", "non-significant reduction"
    if previous.course not in _TURNED or course not in _TURNED or index - previous.position > TOGETHER:
        return False
    between = reading.tokens[previous.position + 1 : index]
    degree = {reading.tokens[at].word for at in (previous.position, index)} & lexicon.DEGREES
    return bool(degree) and all(token.weight < 1 and token.word not in ("and", "or", "than") for token in between)


def _merged(first: Signal, course: Course, text: str) -> Signal:
    """The product of two directions: less of a decrease is more."""
    merged = first.course if course == "more" else _TURNED.get(first.course, first.course)
    return Signal(merged, first.position, f"{first.text} {text}")


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
    return "some" if value.value <= SIGNIFICANT or value.comparator == "<" else "none"


def _only_degree(reading: Reading, signal: Signal) -> bool:
    """Whether a signal is a mere "more" before an adjective, and nothing is compared."""
    is_adverb = signal.text.lower() in lexicon.ADVERBS_OF_DEGREE
    following = reading.tokens[signal.position + 1 :]
    return is_adverb and not any(
        token.word in COMPARED and token.clause == following[0].clause for token in following[:8]
    )
