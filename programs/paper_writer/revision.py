"""Verified sentences back in their places.

Only sentences that cite are given to verification: what the authors say of their own work has no passage that could
prove it, and figures are not to be rewritten. What comes back is told to its places by aligning the two lists of
sentences.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from metrics.passages import passages_of
from metrics.sentences import Span
from metrics.statements import statements
from programs.passage import Passage

_GAPS = re.compile(r"\n{3,}")


def cited_sentences(text: str, passages: Sequence[Passage], own: str = "") -> list[Span]:
    """Where the sentences that cite something stand in a text.

    Args:
        text: A section.
        passages: What can be cited.
        own: What the authors say themselves; sentences that stand in it are theirs, and left out.
    """
    citable, authors_own = passages_of({"passages": passages}), _plain(own)
    cited = [each for each in statements(text, citable) if each.cites]
    return [Span(each.start, each.end) for each in cited if _plain(text[each.start : each.end]) not in authors_own]


def as_answer(text: str, spans: Sequence[Span]) -> str:
    """The sentences as verification reads them, one a line."""
    return "\n".join(text[span.start : span.end].strip() for span in spans)


@dataclass(frozen=True, slots=True)
class Revision:
    """A text after verification, and the sentences that it took out."""

    text: str
    removed: tuple[str, ...] = ()


def revised(text: str, spans: Sequence[Span], verified: str, passages: Sequence[Passage]) -> Revision:
    """The text with its cited sentences as verification left them.

    Args:
        text: A section.
        spans: Where its cited sentences stand.
        verified: What became of them, in the same order; some may be mended, joined or gone.
        passages: What can be cited.
    """
    before = [text[span.start : span.end].strip() for span in spans]
    after = [
        verified[each.start : each.end].strip() for each in statements(verified, passages_of({"passages": passages}))
    ]
    replaced = list(before)
    matcher = SequenceMatcher(None, [*map(_plain, before)], [*map(_plain, after)], autojunk=False)
    for kind, first, last, start, end in matcher.get_opcodes():
        if kind == "insert" and replaced:
            place = max(0, first - 1)
            replaced[place] = " ".join(filter(None, [replaced[place], *after[start:end]]))
        elif kind in ("replace", "delete"):
            replaced[first:last] = _spread(after[start:end], last - first)
    removed = tuple(sentence for sentence, left in zip(before, replaced, strict=True) if not left)
    return Revision(_spliced(text, spans, replaced), removed)


def _spread(sentences: Sequence[str], places: int) -> list[str]:
    """Sentences for so many places, one each in order; the last place takes what is left, a place may stay empty."""
    kept = list(sentences[: places - 1]) if len(sentences) > places else list(sentences)
    rest = sentences[len(kept) :]
    return [*kept, *([" ".join(rest)] if rest else []), *[""] * (places - len(kept) - bool(rest))]


def _spliced(text: str, spans: Sequence[Span], replaced: Sequence[str]) -> str:
    parts, position = [], 0
    for span, sentence in zip(spans, replaced, strict=True):
        parts += [text[position : span.start], sentence]
        # Where a sentence is gone, the space behind it goes too.
        position = span.end + (text.startswith(" ", span.end) and not sentence)
    lines = "".join([*parts, text[position:]]).splitlines()
    return _GAPS.sub("\n\n", "\n".join(line.rstrip() for line in lines)).strip()


def _plain(sentence: str) -> str:
    return " ".join(sentence.split()).casefold()
