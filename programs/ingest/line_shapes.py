"""Tells from a line or paragraph alone what it is: a caption, a publisher's notice, or a heading.

    "Fig. 2A: Survival of mice"   → caption, label "Fig. 2A"
    "Table 1Baseline values"      → caption, label "Table 1"         (text taken from XML loses the space)
    "Figure 2 shows survival."    → text: a sentence about a figure
    "Received: 9 December 2009; accepted: 23 May 2010"      → notice
    "© The Author(s) 2018 Open Access This article is …"    → notice
    "METHODS"   "Results and discussion:"   "2.1 Study population"   "IV. RELATED WORK"   → headings

``classify`` says what a section is for:

    "2.1 Statistical analysis"  → methods          "RESULTS AND DISCUSSION" → results
    "Participants" in Results   → results          "Material und Methoden"  → methods

A caption is distinguished from a sentence by what follows its label. Notices are what a publisher prints around a
paper; they are kept, and are not evidence. A line that is only the name of a section is a heading in any print.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import chain
from typing import Final, Literal, TypeAlias, cast

SectionKind: TypeAlias = Literal[
    "abstract",
    "introduction",
    "methods",
    "results",
    "discussion",
    "conclusion",
    "references",
    "appendix",
    "other",
    "notice",
]


def _kinds(said: str) -> dict[str, SectionKind]:
    """The kinds of sections by the headings in ``headings.tsv``, or by their first or last words."""
    lines = files("programs.ingest").joinpath("headings.tsv").read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines if line.startswith(f"{said}\t"))
    return {heading: cast("SectionKind", kind) for _, kind, headings in rows for heading in headings.split(" | ")}


_NAMES: Final = _kinds("name")
_TOPICS: Final = _kinds("topic")
_OPENING_NAMES: Final = _kinds("opening name")
"""Whatever follows: "Appendix A: search terms", "References and further reading"."""
_OPENING_TOPICS: Final = _kinds("opening topic")
_CLOSING_TOPICS: Final = _kinds("closing topic")

# Whatever is in these belongs to them: the "Methods" of a structured abstract are not a methods section.
_CLOSED: Final[frozenset[SectionKind | None]] = frozenset({"abstract", "references", "appendix"})

_NUMBERING = re.compile(
    r"""\s*(?:
        (?i:section|chapter|part)\s+\d+(?:\.\d+)*             # "Section 2: M" "Part 2 M", not "Part 2 of it"
          (?:[.:)]\s*(?=[^\W\d]) | \s+(?=[^\W\d_a-z]))
        | §+\s*\d+(?:\.\d+)*[.:)]?\s*
        | \(?\d+(?:\.\d+)*\.?[.:)\]|]\s*(?=[^\W\d])           # "2." "2.1." "(2)" "2|"
        | \d{1,2}(?:\.\d{1,3})*\s+(?:\|\s+)?(?=[^\W\d_a-z])   # "2 M" "2.1 | M", not "2 mg": no more than 99 sections
        | \d{1,2}(?:\.\d{1,3})+(?=[^\W\d])                    # "2.1Animals"
        | \(?(?:[IVX]+|[ivx]+)[.:)]\s*(?=[^\W\d])             # "II." "(iv)"
        | [IVX]{2,}\s+(?=[^\W\d_a-z])                         # "II M"; a lone I or V may be a word
        | \(?[A-Za-z][.)]\s+(?=[^\W\d])                       # "A. " "b) "; "E. coli" is kept by _SPECIES
        | [A-Z]\.\d+(?:\.\d+)*\.?\s+(?=[^\W\d])               # "A.1 "
    )""",
    re.VERBOSE,
)
_SPECIES = re.compile(r"[A-Z]\.\s+[a-z]")
_AND = re.compile(r"\s+(?:and|und|y|e|et|&|\+)\s+|\s*[/:;,|–—]\s*|\s*&\s*", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W_]+")
_COUNT = re.compile(r"\s*[(\[]\d+[)\]]\s*$")
"""Of what is listed under a heading: "References (45)", "Cited by (12)"."""


def strip_numbering(heading: str) -> str:
    """The heading without "2.1", "II.", "A." or "Section 3:" before it; "E. coli" and "5-HT" stay."""
    if _SPECIES.match(heading):
        return heading.strip()
    numbering = _NUMBERING.match(heading)
    return heading[numbering.end() :].strip() if numbering else heading.strip()


def classify(
    heading: str, parent: SectionKind | None = None, *, hint: str = "", opens_paper: bool = False
) -> SectionKind:
    """What a section is for.

    Args:
        heading: Its heading, as printed.
        parent: Kind of the section that it is in, None for a main section.
        hint: What the source's own markup calls it, such as JATS ``sec-type``; used when the heading says nothing.
        opens_paper: Whether it is the paper's first section: a "Summary" is then the abstract, else the conclusion.
    """
    if parent is not None and parent in _CLOSED:
        return parent
    if opens_paper and _key(strip_numbering(heading)) == "summary":
        return "abstract"
    own = named_kind(heading) or named_kind(hint)
    if own is not None:
        return own
    if parent is not None and parent != "other":
        return parent
    return _topic_kind(heading) or parent or "other"


@lru_cache(maxsize=4096)
def named_kind(heading: str) -> SectionKind | None:
    """The kind that the heading names by itself, such as "Results", or None for "Participants" and the like."""
    whole, *parts = _readings(heading)
    opening = next((kind for words, kind in _OPENING_NAMES.items() if whole.startswith(words)), None)
    return _first_known((whole,), _NAMES) or opening or _first_known(parts, _NAMES)


def _topic_kind(heading: str) -> SectionKind | None:
    readings = list(_readings(heading))
    if kind := _first_known(readings, _TOPICS):
        return kind
    for reading in readings:
        opening = (kind for words, kind in _OPENING_TOPICS.items() if reading.startswith(f"{words} "))
        closing = (kind for words, kind in _CLOSING_TOPICS.items() if reading.endswith(f" {words}"))
        if kind := next(chain(opening, closing), None):
            return kind
    return None


def _readings(heading: str) -> Iterator[str]:
    """The key of the whole heading without its "and", then that of each part in "Results and Discussion"."""
    bare = _COUNT.sub("", strip_numbering(heading))
    parts = [key for part in _AND.split(bare) if (key := _key(part))]
    yield " ".join(parts)
    if len(parts) > 1:
        yield from parts


def _key(heading: str) -> str:
    """Lower-case words without accents and punctuation, separated by single spaces."""
    plain = heading.casefold()
    if not plain.isascii():
        plain = "".join(c for c in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(c))
    return " ".join(_LETTERS.findall(plain))


def _first_known(keys: Iterable[str], kinds: Mapping[str, SectionKind]) -> SectionKind | None:
    return next((kinds[key] for key in keys if key in kinds), None)


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
    """A caption: its label as printed, without trailing punctuation, and what follows, which may be empty."""

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
    """Whether a caption says that its table continues from another page: "Table 1. (Continued)", "Table 1 Cont."."""
    return _CONTINUED.search(caption.text) is not None


_DATE = r"[^.]{0,40}?\b(?:19|20)\d\d\b"
_OPENING = re.compile(
    rf"""[^\w©]*(?:
        (?:date\s+of\s+\w+|(?:manuscript\s+)?received|revised|accepted|published|(?:first\s+)?published\s+online|
           available\s+online|submitted|publication\s+dates?|epub|article\s+history)\b(?:\s+\w+){{0,2}}?\s*[:,]?{_DATE}
      | (?:suggested\s+|recommended\s+)?citation\b(?:\s+(?:article|paper|work|as|this))*\s*:
      | (?:how\s+to|to|please)\s+cite\s+th(?:is|e)\b | cite\s+this\s+(?:article|paper|work)\b
      | (?:full\s+)?(?:correspondence|corresponding\s+authors?|address\s+for\s+correspondence|present\s+address(?:es)?)
           (?:\s+(?:to|at|address|should\s+be\s+\w+(?:\s+to)?|information))*\s*[:\s]
      | (?:author|address\s+correspondence|reprint\s+requests?)\s+to\s
      | (?:academic\s+|handling\s+|associate\s+|section\s+|guest\s+|specialty\s+)?editors?\s*:
      | (?:edited|reviewed|approved)\s+(?:and\s+reviewed\s+)?by\b
      | (?:©|\(c\)\s|copyright\b\s*(?:©|\(c\)|:|the\b|\d|by\b|holder))
      | open\s+access\b\s*(?:$|this|citation|\#|:|©)
      | (?:this|the)\s+(?:is|article|work|paper|publication)\s[^.]{{0,60}}?
           (?:open[-\s]access|distributed\s+under|licensed\s+(?:under|to)|creative\s+commons|published\s+(?:under|by))
      | creative\s+commons\b
      | downloaded\s+(?:from|by|on|via)\b
      | publisher['’`]?s\s+note\b
      | springer\s+nature\s+remains\s+neutral
      | author\s+details\s+(?:1|\W)
      | orcid\b(?:\s+ids?)?\W*(?:https?|\d{{4}}-|.{{3,60}}?https?://orcid\.org)
      | (?:supporting\s+information\s+)?additional\s+supporting\s+information\s+(?:may|can)\s+be\s+found
      | publish\s+with\s+(?:bmc|biomed\s+central)\b
      | (?-i:KEY\s?WORDS)\s
      | (?:e-?mail(?:\s+address(?:es)?)?|tel(?:ephone)?|fax|phone)\s*[.:]
      | (?:e-?issn|p-?issn|issn)\b
      | (?:available|freely\s+available)\s+(?:online\s+)?(?:at|from)\s*:?\s*(?:https?|www|\w+\.\w+)
      | this\s+article\s+is\s+available\s+(?:online|from)
      | (?:submit|ready\s+to\s+submit)\s+your\s+(?:next\s+)?(?:manuscript|research|paper)
      | pre-?publication\s+history
      | (?:key\s?-?\s?words?(?:\s+and\s+phrases)?|index\s+terms|acm\s+reference\s+format)\s*[:.—–-]
      | permission\s+to\s+make\s+digital\s+or\s+hard\s+copies
      | doi\s*:?\s*10\.
      | https?://(?:dx\.)?doi\.org/
      | the\s+author\(?s?\)?\s+\d{{4}}
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_ANYWHERE = re.compile(r"full list of author information is available", re.IGNORECASE)
_INSTITUTION = re.compile(
    r"\b(?:universi\w*|departments?|dept|institut\w*|facult\w*|college|schools?|hospitals?|cent(?:er|re|ro)s?|academy|"
    r"laborator\w*|division|clinics?|ministry|foundation|programme|graduate|campus)\b|\S@\S+\.\w",
    re.IGNORECASE,
)
_NUMBERED_ADDRESS = re.compile(r"(?:\d{1,2}|[*†‡§])\s*[^\W\d_][^.;:]*,[^.;:]*,\s*[^\W\d_][^.;:]{2,40}\.?")
"""A mark as authors have, then an address with town and country: "2 Department of Zoology, Punjab, Pakistan."."""
# An address is short, and has commas rather than sentences.
_MAX_ADDRESS = 1200


def is_notice(text: str) -> bool:
    """Whether a paragraph opens as a publisher's notice does, or is an address that ends in one."""
    is_numbered = _NUMBERED_ADDRESS.fullmatch(text) is not None and is_address(text)
    names_list = len(text) <= _MAX_ADDRESS and _ANYWHERE.search(text) is not None
    return _OPENING.match(text) is not None or is_numbered or names_list


def is_address(text: str) -> bool:
    """Whether a paragraph names an institution or an e-mail address, as what is under the authors does."""
    return len(text) <= _MAX_ADDRESS and _INSTITUTION.search(text) is not None


# "2.1 Study population": a number of one or two digits per level and a capital. "2001 Patients" and "3.5 mg" are text.
_DECIMAL = re.compile(r"(\d{1,2}(?:\.\d{1,2})*)\.?\s+(?:\|\s*)?(?=[A-Z])")
_MAX_CHARACTERS = 120
_MAX_WORDS = 16
_SENTENCE_END = re.compile(r"[.!;,]$")


def numbering_level(line: str) -> int | None:
    """1 for "2. Methods", 2 for "2.1 Animals"; None without decimal numbering."""
    number = _DECIMAL.match(line)
    return number[1].count(".") + 1 if number else None


def may_be_heading(line: str) -> bool:
    """Whether a line is short enough, holds a word and does not end like a sentence."""
    text = line.strip()
    return (
        len(text) <= _MAX_CHARACTERS
        and len(text.split()) <= _MAX_WORDS
        and re.search(r"[^\W\d_]{2}", text) is not None
        and not _SENTENCE_END.search(text)
        and split_caption(text) is None
    )


def heading_kind(text: str) -> SectionKind | None:
    """The kind of section that a heading names, also with spaces between its letters: "A B S T R A C T"."""
    words = text.rstrip(":.").split()
    unspaced = "".join(words) if words and max(map(len, words)) < len("references") else ""
    return named_kind(" ".join(words)) or (named_kind(unspaced) if unspaced else None)


def is_known_heading(line: str) -> bool:
    """Whether a line alone is the name of a section of a paper, such as "Results" or "3. MATERIALS AND METHODS:"."""
    text = line.strip().rstrip(":.")
    starts_high = strip_numbering(text)[:1].isupper()
    return starts_high and len(text.split()) <= 6 and may_be_heading(text) and classify(text) != "other"


def is_numbered_heading(line: str) -> bool:
    """Whether a line alone is a heading by its decimal numbering, such as "2.1 Study population"."""
    return may_be_heading(line) and numbering_level(line.strip()) is not None


def is_shouted(line: str) -> bool:
    """Whether a line alone is in capitals, such as "STUDY POPULATION"; single words and formulas are not enough."""
    text = strip_numbering(line.strip())
    return may_be_heading(line) and text.isupper() and len(text.split()) > 1 and sum(map(str.isalpha, text)) > 8
