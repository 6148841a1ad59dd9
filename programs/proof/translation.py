"""An English sentence, which is proved, beside its translation, which is shown: where the two certainly differ.

    english      "Relapses fell by 12.4% (p < 0.001) in 40 patients."
    translation  "Las recaídas bajaron un 12,4 % (p < 0,001) en 40 pacientes."     nothing
    translation  "Las recaídas no bajaron un 14,2 % en 40 pacientes."              14,2; 12.4, 0.001; it denies

Compared are numbers, with their units, signs and comparisons; names; and whether a sentence denies anything, in
languages whose words for that are known. Languages are data: ``denials.tsv`` has for each its little words, by which a
sentence is known, and what denies, as words, or as signs where no space parts words; ``units.tsv`` how they spell
units. That a translation says the same beyond that is the word of the model that made it. An English sentence is
compared likewise with evidence in another language.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files

from metrics.sentences import sentence_texts
from metrics.support.languages import is_foreign
from metrics.support.lexicon import word_set
from metrics.support.quantities import FRACTIONS, MULTIPLES, NUMBER_WORDS
from metrics.support.verdict import Veto

_LETTER = r"A-Za-z\u00c0-\u024f\u0370-\u03ff\u0400-\u04ff"
"""Letters of scripts that part words by spaces, inside a class of a pattern."""
_WORD = re.compile(r"[^\W\d_]+")
_ENGLISH = word_set("the of and were with that than from which between these this")
_LITTLE = word_set(
    "a an the of and or in on at by for from to with than that this these is are was were be been it its as not no but "
    "more less which who after before during between among"
)
_MOST_ENGLISH = 1  # different ones of these words that a sentence in another language has at most, as in a name
_MOST_SHARED = 0.75  # share of its words without capitals that a translation has from the English sentence at most

_ASKS = re.compile(r"[?؟]\W*$")
_MOST_CHARACTERS = 4_000  # characters of a sentence up to which it is compared
_TWO_SCRIPTS = re.compile(r"[A-Za-z][\u0400-\u04ff]|[\u0400-\u04ff][A-Za-z]")
"""Letters that look like those beside them: "wоunds" with a Cyrillic one."""


def disagreement(english: str, translation: str) -> str:
    """What of a translation certainly differs from the English sentence, both without citations; empty if nothing."""
    if not any(map(str.isalnum, translation)):
        return "it is empty"
    if max(len(english), len(translation)) > _MOST_CHARACTERS:
        return "it is too long to be compared"
    ours, theirs = _plain(english), _plain(translation)
    if _TWO_SCRIPTS.search(theirs) and not _TWO_SCRIPTS.search(ours):
        return "it has words of two scripts"
    words = {each for each in _WORD.findall(theirs) if each == each.lower()}
    shared = len(words.intersection(_words(ours)))
    if len(words & _ENGLISH) > _MOST_ENGLISH or shared > _MOST_SHARED * len(words):
        return "it is still in English"
    most = max(len({*_words(theirs)} & (each.little | each.denying)) for each in _LANGUAGES)
    if theirs.isascii() and most <= len({*_words(theirs)} & _LITTLE):  # not even an accent tells another language
        return "it is in English, or in no language that is known"
    if bool(_ASKS.search(theirs)) != bool(_ASKS.search(ours)):
        return "one of the two is a question"
    found = [*_numbers_differ(ours, theirs), *_names_differ(ours, theirs), denial_differs(ours, [theirs])]
    return "; ".join(filter(None, found))


_FEWEST_LITTLE = 2
_CLAUSES = re.compile(r"[,;:]\s|[，；：、]")


def is_across(sentence: str, quotes: Sequence[str]) -> bool:
    """Whether an English sentence is to be proved by quotes in another language, and does not copy them."""
    text, words = "\n".join(quotes), set(_words(sentence))
    is_copy = 2 * len(words.intersection(_words(text))) > len(words)
    return not is_copy and reads_as_english(sentence) and not reads_as_english(text)


def reads_as_english(text: str) -> bool:
    """Whether nothing speaks against it: neither another script nor the grammar words of another language.

    Of the words by which a language is known it has two at least: one may be a name's, or "et al."
    """
    letters = re.findall(r"[^\W\d_]", text)
    if 2 * sum(map(str.isascii, letters)) < len(letters):
        return False
    words = {*_words(text)}
    return not is_foreign(text) or max(len(words & each.little) for each in _LANGUAGES) < _FEWEST_LITTLE


def objections(sentence: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """What numbers, names and words that deny say against an English sentence, its quotes being in another language."""
    ours, *others = map(_plain, (sentence, *quotes))
    text = "\n".join(others)
    given = _numbers(text)
    for each in _numbers(ours, is_english=True):
        if all(_measures_differ(each, other) for other in given if each.values & other.values):
            yield Veto("numbers", f"the quotes do not hold {each.printed}")
    for name in sorted({*_codes_differ(ours, text)[1], *_lacking(ours, text)}):
        yield Veto("name", f'the quotes do not name "{name}"')
    said = denial_differs(ours, [each for other in others for each in sentence_texts(other)])
    if said and (_DENIES.search(ours) or not _CLAUSES.search(text)):  # the sentence may be one of their clauses
        yield Veto("negation", said)


def _plain(text: str) -> str:
    """The text with signs of full width as plain ones, and the digits of every script as 0 to 9."""
    plain = unicodedata.normalize("NFKC", text)
    return "".join(str(unicodedata.decimal(each)) if each.isdecimal() else each for each in plain)


def _rows(name: str) -> list[list[str]]:
    text = (files(__package__) / name).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines()]


@dataclass(frozen=True, slots=True)
class _Language:
    name: str
    little: frozenset[str]
    denying: frozenset[str]

    def denies(self, text: str) -> bool:
        """Whether a sentence has a word that denies; without little words a language has signs, in words or not."""
        if not self.little:
            return any(sign in text for sign in self.denying)
        return not self.denying.isdisjoint(_words(text))


def _words(text: str) -> list[str]:
    return [each.lower() for each in _WORD.findall(text)]


_LANGUAGES = [
    _Language(name, frozenset(little.split()), frozenset(denying.split()))
    for name, little, denying in _rows("denials.tsv")
]
_SCRIPTS = {
    "ko": r"[\uac00-\ud7a3]",
    "ja": r"[\u3040-\u30fa\u30fc-\u30ff]",
    "zh": r"[\u4e00-\u9fff]",
    "ru": r"[\u0400-\u04ff]",
}
_NOT_DENYING = re.compile(
    "不同|不良|不断|不等|不久|不适|不孕|不足|不全|无论|无创|无菌|非常|非洲|非小细胞|非酒精|未来|未成年|否则|少ない"
)
"""Words that hold a sign that denies and deny nothing."""
_DENIES = re.compile(
    r"\b(?:no|not(?! only)|nor|neither|none|never|without|cannot|nobody|nothing)\b|n['’]t\b", re.IGNORECASE
)
_MAY_BE_DENIED = re.compile(
    r"\b(?:lack|fail|absen|miss|free\b|unable|unchanged|unaffect|unclear|unknown|unlike|unrelat|uncertain|non|insignif|"
    r"insuffic|ineffect|incomplet|inactiv|impossib|instead|rather|hardly|barely|rare|only|except|exclu|few|less\b|avoid|"
    r"prevent|discontinu|stop|similar|equal|independen|until|unless)",
    re.IGNORECASE,
)
"""Beginnings of English words for which another language may have a word that denies: "unchanged", "no cambió"."""


def denial_differs(english: str, others: Sequence[str]) -> str:
    """That an English sentence denies something and none of another language does, or the other way round.

    Empty where the other language's words for it are not known.
    """
    bare = [_NOT_DENYING.sub(" ", each) for each in others]
    said = [[language.denies(text) for language in _languages_of(text)] for text in bare]
    if not all(said):
        return ""
    if _DENIES.search(english):
        return "" if any(map(any, said)) else "the English sentence denies something, the other does not"
    is_added = all(map(all, said)) and not _MAY_BE_DENIED.search(english)
    return "it denies something, the English sentence does not" if is_added else ""


def _languages_of(text: str) -> list[_Language]:
    """The languages that a sentence may be in: by its script, or those with most of its words; none if unknown."""
    if script := _script(text):
        return [each for each in _LANGUAGES if each.name == script]
    words = _words(text)
    counts = [sum(word in each.little or word in each.denying for word in words) for each in _LANGUAGES]
    most = max(counts)
    return [each for each, count in zip(_LANGUAGES, counts, strict=True) if most and count == most]


def _script(text: str) -> str:
    """The script, other than Latin letters, in which the most of a text is, at least a quarter of its letters."""
    letters = len(re.findall(r"[^\W\d_]", text))
    counts = {name: len(re.findall(script, text)) for name, script in _SCRIPTS.items()}
    most = max(counts, key=lambda name: counts[name])
    return most if 4 * counts[most] > letters else ""


_SPACE = "\u0020\u00a0\u2009\u202f"
_NUMBER = re.compile(
    rf"(?:(?<![{_LETTER}\d)\]%])(?<!\d\s)(?P<sign>[-−–]))?(?<![{_LETTER}\d])"
    rf"(?P<digits>\d{{1,3}}(?:[{_SPACE}]\d{{3}})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,·٫'’]\d+)*|\.\d+)"
)
_COMPARED = re.compile(r"(?P<sign><=|>=|[<>≤≥=])\s?[-−–]?\s?$")
_SAME = {"<=": "≤", ">=": "≥"}
_PER_HUNDRED = re.compile(r"百分之\s?$")
_GROUPED = re.compile(r"\d{1,3}(?P<mark>[.,])\d{3}(?:(?P=mark)\d{3})*")
_JOINT = 6
"""Signs between two numbers that may share the unit of the second: "40 to 60%"."""


@dataclass(frozen=True, slots=True)
class _Number:
    """A number of a text."""

    printed: str
    values: frozenset[str]  # what it may be worth, in plain digits: "1.500" is 1500 in Spanish and 1.500 in English
    compared: str  # the sign before it, such as "<"
    units: frozenset[str]  # what may be its unit; "" for none that is known
    is_bare: bool  # whether nothing is behind it that could be a unit
    start: int
    end: int


def _numbers_differ(english: str, translation: str) -> Iterator[str]:
    ours, theirs = _numbers(english, is_english=True), _numbers(translation)
    known = NUMBER_WORDS | MULTIPLES | {word: 100 * value for word, value in FRACTIONS.items()}
    known |= dict.fromkeys(("one", "single", "a", "an"), 1.0)
    spelled: Counter[str] = Counter()  # a translation may have numbers in digits that are in words here
    for word, number in known.items():
        spelled[f"{number:g}"] += len(re.findall(rf"\b{re.escape(word)}\b", english.lower()))
    for other in theirs:
        same = [each for each in ours if each.values & other.values]
        if same:
            nearest = min(same, key=lambda each: _measures_differ(each, other) != "")
            ours.remove(nearest)
            yield _measures_differ(nearest, other)
        elif value := next((each for each in other.values if spelled[each]), ""):
            spelled[value] -= 1
        else:
            yield f"it has {other.printed}, which the English sentence has not"
    yield from (f"{each.printed} is missing" for each in ours)


def _measures_differ(ours: _Number, theirs: _Number) -> str:
    if ours.compared and theirs.compared and ours.compared != theirs.compared:
        return f"“{ours.compared} {ours.printed}” became “{theirs.compared} {theirs.printed}”"
    units = [max(each.units) for each in (ours, theirs)]
    is_open = "" in units and "%" not in units and not (units[0] and theirs.is_bare)
    if ours.units & theirs.units or is_open:
        return ""
    said = [f"{each.printed} {unit or '(no unit)'}" for each, unit in zip((ours, theirs), units, strict=True)]
    return f"“{said[0]}” became “{said[1]}”"


def _numbers(text: str, *, is_english: bool = False) -> list[_Number]:
    found = []
    for match in _NUMBER.finditer(text):
        before, after = text[: match.start()], text[match.end() :]
        compared = _COMPARED.search(before)
        sign = _SAME.get(compared["sign"], compared["sign"]) if compared else ""
        unit = "%" if _PER_HUNDRED.search(before) else _unit(after)
        minus = "-" if match["sign"] else ""
        values = frozenset(minus + each for each in _values(match["digits"], is_english=is_english))
        is_bare = re.match(r"[\s-]*(?:[^\W\d]|[°/])", after) is None
        found.append(_Number(match.group(), values, sign, frozenset({unit}), is_bare, match.start(), match.end()))
    for at in range(len(found) - 2, -1, -1):
        one, other = found[at], found[at + 1]
        if one.units == {""} and other.start - one.end <= _JOINT:
            found[at] = replace(one, units=other.units | {""}, is_bare=False)
    return found


def _values(digits: str, *, is_english: bool) -> Iterator[str]:
    plain = re.sub(rf"[{_SPACE}'’]", "", digits).translate({ord("·"): ".", ord("٫"): "."})
    marks = re.findall(r"[.,]", plain)
    bare = re.sub(r"[.,]", "", plain)
    if not marks:
        yield plain
    if _GROUPED.fullmatch(plain) and not (is_english and marks[0] == "."):
        yield bare
        if is_english:
            return
    if len(marks) == 1 or (marks and len({*marks}) == 2 and marks.count(marks[-1]) == 1):
        decimals = plain.rpartition(marks[-1])[2]
        yield f"{bare[: len(bare) - len(decimals)] or '0'}.{decimals}"


def _folded(text: str) -> str:
    """In lower case and without accents."""
    return "".join(each for each in unicodedata.normalize("NFD", text).lower() if not unicodedata.combining(each))


_SYMBOL = 2
"""Letters of a symbol whose case tells "mM" from "mm" at most; longer words are read whatever their case."""
_UNIT_OF = {
    spelled: unit
    for unit, words in _rows("units.tsv")
    for word in words.replace("_", "\u0020").split()
    for spelled in (word, _folded(word) if len(word) > _SYMBOL else word)
}
_LONGEST = max(map(len, _UNIT_OF))


def _unit(after: str) -> str:
    """The unit that a text begins with, behind a number; empty where none is known."""
    text = after.lstrip(f"-‑{_SPACE}")
    for length in range(min(_LONGEST, len(text)), 0, -1):
        word, following = text[:length], text[length : length + 1]
        unit = _UNIT_OF.get(word) or (_UNIT_OF.get(_folded(word)) if length > _SYMBOL else None)
        goes_on = re.match(rf"[{_LETTER}]", word[-1]) and re.match(rf"[{_LETTER}'’]", following)
        if unit and not goes_on:
            return unit
    return ""


_CODE = re.compile(rf"(?<![{_LETTER}\d])[{_LETTER}][{_LETTER}\d]*")
_OF_STATISTICS = word_set("CI SD SE SEM OR RR HR IQR RCT NS")  # short forms for which languages have their own
_PROPER = re.compile(rf"(?<![{_LETTER}\d-])[A-Z\u00c0-\u00de][a-z\u00df-\u024f]{{3,}}(?![{_LETTER}\d])")
_OPENS = re.compile(r"(?:^|[.:!?;])[\s\"'“”‘’«»„(\[]*$")
_NO_NAME = re.compile(
    r"(?:Tables?|Figures?|Phase|Stage|Section|North|South|East|West|United|States|Kingdom|Europe|Germany|Spain|England|"
    r"Britain|Scotland|Ireland|Greece|Switzerland|Netherlands|Denmark|Egypt|Korea|.*(?:ish|ese|ian|ean|can))$"
)
"""Words with a capital that another language begins otherwise, or has without one."""
_BEGINNING = 3  # letters that a name shares in two languages: Africa, Afrique


def _names_differ(english: str, translation: str) -> Iterator[str]:
    """Short forms, genes and ids that only one of them has; and other names, in Latin letters, by their beginnings."""
    own, missing, added = _codes_differ(english, translation)
    yield from (f"{each} is missing" for each in sorted({*missing, *_lacking(english, translation)}))
    if len(added) > own or added & _OF_STATISTICS:
        yield f"it has {', '.join(sorted(added))}, which the English sentence has not"
    if _script(translation) or "de" in {each.name for each in _languages_of(translation)}:  # its nouns have capitals
        return
    ours = _beginnings(english)
    others = [each for each in _proper(translation) if _folded(each)[:_BEGINNING] not in ours]
    if len(others) > sum(_NO_NAME.match(each) is not None for each in _WORD.findall(english)):
        yield f"it has {', '.join(others)}, which the English sentence has not"


def _codes_differ(english: str, other: str) -> tuple[int, set[str], set[str]]:
    """How many short forms of statistics a text lacks, what else it lacks, and what the English sentence has not."""
    missing, added = _codes(english) - _codes(other), _codes(other) - _codes(english)
    for each in sorted(added):  # DNA is ADN in Romance languages
        turned = [code for code in missing if each.isalpha() and sorted(code) == sorted(each)]
        missing, added = missing.difference(turned[:1]), added.difference([each] if turned else [])
    return len(missing & _OF_STATISTICS), missing - _OF_STATISTICS, added


def _lacking(english: str, other: str) -> list[str]:
    """Names of an English sentence that another text in Latin letters lacks."""
    theirs = _beginnings(other)
    named = [] if _script(other) else [each for each in _proper(english) if not _NO_NAME.match(each)]
    return [each for each in named if _folded(each)[:_BEGINNING] not in theirs]


def _beginnings(text: str) -> set[str]:
    return {_folded(each)[:_BEGINNING] for each in _WORD.findall(text)}


def _codes(text: str) -> set[str]:
    """Words with two capitals, or with a letter and digits: short forms, genes, ids."""
    found = _CODE.findall(text)
    return {each for each in found if sum(map(str.isupper, each)) > 1 or any(map(str.isdigit, each))}


def _proper(text: str) -> list[str]:
    """Words with a capital inside a sentence."""
    return [each.group() for each in _PROPER.finditer(text) if not _OPENS.search(text[: each.start()])]
