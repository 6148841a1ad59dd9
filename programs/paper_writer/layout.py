"""What models put around the text that they were asked for, and what may stand in a Markdown file as it is."""

from __future__ import annotations

import re

_FENCED = re.compile(r"\s*```(?:markdown|md)?[ \t]*\n(?P<inside>.*)\n```\s*", re.DOTALL)
_HEADING = re.compile(r"^(?P<marks>#{1,6})[ \t]+(?P<words>.*?)[ \t#]*$", re.MULTILINE)
_NUMBERING = re.compile(r"^(?:\d+(?:\.\d+)*|[IVX]+)[.)]?\s+")
_LOWEST = 3
"""Level of a section's own subheadings; the title has 1, sections have 2."""

_LIVE = re.compile(r"(?<!\\)(?P<escaped>(?:\\\\)*)(?P<mark><(?=[A-Za-z/!?])|\](?=[(:\[]))")
"""What opens HTML, a link's address or a reference's definition. An even number of backslashes before it escape one
another and not the mark."""
_IMAGE_LINE = re.compile(r"^!\[[^\]\n]*\]\([\w.-]+\)$")


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
    lines = (line if _IMAGE_LINE.match(line) else _LIVE.sub(_printed, line) for line in text.splitlines())
    return "\n".join(lines)


def _printed(match: re.Match[str]) -> str:
    return f"{match['escaped']}\\<" if match["mark"] == "<" else f"{match['escaped']}]\\"
