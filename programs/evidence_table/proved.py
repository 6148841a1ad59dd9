"""What the certificates of a cell prove, as files hold them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from signatures import citations


def quoted_by(certificates: Iterable[Mapping[str, Any]]) -> list[str]:
    """The quotes of all certificates that prove something, each once."""
    proving = (quote["quote"] for each in _proving(certificates) for quote in each["quotes"])
    return list(dict.fromkeys(proving))


def proved_sentences(certificates: Iterable[Mapping[str, Any]]) -> list[str]:
    """The sentences that are proved, without their citations, each once."""
    return list(dict.fromkeys(citations.strip(each["sentence"]) for each in _proving(certificates)))


def _proving(certificates: Iterable[Mapping[str, Any]]) -> Iterable[Mapping[str, Any]]:
    return (each for each in certificates if each["verdict"] == "supported")
