"""Sentences of papers made fit to stand alone, facts unchanged: less printed apparatus, citations at the end."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from metrics.sentences import sentences
from metrics.support.guards import without_apparatus
from signatures import citation_markers
from signatures.passages import as_data

_OPENERS = re.compile(
    r"^(?:however|moreover|furthermore|in addition|additionally|interestingly|notably|therefore|thus|hence|consequently"
    r"|in conclusion|in summary|taken together|overall|finally|indeed|as expected|surprisingly|importantly), (?=\w)",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^(?:[A-Z][A-Z &]{3,40}:+|\(\d\)|[-*•]|(?:Fig(?:ure)?|Table)\.?[ -]S?\d+[A-Za-z]?[.:]) ")
_QUOTES = re.compile(r"[“”„]")
_END = re.compile(r"[.!?。]+[\"'”’)]*$")


def compressed(sentence: str) -> str:
    """A sentence without citation marks, figure callouts, and words that tie it to the sentence before."""
    text = without_citations(as_data(" ".join(sentence.split())))
    text = _OPENERS.sub("", _LABEL.sub("", without_apparatus(text)))
    text = re.sub(r"\s+([.,;])", r"\1", text)
    return text[:1].upper() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


def cited(sentence: str, labels: Iterable[str]) -> str:
    """A sentence with its citations before the full stop: "Growth slowed [1][3]."."""
    marks = "".join(f"[{label}]" for label in dict.fromkeys(labels) if label)
    end = _END.search(sentence)
    body, stop = (sentence[: end.start()], end.group()) if end else (sentence.rstrip(" ,;:"), ".")
    return f"{body} {marks}{stop}" if marks else f"{body}{stop}"


def quoted(sentence: str, labels: Iterable[str]) -> str:
    """A sentence of a passage as a quotation with its citations: “Growth slowed” [1][3].

    Extraction copies, so it says that it does. As is usual in quotations, the printed citations and callouts that
    ``compressed`` takes out are left out without a sign.
    """
    text = compressed(sentence)
    end = _END.search(text)
    body = _QUOTES.sub("'", text[: end.start()] if end else text.rstrip(" ,;:"))  # a mark inside would end it
    return cited(f"“{body}”", labels)


def cited_labels(sentence: str, labels: Collection[str] = ()) -> list[str]:
    """What a sentence cites, in order; ``labels`` are what it could cite."""
    return [each for marker in citation_markers.find(sentence, labels) for each in marker.ids]


def without_citations(sentence: str, labels: Collection[str] = ()) -> str:
    """A sentence as it reads without its citations; other brackets, as in "median 4 [1–8] wk", stay."""
    return citation_markers.strip(sentence, labels)


def split(text: str) -> list[str]:
    """Sentences of an answer, each with the citations that stand in it or directly behind it."""
    return [text[span.start : span.end] for span in sentences(text)]


def joined(parts: Sequence[str]) -> str:
    """Sentences as one paragraph."""
    return " ".join(part for part in parts if part)
