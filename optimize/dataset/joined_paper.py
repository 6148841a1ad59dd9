"""Two papers as one, for questions that compare papers and programs that read one.

The joined paper has the id ``A+B``, the texts one after the other, and all sections and figures at their new places, so
that every passage is a provable span of it. Gold ids of the question are those of the joined paper too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from optimize.dataset.example import Example
from programs.ingest.document import Document, Figure, Section

_BETWEEN = "\n\n"


def joined(documents: Sequence[Document]) -> Document:
    """One document of several; a single one is returned as it is."""
    if len(documents) == 1:
        return documents[0]
    sections: list[Section] = []
    figures: list[Figure] = []
    start = 0
    for document in documents:
        sections += [replace(each, start=each.start + start, end=each.end + start) for each in document.sections]
        figures += [
            replace(each, id=f"{document.id}-{each.id}", start=each.start + start, end=each.end + start)
            for each in document.figures
        ]
        start += len(document.text) + len(_BETWEEN)
    return Document(
        id="+".join(document.id for document in documents),
        text=_BETWEEN.join(document.text for document in documents),
        title="; ".join(document.title for document in documents if document.title),
        sections=tuple(sections),
        figures=tuple(figures),
    )


def about(example: Example, document: Document) -> Example:
    """The example with the document in place of the papers that were joined to it."""
    if example.document_ids == (document.id,):
        return example
    evidence = tuple(replace(each, document_id=document.id) for each in example.evidence)
    return replace(example, document_ids=(document.id,), evidence=evidence)
