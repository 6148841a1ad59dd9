"""How readable a text is, judged where papers come in: gibberish must not be indexed or quoted without a warning.

    "F a cto rs i n fl u e n c i n g"                  torn              letters of a word are apart
    "Factorsinfluencingwildliferoadkill"               joined            words run together
    "7KH HIIHFW RI", "\ue054\ue068\ue065"              broken, unknown   the letters are others than those in print
    "Studies may demonstrated be Ocimum the of leaf"   disorder          words of neighbouring lines are mixed

Each sign is a share of the text. The limits part 36 papers as a sound reader gives them from the same papers as a
faulty one gave them; `python -m bench.readability` measures them on others.

The words that hold a language together ("of", "und", "что") are known for 57 languages by stopwordsiso (MIT). Which of
the commonest English ones are side by side, on any subject, is counted in open-access trials:
``english_neighbours.tsv``.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Final, Literal, NamedTuple, TypeAlias

import stopwordsiso

from programs.extras import lacking
from programs.ingest.document import BY_OCR, NOT_EVIDENCE, PARAGRAPH_BREAK, READ_BY_OCR, Document

Verdict: TypeAlias = Literal["readable", "doubtful", "unreadable"]
SCANNED_PAGES: Final = "scanned_pages"
"""Metadata of a paper that was read in part: the numbers of pages that are pictures, from 1."""
HOW_TO_READ_SCANS: Final = "if they are scans, pip install 'corroborate-papers[ocr]' and index again, or run `ocrmypdf`"
VERDICTS: Final[tuple[Verdict, ...]] = ("readable", "doubtful", "unreadable")
"""From the best to the worst."""

# Fewer letters, characters of Chinese, broken ones or pairs of neighbouring function words tell too little.
_FEWEST_LETTERS = 300
_FEWEST_CJK = 100
_FEWEST_BROKEN = 10
_FEWEST_PAIRS = 40
_STRETCH = 1000
"""Pairs of function words: those of a paper."""
_LEADER = re.compile(r"([^\w\s\ufffd])\1{3,}")
"""A rule or leader of one sign: "Methods ........ 12"."""
_FEWEST_WORDS = 10
"""A paper of fewer words is what was left of a page, not a paper; one sentence may be one."""
_LONGEST_WORD = 25
_MOSTLY = 1 / 3

_WORD = re.compile(r"[^\W\d_]+")
_TOKEN = re.compile(r"[^\W\d_]+|\d|[^\w\s]")
# Three words or more of one or two letters each; torn ones have two single letters or more: "и он не" is Russian.
_FRAGMENTS = re.compile(r"(?<![^\W_])(?:[^\W\d_]{1,2} ){2,}[^\W\d_]{1,2}(?![^\W_])")
_BROKEN = re.compile("[\ufffd\ue000-\uf8ff\U000f0000-\U0010fffd\x00-\x08\x0e-\x1f\x7f-\x9f]|\\(cid:\\d+\\)")
_LATIN = re.compile(r"[A-Za-zÀ-ɏḀ-ỿ]")
_VOWEL = re.compile(r"[aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýāăąēĕėęěīĭįıōŏőœũūŭůűų]|[ạ-ỹ]", re.IGNORECASE)
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_KANA = re.compile("[\u3040-\u30ff]")
# Characters that hold Chinese together; some 11 % of a Chinese paper, 0.1 % of characters drawn by chance.
_HAN_FUNCTION = re.compile("[的是在和了有不为為以与與及对對中等上于於也而其之者这這个個]")
# Scripts without spaces between words, and Korean, whose particles are written onto the words: no words can be counted.
_UNCOUNTED = re.compile("[\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u1100-\u11ff\uac00-\ud7af]")


class _Sign(NamedTuple):
    """Limits of a share that is bad when high, and the wording of the reason."""

    doubtful: float
    unreadable: float
    wording: str


_SIGNS: Final[Mapping[str, _Sign]] = {
    "broken": _Sign(0.01, 0.05, "of its characters are replacements, private or control characters"),
    "signs": _Sign(0.5, 0.7, "of its characters are signs, neither letters nor digits"),
    "torn": _Sign(0.02, 0.08, "of its words are letters that are apart"),
    "joined": _Sign(0.1, 0.3, "of its letters are in words that run together"),
    "disorder": _Sign(0.075, 0.09, "of its neighbouring words are never side by side: lines are mixed"),
}
# A language is recognised from this share of its function words on; English papers have 20 % and more.
_RECOGNISED = 0.1
# Vowels are 35 to 50 % of the letters of a language in Latin script, and a fifth of letters drawn by chance.
_FEWEST_VOWELS = 0.3
_FEWEST_HAN_FUNCTION = 0.02
_UNSPACED = ("zh", "ja")
_SHORTEST = 3


@dataclass(frozen=True, slots=True)
class Readability:
    """Measures of a text's readability; shares are in [0, 1].

    Attributes:
        words: How many words were judged; in Chinese and Japanese, characters.
        language: Code (ISO 639-1) of the language whose function words are the most frequent; empty for none.
        known: Share of the words that are function words of that language; None where they cannot be counted.
        broken: Share of the characters that are replacement, private-use or control characters.
        signs: Share of the characters that are neither letters nor digits.
        torn: Share of the words that are fragments of one or two letters in a row.
        joined: Share of the letters that are in words of more than 25 letters.
        vowels: Share of the Latin letters that are vowels; 1 where there are none, or they were not counted.
        disorder: Share of neighbouring function words that English does not put side by side, less two standard errors.
    """

    words: int
    language: str = ""
    known: float | None = None
    broken: float = 0.0
    signs: float = 0.0
    torn: float = 0.0
    joined: float = 0.0
    vowels: float = 1.0
    disorder: float = 0.0

    @property
    def verdict(self) -> Verdict:
        """Whether the text can be indexed; a doubtful one can, with a warning."""
        found = {verdict for verdict, _ in self._found()}
        return "unreadable" if "unreadable" in found else "doubtful" if found else "readable"

    @property
    def reasons(self) -> tuple[str, ...]:
        """What speaks against the text, with figures; empty for a readable one."""
        return tuple(reason for _, reason in self._found())

    def _found(self) -> Iterator[tuple[Verdict, str]]:
        for name, sign in _SIGNS.items():
            share: float = getattr(self, name)
            if share >= sign.doubtful:
                verdict: Verdict = "unreadable" if share >= sign.unreadable else "doubtful"
                yield verdict, f"{share:.0%} {sign.wording}"
        least = _FEWEST_HAN_FUNCTION if self.language in _UNSPACED else _RECOGNISED
        if self.known is not None and self.known < least:
            is_noise = self.vowels < _FEWEST_VOWELS
            noise = f", and {self.vowels:.0%} of its letters are vowels" if is_noise else ""
            yield (
                "unreadable" if is_noise else "doubtful",
                f"its language is not recognised ({self.known:.0%} of its words are common in one){noise}",
            )


def judge_document(document: Document) -> Readability:
    """Judge a paper by its running text: without references, and without rows of tables."""
    parts = [document.text[each.start : each.end] for each in document.sections if each.kind != "references"]
    paragraphs = (part for each in parts or [document.text] for part in each.split(PARAGRAPH_BREAK))
    return judge("\n".join(each for each in paragraphs if not each.startswith("|")))


def doubts(document: Document) -> tuple[str, ...]:
    """What a reader of the index should know of a paper: why it is hard to read, and pages of it that were not read."""
    pages = document.metadata.get(SCANNED_PAGES)
    how = HOW_TO_READ_SCANS if lacking("ocr") else "OCR found no text on them in the time it is allowed"
    scans = [f"pictures without text on pages {pages}; {how}"]
    unread = document.text.count("\ufffd")
    signs = f"{unread} {'sign' if unread == 1 else 'signs'} could not be read (� in the text); see the paper for them"
    by_ocr = document.metadata.get(READ_BY_OCR)
    notes = [f"{BY_OCR} on pages {by_ocr}, where letters and numbers may be wrong"] if by_ocr else []
    held = [document.text[each.start : each.end] for each in document.sections if each.kind not in NOT_EVIDENCE]
    text = " ".join(held) if document.sections else document.text
    words = len(_WORD.findall(text)) + len(_CJK.findall(text)) // 2
    little = [f"only {words} words of text in it; check that the whole paper was saved"]
    few = little if words < _FEWEST_WORDS else []
    unread_signs = [signs] if unread else []
    return (*judge_document(document).reasons, *few, *unread_signs, *(scans if pages else ()), *notes)


def judge(text: str) -> Readability:
    """Judge a text of any language; takes time linear in its length, some 20 ms for a paper."""
    found, inked = len(_BROKEN.findall(text)), "".join(text.split())
    broken = found / len(inked) if found >= _FEWEST_BROKEN else 0.0
    unled = _LEADER.sub(r"\1", inked)
    signs = 1 - sum(map(str.isalnum, unled)) / len(unled) if len(unled) >= _FEWEST_LETTERS else 0.0
    letters = sum(map(len, _WORD.findall(text)))
    unspaced = "".join(_CJK.findall(text))
    if len(unspaced) > _MOSTLY * letters:  # judged by the characters that hold sentences together
        kana, han = len(_KANA.findall(unspaced)), len(_HAN_FUNCTION.findall(unspaced))
        known = (kana + han) / len(unspaced) if len(unspaced) >= _FEWEST_CJK else None
        return Readability(len(unspaced), "ja" if kana > han else "zh", known, broken=broken, signs=signs)
    words = _WORD.findall(text.lower())
    if letters < _FEWEST_LETTERS or len(_UNCOUNTED.findall(text)) > _MOSTLY * letters:
        return Readability(len(words), broken=broken, signs=signs)
    language, known = _language(words)
    latin = len(_LATIN.findall(text))
    runs = (each.group().split(" ") for each in _FRAGMENTS.finditer(text))
    return Readability(
        words=len(words),
        language=language,
        known=known,
        broken=broken,
        signs=signs,
        torn=sum(len(run) for run in runs if sum(len(part) == 1 for part in run) > 1) / len(words),
        joined=sum(len(word) for word in words if len(word) > _LONGEST_WORD) / letters,
        vowels=len(_VOWEL.findall(text)) / latin if latin else 1.0,
        disorder=_disorder(text.lower()) if language == "en" else 0.0,
    )


def _language(words: Iterable[str]) -> tuple[str, float]:
    """The language whose function words are the most frequent, and their share of all words."""
    counts = Counter(words)
    of_known: Counter[str] = Counter()
    for word, count in counts.items():
        for language in _languages().get(word, ()):
            of_known[language] += count
    if not of_known:
        return "", 0.0
    language, known = of_known.most_common(1)[0]
    return language, known / counts.total()


@cache
def _languages() -> Mapping[str, tuple[str, ...]]:
    """The languages of each function word; short ones are left out, since gibberish is full of them."""
    languages: dict[str, list[str]] = {}
    for language in sorted(stopwordsiso.langs()):
        for word in stopwordsiso.stopwords(language):
            if len(word) >= _SHORTEST:
                languages.setdefault(word, []).append(language)
    return {word: tuple(each) for word, each in languages.items()}


def _disorder(text: str) -> float:
    """Of neighbouring function words, the share of pairs that English does not have, less two standard errors.

    A pair counts once in a stretch of text: a paper may use one turn of phrase all the time, mixed lines have any.
    """
    usual = english_neighbours()
    pairs = [(one, other) for one, other in pairwise(_TOKEN.findall(text)) if one in usual and other in usual]
    if len(pairs) < _FEWEST_PAIRS:
        return 0.0
    stretches = (set(pairs[start : start + _STRETCH]) for start in range(0, len(pairs), _STRETCH))
    share = sum(other not in usual[one] for stretch in stretches for one, other in stretch) / len(pairs)
    return max(0.0, share - 2 * math.sqrt(share * (1 - share) / len(pairs)))


@cache
def english_neighbours() -> Mapping[str, frozenset[str]]:
    """The most common function words of English, whatever the subject, each with those of them that may follow it."""
    lines = files("programs.ingest").joinpath("english_neighbours.tsv").read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines if not line.startswith("#"))
    return {word: frozenset(followers.split()) for word, followers in rows}
