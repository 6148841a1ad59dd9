"""Words in quotation marks: a claim that quotes must quote word for word.

    quote   "Femur density fell by 12.4 % in flight mice."
    claim   "It reports that “density fell by 12.4 % in flight men”."      quotation: not the quotes' words

Case, white space and marks of punctuation may differ, and "…" may leave words out; signs and numbers may not. As is
usual in quotations, printed citations and callouts of figures may be left out without a sign.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from metrics.support.reading import normalised
from metrics.support.veto import Veto
from signatures import citation_markers

FEWEST_WORDS = 3
"""Words from which on quotation marks quote; one or two of them name a term."""

_OPENING, _CLOSING = "“„«「『", "”»」』"
_QUOTED = re.compile(
    r'"(?P<straight>[^"\n]+)"'
    rf"|(?P<opened>[{_OPENING}])(?P<marked>[^{_OPENING}{_CLOSING}\n]+)(?:[{_CLOSING}“]|$)"
    rf"|^(?P<rest>[^{_OPENING}{_CLOSING}\n]+)[{_CLOSING}]"
)
_LEFT_OUT = re.compile(r"\[\s*(?:…|\.\.\.)\s*\]|…|\.\.\.")
_INSIDE = re.compile(r"(?<!\w)['‘]([^'‘’\n]+)['’](?!\w)")
_PART = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+|(?<![\w)\]])-(?=[\d.])|[^\w\s.,;:()\[\]{}\"'!?/\\*_`-]|[^\W\d_a-z]")

# Callouts ("(Fig. 2A)", "(Table 1; Figure S2)") and citations of authors ("(Smith et al., 2010; Lee and Kim 2011)"),
# in brackets that hold nothing else: "(Smith et al., 2010; but not in women)" may not be left out.
_CALLOUT = r"(?:suppl\w*\.? )?(?:figs?|figures?|tables?)\.? ?S?\d+[A-Za-z]?(?:[,;–-] ?| and )?"
_AUTHOR = r"(?-i:[A-Z])[\w'’.-]+"
_CITED = rf"{_AUTHOR}(?:(?:,? and |,? & |, | ){_AUTHOR})*(?: et al\.?)?,? (?:19|20)\d\d[a-z]?(?:, (?:19|20)\d\d[a-z]?)*"
_APPARATUS = re.compile(rf"\s?\((?:see )?(?:(?:{_CALLOUT})+|{_CITED}(?:; {_CITED})*)\)", re.IGNORECASE)


def without_apparatus(text: str) -> str:
    """A sentence without its callouts of figures and tables, and without citations of authors."""
    return _APPARATUS.sub("", text)


def misquoted(claim: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """Quotations of a claim that the quotes do not hold.

    Args:
        claim: One sentence; its quotation marks may open before it or close behind it.
        quotes: Whole sentences of passages, in which quotations must stand, each in one of them.
    """
    given = []
    for version in (list(quotes), [citation_markers.strip(without_apparatus(quote)) for quote in quotes]):
        parts = [_parts(quote) for quote in version]
        given += [*parts, [each for one in parts for each in one]]
    for match in _QUOTED.finditer(claim):
        quoted = match["straight"] or match["marked"] or match["rest"]
        for stretch in filter(None, map(_parts, _stretches(quoted))):
            if len(_parts(quoted)) >= FEWEST_WORDS and not any(_holds(parts, stretch) for parts in given):
                yield Veto("quotation", f"the quotes do not hold “{quoted.strip()}” word for word")
                break


def _stretches(quoted: str) -> list[str]:
    """What was taken over word for word: the parts around what is left out, and a quotation inside the quotation."""
    return [part for stretch in _LEFT_OUT.split(quoted) for part in _INSIDE.split(stretch)]


def _parts(text: str) -> list[str]:
    return [each.lower() for each in _PART.findall(normalised(text))]


def _holds(parts: Sequence[str], stretch: Sequence[str]) -> bool:
    """Whether a run of words stands among others."""
    size = len(stretch)
    return any(parts[at : at + size] == stretch for at in range(len(parts) - size + 1))
