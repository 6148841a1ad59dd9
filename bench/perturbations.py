"""Small changes to a true sentence that turn its meaning and leave nearly all its words.

The word pairs are written down here on their own, not taken from the support check's tables.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from optimize.training.altered_sentences import both_placed, first_change, one_replaced

_NUMBER = re.compile(r"(?<![\w.\-–\[,·(])(\d+(?:[.·]\d+)?)(?![\w,·\-–\]]|\.\d|\s?\])")
_NAME = re.compile(r"(?<![\w-])(?=[\w-]*(?:[A-Z][\w-]*[A-Z0-9]|\d))(?=[\w-]*[A-Za-z])[A-Za-z][\w-]+(?![\w-])")
# Capitals that name nothing: headings, and small words in headings.
_HEADING = re.compile(
    r"AIMS?|DESIGN|METHODS?|TRIAL|THE|AND|OF|OR|FOR|TO|IN|ON|AN?|WITH|AT|BY|FROM|US|UK|HOLE|NO|[A-Z]{6,}"
)
_AUXILIARY = re.compile(
    r"\b(was|were|is|are|has|have|can|may|could|will|should|did|does)\b(?! (?:not|no|never|neither|only)\b)"
)
_NEGATION = (
    (re.compile(r"\b(was|were|is|are|has|have|can|may|could|did|does|do) not\b"), r"\1"),
    (re.compile(r"\bcannot\b"), "can"),
    (re.compile(r"\b[Nn]o (significant|statistically|clear|apparent|evidence)\b"), r"a \1"),
    (re.compile(r"\b(had|showed|found|there (?:was|were|is)) no\b"), r"\1 a"),
)
DIRECTION_PAIRS = (
    ("increased", "decreased"),
    ("increases", "decreases"),
    ("increase", "decrease"),
    ("increasing", "decreasing"),
    ("higher", "lower"),
    ("reduced", "increased"),
    ("reduces", "increases"),
    ("reduction", "increase"),
    ("more", "less"),
    ("greater", "smaller"),
    ("elevated", "lowered"),
    ("improved", "worsened"),
    ("improvement", "worsening"),
    ("upregulated", "downregulated"),
    ("inhibits", "activates"),
    ("inhibited", "stimulated"),
    ("suppressed", "promoted"),
    ("rose", "fell"),
    ("enhanced", "impaired"),
    ("better", "worse"),
    ("longer", "shorter"),
    ("positive", "negative"),
    ("positively", "negatively"),
    ("before", "after"),
)
_TURN = {one: other for pair in DIRECTION_PAIRS for one, other in (pair, pair[::-1])}
_TURN.update(dict(DIRECTION_PAIRS))
_DIRECTION = re.compile(r"\b(" + "|".join(sorted(_TURN, key=len, reverse=True)) + r")\b")

_OTHER_UNIT = {
    "mg": "g", "g": "mg", "kg": "g", "μg": "mg", "µg": "mg", "ml": "l", "mM": "μM",
    "h": "min", "minutes": "hours", "hours": "days", "days": "weeks", "weeks": "months", "months": "years",
    "years": "months",
}  # fmt: skip

_UNIT = re.compile(r"(?<=\d)(?:\s|-)?(" + "|".join(_OTHER_UNIT) + r")(?![\w/])")
_SAME = {"increased": "raised", "decreased": "lowered", "reduced": "decreased", "higher": "greater",
         "lower": "reduced", "improved": "enhanced", "inhibited": "suppressed", "enhanced": "increased"}  # fmt: skip

Change = Callable[[str, str, random.Random], str | None]


def _one(pattern: str | re.Pattern[str], new: Callable[[re.Match[str], random.Random], str]) -> Change:
    """One match, drawn at random, becomes another text."""
    compiled = re.compile(pattern)
    return lambda sentence, _, generator: one_replaced(
        compiled, sentence, generator, lambda match: new(match, generator)
    )


def _first(*replacements: tuple[str | re.Pattern[str], str], count: int = 1) -> Change:
    """The first of the replacements that changes something, once or, with 0, wherever it fits."""
    compiled = [(re.compile(pattern), new) for pattern, new in replacements]
    return lambda sentence, passage, generator: first_change(compiled, sentence, count)


def _another_digit(match: re.Match[str], generator: random.Random) -> str:
    """Another number with as many digits."""
    digits = list(match.group())
    at = generator.choice([index for index, digit in enumerate(digits) if digit.isdigit()])
    digits[at] = generator.choice([digit for digit in "123456789" if digit != digits[at]])
    return "".join(digits)


def _swapped(
    found: Callable[[str], list[re.Match[str]]],
    alike: Callable[[str, str], bool],
    sentence: str,
    generator: random.Random,
) -> str | None:
    """Two matches that are not alike change places."""
    matches = found(sentence)
    pairs = [(a, b) for a in matches for b in matches if a.start() < b.start() and not alike(a.group(), b.group())]
    if not pairs:
        return None
    a, b = generator.choice(pairs)
    return both_placed(sentence, a, b.group(), b, a.group())


def foreign_name(sentence: str, passage: str, generator: random.Random) -> str | None:
    """A gene, acronym or drug becomes another one of the same passage."""
    own = _names(sentence)
    others = sorted({match.group() for match in _names(passage)} - {match.group() for match in own})
    if not own or not others:
        return None
    match = generator.choice(own)
    others = [other for other in others if other not in sentence and not _alike(other, match.group())]
    return sentence[: match.start()] + generator.choice(others) + sentence[match.end() :] if others else None


def _names(text: str) -> list[re.Match[str]]:
    return [match for match in _NAME.finditer(text) if not _HEADING.fullmatch(match.group())]


def _alike(one: str, other: str) -> bool:
    """Whether two names may mean the same thing: "TIMP1" and "TIMP-1", "HIV" and "HIV-associated"."""
    bare = [name.lower().replace("-", "").rstrip("s") for name in (one, other)]
    return bare[0] in bare[1] or bare[1] in bare[0]


KINDS: dict[str, Change] = {
    "number changed": _one(_NUMBER, _another_digit),
    "unit changed": _one(_UNIT, lambda match, _: match.group().removesuffix(match[1]) + _OTHER_UNIT[match[1]]),
    "two numbers swapped": lambda sentence, _, generator: _swapped(
        lambda text: list(_NUMBER.finditer(text)), str.__eq__, sentence, generator
    ),
    "direction flipped": _one(_DIRECTION, lambda match, _: _TURN[match.group()]),
    "negation inserted": _one(_AUXILIARY, lambda match, _: f"{match.group()} not"),
    "negation removed": _first(*_NEGATION),
    "doubt removed": _first((r"\b(?:may|might|could) (?=(?:be|have|not|also)\b|[a-z]+\b)", "will ")),
    "name from elsewhere": foreign_name,
    "two names swapped": lambda sentence, _, generator: _swapped(_names, _alike, sentence, generator),
}


def without_opening(sentence: str, passage: str, generator: random.Random) -> str | None:
    """The opening adverb or heading goes."""
    match = re.match(r"(?:However|Moreover|Furthermore|In addition|Thus|Therefore|[A-Z]{5,}),? ", sentence)
    return sentence[match.end()].upper() + sentence[match.end() + 1 :] if match else None


def reported(sentence: str, passage: str, generator: random.Random) -> str | None:
    """Reported as someone's finding."""
    return f"The authors report that {sentence[0].lower()}{sentence[1:]}" if sentence[1:2].islower() else None


def first_half(sentence: str, passage: str, generator: random.Random) -> str | None:
    """What comes after the semicolon goes."""
    half, mark, _ = sentence.partition(";")
    return f"{half}." if mark and len(half) > 60 and half.count("(") == half.count(")") else None


HARMLESS: dict[str, Change] = {
    "brackets dropped": _first((r"\s?\([^()]*\)", ""), count=0),
    "opening dropped": without_opening,
    "reported speech": reported,
    "% spelled": _first((r"(?<=\d)\s?%", " percent"), count=0),
    "half of the sentence": first_half,
    "same direction, other word": _one(r"\b(" + "|".join(_SAME) + r")\b", lambda match, _: _SAME[match.group()]),
}
