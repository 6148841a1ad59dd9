"""A sentence as the guards see it: words with their stems, weights, negation and direction, and quantities.

"X did not increase Y by 5 %"  →  x   increase(+1, negated)   y(negated)   5 percent
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from metrics.support import lexicon
from metrics.support.lexicon import stem
from metrics.support.quantities import COURSE_OF_MULTIPLES, LABELS, LOOK_BACK, Quantity, quantities

_LETTER_FORMS = (
    (0x02B0, 0x02B8), (0x1D2C, 0x1D6A), (0x1D78, 0x1DBF), (0x2071, 0x2071), (0x207F, 0x207F), (0x2090, 0x209C),
    (0x2100, 0x214F), (0x24B6, 0x24E9), (0x1D400, 0x1D7FF), (0xFF01, 0xFF5E),
)  # fmt: skip
"""Blocks of Unicode that hold other forms of letters: raised, circled, mathematical, of full width."""

TokenKind: TypeAlias = Literal["word", "name", "quantity"]

# One character for one character, so that offsets stay.
_SAME_LENGTH = str.maketrans(
    {
        **{
            character: plain
            for first, last in _LETTER_FORMS
            for character in map(chr, range(first, last + 1))
            if len(plain := unicodedata.normalize("NFKC", character)) == 1
        },
        **dict.fromkeys("‐‑‒–—−﹣－", "-"),
        **dict.fromkeys(
            "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u3000\t\n\r", " "
        ),
        **dict(zip("µ’‘ʼ“”％﹤＜＞⩽⩾", "μ'''\"\"%<<>≤≥", strict=True)),
    }
)
# Citation markers: [1], [2, 3], [1-3], [PMC1234567], [[PMC1]], [smith2024x], (smith2024x).
_CITATION = re.compile(
    r"\[{1,2}(?:\d{1,3}(?:\s?[,;-]\s?\d{1,3})*|(?:pmc|PMC)\s?\d+(?:\s?[,;]\s?(?:pmc|PMC)\s?\d+)*|[a-z]+\d{4}[a-z]*)\]{1,2}"
    r"|\([a-z]{2,}\d{4}[a-z]*\)"
)
_MIDDLE_DOT = re.compile(r"(?<=\d)[·∙](?=\d)")
_THOUSANDS = re.compile(
    r"(?<![\w.,:/-])(?<!\d )(?<!\d, )[1-9]\d{0,2}(?: \d{3})+(?![\w.,:/]*\d)(?!\s?(?:[mkμn]?g|[mμd]?[lL]|IU|mol)\b)"
)
"""A number with spaces for thousands, "5 840"; of "two doses, 1 500 mg each" that cannot be known."""
_NUMBERED = re.compile(
    rf"\b(?:{'|'.join(LABELS)}|hours?|days?|weeks?|months?|years?|visits?|aged?|codons?|doses?)\.?\s$",
    re.IGNORECASE,
)
"""What a number behind it numbers: "at week 8 120 patients"."""
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
    | (?:\b(?i:down|up|over|under|non|anti|pro|co|re|pre|post|hyper|hypo|un|in|dis|multi|sub|inter|intra|micro|noninfer)
      -(?=[a-z]{2}))?[^\W\d_]+                                                # "down-regulated"
    """,
    re.VERBOSE,
)
_INSIDE_NAME = re.compile(r"\d|(?<=.)[A-Z]")
_PUNCTUATION = re.compile(r"[^\w+]")
_CLAUSE_END = re.compile(r"[,;:()\[\].]")
_FALSE_NEGATION = re.compile("|".join(rf"\b{re.escape(phrase)}" for phrase in lexicon.FALSE_NEGATIONS))
REACH = 8  # words to its right that a negation reaches at most, grammar not counted


class Token(NamedTuple):
    """A word, name or quantity of a sentence."""

    kind: TokenKind  # ``name`` for gene symbols, acronyms and capitalised words inside a sentence
    key: str  # what is compared: the word's stem, or the bare characters of a name
    word: str  # in lower case, without hyphen; empty for a quantity
    text: str  # as printed
    start: int  # offset in the sentence
    end: int  # offset after it
    weight: float  # 0 for grammar and negations, ½ for words of direction and method, 1 for what a statement is on
    direction: int  # +1 for more, -1 for less, 0 for neither
    negated: bool  # whether a negation reaches it
    cue: bool  # whether it is itself a negation
    quantity: Quantity | None = None  # the value, for kind ``quantity``

    @property
    def denies(self) -> bool:
        """Whether it negates, or by itself says that nothing happened: "was not changed", "was unchanged"."""
        return self.cue or self.word in lexicon.NO_EFFECT or self.word in lexicon.SAME


@dataclass(frozen=True, slots=True)
class Reading:
    """A sentence, or a window of sentences, as tokens in order."""

    text: str
    tokens: tuple[Token, ...]

    @property
    def quantities(self) -> list[Quantity]:
        """Its quantities in order."""
        return [token.quantity for token in self.tokens if token.quantity is not None]


def normalised(text: str) -> str:
    """The text with plain dashes, spaces, quotes and points and commas in numbers, citations blanked; offsets stay."""
    plain = _THOUSANDS.sub(_with_commas, _MIDDLE_DOT.sub(".", text.translate(_SAME_LENGTH)))
    return _CITATION.sub(lambda match: " " * len(match.group()), plain) if "[" in plain or "(" in plain else plain


def _with_commas(match: re.Match[str]) -> str:
    is_label = _NUMBERED.search(match.string, max(0, match.start() - LOOK_BACK), match.start())
    return match.group() if is_label else match.group().replace(" ", ",")


@lru_cache(maxsize=8192)
def read(text: str) -> Reading:
    """Read a sentence or a few, as printed; citation markers are passed over."""
    return Reading(text, tuple(_tokens(normalised(text))))


def _pieces(plain: str) -> list[tuple[int, int, Quantity | None]]:
    """Words and quantities in order, by their offsets; a word inside a quantity is not counted again."""
    values = quantities(plain)
    starts = [value.start for value in values]
    found: list[tuple[int, int, Quantity | None]] = [(value.start, value.end, value) for value in values]
    for match in _TOKEN.finditer(plain):
        before = bisect_right(starts, match.start())
        if not before or values[before - 1].end <= match.start():
            found.append((*match.span(), None))
    return sorted(found, key=lambda each: each[:2])


def _tokens(plain: str) -> Iterator[Token]:
    """Tokens with whether a negation reaches them, which ends with its clause."""
    false_cues = [match.span() for match in _FALSE_NEGATION.finditer(plain.lower())]
    reach, position = 0, 0
    for start, end, value in _pieces(plain):
        word = plain[start:end]
        lower = word.lower().replace("-", "") if value is None else ""
        if _CLAUSE_END.search(plain, position, start) or lower in lexicon.SCOPE_ENDS:
            reach = 0
        is_false = any(first <= start < last for first, last in false_cues)
        is_cue = (lower in lexicon.NEGATIONS or lower.endswith("n't")) and not is_false
        token = _token(plain, (start, end, value), lower, negated=reach > 0, cue=is_cue)
        if is_cue:
            reach = REACH
        elif token.weight > 0:
            reach -= 1
        position = end
        yield token


def _token(plain: str, piece: tuple[int, int, Quantity | None], lower: str, *, negated: bool, cue: bool) -> Token:
    start, end, value = piece
    word = plain[start:end]
    if value is not None:
        key = f"#{value.dimension}:{value.value:.6g}"
        direction = COURSE_OF_MULTIPLES.get(word.lower(), 0)
        return Token("quantity", key, "", word, start, end, 1.0, direction, negated, cue, value)
    if _is_name(plain, word, start):
        return Token("name", _name(word), lower, word, start, end, 1.0, 0, negated, cue)
    key, weight, direction = _word(lower)
    return Token("word", key, lower, word, start, end, 0.0 if cue else weight, direction, negated, cue)


def _is_name(plain: str, word: str, start: int) -> bool:
    """Whether a word is a name: it has a digit or an inner capital, or a capital although no sentence starts there."""
    if len(word) < 2 or (word.isascii() and word.isalpha() and word.islower()):
        return False
    if _INSIDE_NAME.search(word):
        return not (word.isupper() and word.lower() in lexicon.STOP_WORDS)
    if not word[0].isupper():
        return len(word) > 2 and _GREEK_LETTER.search(word) is not None
    before = plain[:start].rstrip(" \"'([")
    return bool(before) and before[-1] not in ".!?:;"


@lru_cache(maxsize=65_536)
def _word(lower: str) -> tuple[str, float, int]:
    """Stem, weight and direction of a word."""
    root = stem(_GREEK_LETTER.sub(_spelled, lower).removesuffix("'s"))
    direction = 0 if lower in lexicon.OTHER_SENSES else lexicon.DIRECTIONS.get(root, 0)
    weight = 0.0 if lower in lexicon.STOP_WORDS and not direction else 1.0
    if direction or root in lexicon.GENERIC:
        weight /= 2
    return lexicon.PEOPLE.get(root, root), weight, direction


@lru_cache(maxsize=65_536)
def _name(word: str) -> str:
    """A name without case, hyphens and plural; of a capitalised word the stem."""
    spelled = _GREEK_LETTER.sub(_spelled, word.lower())
    if word[1:].islower():
        return stem(spelled)
    bare = _PUNCTUATION.sub("", spelled)
    return bare[:-1] if word[-1] == "s" and word[-2].isupper() else bare


def _spelled(match: re.Match[str]) -> str:
    return _GREEK[match.group()]


def content(text: str, *, numbers: bool = True) -> frozenset[str]:
    """Keys of the words, and numbers, that tell what a text is on."""
    tokens = read(text).tokens
    return frozenset(token.key for token in tokens if token.weight >= 1 and (numbers or token.quantity is None))


# Words of one family that the stemmer leaves apart ("degradation", "degradative") share at least this much.
FAMILY_PREFIX, FAMILY_SHARE = 6, 0.7


def forms(token: Token) -> Iterator[str]:
    """All by which other forms of a word are found: its key, and its direction or the beginning of its family."""
    yield token.key
    if token.direction:
        yield "↑" if token.direction > 0 else "↓"
    elif token.kind == "word" and len(token.key) >= FAMILY_PREFIX:
        yield f"^{token.key[: max(FAMILY_PREFIX, round(FAMILY_SHARE * len(token.key)))]}"
