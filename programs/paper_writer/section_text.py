r"""The text of a section as a model wrote it, brought into the form of the draft: citations, figures, headings, markup.

… in mice [smith2024quantum, li2019bone].     →  … in mice (smith2024quantum; li2019bone).
… [@smith2024quantum] … \cite{li2019bone} …   →  … (smith2024quantum) … (li2019bone) …
… as smith2024quantum showed …                →  … as (smith2024quantum) showed …
… (doe1999ghost) … (Doe et al., 1999) … [3]   →  unknown: removed, and reported

Each plot of the concept is placed once, in Results. Its number is its place in the concept, so that every section can
refer to it before Results is written:

    ![Bone volume by group](bone.png)
    *Figure 1: Bone volume fraction of the tibia by group.*
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from programs.paper_writer.concept import Plot
from programs.paper_writer.evidence import Evidence
from signatures import citation_markers
from signatures.identifiers import PMCID

_LATEX = re.compile(r"\\[cC]ite[a-z]*\*?(?:\[[^\]\n]*\])*\{([^{}\n]{1,200})\}")
_PANDOC = re.compile(r"(?<=[\[;, (])-?@(?=[a-z])")
_LED_IN = re.compile(
    r"([(\[])\s*(?:see|cf\.?|e\.g\.,?|compare|as in|(?:as )?(?:reviewed|reported|shown) (?:in|by))(?: also)?\s+"
    r"(?=[a-z][a-z'-]*(?:19|20)\d\d)",
    re.IGNORECASE,
)
_BARE = re.compile(r"(?<![\w/.@-])[a-z]{2,}(?:19|20)\d{2}[a-z]*(?![\w/-])", re.IGNORECASE)
_AUTHOR_YEAR = re.compile(
    r"\((?:(?:see|e\.g\.,?|cf\.)\s)?(?:[A-Z][\w'’-]+(?:\set\sal\.?|(?:\s(?:and|&)\s|,\s)[A-Z][\w'’-]+)*,?\s(?:19|20)\d\d[a-z]?"
    r"(?:;\s)?)+\)"
)
_IMAGE_LINE = re.compile(r"^\s*!\[")
_QUOTATION = re.compile(r"“[^“”\n]+”|\"[^\"\n]+\"|«[^«»\n]+»")
_EMPTIED = re.compile(r"[ \t]?[\[(][\s,;]*\x00[\s,;\x00]*[\])]")
_GONE = re.compile(r"^[ \t]*\x00[ \t]*|[ \t]*\x00(?=[.,;:!?)\]]|\s*$)|\x00[ \t]|\x00")
_WITHIN = re.compile(r"(?<=[\[(])\x00[\s,;]*|[\s,;]*\x00(?=[\])])")
_BETWEEN_WORDS = re.compile(r"(?<=\w)\x00(?=\w)")
_CONTROL = re.compile(r"[\x00\x01]")
_HELD = re.compile(r"\x01(\d+)\x01")


@dataclass(frozen=True, slots=True)
class Cited:
    """A text that cites given papers only, as ``(key)`` or ``(key; key)``, and what was taken out, each once."""

    text: str
    unknown: tuple[str, ...]


def standard(text: str, evidence: Iterable[Evidence]) -> Cited:
    """Write the citations of a text in the standard way, and take unknown ones out.

    Evidence is cited by citation key or PMCID: other ids of papers can be words of a sentence. Lines that place a
    figure are left alone, and sentences that are quoted from a passage stay as they are, whatever these cite.
    """
    given = list(evidence)
    by_id = {each.chunk.document_id: each.key for each in given}
    keys = {paper.casefold(): key for paper, key in by_id.items() if PMCID.fullmatch(paper)}
    keys |= {each.key.casefold(): each.key for each in given}
    unknown: list[str] = []
    held: list[str] = []
    text = _holding_quotations(_CONTROL.sub("", text), _plain(" ".join(each.chunk.text for each in given)), held)
    lines = [line if _IMAGE_LINE.match(line) else _standard_line(line, keys, unknown) for line in text.splitlines()]
    whole = _HELD.sub(lambda match: held[int(match[1])], "\n".join(lines).strip())
    return Cited(whole, tuple(dict.fromkeys(unknown)))


def _holding_quotations(text: str, papers: str, held: list[str]) -> str:
    """The text with a placeholder for each quotation that is word for word in the papers."""

    def placeholder(match: re.Match[str]) -> str:
        if _plain(match[0][1:-1]).rstrip(".") not in papers:
            return match[0]
        held.append(match[0])
        return f"\x01{len(held) - 1}\x01"

    return _QUOTATION.sub(placeholder, text)


def _plain(text: str) -> str:
    return " ".join(text.split())


def _standard_line(line: str, keys: Mapping[str, str], unknown: list[str]) -> str:
    line = _LED_IN.sub(r"\1", _PANDOC.sub("", _LATEX.sub(r"[\1]", line)))
    unknown += [match.group().strip() for match in _AUTHOR_YEAR.finditer(line)]
    line = _AUTHOR_YEAR.sub("\x00", line)
    parts, position = [], 0
    for marker in citation_markers.find(line, keys.keys()):
        before = _bare(line[position : marker.start], keys, unknown)
        known = dict.fromkeys(keys[each.casefold()] for each in marker.ids if each.casefold() in keys)
        unknown += [each for each in marker.ids if each.casefold() not in keys]
        # One space before a citation; where none is left, the mark of what was taken out.
        gap = "" if not before or before[-1] in " \t(" else " "
        parts.append(f"{before}{gap}({'; '.join(known)})" if known else f"{before}\x00")
        position = marker.end
    left = "".join([*parts, _bare(line[position:], keys, unknown)])
    if "\x00" in left:  # of what was taken out no empty brackets stay, and one space where two would meet
        left = _GONE.sub("", _BETWEEN_WORDS.sub(" ", _WITHIN.sub("", _EMPTIED.sub(" \x00", left))))
    return _merged(left, {*keys.values()})


def _bare(text: str, keys: Mapping[str, str], unknown: list[str]) -> str:
    """Put brackets around bare keys; drop words that look like a key and are not one."""

    def bracketed(match: re.Match[str]) -> str:
        if known := keys.get(match[0].casefold()):
            return f"({known})"
        unknown.append(match[0])
        return "\x00"

    return _BARE.sub(bracketed, text)


def _merged(text: str, keys: Iterable[str]) -> str:
    """Citations that are side by side as one: "(a) (b)" becomes "(a; b)", each key once."""
    key = "|".join(map(re.escape, sorted(keys, key=len, reverse=True)))
    cited = rf"\((?:{key})(?:; (?:{key}))*\)"

    def as_one(match: re.Match[str]) -> str:
        return f"({'; '.join(dict.fromkeys(re.findall(rf'(?<=[( ])(?:{key})(?=[;)])', match[0])))})"

    return re.sub(rf"{cited}(?:[ \t]?[,;]?[ \t]?{cited})+", as_one, text) if key else text


_CAPTION = r"[ \t]*[*_]{1,3}[ \t]*(?:Figure|Fig\.?)[ \t]*\d+[^\n]*[*_]{1,3}[ \t]*(?=\n|$)"
_IMAGE = re.compile(
    r"[ \t]*!\[(?P<alt>[^\]\n]*)\]\([ \t]*<?(?P<file>[^)>\n\"]*?)>?(?:[ \t]+\"[^\"\n]*\")?[ \t]*\)[ \t]*"
    rf"(?:\s*\n{_CAPTION})?"
)
_ORPHAN = re.compile(rf"^{_CAPTION}", re.MULTILINE)
_EMPHASIS = re.compile(r"([*_\\])")
_BRACKETS = re.compile(r"[\[\]\\`<>]")
_GAPS = re.compile(r"\n{3,}")


@dataclass(frozen=True, slots=True)
class SectionWithFigures:
    """A section's text with its figures, and what had to be changed."""

    text: str
    notes: tuple[str, ...] = ()


def figure_markdown(number: int, plot: Plot) -> str:
    """The two lines that place a figure."""
    caption = _EMPHASIS.sub(r"\\\1", " ".join(plot.caption.split()))
    alt = _BRACKETS.sub("", " ".join((plot.alt or plot.caption).split()))
    return f"![{alt}]({plot.filename})\n*Figure {number}: {caption}*"


def figures_shown(plots: Sequence[Plot]) -> str:
    """All figures as they are in a prompt; what is shown is what is to be copied."""
    return "\n\n".join(figure_markdown(number, plot) for number, plot in enumerate(plots, start=1))


def place(text: str, plots: Sequence[Plot]) -> SectionWithFigures:
    """Bring the figures of a section into order: every plot once, where the model placed it, else at the end.

    Other images are taken out.
    """
    numbers = {plot.filename.casefold(): number for number, plot in enumerate(plots, start=1)}
    placed: list[int] = []
    notes: list[str] = []

    def replacement(match: re.Match[str]) -> str:
        name = match["file"].strip().replace("\\", "/").rpartition("/")[2]
        number = numbers.get(name.casefold())
        if number is None:
            notes.append(f"The image {name or 'without a file'} was taken out: it is not a figure of this section")
            return ""
        if number in placed:
            return ""
        placed.append(number)
        return f"\n\n{_PLACED.format(number)}\n\n"

    held = _ORPHAN.sub("", _IMAGE.sub(replacement, text))
    for number, plot in enumerate(plots, start=1):
        if number not in placed:
            notes.append(f"Figure {number} ({plot.filename}) was not placed by the model and is at the end")
            held += f"\n\n{_PLACED.format(number)}"
        held = held.replace(_PLACED.format(number), figure_markdown(number, plot))
    return SectionWithFigures(_GAPS.sub("\n\n", held).strip(), tuple(notes))


_PLACED = "\x00figure {}\x00"
"""Stands for a placed figure while captions without an image are taken out."""


_FENCED = re.compile(r"\s*```(?:markdown|md)?[ \t]*\n(?P<inside>.*)\n```\s*", re.DOTALL)
_HEADING = re.compile(r"^(?P<marks>#{1,6})[ \t]+(?P<words>.*?)[ \t#]*$", re.MULTILINE)
_NUMBERING = re.compile(r"^(?:\d+(?:\.\d+)*|[IVX]+)[.)]?\s+")
_LOWEST = 3
"""Level of a section's own subheadings; the title has 1, sections have 2."""

_LIVE = re.compile(r"(?<!\\)(?P<escaped>(?:\\\\)*)(?P<mark><(?=[A-Za-z/!?])|\](?=[(:\[]))")
"""What opens HTML, a link's address or a reference's definition. An even number of backslashes before it escape one
another and not the mark."""
_FIGURE_LINE = re.compile(r"^!\[[^\]\n]*\]\([\w.-]+\)$")


def bare_section(text: str, heading: str) -> str:
    """A section without a fence around it and without its own heading; its subheadings start at the third level."""
    fenced = _FENCED.fullmatch(text)
    text = (fenced["inside"] if fenced else text).strip()
    first, _, rest = text.partition("\n")
    if _NUMBERING.sub("", first.strip("#*_: \t")).casefold() == heading.casefold():
        text = rest.strip()
    return _HEADING.sub(lambda match: f"{'#' * max(_LOWEST, len(match['marks']))} {match['words']}", text)


def as_markdown(text: str) -> str:
    """A section's text as it goes into a file: HTML and links, which come from papers, are printed and not obeyed.

    Lines that place a figure stay.
    """

    def printed(match: re.Match[str]) -> str:
        return f"{match['escaped']}\\<" if match["mark"] == "<" else f"{match['escaped']}]\\"

    return "\n".join(line if _FIGURE_LINE.match(line) else _LIVE.sub(printed, line) for line in text.splitlines())
