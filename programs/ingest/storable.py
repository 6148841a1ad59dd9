"""Metadata as every store can hold it: names that are no paths, numbers of 64 bits, text that UTF-8 can write."""

from __future__ import annotations

import math
import re
from dataclasses import replace

from programs.ingest.document import Document, MetadataValue

_NO_NAME = re.compile(r"[^\w-]+")
_LARGEST = 2**63 - 1


def storable(document: Document) -> Document:
    """The document with metadata that can be stored and filtered; only what cannot be is changed.

    A name's odd characters become "_" (a dot or bracket would be read as a path); a number that is not finite or too
    large becomes text; a lone surrogate becomes "?".
    """
    metadata = {_name(name): _value(value) for name, value in document.metadata.items()}
    return replace(document, id=_text(document.id), source=_text(document.source), metadata=metadata)


def _name(name: str) -> str:
    return _NO_NAME.sub("_", _text(str(name))) or "_"


def _value(value: MetadataValue) -> MetadataValue:
    if isinstance(value, list):
        return [_text(item) if isinstance(item, str) else item for item in value]
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return str(value) if isinstance(value, int) and abs(value) > _LARGEST else value


def _text(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8") if not _is_text(text) else text


def _is_text(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)
