"""What a source says: rows of ``reading.yaml``, read by the reader for their format.

A behaviour has rows: a source, a source with its text, or a source with what else its document has, or why it is
refused. ``in`` and ``out`` are around each source and text, ``has`` counts for all rows, and ``file`` names the file,
or several. An article of JATS may be given by its parts; ``part`` says which of them the sources are.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from programs import errors
from programs.ingest.document import Document
from programs.ingest.formats import read

FORMATS = list(yaml.safe_load_all(Path(__file__).with_name("reading.yaml").read_text("utf-8")))
ARTICLE = """<article article-type="research-article" xmlns:xlink="http://www.w3.org/1999/xlink"
 xmlns:mml="http://www.w3.org/1998/Math/MathML"><front><journal-meta>{of_journal}</journal-meta><article-meta>
 {meta}</article-meta></front><body>{body}</body><back>{back}</back><floats-group>{floats}</floats-group></article>"""
PARTS = ("of_journal", "meta", "body", "back", "floats")


def cases() -> Iterator[Any]:
    behaviours = [
        (what, format_["file"], each) for format_ in FORMATS for what, each in format_.items() if what != "file"
    ]
    for what, usual_file, behaviour in behaviours:
        named = behaviour.get("file", usual_file)
        files = named if isinstance(named, list) else [named]
        for number, row in enumerate(behaviour["rows"]):
            part = behaviour.get("part", "source")
            own = row if isinstance(row, dict) else {part: row} if isinstance(row, str) else {part: row[0]}
            if isinstance(row, list):
                own["text"] = behaviour.get("out", "{}").replace("{}", row[1])
            wanted = {**behaviour.get("has", {}), **own}
            given = {name: wanted.pop(name) for name in ("source", *PARTS) if name in wanted}
            given[part] = behaviour.get("in", "{}").replace("{}", given.get(part, ""))
            for name in files:
                yield pytest.param(name, given, wanted, id=f"{what} {number} {name}")


def outline(document: Document) -> list[list[Any]]:
    found = ((each.level, each.heading, each.kind, document.text[each.start : each.end]) for each in document.sections)
    return [[level, heading, kind, text.replace("\n", "|")] for level, heading, kind, text in found]


def figures(document: Document) -> list[list[Any]]:
    return [[each.id, each.label, each.caption, *each.image_urls] for each in document.figures]


OF_DOCUMENT = {
    "outline": outline,
    "headings": lambda document: [[each.level, each.heading, each.kind] for each in document.sections],
    "figures": figures,
    "authors": lambda document: list(document.authors),
    "images": lambda document: [list(each.image_urls) for each in document.figures],
    "metadata": lambda document: dict(document.metadata),
    "retracted": lambda document: document.metadata.get("retracted", False),
    "corrections": lambda document: document.metadata.get("corrections"),
    "evidence": lambda document: document.evidence_text,
}


def said(document: Document, wanted: dict[str, Any]) -> dict[str, Any]:
    """What a document has of what is wanted of it."""
    found = {}
    for name, value in wanted.items():
        if name in ("holds", "evidence_holds"):
            text = document.text if name == "holds" else document.evidence_text
            found[name] = [each for each in value if each in text]
        elif name in ("lacks", "evidence_lacks"):
            text = document.text if name == "lacks" else document.evidence_text
            found[name] = [each for each in value if each not in text]
        elif name == "also":
            found[name] = {key: document.metadata.get(key) for key in value}
        else:
            found[name] = OF_DOCUMENT[name](document) if name in OF_DOCUMENT else getattr(document, name)
    return found


@pytest.mark.parametrize(("name", "given", "wanted"), list(cases()))
def test_what_a_source_says(tmp_path: Path, name: str, given: dict[str, str], wanted: dict[str, Any]) -> None:
    path = tmp_path / name
    source = given.get("source") or ARTICLE.format(**{**dict.fromkeys(PARTS, ""), "body": "<p>Text.</p>", **given})
    path.write_text(source, encoding="utf-8")
    if "refused" in wanted:
        kind, message = wanted["refused"]
        with pytest.raises(getattr(errors, kind), match=message):
            read(path)
    else:
        assert said(read(path), wanted) == wanted
