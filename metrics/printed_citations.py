"""Citations and callouts that papers print in their sentences: of other works, of their own figures and tables.

"Damage rose near water (Montero-Botey, Miguel & Perea, 2021)."     a finding of Montero-Botey, Miguel and Perea
"Dickman (2010) showed the same [18, 19]."                          one of Dickman's, and of two others
"Damage rose near water (Fig. 2A)."                                 one of the paper itself
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

_AUTHOR = r"(?-i:[A-Z])[\w'’.-]+"
_AUTHORS = rf"{_AUTHOR}(?:(?:,? and |,? & |, | ){_AUTHOR})*(?: et al\.?)?"
_YEAR = r"(?:19|20)\d\d[a-z]?"
_CITED = rf"{_AUTHORS},? {_YEAR}(?:, {_YEAR})*"
_CALLOUT = r"(?:suppl\w*\.? )?(?:figs?|figures?|tables?)\.? ?S?\d+[A-Za-z]?(?:[,;–-] ?| and )?"
# Brackets that hold nothing else: "(Smith et al., 2010; but not in women)" may not be left out.
_APPARATUS = re.compile(rf"\s?\((?:see )?(?:(?:{_CALLOUT})+|{_CITED}(?:; {_CITED})*)\)", re.IGNORECASE)

NUMBERED = r"\[\d{1,3}(?:\s?[,;‐-―−-]\s?\d{1,3})*\]"
"""Numbers of works in brackets, "[18, 19]", as a part of a pattern."""
_MONTH = r"(?!(?:jan|febr?|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.?,? \(?(?:19|20))"
_OF_AUTHORS = (
    rf"\((?:(?:see|e\.g\.,?|reviewed in) )*(?P<bracketed>{_MONTH}{_AUTHORS}, {_YEAR}[^()]*)\)"
    rf"|(?P<named>\b{_MONTH}{_AUTHOR}(?: et al\.?|(?:,? and |,? & ){_AUTHOR})? \({_YEAR}\))"
)
_NAMED = re.compile(_OF_AUTHORS, re.IGNORECASE)
_WORKS = re.compile(rf"{_OF_AUTHORS}|(?<!CI )(?<!interval )(?<!range )(?P<numbered>{NUMBERED})", re.IGNORECASE)
OPENING = 40
"""Characters of a sentence that name the authors it reports on: "Dickman (2010) showed"."""


LEFT_OUT = "[…]"  # in the place of what a quotation leaves out in its middle
_TOKEN = re.compile(r"\w+|[^\w\s]")
_INNER_MARKS = str.maketrans("“”„", "'''")


def quotation_of(words: str, source: str) -> str | None:
    """Words of a source as it prints them, with ``LEFT_OUT`` for what they leave out in between.

    Quotation marks inside become simple ones, since one would end the quotation. None where the words are not the
    source's, in its order.
    """
    source = " ".join(source.translate(_INNER_MARKS).split())
    places = [match.span() for match in _TOKEN.finditer(source)]
    printed = [source[start:end].casefold() for start, end in places]
    asked = [each.casefold() for each in _TOKEN.findall(words.translate(_INNER_MARKS))]
    blocks = SequenceMatcher(None, printed, asked, autojunk=False).get_matching_blocks()[:-1]
    if sum(each.size for each in blocks) < len(asked):
        return None
    parts = [source[places[each.a][0] : places[each.a + each.size - 1][1]] for each in blocks]
    return re.sub(r" (?=[,;:.])", "", f" {LEFT_OUT} ".join(parts))


def without_apparatus(text: str) -> str:
    """A sentence without its callouts of figures and tables, and without citations of authors."""
    return _APPARATUS.sub("", text)


def cites_authors(text: str) -> bool:
    """Whether a sentence cites works by their authors: what it says may be a finding of theirs."""
    return _NAMED.search(text) is not None


def works_cited_for(text: str) -> Iterator[str]:
    """The works whose findings a sentence seems to tell, as printed: those it ends with, or opens with by authors.

    "Damage rose near water (Miguel & Perea, 2021)." or "Damage rose [18, 19].", and "Dickman (2010) showed …"; of what
    a sentence cites in between it is unknown whose finding it is.
    """
    for match in _WORKS.finditer(text):
        ends = not text[match.end() :].strip(" .;")
        if ends or (match["named"] and match.start() < OPENING):
            yield " ".join((match["bracketed"] or match["named"] or match["numbered"]).split())
