"""What answers, drafts, tables and reference lists cite papers by: one key a paper, the same everywhere.

A library's own key, else the first author and the year, else the PMCID or the paper's id. What brackets, pandoc or
BibTeX would not take becomes "_", and a letter tells papers apart that would share a key:

    citekey "smith:2019/α"                           →  smith:2019/α
    citekey "Smith 2014 {bone, mice}"                →  Smith_2014_bone_mice
    Müller, Jörg (2024), twice                       →  muller2024a, muller2024b
    Smith, Jo, without a year                        →  smithnd
    no author: PMC1234567, the file 42.md            →  PMC1234567, doc_42
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count, product
from string import ascii_lowercase

from programs.ingest.document import Document
from signatures.identifiers import PMCID

LONGEST = 60
"""Characters; a longer key is cut and ends in a hash of the whole."""

_HASH = 6
# Brackets, quotes, white space and separators would part a citation; signs of which two follow each other end pandoc's.
_UNSAFE = re.compile(r"[^\w.:/+-]+|[.:/+-](?=[\W_])")
_AND = re.compile(r"\W(and)\W", re.IGNORECASE)
"""Beside a hyphen it would read as the word between two citations."""
_OUTER = "_.:/+-"
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Named:
    """What a key is made of."""

    id: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    pmcid: str = ""
    citekey: str = ""

    @classmethod
    def of(cls, paper: Document | Mapping[str, object]) -> Named:
        """A paper, or what an index lists of it."""
        if isinstance(paper, Document):
            return cls(paper.id, paper.authors, paper.year, paper.pmcid, str(paper.metadata.get("citekey", "")))
        known = {name: paper[name] for name in ("id", "authors", "year", "pmcid", "citekey") if name in paper}
        return cls(**{**known, "authors": tuple(known.get("authors", ())), "citekey": str(known.get("citekey", ""))})  # type: ignore[arg-type]


def citation_keys(papers: Iterable[Named]) -> dict[str, str]:
    """Its own key for every paper, by its id, whatever the case; the papers decide it, their order does not.

    No key is the id of another paper. What a library calls a paper comes before what would be made for another.
    """
    listed = list(papers)
    taken = Counter(each.id.casefold() for each in listed)
    keys: dict[str, str] = {}
    named, unnamed = [each for each in listed if each.citekey], [each for each in listed if not each.citekey]
    for key, sharing in (*sorted(shared_keys(named).items()), *sorted(shared_keys(unnamed).items())):
        for paper in sharing:
            taken[paper.id.casefold()] -= 1
            own = citation_key(paper)
            is_free = len(sharing) == 1 and not taken[key]
            keys[paper.id] = own if is_free else next(each for each in _lettered(own) if not taken[each.casefold()])
            taken.update([paper.id.casefold(), keys[paper.id].casefold()])
    return keys


def shared_keys(papers: Iterable[Named]) -> Mapping[str, list[Named]]:
    """Every key, in small letters, with the papers that it would fit, by their ids."""
    sharing: defaultdict[str, list[Named]] = defaultdict(list)
    for paper in sorted(papers, key=lambda each: each.id):
        sharing[citation_key(paper).casefold()].append(paper)
    return sharing


def citation_key(paper: Named) -> str:
    """What a paper is cited by where no other has the same."""
    if own := _safe(paper.citekey):
        return own
    if family := _letters((paper.authors[0] if paper.authors else "").partition(",")[0]):
        return f"{family}{paper.year or 'nd'}"
    known = next((each for each in (paper.pmcid, paper.id) if PMCID.fullmatch(each)), "")
    return known.upper() or _safe(paper.id) or f"doc_{_hash(paper.id)}"


def _safe(given: str) -> str:
    """A text as a key; empty where nothing of it is a letter or a digit."""
    bare = _UNSAFE.sub("_", unicodedata.normalize("NFC", given))
    key = re.sub("_{2,}", "_", _AND.sub(r"_\1_", bare)).strip(_OUTER)
    if key and not _LETTER.search(key):
        key = f"doc_{key}"  # a bare number would read as that of a passage
    if len(key) > LONGEST:
        key = f"{key[: LONGEST - _HASH - 1].rstrip(_OUTER)}_{_hash(given)}"
    return key


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_HASH]


LONGEST_NAME = 24
"""Letters of a name in a key."""

_SPELLED = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "ħ": "h", "ŋ": "n"}
)


def _letters(text: str) -> str:
    """The letters a to z that a name is spelled with; what Unicode or custom spells in no such way is left out."""
    decomposed = unicodedata.normalize("NFKD", text.casefold().translate(_SPELLED))
    return "".join(each for each in decomposed if each in ascii_lowercase)[:LONGEST_NAME]


def _lettered(key: str) -> Iterator[str]:
    """The key with a to z behind it, then with aa to zz, and so on."""
    return (key + "".join(letters) for length in count(1) for letters in product(ascii_lowercase, repeat=length))
