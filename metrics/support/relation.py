"""Whether claim and passage let the same thing rise, fall or stay, when they say it in different words.

A signal is a word of direction or effect with its negation. Each signal of the claim is held against the signal of the
window that stands among the same words, so that "raised A and lowered B" is not evidence that B rose.

    claim   "X raises Y"                   + on Y
    window  "Y fell in X-deficient mice"   - on Y, X taken away  →  agrees
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, TypeAlias

from metrics.support import lexicon
from metrics.support.reading import Reading, Token

Course: TypeAlias = Literal["more", "less", "none", "some"]
Agreement: TypeAlias = Literal["agrees", "opposed", "unsaid", "open"]

# A signal's surroundings: so many content words to each side.
REACH = 6
# A p value belongs to the signal at most so many tokens before it.
P_WITHIN = 14
SIGNIFICANT = 0.05
# What is lost stands so near the word of loss ("deficiency of X", "X-deficient").
BESIDE = 1
# "The changes did not differ": the mere effect ("changes") counts for less than what is said of it.
MERE_EFFECT = 0.5
# Share of a signal's surroundings that its opposite must have too before it opposes.
SAME_SURROUNDINGS = 0.3
# Two words of direction so near each other may be one signal.
TOGETHER = 3
_TURNED: dict[Course, Course] = {"more": "less", "less": "more"}
COMPARED = frozenset(["than", "versus", "vs"])
COMPARED_WITH = frozenset(["compared", "relative", "comparison", "contrast", "opposed"])


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


@dataclass(frozen=True, slots=True)
class Relation:
    """How the claim's signals compare with the window's, and the words that show it.

    Attributes:
        agreement: agrees; opposed; unsaid (the claim states a direction that the window does not decide); open (neither
            states one).
        claimed: The claim's word.
        given: The window's word.
    """

    agreement: Agreement
    claimed: str = ""
    given: str = ""


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


def compare(claim: Reading, window: Reading) -> Relation:
    """Hold the claim's signals against the window's."""
    claimed, given = _leading(signals(claim)), [_judged_by_p(window, signal) for signal in signals(window)]
    if not claimed or (not given and all(signal.course == "some" for signal in claimed)):
        return _plain(claim, window)
    found = [(signal, *_counterpart(claim, signal, window, given)) for signal in claimed]
    pairs = [
        (signal, other, near, agreement)
        for signal, other, near in found
        if other is not None and (agreement := _agreement(signal.course, other.course))
    ]
    if not pairs:
        return Relation("open" if claimed[0].course == "some" else "unsaid", claimed[0].text)
    sign = math.prod(agreement for *_, agreement in pairs)
    if any("none" in (one.course, other.course) and agreement < 0 for one, other, _, agreement in pairs):
        sign = -1
    elif any(signal.course in _TURNED for signal in claimed):
        sign *= -1 if (_losses(claim, window) + sides_swapped(claim, window)) % 2 else 1
    shown = min(pairs, key=lambda pair: pair[3] * sign)[:3] if sign < 0 else pairs[0][:3]
    opposed: Agreement = "opposed" if shown[2] >= SAME_SURROUNDINGS else "unsaid"
    return Relation("agrees" if sign > 0 else opposed, shown[0].text, shown[1].text)


def _judged_by_p(reading: Reading, signal: Signal) -> Signal:
    """A rise or fall that the text itself gives a p value above the usual level is no proven effect."""
    after = reading.tokens[signal.position + 1 : signal.position + P_WITHIN]
    for letter, value in pairwise(after):
        if letter.word == "p" and value.quantity is not None:
            significant = value.quantity.value <= SIGNIFICANT or value.quantity.comparator == "<"
            return signal if significant or signal.course == "some" else replace(signal, course="none")
    return signal


def _leading(found: Sequence[Signal]) -> list[Signal]:
    """The signals with a direction or a denial, if there are any; mere effects otherwise."""
    strong = [signal for signal in found if signal.course != "some"]
    return strong or list(found)


def _agreement(claimed: Course, given: Course) -> int:
    """+1 when both say the same, -1 when they exclude each other, 0 when one leaves it open."""
    if claimed == given or (claimed == "some" and given in ("more", "less")):
        return 1
    if given == "some":
        return -1 if claimed == "none" else 0
    return -1


def _counterpart(
    claim: Reading, signal: Signal, window: Reading, given: Sequence[Signal]
) -> tuple[Signal | None, float]:
    """The window's signal that stands among the same words as the claim's, and the share of those words."""
    around = _surroundings(claim, signal.position)
    best, most, near_by = None, 0.0, 0.0
    for other in given:
        there = _surroundings(window, other.position)
        near = sum(min(nearness, there[key]) for key, nearness in around.items() if key in there)
        shared = near + 0.25 * (claim.tokens[signal.position].stem == window.tokens[other.position].stem)
        shared *= 1.0 if other.course != "some" else MERE_EFFECT
        if shared > most + 1e-9:
            best, most, near_by = other, shared, near
    return (best, near_by / (sum(around.values()) or 1.0)) if near_by >= 0.3 else (None, 0.0)


def _surroundings(reading: Reading, position: int) -> dict[str, float]:
    """Content words near a position with their nearness in (0, 1]; those beyond the clause count half."""
    found: dict[str, float] = {}
    clause = reading.tokens[position].clause
    for step in (-1, 1):
        distance, index = 0, position + step
        while 0 <= index < len(reading.tokens) and distance < REACH:
            token = reading.tokens[index]
            if token.weight >= 1 and not token.direction:
                distance += 1
                nearness = (1 - (distance - 1) / REACH) * (1.0 if token.clause == clause else 0.5)
                found[token.key] = max(found.get(token.key, 0.0), nearness)
            index += step
    return found


def _losses(claim: Reading, window: Reading) -> int:
    """How many times a thing that both speak of is taken away in one of them only."""
    claim_lost, window_lost = _lost(claim), _lost(window)
    claim_keys, window_keys = ({token.key for token in each.tokens} for each in (claim, window))
    here = any(keys & window_keys and not any(keys & other for other in window_lost) for keys in claim_lost)
    there = any(keys & claim_keys and not any(keys & other for other in claim_lost) for keys in window_lost)
    return here + there


def _lost(reading: Reading) -> list[frozenset[str]]:
    """For every word of loss the content words beside it."""
    return [
        frozenset(
            near.key
            for near in reading.tokens[max(0, index - BESIDE) : index + BESIDE + 2]
            if near.weight >= 1 and near.word not in lexicon.LOSS and near.clause == token.clause and not near.direction
        )
        for index, token in enumerate(reading.tokens)
        if token.word in lexicon.LOSS
    ]


def sides_swapped(claim: Reading, window: Reading) -> bool:
    """Whether the claim compares Y with X where the window compares X with Y."""
    claim_base, window_base = _baseline(claim), _baseline(window)
    if not claim_base or not window_base:
        return False
    claim_rest, window_rest = _rest(claim, claim_base), _rest(window, window_base)
    crossed = len(claim_rest & window_base) + len(claim_base & window_rest)
    straight = len(claim_base & window_base)
    return crossed > straight and bool(claim_rest & window_base)


def _baseline(reading: Reading) -> frozenset[str]:
    """What something is compared with: the words after "than" or "compared with", to the end of the clause."""
    tokens = reading.tokens
    for index, token in enumerate(tokens[:-1]):
        word = token.text.lower()
        starts = word in COMPARED or (word in COMPARED_WITH and tokens[index + 1].text.lower() in ("with", "to"))
        if starts:
            rest = _to_clause_end(reading, index + 1)
            return frozenset(each.key for each in rest if each.weight >= 1 and not each.direction)
    return frozenset()


def _to_clause_end(reading: Reading, start: int) -> Iterator[Token]:
    """Tokens up to the next comma or stop; a bracket belongs to the word before it."""
    for index in range(start, len(reading.tokens)):
        between = reading.text[reading.tokens[index - 1].end : reading.tokens[index].start]
        if index > start and any(mark in between for mark in ",;:."):
            return
        yield reading.tokens[index]


def _rest(reading: Reading, baseline: frozenset[str]) -> frozenset[str]:
    return frozenset(token.key for token in reading.tokens if token.weight >= 1) - baseline


def _plain(claim: Reading, window: Reading) -> Relation:
    """Without signals on both sides: whether one of them denies what the other affirms."""
    there = {token.key: token for token in window.tokens if token.weight >= 1}
    pairs = [(token, there[token.key]) for token in claim.tokens if token.weight >= 1 and token.key in there]
    if not pairs:
        return Relation("open")
    denied = sum(one.weight for one, other in pairs if one.negated != other.negated)
    total = sum(one.weight for one, _ in pairs)
    if denied > 0.5 * total:
        side = any(one.negated for one, _ in pairs)
        return Relation("opposed", "a negation" if side else "no negation", "no negation" if side else "a negation")
    return Relation("agrees") if denied == 0 else Relation("open")
