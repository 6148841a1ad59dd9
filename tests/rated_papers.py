"""An index with summaries, and scripted ratings of its papers, for the tests of `paper_retriever`."""

from __future__ import annotations

import dspy

from programs.ingest.document import Section
from programs.lm import LM
from programs.retrieval.index import Index
from programs.summaries import summarize_index
from tests.hashing_embedder import HashingEmbedder
from tests.papers import PAPERS, paper

QUESTION = "How did femur density change in flight mice?"


def sections_paper(document_id, title, *sentences):
    """A paper of which each sentence is a chunk of its own, in a section of its own."""
    text, sections = "", []
    for number, sentence in enumerate(sentences):
        heading = f"Part {number}"
        text += f"{heading}\n\n"
        sections.append(Section(heading, "results" if number else "methods", len(text), len(text) + len(sentence)))
        text += f"{sentence}\n\n"
    document = paper(document_id, title=title)
    return type(document)(
        document_id, text.rstrip(), title=title, sections=tuple(sections), metadata={"possessor": "Ada"}
    )


LONG = sections_paper(
    "long",
    "Mice in flight",
    "Mice were housed in pairs.",
    "Femur density fell in flight mice.",
    "Osteoclasts doubled in number.",
    "Muscles were not weighed.",
)


def made(folder):
    index = Index.open(folder / "papers.idx", create=True, embedder=HashingEmbedder())
    index.add([*PAPERS, LONG])
    with dspy.context(lm=LM("extractive")):
        summarize_index(index)
    return index


def selects(*selections):
    """The reply of the step that selects: number, relevance and reason of papers."""
    return {
        "selections": [
            {"paper": number, "relevance": relevance, "reason": f"because of {number}"}
            for number, relevance in selections
        ]
    }


def by_title(**relevance):
    """A model that rates papers by a word of their title, wherever they stand in its prompt."""

    def rate(call):
        lines = [line for line in call.values["papers"].splitlines() if line.startswith("[")]
        numbers = {word: n for n, line in enumerate(lines, 1) for word in relevance if word in line}
        return selects(*((numbers[word], value) for word, value in relevance.items() if word in numbers))

    return rate
