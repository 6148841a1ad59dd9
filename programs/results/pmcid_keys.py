"""What answers cite papers by: ``[PMC1234567]``, or the document's id where there is no PMCID.

PMC1234567                    →  PMC1234567
Smith 2014 [bone, mice]       →  Smith_2014_bone_mice
42                            →  doc_42             a bare number would read as the number of a passage
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from programs.ingest.document import Document
from programs.proof.cited_answer import CitedAnswer
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
    """Give each document a key that no other one of them answers to, whatever the case.

    Args:
        documents: Each once; where two would share a key, the later gets a number behind it.

    Returns:
        Document id to key.
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
