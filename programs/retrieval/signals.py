"""Signals of a passage, each in [0, 1]: similarity, BM25, keywords, length, recency, section, authority, duplicate."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from urllib.parse import urlsplit

import numpy as np

from programs.ingest.line_shapes import SectionKind
from programs.retrieval.store import Bm25, Vector
from signatures.identifiers import PMCID

_BM25 = Bm25()
"""Also cuts texts into stems without stop words, as both the index and these signals count them."""

INSTEAD = 0.25
"""What an added term counts against a stem of the question. On 250 training claims of SciFact and half of Evidence
Inference nDCG@10 is 0.727 and 0.529; 0.732 and 0.527 with 0, 0.706 and 0.524 with 1."""


def stems(text: str) -> frozenset[int]:
    """The distinct stems of a text, stop words left out, each as a number."""
    return frozenset(_BM25.query(text).indices)


@dataclass(frozen=True, slots=True)
class Keywords:
    """What to look for: stems of the question, and of each term that the expansion added."""

    question: frozenset[int]
    added: tuple[frozenset[int], ...] = ()

    @classmethod
    def of(cls, question: str, added: Collection[str] = ()) -> Keywords:
        """Cut a question and added terms into stems."""
        return cls(stems(question), tuple(found for term in added if (found := stems(term))))


def keyword_overlap(keywords: Keywords, passage: Set[int]) -> float:
    """Share of the question's stems that a passage holds, in [0, 1]; 0 for a question of stop words.

    An added term that is in the passage with all its stems makes up for a part of a stem that does not: a passage
    on "murine" bones need not say "mouse".
    """
    if not keywords.question:
        return 0.0
    held = len(keywords.question & passage)
    instead = sum(term <= passage and not term <= keywords.question for term in keywords.added)
    return min(1.0, (held + INSTEAD * instead) / len(keywords.question))


SECTION_BOOSTS: Mapping[SectionKind, float] = {
    "abstract": 0.10,
    "results": 0.10,
    "discussion": 0.07,
    "conclusion": 0.07,
    "methods": 0.03,
    "introduction": 0.03,
    "appendix": 0.0,
    "references": 0.0,
    "other": 0.0,
    "notice": 0.0,
}
_LARGEST_SECTION = max(SECTION_BOOSTS.values())


def section_boost(section: SectionKind, *, raw: bool = False) -> float:
    """The boost of a section, as a share of the largest one; ``raw`` gives it as the table has it."""
    boost = SECTION_BOOSTS[section]
    return boost if raw else boost / _LARGEST_SECTION


HALF_LIFE = 10
"""Years in which the signal falls to a half; the cited half-life of biomedical journals is six to ten."""

UNKNOWN = 0.5
"""A paper without a year counts as one of ten years ago: neither favoured nor punished."""


def recency(year: int | None, now: int) -> float:
    """``0.5 ** (age / 10)``: 1 for this year or later, 0.5 after ten years, or where the year is not known."""
    if year is None:
        return UNKNOWN
    value: float = 0.5 ** (max(0, now - year) / HALF_LIFE)
    return value


SHORTEST, LONGEST = 40, 300
"""Words between which a passage fits: two sentences, and a long paragraph."""


def length_fit(words: int) -> float:
    """1 for 40 to 300 words; below in proportion to the words, above to their inverse (600 words: 0.5)."""
    if words < SHORTEST:
        return words / SHORTEST
    return min(1.0, LONGEST / words)


def similarities(query: Vector, passages: Vector) -> list[float]:
    """Cosine similarity, in [0, 1], of each passage to the query; opposite directions count as unrelated.

    ``query`` is a unit vector [dimension], ``passages`` are unit vectors [n, dimension].
    """
    found: list[float] = np.clip(passages @ query, 0.0, 1.0).tolist()
    return found


def bm25_shares(scores: Sequence[float | None]) -> list[float]:
    """BM25 scores as shares of the best one among the candidates: 0 for None, and for all when the best is not above 0.

    BM25 has no upper bound, and only the ratio of two scores of one query says anything. The lowest score is not
    stretched to 0: a candidate that the words alone would have found last is still found by words.
    """
    best = max((score for score in scores if score is not None), default=0.0)
    return [max(score, 0.0) / best if score is not None and best > 0 else 0.0 for score in scores]


DOMAIN_BOOSTS: Mapping[str, float] = {
    "nasa.gov": 0.07,
    "nature.com": 0.06,
    "science.org": 0.06,
    "nih.gov": 0.05,
    "cell.com": 0.05,
    "plos.org": 0.04,
}
_LARGEST_DOMAIN = max(DOMAIN_BOOSTS.values())

DOI_PREFIXES: Mapping[str, str] = {"10.1038/": "nature.com", "10.1126/": "science.org", "10.1371/": "plos.org"}
"""How a DOI starts, and who publishes under it; Cell Press shares Elsevier's."""

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_RESOLVER = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)


def authority(url: str = "", doi: str = "", pmcid: str = "", *, raw: bool = False) -> float:
    """The largest boost of the domains that a paper's address, DOI and PMCID lead to, a share of the largest of all.

    The host of the address must be the domain or lie under it: "www.nature.com", not "notnature.com". A DOI may have a
    resolver's address; a PMCID leads to PubMed Central where the paper's source gave no address. ``raw`` gives the
    boost as the table has it.
    """
    boost = max((DOMAIN_BOOSTS[domain] for domain in _domains(url, doi, pmcid)), default=0.0)
    return boost if raw else boost / _LARGEST_DOMAIN


def _domains(url: str, doi: str, pmcid: str) -> Iterator[str]:
    host = _host(url)
    yield from (domain for domain in DOMAIN_BOOSTS if host == domain or host.endswith(f".{domain}"))
    name = _RESOLVER.sub("", doi.strip()).lower()
    yield from (domain for prefix, domain in DOI_PREFIXES.items() if name.startswith(prefix))
    if PMCID.fullmatch(pmcid.strip()):
        yield "nih.gov"


def _host(url: str) -> str:
    """The host of an address, in lower case; empty if it has none."""
    try:
        return (urlsplit(url if _SCHEME.match(url) else f"//{url}").hostname or "").rstrip(".")
    except ValueError:
        return ""


SAME_MEANING = 0.95
"""Cosine similarity above which two passages say the same."""

SAME_WORDS = 0.95
"""Share of their common words among all their words (Jaccard) above which two passages are the same text."""


def duplicates(
    scores: Sequence[float], vectors: Vector, words: Sequence[Set[int]], same_meaning: float = SAME_MEANING
) -> list[bool]:
    """Mark every passage that repeats one of a higher score; the best of several copies is never marked.

    Args:
        scores: Without a penalty for duplicates; of equal scores the earlier one counts as higher.
        vectors: Unit vectors [n, dimension].
        words: Distinct words of each passage, as numbers.
        same_meaning: Cosine similarity above which two passages say the same; 1 for none but the same text.
    """
    order = np.argsort(-np.asarray(scores, dtype=float), kind="stable")
    rank = np.empty(len(order), dtype=int)
    rank[order] = np.arange(len(order))
    # Not the product "@", which wakes the linear algebra library's threads for a matrix too small to share.
    same = np.einsum("id,jd->ij", vectors, vectors) > same_meaning
    for one, other in _same_words(words):
        same[one, other] = same[other, one] = True
    return [bool(each) for each in np.any(same & (rank[None, :] < rank[:, None]), axis=1)]


def _same_words(words: Sequence[Set[int]]) -> Iterator[tuple[int, int]]:
    """Pairs of texts with the same words; only texts with nearly as many words can have them."""
    by_size = sorted((place for place, each in enumerate(words) if each), key=lambda place: len(words[place]))
    for number, one in enumerate(by_size):
        for other in by_size[number + 1 :]:
            if len(words[one]) <= SAME_WORDS * len(words[other]):
                break
            common = len(words[one] & words[other])
            if common > SAME_WORDS * (len(words[one]) + len(words[other]) - common):
                yield one, other
