"""What was said of a paper after it came out: retractions, corrections, expressions of concern.

A paper that was retracted names the notice (``related-article-type="retraction-forward"``); the notice names the paper
("retracted-article"), and is not itself retracted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from programs.ingest.document import MetadataValue
from programs.ingest.xml_parsing import Element, children, descendants, href

_FORWARD = {
    "retraction-forward": "retracted",
    "partial-retraction-forward": "retracted in part",
    "retraction": "retracted",
    "partial-retraction": "retracted in part",
    "concern-forward": "under an expression of concern",
    "expression-of-concern-forward": "under an expression of concern",
    "expression-of-concern": "under an expression of concern",
    "correction-forward": "corrected",
    "corrected-forward": "corrected",
    "erratum-forward": "corrected",
    "correction": "corrected",
    "erratum": "corrected",
}
"""What a link from a paper to a later notice says of the paper."""
_NOTICES = ("retraction", "correction", "expression-of-concern", "erratum")
"""Kinds of article that are such a notice: what they link to is the paper, not a notice on them."""
_TITLE = re.compile(r"^\W*(?:RETRACTED\b|Retracted(?: [Aa]rticle)?\s*[:\]])")
_DOI_ADDRESS = re.compile(r"^https?://(?:dx\.)?doi\.org/", re.IGNORECASE)


def corrections_of(article: Element, meta: Element, title: str) -> dict[str, MetadataValue]:
    """``retracted``, and ``corrections``: each in words, with the notice where it is named."""
    said = list(dict.fromkeys(_said(article, meta)))
    retracted = any(each.startswith("retracted") and "in part" not in each for each in said)
    if not retracted and _TITLE.match(title):
        retracted, said = True, ["retracted, as its title says", *said]
    return {"retracted": retracted, **({"corrections": said} if said else {})}


def _said(article: Element, meta: Element) -> Iterator[str]:
    if article.get("article-type", "") in _NOTICES:
        return
    for link in [*children(meta, "related-article"), *_in_notes(article)]:
        kind = _FORWARD.get(link.get("related-article-type", "").lower())
        if kind is not None:
            notice = _DOI_ADDRESS.sub("", href(link).strip())
            yield f"{kind} by {notice}" if notice else kind


def _in_notes(article: Element) -> Iterator[Element]:
    """Some publishers put the link into a note at the end of the paper."""
    for back in children(article, "back"):
        yield from descendants(back, "related-article")
