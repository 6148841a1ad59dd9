"""Small invented papers for tests of everything that comes after reading."""

from __future__ import annotations

from programs.ingest.document import Document, MetadataValue, Section

RESULTS = "Results\n\n"


def paper(
    document_id: str, *sentences: str, title: str = "", year: int | None = None, **metadata: MetadataValue
) -> Document:
    """A paper with one results section that holds the sentences."""
    text = RESULTS + " ".join(sentences)
    section = Section("Results", "results", len(RESULTS), len(text))
    return Document(document_id, text, title=title, year=year, sections=(section,), metadata=metadata)


BONE = paper(
    "bone",
    "Femur density fell by 12 percent in flight mice.",
    "Osteoclast counts doubled.",
    title="Bone loss in flight mice",
    year=2014,
    organism=["Mus musculus"],
    mission_env="ISS",
)
ROOTS = paper(
    "roots",
    "Roots of thale cress grew without direction in orbit.",
    "Auxin transport was not altered.",
    title="Root growth in orbit",
    year=2009,
    organism=["Arabidopsis thaliana"],
    mission_env="Space Shuttle",
)
YEAST = paper(
    "yeast",
    "Acetic acid shortened the chronological life span of yeast.",
    "Buffering the medium restored it.",
    title="Acid and yeast ageing",
    year=2017,
    organism=["Saccharomyces cerevisiae"],
    mission_env="ground",
    controlled=True,
)
PAPERS = (BONE, ROOTS, YEAST)
