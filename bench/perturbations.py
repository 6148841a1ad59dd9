"""Small changes to a true sentence that turn its meaning and leave nearly all its words.

The word pairs are written down here on their own, not taken from the support check's tables.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

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

Change = Callable[[str, str, random.Random], str | None]


def changed_number(sentence: str, passage: str, generator: random.Random) -> str | None:
    """One number becomes another with as many digits."""
    found = list(_NUMBER.finditer(sentence))
    if not found:
        return None
    match = generator.choice(found)
    digits = list(match.group(1))
    at = generator.choice([index for index, digit in enumerate(digits) if digit.isdigit()])
    digits[at] = generator.choice([digit for digit in "123456789" if digit != digits[at]])
    return sentence[: match.start(1)] + "".join(digits) + sentence[match.end(1) :]


def changed_unit(sentence: str, passage: str, generator: random.Random) -> str | None:
    """A unit becomes another of its kind: mg/g, days/weeks."""
    found = list(re.finditer(r"(?<=\d)(?:\s|-)?(" + "|".join(_OTHER_UNIT) + r")(?![\w/])", sentence))
    if not found:
        return None
    match = generator.choice(found)
    return sentence[: match.start(1)] + _OTHER_UNIT[match.group(1)] + sentence[match.end(1) :]


def swapped_numbers(sentence: str, passage: str, generator: random.Random) -> str | None:
    """Two numbers of the sentence change places."""
    found = list(_NUMBER.finditer(sentence))
    pairs = [(a, b) for a in found for b in found if a.start() < b.start() and a.group(1) != b.group(1)]
    if not pairs:
        return None
    first, second = generator.choice(pairs)
    return _swapped(sentence, first.span(1), second.span(1))


def flipped_direction(sentence: str, passage: str, generator: random.Random) -> str | None:
    """One word of direction becomes its opposite."""
    found = list(_DIRECTION.finditer(sentence))
    if not found:
        return None
    match = generator.choice(found)
    return sentence[: match.start()] + _TURN[match.group()] + sentence[match.end() :]


def inserted_negation(sentence: str, passage: str, generator: random.Random) -> str | None:
    """A "not" after an auxiliary verb."""
    found = list(_AUXILIARY.finditer(sentence))
    if not found:
        return None
    match = generator.choice(found)
    return f"{sentence[: match.end()]} not{sentence[match.end() :]}"


def removed_negation(sentence: str, passage: str, generator: random.Random) -> str | None:
    """The sentence's negation goes."""
    for pattern, replacement in _NEGATION:
        changed = pattern.sub(replacement, sentence, count=1)
        if changed != sentence:
            return changed
    return None


def removed_doubt(sentence: str, passage: str, generator: random.Random) -> str | None:
    """What may be so is said to be so."""
    changed = re.sub(r"\b(?:may|might|could) (?=(?:be|have|not|also)\b|[a-z]+\b)", "will ", sentence, count=1)
    return changed if changed != sentence else None


def foreign_name(sentence: str, passage: str, generator: random.Random) -> str | None:
    """A gene, acronym or drug becomes another one of the same passage."""
    own = _names(sentence)
    names = {match.group() for match in own}
    others = sorted({match.group() for match in _names(passage)} - names)
    if not own or not others:
        return None
    match = generator.choice(own)
    others = [other for other in others if other not in sentence and not _alike(other, match.group())]
    if not others:
        return None
    return sentence[: match.start()] + generator.choice(others) + sentence[match.end() :]


def swapped_names(sentence: str, passage: str, generator: random.Random) -> str | None:
    """Two names of the sentence change places."""
    found = _names(sentence)
    pairs = [(a, b) for a in found for b in found if a.start() < b.start() and not _alike(a.group(), b.group())]
    if not pairs:
        return None
    first, second = generator.choice(pairs)
    return _swapped(sentence, first.span(), second.span())


def _names(text: str) -> list[re.Match[str]]:
    return [match for match in _NAME.finditer(text) if not _HEADING.fullmatch(match.group())]


def _alike(one: str, other: str) -> bool:
    """Whether two names may mean the same thing: "TIMP1" and "TIMP-1", "HIV" and "HIV-associated"."""
    bare = [name.lower().replace("-", "").rstrip("s") for name in (one, other)]
    return bare[0] in bare[1] or bare[1] in bare[0]


def _swapped(sentence: str, first: tuple[int, int], second: tuple[int, int]) -> str:
    (a, b), (c, d) = first, second
    return sentence[:a] + sentence[c:d] + sentence[b:c] + sentence[a:b] + sentence[d:]


KINDS: dict[str, Change] = {
    "number changed": changed_number,
    "unit changed": changed_unit,
    "two numbers swapped": swapped_numbers,
    "direction flipped": flipped_direction,
    "negation inserted": inserted_negation,
    "negation removed": removed_negation,
    "doubt removed": removed_doubt,
    "name from elsewhere": foreign_name,
    "two names swapped": swapped_names,
}


def without_brackets(sentence: str, passage: str, generator: random.Random) -> str | None:
    """Everything in round brackets goes."""
    changed = re.sub(r"\s?\([^()]*\)", "", sentence)
    return changed if changed != sentence else None


def without_opening(sentence: str, passage: str, generator: random.Random) -> str | None:
    """The opening adverb or heading goes."""
    match = re.match(r"(?:However|Moreover|Furthermore|In addition|Thus|Therefore|[A-Z]{5,}),? ", sentence)
    return sentence[match.end()].upper() + sentence[match.end() + 1 :] if match else None


def reported(sentence: str, passage: str, generator: random.Random) -> str | None:
    """Reported as someone's finding."""
    return f"The authors report that {sentence[0].lower()}{sentence[1:]}" if sentence[1:2].islower() else None


def spelled_percent(sentence: str, passage: str, generator: random.Random) -> str | None:
    """ "%" is spelled."""
    changed = re.sub(r"(?<=\d)\s?%", " percent", sentence)
    return changed if changed != sentence else None


def first_half(sentence: str, passage: str, generator: random.Random) -> str | None:
    """What comes after the semicolon goes."""
    half, mark, _ = sentence.partition(";")
    return f"{half}." if mark and len(half) > 60 and half.count("(") == half.count(")") else None


def reworded(sentence: str, passage: str, generator: random.Random) -> str | None:
    """A word of direction becomes one of the same direction."""
    same = {"increased": "raised", "decreased": "lowered", "reduced": "decreased", "higher": "greater",
            "lower": "reduced", "improved": "enhanced", "inhibited": "suppressed", "enhanced": "increased"}  # fmt: skip
    found = list(re.finditer(r"\b(" + "|".join(same) + r")\b", sentence))
    if not found:
        return None
    match = generator.choice(found)
    return sentence[: match.start()] + same[match.group()] + sentence[match.end() :]


HARMLESS: dict[str, Change] = {
    "brackets dropped": without_brackets,
    "opening dropped": without_opening,
    "reported speech": reported,
    "% spelled": spelled_percent,
    "half of the sentence": first_half,
    "same direction, other word": reworded,
}
