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


# A paper that tries to run in the reader's browser, and whose text holds what JavaScript counts as two characters.

ATTACK = "<script>window.pwned=1</script><img src=x onerror='window.pwned=1'>"
GLOW = "Luminous flux of the 𝜆-lantern snail rose by 41 % in orbit."
HOSTILE = Document(
    id="PMC9990001",
    title=ATTACK,
    year=2020,
    doi='10.5555/"><script>window.pwned=1</script>',
    url="javascript:window.pwned=1",
    text=f"We 🐌 flew lantern snails (𝛽 = 2) {ATTACK}. {GLOW} Controls 🐌 did not glow.",
    metadata={"organism": ["Mus musculus"], "mission_env": ["ISS"]},
)
