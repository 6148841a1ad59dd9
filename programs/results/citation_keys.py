"""What answers and drafts cite papers by.

Of answers, the PMCID, or the document's id where there is none:

    PMC1234567                                       →  PMC1234567
    Smith 2014 [bone, mice]                          →  Smith_2014_bone_mice
    42                                               →  doc_42, since a bare number would read as that of a passage

Of drafts, the first author's family name, the year and the first telling title word; letters outside a to z are spelled
with them where Unicode or custom says how, and left out elsewhere:

    Müller, Jörg (2024) "On the Quantum yield …"     →  muller2024quantum
    two papers that would share a key                →  smith2024quantuma, smith2024quantumb
    no author, no year, no title                     →  anon2024quantum, smithndquantum, smith2024, pmc0000007
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from string import ascii_lowercase

from programs.ingest.document import Document
from programs.proof import CitedAnswer
from signatures import citation_markers
from signatures.citation_markers import Marker

LONGEST = 40
"""Characters; a longer id is cut and ends in a hash of the whole."""

_HASH = 6
_PMCID = re.compile(r"PMC\d{1,9}", re.IGNORECASE)
# Brackets, white space and separators would part a citation, so would the word "and" beside a hyphen.
_UNSAFE = re.compile(r"[^\w.]+")
_NUMBER = re.compile(r"[\d.]+")


def pmcid_keys(documents: Iterable[Document]) -> dict[str, str]:
    """Give each document, by its id, a key that no other one of them answers to, whatever the case.

    Where two would share a key, the later gets a number behind it.
    """
    listed = list(documents)
    keys: dict[str, str] = {}
    for document in listed:
        taken = {key.casefold() for key in keys.values()}
        taken |= {other.id.casefold() for other in listed if other.id != document.id}
        keys[document.id] = _free(_key(document), taken)
    return keys


def as_keys(answer: CitedAnswer) -> CitedAnswer:
    """Rewrite every citation of an answer in the standard way: the key of the paper, one a bracket.

    ``[pmc 1]``, ``[[PMC1]]``, ``[PMC1, PMC2]`` and ``[PMC1::sec0::chunk1]`` all become ``[PMC1]`` or ``[PMC1][PMC2]``;
    what was not given stays as it is.
    """

    def cite(marker: Marker) -> str:
        named = [found[0].key if (found := answer.given.named(each)) else each for each in marker.ids]
        return citation_markers.render(dict.fromkeys(named))

    return answer.with_citations(cite)


def _key(document: Document) -> str:
    for known in (document.pmcid, document.id):
        if _PMCID.fullmatch(known):
            return known.upper()
    key = _UNSAFE.sub("_", document.id).strip("_.")
    if not key or _NUMBER.fullmatch(key):
        key = f"doc_{key}" if key else f"doc_{_hash(document.id)}"
    if len(key) > LONGEST:
        key = f"{key[: LONGEST - _HASH - 1].rstrip('_.')}_{_hash(document.id)}"
    return key


def _free(key: str, taken: set[str]) -> str:
    candidate, count = key, 1
    while candidate.casefold() in taken:
        count += 1
        candidate = f"{key[: LONGEST - 4]}_{count}"
    return candidate


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_HASH]


LONGEST_PART = 24
"""Letters of a name or word in a key."""

_SPELLED = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "ħ": "h", "ŋ": "n"}
)
_LITTLE_WORDS = """
    a about above across after against all along among an analysis and are around as at be because before
    between beyond but by can can't compare comparing comparison controlled do does during each effect effects
    evaluating evaluation few first for from has have how impact in influence into is it its less little lower
    many more most near new no not of off on one only or other our out over per randomised randomized role
    should some studies study than that the their these they this those three through to toward towards trial
    two under upon use using versus via was we were what when where whether which while who why will with within
    without
"""
_LITTLE = frozenset(_LITTLE_WORDS.split())
"""Words of any title, with those of the titles of many papers: they tell none from another."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


@dataclass(frozen=True, slots=True)
class Named:
    """What a key is made of."""

    id: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    title: str = ""


def author_year_keys(papers: Iterable[Named]) -> dict[str, str]:
    """Its own key for every paper, by its id; which papers there are decides it, their order does not."""
    sharing = shared_keys(papers)
    taken = set(sharing)
    keys: dict[str, str] = {}
    for key, ids in sorted(sharing.items()):
        for each in ids:
            keys[each] = key if len(ids) == 1 else _suffixed(key, taken)
            taken.add(keys[each])
    return keys


def shared_keys(papers: Iterable[Named]) -> Mapping[str, list[str]]:
    """Every key with the ids of the papers that it would fit, ids in order."""
    sharing: defaultdict[str, list[str]] = defaultdict(list)
    for paper in sorted(papers, key=lambda each: each.id):
        sharing[_author_year_key(paper)].append(paper.id)
    return sharing


def _author_year_key(paper: Named) -> str:
    family = _letters((paper.authors[0] if paper.authors else "").partition(",")[0])
    words = (_letters(each) for each in _WORD.findall(paper.title) if each.casefold() not in _LITTLE)
    word = next((each for each in words if len(each) > 1), "")
    if not family and not word:
        return _letters(paper.id, digits=True) or "paper"
    return f"{family or 'anon'}{paper.year or 'nd'}{word}"


def _letters(text: str, *, digits: bool = False) -> str:
    decomposed = unicodedata.normalize("NFKD", text.casefold().translate(_SPELLED))
    kept = (each for each in decomposed if each in ascii_lowercase or (digits and each in "0123456789"))
    return "".join(kept)[:LONGEST_PART]


def _suffixed(key: str, taken: set[str]) -> str:
    """The key with the first suffix that no paper has: a to z, then aa to zz."""
    suffixes = [*ascii_lowercase, *(one + other for one in ascii_lowercase for other in ascii_lowercase)]
    free: str = next(key + suffix for suffix in suffixes if key + suffix not in taken)
    return free
