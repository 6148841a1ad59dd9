"""Guards: what is certainly wrong with a claim against the quotes that are to prove it.

    quote   "Femur density did not fall by more than 12 % in flight mice."
    claim   "Femur density fell by 21 % in flight mice."               numbers: 21 % is nowhere
    claim   "Femur density did fall by more than 12 % in flight mice." near copy: the quote negates

A guard speaks only where it is right. A number must be in the quotes, or follow from two of theirs (``numbers``).
A copy is laid beside its sentence once (``alignment``), and every change of it looked at (``altered_copies``); in free
paraphrases of short quotes what a number is given to, in text and tables (``assigned_numbers``), and comparisons,
directions, denials and significance (``directions``), where it is plain what they are of. On development data at least
0.95 of what the guards refuse is wrong (``bench.guards``: labelled claims, and copies altered by a program).
Silence proves nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

from metrics.printed_citations import without_apparatus
from metrics.sentences import sentences
from metrics.support import lexicon
from metrics.support.alignment import MOST_WORDS, joined_copies, words_of
from metrics.support.altered_copies import altered
from metrics.support.assigned_numbers import misassigned
from metrics.support.directions import wrong_denials, wrong_directions, wrong_significance
from metrics.support.languages import is_english, is_foreign, spellings
from metrics.support.numbers import wrong_numbers
from metrics.support.premise import COMMON
from metrics.support.sentence_features import normalised
from metrics.support.verdict import Veto
from metrics.visible_text import hidden
from signatures import citation_markers

GUARDS = "guards/18"

MOST_QUOTED = 80  # words of quotes up to which a claim in other words is compared with them

SHARED = 3  # letters at the beginning that two words of one origin share at least

_LATIN = re.compile(r"[A-Za-z]{2}")
_BEGINNING = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+")
_OTHER_SCRIPT = re.compile(r"[\u0370-\u1fff\u2e80-\uffff]")


def vetoes(claim: str, quotes: Sequence[str], titles: Sequence[str] = (), given: Sequence[str] = ()) -> list[Veto]:
    """What is certainly wrong with a claim.

    Args:
        claim: One sentence without citations.
        quotes: Whole sentences of passages that are to prove it together, at least one.
        titles: Of their papers, which may tell whom or what the quotes speak of, each with the year behind it, if that
            is known: "Bone loss in orbit (2016)".
        given: All texts that the claim was written from, titles too, where they are known: a name that none of them
            holds is refused.

    Returns:
        Every objection, those of the nearest sentence last; empty when no guard speaks.
    """
    if unread := list(unread_numbers(claim, quotes)):
        return unread
    if _is_quoted(claim, quotes):
        return []
    return min((_objections(each, quotes, titles, given) for each in spellings(claim)), key=len)


def _objections(claim: str, quotes: Sequence[str], titles: Sequence[str], given: Sequence[str]) -> list[Veto]:
    if (count := len(words_of(claim))) > MOST_WORDS:
        return [Veto("length", f"it has {count} words, more than one sentence can prove")]
    found = [*wrong_numbers(claim, quotes, titles)]
    is_read = not is_foreign(claim) and _LATIN.search(claim) and not _OTHER_SCRIPT.search(claim)
    if is_read and (ours := _beginnings(claim)) and not ours & _beginnings("\n".join(quotes)):
        found.append(Veto("unrelated", "the quotes share no word with it"))
    if sum(len(quote.split()) for quote in quotes) <= MOST_QUOTED:
        for rule in (misassigned, wrong_directions, wrong_denials, wrong_significance):
            found += rule(claim, quotes)
    found += [*unsupported_names(claim, given), *misquoted(claim, quotes), *disguises(claim, quotes)]
    return [*found, *(veto for part in joined_copies(claim, quotes) for veto in altered(part, quotes, titles))]


def _is_quoted(claim: str, quotes: Sequence[str]) -> bool:
    """Whether the claim is whole sentences of one quote, character by character but for white space."""
    own = " ".join(claim.split()).rstrip(". ")
    for text in (" ".join(quote.split()) for quote in quotes):
        found = sentences(text)
        for start in {0, *(span.start for span in found)} if own and own in text else ():
            if any(text[start:end].rstrip(". ") == own for end in {len(text), *(span.end for span in found)}):
                return True
    return False


_BESIDE_UNREAD = re.compile(r"\ufffd\s?\d[\d.,]*|\d[\d.,]*\s?\ufffd(?:\s?\d[\d.,]*)?")
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")


def unread_numbers(claim: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """Numbers beside a sign that was not read (U+FFFD): it may be a minus, a unit or another digit."""
    texts = [each for each in (claim, *quotes) if "\ufffd" in each]
    beside = {number for text in texts for found in _BESIDE_UNREAD.findall(text) for number in _DIGITS.findall(found)}
    if not beside:
        return
    elsewhere = {number for quote in quotes for number in _DIGITS.findall(_BESIDE_UNREAD.sub(" ", quote))}
    sure = _DIGITS.findall(_BESIDE_UNREAD.sub(" ", claim))
    for number in dict.fromkeys(_DIGITS.findall(claim)):
        if number in beside and (number not in elsewhere or number not in sure):
            yield Veto("unread", f"a sign beside {number} could not be read in the paper")


def _beginnings(text: str) -> frozenset[str]:
    """Beginnings of words, and numbers: a claim that shares none is unrelated, unless it is a translation."""
    plain = unicodedata.normalize("NFKD", normalised(text))
    said = "".join(each for each in plain if not unicodedata.combining(each))
    return frozenset(
        re.sub("[.,]", "", each)[:SHARED].lower()
        for each in _BEGINNING.findall(said)
        if each[0].isdigit() or (each.lower() not in lexicon.STOP_WORDS and (len(each) >= SHARED or each[1:].isupper()))
    )


LETTERS = 4  # letters at the beginning that two forms of a name share
ENGLISH = 0.15  # share of English grammar words from which on a claim's capitals are taken for names

_NAME = re.compile(rf"(?<![\w-])[A-Z][a-z]{{{LETTERS - 1},}}(?!\w)")
_SENTENCE_OPENS = re.compile(r"(?:^|[.:!?;])[\s\"'“”‘’(\[]*$")
_WORD = re.compile(rf"[^\W\d_]{{{LETTERS},}}")
_NO_NAME = re.compile(
    r"(?:Tables?|Figures?|Phase|Stage|Section|Appendix|Supplementary|United|States|Kingdom|Bayesian)$"
)
_OF_A_PLACE = re.compile(r"(?:ish|ese|ian|ean|can|French|Dutch|German|Swiss|Greek)$")
"""Adjectives of places that a reader knows from a city or a name."""


def unsupported_names(claim: str, given: Sequence[str]) -> Iterator[Veto]:
    """Names that none of the given texts, passages and titles, holds: they are invented, or brought along.

    Names are compared by their first letters: "Chinese" of "China" is not a new name. Of claims that people labelled
    in every detail, 405 of the 414 that name something new are not supported.
    """
    words = [word.strip(",.;()") for word in claim.lower().split()]
    if not given or not is_english(claim) or sum(word in COMMON for word in words) < ENGLISH * len(words):
        return
    held = {word.lower()[:LETTERS] for text in given for word in _WORD.findall(text)}
    for match in _NAME.finditer(claim):
        name = match.group()
        if _NO_NAME.match(name) or _OF_A_PLACE.search(name) or _SENTENCE_OPENS.search(claim[: match.start()]):
            continue
        if name.lower()[:LETTERS] not in held:
            yield Veto("name", f'no passage names "{name}"')


FEWEST_WORDS = 3  # words from which on quotation marks quote; one or two of them name a term

_OPENING, _CLOSING = "“„«「『", "”»」』"
_QUOTED = re.compile(
    r'"(?P<straight>[^"\n]+)"'
    rf"|(?P<opened>[{_OPENING}])(?P<marked>[^{_OPENING}{_CLOSING}\n]+)(?:[{_CLOSING}“]|$)"
    rf"|^(?P<rest>[^{_OPENING}{_CLOSING}\n]+)[{_CLOSING}]"
)
_LEFT_OUT = re.compile(r"\[\s*(?:…|\.\.\.)\s*\]|…|\.\.\.")


def misquoted(claim: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """Quotations of a claim that none of the quotes, whole sentences of passages, holds.

    Quotation marks may open before the claim or close behind it.
    """
    bare = [citation_markers.strip(without_apparatus(quote)) for quote in quotes]
    given = [_plain(text) for text in (*quotes, "\n".join(quotes), *bare, "\n".join(bare))]
    for match in _QUOTED.finditer(claim):
        quoted = match["straight"] or match["marked"] or match["rest"]
        if len(words_of(quoted)) < FEWEST_WORDS:
            continue
        parts = [_plain(part) for part in _LEFT_OUT.split(quoted)]
        if any(part.strip() and not any(part in each for each in given) for part in parts):
            yield Veto("quotation", f"the quotes do not hold “{quoted.strip()}” word for word")


def _plain(text: str) -> str:
    """Words and signs between single spaces."""
    return f" {' '.join(words_of(text))} "


_LETTERS = re.compile(r"(?:[^\W\d_]|[\u0300-\u036f])+")
_ALPHABETS = frozenset({"LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "COPTIC", "CHEROKEE", "LISU", "SMALL CAPITAL"})
"""Scripts that have letters of the same look."""
_LIKE_LATIN = frozenset(
    "аеорсухіјѕԁһԛԝгпиАВЕЅЗІЈКМНОРСТУХԚԜοινυρκχΑΒΕΖΗΙΚΜΝΟΡΤΥΧϲϳօոսհցգԼՕՍ"  # Armenian
)
_OVERLAYS = re.compile("[\u0334-\u0338\u20d2\u20d3\u20d8-\u20da\u20dd-\u20e0\u20e2-\u20ea]")
_PLAIN_SIGNS = frozenset("°®©™℃℉№℗")
_DENYING = frozenset("¬≠∄∅⊘⊄∉≢‼⁉")


def disguises(claim: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """Every word and sign of a claim that a reader sees as something else."""
    text = "\n".join(quotes)
    known = set(_LETTERS.findall(text))
    letters = [_script(each) for each in claim if each.isalpha()]
    is_latin = 2 * letters.count("LATIN") > len(letters)
    for word in dict.fromkeys(_LETTERS.findall(claim)):
        if word not in known and (_is_mixed(word) or (is_latin and len(word) > 1 and set(word) <= _LIKE_LATIN)):
            strange = [each for each in word if each.isalpha() and _script(each) != "LATIN"]
            spelled = ", ".join(f"U+{ord(each):04X} {unicodedata.name(each, '')}" for each in dict.fromkeys(strange))
            yield Veto("disguise", f"{word!r} has letters of several scripts: {spelled}")
    overlays = {each for each in claim if each in _DENYING or _OVERLAYS.match(each)}
    symbols = {each for each in claim if unicodedata.category(each) == "So"} - _PLAIN_SIGNS
    if signs := [each for each in dict.fromkeys(claim) if each in overlays | symbols and each not in text]:
        yield Veto("disguise", f"the quotes do not hold {' '.join(signs)}")
    if found := hidden(claim):
        yield Veto("disguise", f"it holds {', '.join(found[:3])}")


def _is_mixed(word: str) -> bool:
    scripts = {_script(letter) for letter in word} & _ALPHABETS
    if scripts == {"LATIN", "GREEK"}:
        return any(_script(letter) == "GREEK" and letter in _LIKE_LATIN for letter in word)
    return len(scripts) > 1


@lru_cache(maxsize=4096)
def _script(letter: str) -> str:
    name = unicodedata.name(letter, "")
    return "SMALL CAPITAL" if "LETTER SMALL CAPITAL" in name else name.split(" ")[0]
