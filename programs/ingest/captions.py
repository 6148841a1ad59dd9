"""Recognises the paragraph that is the caption of a figure or table.

    "Fig. 2A: Survival of mice"   → label "Fig. 2A", caption "Survival of mice"
    "Table 1Baseline values"      → label "Table 1", caption "Baseline values"     (text taken from XML loses the space)
    "Figure 2 shows survival."    → no caption: a sentence about one

A caption is told from a sentence by what stands after its label.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_LABEL = re.compile(
    r"""(?P<label>
        (?:(?:supplementa(?:ry|l)|suppl\.?|additional|extended\ data|supporting|online)\s+)?
        (?:figures?|figs?\.?|tables?|tab\.|schemes?|charts?|plates?|boxe?s?)
        (?:\s*|\s?[-\u2010\u2011]\s?)
        (?:(?:[SAE][-.]?\s?)?\d+(?:\.\d+)*(?:[A-Za-z](?![A-Za-z]))?|[IVX]+(?![A-Za-z]))
    )""",
    re.IGNORECASE | re.VERBOSE,
)
# After the label comes a mark ("2." "2:" "2 |"), a panel "(A)", "(continued)", a capital letter or nothing; a lower-
# case word makes it a sentence about the figure, and so do "Figure 2, which" and "Figure 2)".
_SEPARATOR = re.compile(r"\s*[.:|–—]+\s*|\s+-\s+|\s*(?=\((?:[A-Za-z][),–-]|cont))|\s*(?=[A-Z0-9<≥≤α-ωΑ-Ω])|\s*$")

_CONTINUED = re.compile(
    r"^[\[(]?cont(?:inued|inuation|['’]?d|\.)?\W*$|[\[(]cont(?:inued|['’]?d|\.)[^)\]]{0,20}[\])]\W*$", re.IGNORECASE
)

_CONTINUED_FIRST = re.compile(r"[\[(]?cont(?:inued|inuation of|['’]?d)?\.?[\])]?:?\s+(?=tab)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Caption:
    """A caption in its two parts.

    Attributes:
        label: ``Figure 2``, as printed, without trailing punctuation.
        text: What follows; may be empty where the label stands alone on its line.
    """

    label: str
    text: str

    @property
    def is_table(self) -> bool:
        """Whether it belongs to a table."""
        return "tab" in self.label.lower()


def split_caption(paragraph: str) -> Caption | None:
    """The caption that a paragraph is, or None for any other paragraph."""
    paragraph = paragraph.strip().strip("*_").strip()
    if before := _CONTINUED_FIRST.match(paragraph):
        label = _LABEL.fullmatch(paragraph, before.end())
        return Caption(label["label"], "Continued") if label else None
    label = _LABEL.match(paragraph)
    if label is None or not paragraph[0].isupper():
        return None
    separator = _SEPARATOR.match(paragraph, label.end())
    if separator is None:
        return None
    return Caption(label["label"].strip(), paragraph[separator.end() :].strip(" *_"))


def is_continued(caption: Caption) -> bool:
    """Whether a caption says that its table goes on from another page: "Table 1. (Continued)", "Table 1 Cont."."""
    return _CONTINUED.search(caption.text) is not None
