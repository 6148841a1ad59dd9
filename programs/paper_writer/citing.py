r"""Citations in a section: written one way, and only of papers that are in its evidence.

… in mice [smith2024quantum, li2019bone].     →  … in mice (smith2024quantum; li2019bone).
… [@smith2024quantum] … \cite{li2019bone} …   →  … (smith2024quantum) … (li2019bone) …
… as smith2024quantum showed …                →  … as (smith2024quantum) showed …
… (doe1999ghost) … (Doe et al., 1999) … [3]   →  unknown: taken out, and named
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from programs.paper_writer.evidence import Evidence
from signatures import citations

_LATEX = re.compile(r"\\[cC]ite[a-z]*\*?(?:\[[^\]\n]*\])*\{([^{}\n]{1,200})\}")
_PANDOC = re.compile(r"(?<=[\[;, (])-?@(?=[a-z])")
_LED_IN = re.compile(
    r"([(\[])\s*(?:see|cf\.?|e\.g\.,?|compare|as in|(?:as )?(?:reviewed|reported|shown) (?:in|by))(?: also)?\s+"
    r"(?=[a-z][a-z'-]*(?:19|20)\d\d)",
    re.IGNORECASE,
)
_BARE = re.compile(r"(?<![\w/.@-])[a-z]{2,}(?:19|20)\d{2}[a-z]{3,}(?![\w/-])", re.IGNORECASE)
_AUTHOR_YEAR = re.compile(
    r"\s?\((?:(?:see|e\.g\.,?|cf\.)\s)?(?:[A-Z][\w'’-]+(?:\set\sal\.?|(?:\s(?:and|&)\s|,\s)[A-Z][\w'’-]+)*,?\s(?:19|20)\d\d[a-z]?"
    r"(?:;\s)?)+\)"
)
_ADJACENT = re.compile(r"\)[ \t]?[,;]?[ \t]?\(")
_IMAGE_LINE = re.compile(r"^\s*!\[")


@dataclass(frozen=True, slots=True)
class Cited:
    """A text, and what it tried to cite in vain.

    Attributes:
        text: With citations of given papers only, as ``(key)`` or ``(key; key)``.
        unknown: What was taken out, as it was written, each once.
    """

    text: str
    unknown: tuple[str, ...]


def standard(text: str, evidence: Iterable[Evidence]) -> Cited:
    """Write the citations of a text in the standard way, and take unknown ones out.

    Args:
        text: As a model wrote it; lines that place a figure are left alone.
        evidence: What may be cited, by citation key or paper id.
    """
    keys = {name.casefold(): each.key for each in evidence for name in (each.key, each.chunk.paper.paper_id)}
    unknown: list[str] = []
    lines = [line if _IMAGE_LINE.match(line) else _standard_line(line, keys, unknown) for line in text.splitlines()]
    return Cited("\n".join(lines).strip(), tuple(dict.fromkeys(unknown)))


def _standard_line(line: str, keys: Mapping[str, str], unknown: list[str]) -> str:
    line = _LED_IN.sub(r"\1", _PANDOC.sub("", _LATEX.sub(r"[\1]", line)))
    line = _without(_AUTHOR_YEAR, line, unknown)
    parts, position = [], 0
    for marker in citations.find(line, keys.keys()):
        before = _bare(line[position : marker.start], keys, unknown)
        known = dict.fromkeys(keys[each.casefold()] for each in marker.ids if each.casefold() in keys)
        unknown += [each for each in marker.ids if each.casefold() not in keys]
        parts.append(_joined(before, known))
        position = marker.end
    return _merged("".join([*parts, _bare(line[position:], keys, unknown)]), keys)


def _joined(before: str, known: Iterable[str]) -> str:
    """A citation with exactly one space before it; nothing but the text where none is left."""
    listed = "; ".join(known)
    if not listed:
        return before.rstrip(" \t")
    gap = "" if not before or before[-1] in " \t(" else " "
    return f"{before}{gap}({listed})"


def _bare(text: str, keys: Mapping[str, str], unknown: list[str]) -> str:
    """Keys outside of brackets get them; words that look like a key and are none go."""

    def bracketed(match: re.Match[str]) -> str:
        if known := keys.get(match[0].casefold()):
            return f"({known})"
        unknown.append(match[0])
        return ""

    return _BARE.sub(bracketed, text)


def _without(pattern: re.Pattern[str], text: str, unknown: list[str]) -> str:
    unknown += [match.group().strip() for match in pattern.finditer(text)]
    return pattern.sub("", text)


def _merged(text: str, keys: Mapping[str, str]) -> str:
    """Citations that stand side by side as one: "(a)(b)" becomes "(a; b)", each key once."""
    found = list(citations.find(text, keys.keys()))
    parts, position = [], 0
    for run in _runs(text, found):
        ids = dict.fromkeys(each for marker in run for each in marker.ids)
        parts += [text[position : run[0].start], f"({'; '.join(ids)})"]
        position = run[-1].end
    return "".join([*parts, text[position:]])


def _runs(text: str, markers: Iterable[citations.Marker]) -> Iterator[list[citations.Marker]]:
    run: list[citations.Marker] = []
    for marker in markers:
        if run and not _ADJACENT.fullmatch(text, run[-1].end - 1, marker.start + 1):
            yield run
            run = []
        run.append(marker)
    if run:
        yield run
