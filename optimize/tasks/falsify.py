"""Small falsifications of true sentences, for demos that show what an unsupported claim looks like.

"Femur density fell by 12.4 % [1]."  →  "Femur density fell by 18.6 % [1]."    a number
"It rose in flight [2]."             →  "It fell in flight [2]."               a direction
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

_NUMBER = re.compile(r"(?<![\w.,\[\-–])\d+(?:[.,]\d+)?(?![\w\]])")
_FACTORS = (0.5, 1.5, 2.0)
_OPPOSITES = {
    "higher": "lower",
    "increased": "decreased",
    "more": "less",
    "rose": "fell",
    "longer": "shorter",
    "larger": "smaller",
    "faster": "slower",
    "gained": "lost",
    "raised": "reduced",
    "above": "below",
    "before": "after",
}
_OPPOSITE_OF = {**_OPPOSITES, **{second: first for first, second in _OPPOSITES.items()}}
_DIRECTION = re.compile(rf"\b(?:{'|'.join(_OPPOSITE_OF)})\b")


@dataclass(frozen=True, slots=True)
class Falsified:
    """A sentence that is no longer true, and why."""

    text: str
    reason: str


def falsify(sentence: str, rng: random.Random, passages: str = "") -> Falsified | None:
    """Change one number of a sentence, or else turn one direction around.

    Args:
        sentence: True, in any language for numbers, in English for directions; its citations are left alone.
        rng: Chooses which number and how.
        passages: What it is checked against; a number that they hold elsewhere is no falsehood to learn from.

    Returns:
        None when there is nothing to change.
    """
    numbers = list(_NUMBER.finditer(sentence))
    for match in rng.sample(numbers, len(numbers)):
        for factor in rng.sample(_FACTORS, len(_FACTORS)):
            wrong = _scaled(match.group(), factor)
            if wrong not in passages:
                return _with(sentence, match, wrong)
    direction = _DIRECTION.search(sentence)
    return None if direction is None else _with(sentence, direction, _OPPOSITE_OF[direction.group()])


def _with(sentence: str, match: re.Match[str], wrong: str) -> Falsified:
    changed = f"{sentence[: match.start()]}{wrong}{sentence[match.end() :]}"
    return Falsified(changed, f"the passage says {match.group()}, not {wrong}")


def _scaled(number: str, factor: float) -> str:
    """Another number with as many decimals, and the same decimal sign."""
    sign = "," if "," in number else "."
    value = float(number.replace(sign, "."))
    decimals = len(number.partition(sign)[2])
    scaled = f"{value * factor:.{decimals}f}"
    return (scaled if float(scaled) != value else f"{value + 1:.{decimals}f}").replace(".", sign)
