"""A result as JSON, and as Markdown for notebooks, reports and chat windows; ``finds`` are what a search shows.

    Femur density fell by 12 % in flight mice [PMC1234567].

    ## Sources

    - [PMC1234567] [Bone loss in flight mice](https://pmc.ncbi.nlm.nih.gov/articles/PMC1234567/) (2014), p. 4

Texts of papers and models stay text: their markup is escaped, and links lead to web addresses only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, is_dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from programs.results.finds import (
    NEAREST,
    authors_and_year,
    cited_passages,
    corrected,
    finds,
    is_search,
    key_of,
    marked_answer,
    nothing_near,
    printed_in,
    printed_pages,
    proofs,
    shown_verdict,
)
from signatures import citation_markers
from signatures.identifiers import PMCID

if TYPE_CHECKING:
    import dspy
    from jinja2 import Environment


def clipped(text: str, most: int) -> str:
    """The beginning of a text, with a note of how much more there is."""
    left_out = len(text) - most
    return text if left_out <= 0 else f"{text[:most].rstrip()} … [{left_out:,} more characters]"


LONGEST_LINE = 600
"""Characters of one such text in Markdown."""

_STEERING = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, those that turn the order of letters around, and halves of characters."""

_INLINE_MARKS = re.compile(r"[\\`*\[\]<>~$]|(?<!\w)_|_(?!\w)|&(?=#|\w+;)")
"""What Markdown reads in the middle of a line, "_" only at the edge of a word; tables see to "|" themselves."""


def visible(text: str) -> str:
    """The text with a replacement character (U+FFFD) for each that would steer what shows it; lines stay lines."""
    return _STEERING.sub("\N{REPLACEMENT CHARACTER}", text)


def templates(package: str, folder: str) -> Environment:
    """Jinja templates of a package's folder, which escape all that they write and show what would hide in it.

    Args:
        package: Dotted name.
        folder: In the package.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(package, folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_harmless,
    )


def _harmless(value: object) -> object:
    """What a template writes, before it is escaped."""
    from markupsafe import Markup

    return value if value is None or isinstance(value, Markup) else visible(str(value))


def harmless_line(text: str) -> str:
    """The text as one line of Markdown that reads as it is written; its end is left out where it is long."""
    line = " ".join(visible(clipped(text, LONGEST_LINE)).split())
    return _INLINE_MARKS.sub(r"\\\g<0>", line)


def as_json(prediction: dspy.Prediction) -> dict[str, Any]:
    """A result as one JSON document."""
    return {key: _plain(value) for key, value in prediction.items()}


def _plain(value: Any) -> Any:  # noqa: ANN401 - any field of a result
    if hasattr(value, "as_dict"):
        return _plain(value.as_dict())
    if hasattr(value, "model_dump"):
        return value.model_dump()
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value))
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value


ARTICLES = "https://pmc.ncbi.nlm.nih.gov/articles/"
DOIS = "https://doi.org/"
NO_ANSWER = "The papers do not hold an answer to this question."

_MARKUP = re.compile(r"[\\`*_{}\[\]<>~|!#$]")
# At the start of a line these open a list, a quotation, a heading or a rule.
_OPENER = re.compile(r"^(?:[-+=]|\d{1,9}(?=[.)](?:\s|$)))")
_BULLET = re.compile(r"^\s*[-*•] +")
_BRACKETED = re.compile(r"\[[^\[\]\n]+\]")
_DOI_PREFIX = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)
_SAFE_IN_DOI = "/:;.-_"
_SAFE_IN_ADDRESS = "/:?&=#%@+,;~.-_"


def as_markdown(result: dspy.Prediction | Mapping[str, Any], *, proof: bool = False) -> str:
    """Write a result, or ``as_json`` of it, as Markdown; with ``proof`` each sentence's verdict and quotes, too.

    It has the answer, the figures of the cited papers with their captions, what could not be proved, the sources that
    are cited with their links, and notes; a part that would be empty is left out, and without an answer there are no
    figures. A search without a model has its finds, paper by paper, in place of answer and sources.
    """
    values = result if isinstance(result, Mapping) else as_json(result)
    sources, proved = ((), ()) if is_search(values) else (_sources(values), _proofs(values) if proof else ())
    parts = {
        "Proof": proved,
        "Figures": map(_figure, figures_of_answer(values)),
        "Not supported": (
            f"- {escaped(each['claim'])} ({escaped(each['reason'])})" for each in values.get("unsupported_claims", [])
        ),
        "Sources": sources,
        "Notes": (f"- {escaped(note)}" for note in values.get("notes", [])),
    }
    listed = {heading: list(lines) for heading, lines in parts.items()}
    written = [f"## {heading}\n\n" + "\n".join(lines) for heading, lines in listed.items() if lines]
    return "\n\n".join([answer_text(values), *written]) + "\n"


def figures_of_answer(values: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The figures of a JSON result that belong to its answer: of papers that it cites, of all where it cites none."""
    cited = {citation["document_id"] for citation in values["citations"]}
    figures = values.get("figures", []) if values["answer"] else []
    return [each for each in figures if not cited or each["document_id"] in cited]


def as_html(result: dspy.Prediction | Mapping[str, Any]) -> str:
    """The same with the proof of every sentence as HTML, for notebooks."""
    from markdown_it import MarkdownIt

    return str(MarkdownIt("commonmark", {"html": False}).render(as_markdown(result, proof=True)))


def escaped(text: str) -> str:
    """Text on one line in which nothing is Markdown or HTML."""
    line = _MARKUP.sub(r"\\\g<0>", " ".join(text.split()).replace("&", "&amp;"))
    opener = _OPENER.match(line)
    if opener is None:
        return line
    place = opener.end() if line[0].isdigit() else 0
    return f"{line[:place]}\\{line[place:]}"


def address(url: str) -> str:
    """A web address that can be in a link; empty for anything else, such as a script."""
    url = url.strip()
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    is_web = parts.scheme.casefold() in ("http", "https") and bool(parts.netloc)
    return quote(url, safe=_SAFE_IN_ADDRESS) if is_web else ""


def paper_address(passage: Mapping[str, Any]) -> str:
    """Where the paper of a passage can be read: PubMed Central, else its DOI, else its own address; may be empty."""
    for name in (passage["key"], passage["document_id"]):
        if PMCID.fullmatch(name):
            return f"{ARTICLES}{name.upper()}/"
    doi = _DOI_PREFIX.sub("", passage["doi"].strip())
    return f"{DOIS}{quote(doi, safe=_SAFE_IN_DOI)}" if doi else address(passage["url"])


def answer_text(values: Mapping[str, Any]) -> str:
    """The answer of a result as Markdown, its citations unchanged; of a search without a model its finds."""
    if is_search(values):
        return "\n\n".join(_found(values))
    if not values["answer"]:
        return NO_ANSWER
    cited = {f"[{citation['marker']}]" for citation in values["citations"]}
    return "\n".join(_line(line, cited) for line in marked_answer(values).splitlines())


def _found(values: Mapping[str, Any]) -> Iterator[str]:
    found = finds(values)
    if not values["answer"]:
        yield nothing_near(values)
    if found:
        yield f"## {NEAREST}"
    for each in found:
        passage = each.passage
        title = _linked(escaped(passage["title"] or passage["document_id"]), paper_address(passage))
        facts = " ".join(filter(None, [f"**{named}**" if (named := escaped(authors_and_year(passage))) else "", title]))
        facts = ", ".join(filter(None, (facts, *_cited_by(values, passage))))
        said = corrected(passage)
        quotes = (f"- “{escaped(one.text)}”{one.pages and f' {one.pages}'} [{one.marker}]" for one in each.finds)
        yield "\n".join([f"{facts}{said and f' — **{escaped(said)}**'}", "", *quotes])


def _line(line: str, cited: set[str]) -> str:
    """One line of an answer; its bullet and its citations stay what they are."""
    bullet = _BULLET.match(line)
    text = line[bullet.end() :] if bullet else line
    pieces, position = [], 0
    for bracket in _BRACKETED.finditer(text):
        if bracket.group() in cited:
            pieces += [_beside(text[position : bracket.start()], position), bracket.group()]
            position = bracket.end()
    written = "".join([*pieces, _beside(text[position:], position)])
    return f"- {written}" if bullet else written


def _beside(text: str, position: int) -> str:
    """Text between citations: its outer spaces kept, and no "(" or ":" that would make a link of the one before it."""
    core = text.strip()
    if not core:
        return text
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    guard = "\\" if position and not before and core[0] in "(:" else ""
    return f"{before}{guard}{escaped(core)}{after}"


def _figure(figure: Mapping[str, Any]) -> str:
    link = next(filter(None, map(address, [figure["tileshop"], *figure["image_urls"]])), "")
    label = f"{figure['label']}, {figure['pmcid'] or figure['document_id']}"
    caption = f" {escaped(figure['caption'])}" if figure["caption"] else ""
    return f"- {_linked(f'**{escaped(label)}**', link)}{caption}"


def _sources(values: Mapping[str, Any]) -> Iterator[str]:
    """The papers that are cited, with the pages of their quotes, in the order of their first citation.

    Several passages of one key are listed once; one that is cited by its number differs from others of its paper by the
    section that it is in.
    """
    for marker, passage, citations in cited_passages(values):
        by = escaped(authors_and_year(passage))
        title = escaped(passage["title"] or passage["document_id"])
        section = "" if passage["key"] else escaped(passage["section"])
        linked = _linked(title, paper_address(passage))
        named = f"{by}: {linked}" if passage.get("authors") else f"{linked} {by}".rstrip()
        beside = [each for each in _cited_by(values, passage) if each != marker]
        # What is in the passage, or anywhere in its paper where a key cites the paper.
        name, wanted = ("document_id", passage["document_id"]) if passage["key"] else ("passage", passage["id"])
        pages = printed_pages(quote for each in citations for quote in each["quotes"] if quote[name] == wanted)
        places = [each for each in (*beside, section, pages) if each]
        said = corrected(passage)
        yield f"- [{marker}] {', '.join([named, *places])}{said and f' — **{escaped(said)}**'}"


def _proofs(values: Mapping[str, Any]) -> Iterator[str]:
    """Each cited sentence with its verdict, and below it the quotes that prove it."""
    known = {each["marker"] for each in values["citations"]}
    for each in proofs(values):
        markers = "".join(f"[{one['marker']}]" for one in each.proving)
        sentence = escaped(citation_markers.strip(each.sentence, known))
        yield f"- **{shown_verdict(each.proving[0])}** {markers} {sentence}"
        yield from (f"  - “{escaped(one['quote'])}” {printed_pages([one])}".rstrip() for one in each.quotes)


def _cited_by(values: Mapping[str, Any], passage: Mapping[str, Any]) -> list[str]:
    """Journal, DOI and key of a passage's paper, as far as its result has references."""
    found = (printed_in(values, passage), key_of(values, passage)) if "references" in values else ()
    return [escaped(each) for each in found if each]


def _linked(text: str, link: str) -> str:
    return f"[{text}]({link})" if link else text
