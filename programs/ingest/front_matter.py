"""Reads the names of authors, as "Family, Given", and finds title and authors at the head of a paper in markup.

    # Cold and yeast: a trial
    Ada Lovelace¹, Charles Babbage²
    ¹ Department of Engines, University of London

    ## Abstract …

``title_place`` and ``split_authors_below`` serve formats that mark headings and paragraphs, but not what they are for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Literal, TypeVar
from urllib.parse import urlsplit

from programs.ingest.document import Front
from programs.ingest.line_shapes import (
    classify,
    heading_kind,
    is_address,
    is_known_heading,
    is_notice,
    named_kind,
    split_caption,
)

# Crossref's own recommendation for modern DOIs, https://www.crossref.org/blog/dois-and-matching-regular-expressions/
_DOI = re.compile(r"\b10\.\d{4,9}/[-._;()/:A-Z0-9]+", re.IGNORECASE)
# "https://doi.org/" and "10.1371/journal." continue in the next, where that begins with a digit or what ends in one.
_BROKEN_DOI = re.compile(
    r"(\bdoi\.org/|\b10\.\d{4,9}/(?:[-._;()/:A-Z0-9]*[-._/])?)\s*\n\s*([-._;()/:A-Z0-9]*\d)", re.IGNORECASE
)
_PMCID = re.compile(r"(?<![^\W_])PMC\s?(\d{3,9})(?!\d)", re.IGNORECASE)
_OPENING = 4000
_STATED_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_YEAR = r"((?:19|20)\d\d)(?!\d)"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DATE = rf"(?:[\s,.:/–-]|\d{{1,2}}(?:st|nd|rd|th)?\b|{_MONTH}\b|on\b|date\b)*"
# From the surest sign to the weakest: a publication date, a copyright line, "J Biol 2019, 3:45", "2019;3(4)", a volume.
# Those of a volume are in citations too.
_OF_VOLUME = range(3, 7)
_YEAR_SIGNS = tuple(
    re.compile(sign, re.IGNORECASE | re.MULTILINE)
    for sign in (
        rf"\b(?:published|publication date|epub|posted)(?:\s+online)?{_DATE}\b{_YEAR}",
        rf"\b(?:published|publication date|epub)\b[^\n]{{0,40}}?\b{_YEAR}",
        rf"(?:©|\(c\)|copyright)[^\n\d]{{0,40}}{_YEAR}",
        rf"\b{_YEAR}\s*[,;:]\s*\d+\s*(?:\(\d+\)\s*)?[:(,]",
        rf"\bvol(?:ume|\.)?\s*\d[^\n]{{0,60}}?\b{_YEAR}",
        rf"[(\s]{_YEAR}\)?,?\s*(?:vol|\d+\s*[:(,])",
        rf"\b\d+\s*\({_YEAR}\)[,:]?\s*e?\d",
        rf"\bcite this[^\n]*(?:\n[^\n]*){{0,3}}?\({_YEAR}\)",
        rf"\baccepted\b[^\n]{{0,30}}?\b{_YEAR}",
        rf"\barXiv:\d[^\n]{{0,40}}?\b{_YEAR}",
        # A separate line, as LaTeX prints it: "(Dated: 4 March 2018)", "Preprint submitted to … March 4, 2018".
        rf"^\W*(?:(?:draft|version|dated?|compiled|last|updated|(?:preprint|manuscript|submitted)(?!\w)[^\n\d]*)\W*)*"
        rf"(?:\d{{1,2}}\s+)?{_MONTH}\.?(?:\s+\d{{1,2}})?,?\s+{_YEAR}\W*$",
    )
)


def find_doi(text: str) -> str:
    """The first DOI of the text, without a resolver's address and trailing punctuation; empty if there is none."""
    return next(find_dois(text), "")


def find_dois(text: str) -> Iterator[str]:
    """All DOIs of the text as ``find_doi`` gives them; one broken across lines is joined."""
    for found in _DOI.finditer(_BROKEN_DOI.sub(r"\1\2", text)):
        doi = found[0].rstrip(".;:,")
        while doi.endswith(")") and doi.count("(") < doi.count(")"):
            doi = doi[:-1].rstrip(".;:,")
        yield doi


def find_pmcid(text: str) -> str:
    """The first PMCID of the text as "PMC2654319"; empty if there is none."""
    found = _PMCID.search(text)
    return f"PMC{found[1]}" if found else ""


def pmc_address(pmcid: str) -> str:
    """Where PubMed Central shows a paper."""
    return f"https://www.ncbi.nlm.nih.gov/pmc/articles/{pmcid}/"


def find_year(text: str, imprint: str | None = None) -> int | None:
    """The year of publication, from a publication date, copyright line or volume number.

    Args:
        text: What is printed.
        imprint: The part of it in which a volume is the paper's own, as it is not in citations; by default all.
    """
    for place, sign in enumerate(_YEAR_SIGNS):
        if found := sign.search(text if imprint is None or place not in _OF_VOLUME else imprint):
            return int(found[1])
    return None


def opening_of(text: str) -> list[str]:
    """The first lines of a paper, as far as its references: what it says of itself is there."""
    lines = (line.strip("#*_ \t") for line in text[:_OPENING].splitlines())
    return list(takewhile(lambda line: heading_kind(line) != "references", lines))


def printed_year(lines: Sequence[str], edges: Sequence[str] = ()) -> int | None:
    """The year that a paper's opening says, in its lines or at its edges; a volume is its own above its text alone."""
    text = next((place for place, line in enumerate(lines) if is_known_heading(line)), len(lines))
    return find_year("\n".join([*edges, *lines]), "\n".join([*edges, *lines[:text]]))


def year_of(date: object) -> int | None:
    """The first year from 1500 to 2099 in what a file states as a date: "2019/05/01", 2019, "May 2019"."""
    found = _STATED_YEAR.search(str(date))
    return int(found[0]) if found else None


def is_web_address(text: str) -> bool:
    """Whether a text is an http or https address with a host, and without white space or control characters."""
    if not text.isprintable() or " " in text:
        return False
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:  # brackets that close no IPv6 address
        return False


# Particles belong to the family name: "Ludwig van Beethoven" → "van Beethoven, Ludwig".
_PARTICLES = frozenset(
    """van von der den de del della des di da dos du do das la le ter ten zu zum af al el bin ibn bint ben abu los las
    dei degli dal dalla vom zur op het aan auf dem binti 't ’t ó ní nic uí mac mc st saint""".split()  # noqa: SIM905
)
# What programs put into a file's metadata when they know no author.
_PLACEHOLDERS = frozenset(("anonymous", "unknown", "author", "authors", "user", "admin", "administrator"))
_AND = re.compile(r"\s*,?\s+(?:and|&)\s+")

# A mark that takes the place of what is raised in a line of authors.
RAISED = "\x1f"
_DEGREE = (
    r"(?:Ph\.?\s?D|M\.?\s?D|D\.?\s?Sc|M\.?\s?Sc|B\.?\s?Sc|M\.?P\.?H|D\.?D\.?S|D\.?M\.?D|B\.?D\.?S|M\.?D\.?S|M\.?B\.?B\.?S|"
    r"M\.?B\.?Ch\.?B|D\.?V\.?M|B\.?V\.?Sc|Dr\.?P\.?H|Pharm\.?\s?D|Sc\.?D|M\.?R\.?C\.?P|F\.?R\.?C\.?[PS]|F\.?A\.?C\.?[PSC]|"
    r"B\.?S\.?N|M\.?S\.?N|M\.?B\.?A|M\.?Phil|D\.?Phil|Dr\.?\s?med|Habil|Ed\.?D|Psy\.?D|FRCPC|FRCR|"
    r"MHS|MHSc|MSPH|MSc\.?Med|FESC|FAHA|RPh|CNM|DPT|Eng"
    r"|(?-i:R\.?N|B\.?A|M\.?A|B\.?S|M\.?S|D\.?O|J\.?D|RD|PT)"  # Ma and Do are families
    r"|(?:(?:Graduate\s+)?(?:Student|Senior|Life|Associate)\s+)?(?:Member|Fellow),?\s+(?:IEEE|ACM|AAAI))"
)
DEGREE = re.compile(rf"{_DEGREE}\.?", re.IGNORECASE)
"""What is written behind a name, and is no part of it: a degree, or membership of a society."""
AFTER_NAME = re.compile(
    rf"(?:^|,?\s+|,)(?:{_DEGREE}|Jr|Sr|II|III|IV)\.?(?=\s*(?:[,;|•·/{RAISED}]|(?:and|&)\s|$))", re.IGNORECASE
)
"""The same in a line of names, also "Jr.", with the comma before it."""
_HYPHEN = re.compile(r"(?<=\w)- (?=[^\W\d_A-Z])|(?<=\w-) (?=[A-Z])")  # at the end of a line
_BYLINE = re.compile(r"\s*(?:author(?:s|\(s\))?\s*:|by\s)\s*", re.IGNORECASE)
_ASIDE = re.compile(r"\([^()]*\)")
_TITLES = re.compile(r"\b(?:Dr|Prof|Professor|Mr|Mrs|Ms)\.?\s+(?=[^\W\d_])")
_STRONG = re.compile(r"\s*[;|•·●◦∙]\s*")
# "García y Vega" is one family; "Ada García y Ana Vega" are two names.
_WEAK = re.compile(r"\s*,\s*(?:and\s+|&\s*)?|\s+(?:(?:and|&|und|et)\s+|y\s+(?=[\w.’'-]+ \w))", re.IGNORECASE)
_MARKS = re.compile(r"\[[^\]]*\]|\^\S+|[\d*†‡§¶#‖∥∗⁎✉ªº¹²³⁰-⁹(){}\[\]\x1f�☆★⋆✝⊥¤~=+<>]+|\S+@\S+|[\ue000-\uf8ff]")
_WORD = re.compile(r"[A-ZÀ-ÞĀ-Ž\u0386-\u03ab\u0400-\u042f][^\W\d_]*(?:[-‐‑–'’ʼ`.´¨]+[^\W\d_]+)*\.?")
_LOWER = re.compile(r"[^\W\d_A-Z]+(?:[-‐‑'’][^\W\d_]+)*")
_FAMILY_INITIALS = re.compile(r"(?P<family>\S.*?[^\W\d_]{2,}\S*)\s+(?P<initials>[A-Z](?:[-‐‑]?[A-Z]){0,3})")
_MOST_WORDS = 7
# Capitalised words that occur near the authors but not in names.
_NO_NAME = frozenset(
    """article articles research original review reviews open access abstract journal introduction editorial editor
    letter report reports short communication paper university department institute hospital college school faculty
    center centre laboratory division street road volume issue received accepted published background keywords
    correspondence study trial analysis effect effects group consortium collaboration
    committee investigators network society association behalf team author authors editors academic special section
    science sciences technology medicine engineering data supplementary copyright license usa uk china india brazil iran
    germany france italy spain japan korea canada australia poland turkey pakistan egypt nigeria ethiopia sweden
    netherlands switzerland austria denmark norway finland portugal romania greece malaysia thailand vietnam indonesia
    full text html pdf case series systematic clinical experimental brief rapid technical note perspective opinion
    commentary protocol method methods results conclusion summary contents download cite""".split()  # noqa: SIM905
)

_FEWEST_OF_FAMILY = 3
"""A family's name in capitals, as in "WANG Xiao-Ming", has so many letters; fewer may be initials."""
_SMALL_WORDS = frozenset("the of for in on with from to at by a an as is or and than that using among".split())  # noqa: SIM905


def family_first(name: str) -> str:
    """The name "Ada M. Lovelace" or "LOVELACE Ada M." as "Lovelace, Ada M."; with a comma, or of one word, it stays."""
    words = name.split()
    if "," in name or len(words) < 2:
        return " ".join(words)
    shouted = [word.isupper() and sum(map(str.isalpha, word)) >= _FEWEST_OF_FAMILY for word in words]
    if shouted[0] and not any(shouted[1:]):
        return f"{words[0]}, {' '.join(words[1:])}"
    start = len(words) - 1
    if start > 2 and words[start - 1] in ("y", "i", "e"):
        start -= 2
    while start > 1 and words[start - 1].lower().strip(".") in _PARTICLES:
        start -= 1
    return f"{' '.join(words[start:])}, {' '.join(words[:start])}"


def split_authors(text: str) -> tuple[str, ...]:
    """The names of one line: separated by ";", or by "," and "and" where each part is a whole name.

    "Smith, John" is one name and "John Smith, Jane Doe" are two: commas separate names of two words or more.
    """
    parts = text.split(";") if ";" in text else []
    for names in () if parts else _AND.split(text):
        between = [part.strip() for part in names.split(",")]
        parts += between if all(len(part.split()) > 1 for part in between) else [names]
    named = (part for part in parts if part.strip(" ()").lower() not in _PLACEHOLDERS)
    return tuple(family_first(part) for part in named if part.strip())


def printed_authors(text: str) -> tuple[list[str], float]:
    """The names in the author lines of a first page, and the share of the text's parts that are names.

    Args:
        text: The lines joined, with ``RAISED`` for each group of superscripts.

    Returns:
        "Family, Given" in printed order, without degrees, marks and addresses of the authors; the share is 0 to 1.
    """
    parts = [cleaned for part in _parts(text) if (cleaned := _cleaned(part))]
    names = [part for part in parts if is_name(part)]
    reversed_names = [_FAMILY_INITIALS.fullmatch(name) for name in names]
    if names and all(reversed_names):
        return [f"{each['family']}, {each['initials']}" for each in reversed_names if each], len(names) / len(parts)
    return [family_first(name) for name in names], len(names) / len(parts) if parts else 0.0


def is_name(text: str) -> bool:
    """Whether a text looks like the name of one person: two words or more, in capitals but for particles."""
    words = text.replace(",", " ").split()
    is_other = any(word in _SMALL_WORDS or word.lower().strip(".") in _NO_NAME for word in words)
    if is_other or not 2 <= len(words) <= _MOST_WORDS or not any(sum(map(str.isalpha, word)) > 1 for word in words):
        return False
    small = [word for word in words if word not in _PARTICLES and not _WORD.fullmatch(word)]
    return not small or (len(small) == 1 and bool(_LOWER.fullmatch(small[0]) and _WORD.match(words[0])))


def _parts(text: str) -> Iterator[str]:
    """The text at its separators; "Family, Given" is one part between two that are stronger than a comma."""
    text = text[found.end() :] if (found := _BYLINE.match(text)) else text
    between = _STRONG.split(AFTER_NAME.sub("", _ASIDE.sub(" ", _HYPHEN.sub("", text))))
    for part in between:
        pieces = [piece for piece in _WEAK.split(part) if _cleaned(piece)]
        if len(between) > 1 and len(pieces) == 2 and len(pieces[0].split()) == 1 and "," in part:
            yield part
        else:
            yield from (name for piece in pieces for name in piece.split(RAISED))


def _cleaned(part: str) -> str:
    """A name without marks, titles and stray punctuation."""
    part = _TITLES.sub("", " ".join(_MARKS.sub(" ", part.replace(RAISED, " ")).split()))
    part = re.sub(r"\s+([.,'’])", r"\1", part)
    return re.sub(r"^(?:and|&|iD|ID)\s+|\s+(?:iD|ID)$", "", part).strip(" ,;:.&|/-–—'’") + (
        "." if re.search(r"\b[A-Z]\.$", part) else ""
    )


@dataclass(frozen=True, slots=True)
class OpeningBlock:
    """A block of a paper: its text without markup, and a heading's level, from 1."""

    kind: Literal["heading", "paragraph", "verbatim"]
    text: str
    level: int = 0
    names: str = ""
    """Its text as authors are read from it, with ``RAISED`` for what is raised; empty where that is its text."""


AnyBlock = TypeVar("AnyBlock", bound=OpeningBlock)

_LEAST_TITLE = 5
"""A heading of at least this many words is a title where a shorter one might be a section."""
_MOST_TITLE = 300
_LONGEST_LINE = 30
"""A paragraph of more words is running text, which neither a title nor authors would follow."""
_MOST_AUTHORS = 4000
_LEAST_NAMES = 0.75
_LONGEST_ADDRESS = 60
_TELLS = re.compile(r"\b(?:was|were|is|are|we|has|have|had|been|showed|found)\b", re.IGNORECASE)


def title_place(blocks: Sequence[OpeningBlock]) -> int | None:
    """Index of the title: the first heading if it can be one, or a first line with authors under it."""
    place = next((place for place, block in enumerate(blocks) if block.kind == "heading"), None)
    before = blocks[:place]
    if place is not None and not any(map(_is_text, before)):
        levels = [block.level for block in blocks if block.kind == "heading"]
        heading = blocks[place].text
        # "Risk factors associated with bone loss" is a title, although "Risk factors" alone is a section of results.
        is_long = len(heading.split()) >= _LEAST_TITLE
        says_section = classify(heading) != "other" and not (is_long and named_kind(heading) is None)
        # Converters write titles at level 2, too.
        is_top = levels[0] == 1 or (levels[0] == 2 and is_long and 1 not in levels and len(levels) > 1)
        if is_top and not says_section:
            return place
    if len(before) < 2 or before[0].kind != "paragraph" or not authors_of(before[1]):
        return None
    line = before[0].text
    may_be_title = 2 < len(line.split()) <= _LONGEST_LINE and len(line) <= _MOST_TITLE and not line.endswith(".")
    return 0 if may_be_title and not is_known_heading(line) and not is_notice(line) else None


def _is_text(block: OpeningBlock) -> bool:
    return block.kind == "paragraph" and len(block.text.split()) > _LONGEST_LINE


def authors_of(block: OpeningBlock) -> tuple[str, ...]:
    """The names of a paragraph that is a line of authors, "Family, Given"; none of any other block."""
    text = block.names or block.text
    if (block.kind != "paragraph" and not block.names) or not text or len(text) > _MOST_AUTHORS:
        return ()
    names, share = printed_authors(text)
    return tuple(names) if share >= _LEAST_NAMES else ()


def split_authors_below(blocks: Sequence[AnyBlock]) -> tuple[tuple[str, ...], list[AnyBlock], list[AnyBlock]]:
    """Authors, addresses and notices that follow a title, and the blocks without them."""
    authors: tuple[str, ...] = ()
    around: list[AnyBlock] = []
    kept: list[AnyBlock] = []
    for place, block in enumerate(blocks):
        is_short_address = len(block.text.split()) <= _LONGEST_ADDRESS and is_address(block.text)
        is_around = is_notice(block.text) or (is_short_address and not _TELLS.search(block.text))
        names = authors_of(block)
        if block.kind == "heading" or (_is_text(block) and not is_around and not names):
            return authors, around, [*kept, *blocks[place:]]
        if names and not (around and authors):
            authors += names
        elif is_around:
            around.append(block)
        else:
            kept.append(block)
    return (), [], list(blocks)


_OFFERED = re.compile(
    r"\badd to (?:cart|basket)\b|\b(?:sign|log) in (?:to|via|with|through)\b|\bsubscribe (?:to|now)\b"
    r"|\b(?:rent|buy|purchase) (?:this |the |now|article|pdf)|\bget (?:full |instant )?access\b"
    r"|\baccess (?:through|via) your\b|\binstitutional (?:access|login)\b",
    re.IGNORECASE,
)
"""What a publisher sells or asks for beside a paper."""
_MOST_OFFER = 20


def split_rest(blocks: Sequence[AnyBlock], *, is_page: bool) -> tuple[list[AnyBlock], list[AnyBlock]]:
    """The blocks of a paper, and what follows it in its file: the next paper, and on a page what its site offers."""
    kept: list[AnyBlock] = []
    rest: list[AnyBlock] = []
    level, is_outside = 0, False
    for place, block in enumerate(blocks):
        if block.kind == "heading":
            kind = named_kind(block.text)
            if level and _is_next_paper(blocks, place):
                return kept, [*rest, *blocks[place:]]
            is_lower = bool(level) and block.level > level
            under = takewhile(lambda each: each.kind != "heading", blocks[place + 1 :])
            is_shown = any(split_caption(each.text) or each.text.startswith("| ") for each in under)  # figures, tables
            unknown = is_page and kind is None and classify(block.text) == "other" and not is_shown
            is_outside = is_outside if is_lower else kind == "notice" or (level > 0 and unknown)
            level = block.level if kind == "references" else level if kind != "appendix" else 0
        may_offer = is_page and len(block.text.split()) <= _MOST_OFFER and not _TELLS.search(block.text)
        is_offer = may_offer and _OFFERED.search(block.text)
        (rest if is_outside or is_offer else kept).append(block)
    return kept, rest


def _is_next_paper(blocks: Sequence[OpeningBlock], place: int) -> bool:
    """Whether a heading after the references is the title of another paper: authors or an abstract follow it."""
    title, below = blocks[place], blocks[place + 1 : place + 6]
    if named_kind(title.text) is not None or len(title.text.split()) < _LEAST_TITLE:
        return False
    is_abstract = any(each.kind == "heading" and named_kind(each.text) == "abstract" for each in below)
    return is_abstract or bool(below and authors_of(below[0]))


def completed(stated: Front, title: str, authors: Sequence[str], opening: str, pmcid: str) -> dict[str, Any]:
    """The fields of a document from what its file states, and what else its head and the opening of its text say."""
    lines = opening_of(opening)
    found = {
        "title": title,
        "authors": stated.authors or authors,
        "year": stated.year or printed_year(lines),
        "doi": stated.doi or find_doi("\n".join(lines)),
        "pmcid": pmcid,
    }
    return {**stated.fields(), **found}
