"""A sentence as the support check sees it: words with their stems, weights, negation and direction, and quantities.

"X did not increase Y by 5 %"  →  x   increase(+1, negated)   y(negated)   5 percent
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from metrics.support import lexicon
from metrics.support.quantities import Quantity, quantities
from metrics.support.stemming import stem
from metrics.support.word_list import words

TokenKind: TypeAlias = Literal["word", "name", "quantity"]

# One character for one character, so that offsets stay.
_SAME_LENGTH = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—−﹣－", "-"),
        **dict.fromkeys(
            "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u3000\t\n\r", " "
        ),
        "µ": "μ",
        "’": "'",
        "‘": "'",
        "ʼ": "'",
        "“": '"',
        "”": '"',
        "％": "%",
        "﹤": "<",
        "＜": "<",
        "＞": ">",
        "⩽": "≤",
        "⩾": "≥",
    }
)
# Citation markers: [1], [2, 3], [1-3], [PMC1234567], [[PMC1]], [smith2024x], (smith2024x).
_CITATION = re.compile(
    r"\[{1,2}(?:\d{1,3}(?:\s?[,;-]\s?\d{1,3})*|(?:pmc|PMC)\s?\d+(?:\s?[,;]\s?(?:pmc|PMC)\s?\d+)*|[a-z]+\d{4}[a-z]*)\]{1,2}"
    r"|\([a-z]{2,}\d{4}[a-z]*\)"
)
# "4 [1-8] wk": brackets between a number and its unit are no citation.
_AFTER_NUMBER, _BEFORE_UNIT = re.compile(r"[\d%]\s?$"), re.compile(r"\s?[a-z%]")
_MIDDLE_DOT = re.compile(r"(?<=\d)[·∙](?=\d)")
_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "κ": "kappa", "λ": "lambda",
    "μ": "mu", "σ": "sigma", "τ": "tau", "φ": "phi", "ω": "omega", "θ": "theta", "η": "eta",
}  # fmt: skip
_GREEK_LETTER = re.compile("[" + "".join(_GREEK) + "]")
_TOKEN = re.compile(
    r"""
      [^\W\d_]{1,8}-?(?:alpha|beta|gamma|delta|kappa|[α-ω])(?![^\W\d_])\d*    # TNF-α, IFN-gamma, PGC-1α's front part
    | \d{1,3}-?[A-Z][A-Za-z]{0,4}\d*(?![a-z])                                 # 5-HT, 16S, 4-PBA
    | (?:[A-Z][A-Za-z]{0,6}-\d|[^\W\d_]+\d)[\w+]*(?:-\d+)?[α-ω]?             # IL-6, Cry1, CD4+, PGC-1α
    | [a-z]{3,}-\d+[A-Za-z]?(?![\w-])                                        # caspase-4, interleukin-17A
    | [^\W\d_]+n't
    | [^\W\d_]+(?:-(?=[a-z]{2}))?                                             # "down-" of "down-regulated"
    """,
    re.VERBOSE,
)
_JOINED_PREFIX = frozenset(
    words(
        """
    down- up- over- under- non- anti- pro- co- re- pre- post- hyper- hypo- un- in- dis- multi- sub- inter-
    intra- micro- noninfer-
    """
    )
)
_CLAUSE_END = re.compile(r"[,;:()\[\].]")
_FALSE_NEGATION = re.compile("|".join(rf"\b{re.escape(phrase)}" for phrase in lexicon.FALSE_NEGATIONS))
# Words without content that a sentence's few content words should not be outvoted by.
GENERIC_WEIGHT = 0.25
NAME_WEIGHT = 1.3
QUANTITY_WEIGHT = 1.0
# A negation reaches at most this many content words to its right.
REACH = 8
SHORT_REACH = 2


@dataclass(frozen=True, slots=True)
class Token:
    """A word, name or quantity of a sentence.

    Attributes:
        kind: ``name`` for gene symbols, acronyms and capitalised words inside a sentence.
        key: What is compared: stem of the standard word of its meaning, or the bare characters of a name.
        stem: Stem of the word itself.
        word: In lower case, without hyphen; empty for a quantity.
        text: As printed.
        start: Offset in the sentence.
        end: Offset after it.
        weight: How much of the statement hangs on it, 0 for grammar.
        direction: +1 for more, -1 for less, 0 for neither.
        negated: Whether a negation reaches it.
        cue: Whether it is itself a negation.
        clause: Number of its clause in the sentence.
        quantity: The value, for kind ``quantity``.
    """

    kind: TokenKind
    key: str
    stem: str
    word: str
    text: str
    start: int
    end: int
    weight: float
    direction: int
    negated: bool
    cue: bool
    clause: int
    quantity: Quantity | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """A sentence, or a window of sentences, as tokens in order."""

    text: str
    tokens: tuple[Token, ...]

    @property
    def weight(self) -> float:
        """Weight of all tokens together."""
        return sum(token.weight for token in self.tokens)


def normalised(text: str) -> str:
    """The text with plain dashes, spaces, quotes and decimal points, citations blanked; every offset stays."""
    plain = _MIDDLE_DOT.sub(".", text.translate(_SAME_LENGTH))
    return _CITATION.sub(_blanked, plain) if "[" in plain or "(" in plain else plain


def _blanked(match: re.Match[str]) -> str:
    text = match.string
    interval = _AFTER_NUMBER.search(text, max(0, match.start() - 2), match.start()) and _BEFORE_UNIT.match(
        text, match.end()
    )
    return match.group() if interval else " " * len(match.group())


@lru_cache(maxsize=8192)
def read(text: str) -> Reading:
    """Read a sentence or a few.

    Args:
        text: Sentences as printed, without citation markers.
    """
    plain = normalised(text)
    values = quantities(plain)
    covered = [(value.start, value.end) for value in values]
    raw: list[tuple[int, int, Quantity | None]] = [(value.start, value.end, value) for value in values]
    raw += [
        (match.start(), match.end(), None)
        for match in _TOKEN.finditer(plain)
        if not any(start <= match.start() < end for start, end in covered)
    ]
    raw.sort(key=lambda each: each[0])
    return Reading(text, tuple(_tokens(plain, raw)))


def _tokens(plain: str, raw: list[tuple[int, int, Quantity | None]]) -> list[Token]:
    tokens: list[Token] = []
    false_cues = [match.span() for match in _FALSE_NEGATION.finditer(plain.lower())]
    clause, reach, position = 0, 0, 0
    index = 0
    while index < len(raw):
        start, end, value = raw[index]
        if plain[end - 1] == "-" and index + 1 < len(raw) and raw[index + 1][0] == end:
            if plain[start:end].lower() in _JOINED_PREFIX:
                index += 1
                end = raw[index][1]
            else:
                end -= 1
        between = plain[position:start]
        if _CLAUSE_END.search(between):
            clause, reach = clause + 1, 0
        word = plain[start:end]
        lower = word.lower().replace("-", "") if value is None else ""
        if lower in lexicon.SCOPE_ENDS:
            clause, reach = clause + 1, 0
        cue = value is None and (lower in lexicon.NEGATIONS or lower.endswith("n't"))
        cue = cue and not any(begin <= start < stop for begin, stop in false_cues)
        token = _token(plain, start, end, value, lower, reach > 0, cue, clause)
        if cue:
            reach = SHORT_REACH if lower in lexicon.SHORT_NEGATIONS else REACH
        elif token.weight > 0:
            reach -= 1
        tokens.append(token)
        position = end
        index += 1
    return tokens


def _token(
    plain: str, start: int, end: int, value: Quantity | None, lower: str, negated: bool, cue: bool, clause: int
) -> Token:
    word = plain[start:end]
    if value is not None:
        key = f"#{value.dimension}:{value.value:.6g}"
        return Token("quantity", key, key, "", word, start, end, QUANTITY_WEIGHT, 0, negated, False, clause, value)
    if _is_name(plain, word, start):
        bare = _bare(word)
        key = lexicon.MEANING.get(stem(bare), bare)
        return Token("name", key, bare, lower, word, start, end, NAME_WEIGHT, 0, negated, cue, clause)
    spelled = _GREEK_LETTER.sub(lambda match: _GREEK[match.group()], lower).removesuffix("'s")
    root = stem(spelled)
    weight = 0.0 if lower in lexicon.STOP_WORDS or cue else GENERIC_WEIGHT if root in lexicon.GENERIC else 1.0
    hyphenated = plain[start - 1 : start] == "-" or plain[end : end + 1] == "-"
    direction = 0 if hyphenated else lexicon.direction(lower, root)
    if direction:
        weight = 0.5
    return Token(
        "word", lexicon.MEANING.get(root, root), root, lower, word, start, end, weight, direction, negated, cue, clause
    )


def _is_name(plain: str, word: str, start: int) -> bool:
    """Whether a word is a name: it has a digit or an inner capital, or a capital although no sentence starts there."""
    if any(character.isdigit() for character in word) or any(character.isupper() for character in word[1:]):
        return len(word) > 1 and not (word.isupper() and word.lower() in lexicon.STOP_WORDS)
    if not word[0].isupper() or len(word) < 2:
        return bool(_GREEK_LETTER.search(word)) and len(word) > 2
    before = plain[:start].rstrip(" \"'([")
    return bool(before) and before[-1] not in ".!?:;"


def _bare(word: str) -> str:
    """A name's characters without case, hyphens and plural; a capitalised word's stem."""
    spelled = _GREEK_LETTER.sub(lambda match: _GREEK[match.group()], word.lower())
    if word[1:].islower():
        return stem(spelled)
    bare = re.sub(r"[^\w+]", "", spelled)
    return bare[:-1] if word[-1:] == "s" and word[-2:-1].isupper() else bare
