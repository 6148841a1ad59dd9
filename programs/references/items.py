"""A paper as a CSL-JSON item (citationstyles.org), which holds whatever BibTeX and RIS hold."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeAlias

from programs.ingest.document import BY_OCR, Document

Item: TypeAlias = dict[str, Any]
"""A CSL-JSON item."""

_NOT_IN_KEYS = re.compile(r"[^\w.:-]+", re.ASCII)
_OF_METADATA = {"volume": "volume", "issue": "issue", "publisher": "publisher", "issn": "ISSN", "pmid": "PMID"}
_DOI_ADDRESS = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)


def key_of(document_id: str) -> str:
    """The key of a paper in reference lists: its id, as far as BibTeX and pandoc take it."""
    return _NOT_IN_KEYS.sub("_", document_id).strip("_.:-") or "paper"


def item_of(document: Document) -> Item:
    """A paper with everything that is known of it and that a reference says; what is not known is left out."""
    known = {
        "id": key_of(document.id),
        "type": "article-journal" if document.journal else "article",
        "title": document.title or document.id,
        "author": [_name(author) for author in document.authors],
        "container-title": document.journal,
        "issued": {"date-parts": [[document.year]]} if document.year else None,
        **{name: _text(document.metadata, field) for field, name in _OF_METADATA.items()},
        "page": _text(document.metadata, "pages").replace("–", "-"),
        "DOI": _DOI_ADDRESS.sub("", document.doi.strip()),
        "PMCID": document.pmcid,
        "URL": document.url,
        "note": "; ".join(each for each in document.corrections if not each.startswith(BY_OCR)),
    }
    return {name: value for name, value in known.items() if value}


def family_given(name: Mapping[str, str]) -> str:
    """An author as "Family, Given", or the name of a group."""
    return ", ".join(filter(None, (name.get("family"), name.get("given"), name.get("suffix")))) or name["literal"]


def _name(author: str) -> dict[str, str]:
    family, *rest = (part.strip() for part in author.split(","))
    if not rest:
        return {"literal": author.strip()}
    given, *suffix = rest
    return {"family": family, "given": given, **({"suffix": " ".join(suffix)} if suffix else {})}


def _text(metadata: Mapping[str, Any], field: str) -> str:
    value = metadata.get(field, "")
    return str(value) if isinstance(value, str | int | float) else ""
