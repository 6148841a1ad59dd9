"""What a retrieval of papers gives: the papers, and texts in the order in which they are to be read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from programs.ingest.document import Chunk, Document
from programs.passages.choice import RankedPassage
from programs.retrieval.records import Hit
from programs.summaries.selection import PaperChoice

Neighbours = tuple[Chunk | None, Chunk | None]


@dataclass(frozen=True, slots=True)
class PaperInfo:
    """A paper that passages were taken from.

    Attributes:
        title: Its title, or empty.
        possessor: Whose paper it is, as its metadata field ``possessor`` says; or empty.
        file_path: The file it was read from, or empty.
        document_id: Its id in the index.
        authors: "Family, Given" in printed order.
        year: Year of publication.
        doi: Its DOI, or empty.
        url: Its address, or empty.
    """

    title: str
    possessor: str
    file_path: str
    document_id: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    doi: str = ""
    url: str = ""

    @classmethod
    def of(cls, document: Document) -> PaperInfo:
        """What an index knows of a paper."""
        return cls(
            document.title,
            str(document.metadata.get("possessor", "")),
            document.source,
            document.id,
            document.authors,
            document.year,
            document.doi,
            document.url,
        )

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class SelectedPaper:
    """A paper whose passages were searched.

    Attributes:
        document_id: The paper.
        title: Its title, or empty.
        relevance: What the model rated it, 1 to 10; None where the model chose none, or there was no other.
        reason: Why, in the model's words, or that it stands in.
        summary: Its summary, or empty where it has none.
    """

    document_id: str
    title: str
    relevance: int | None
    reason: str
    summary: str

    @classmethod
    def of(cls, choice: PaperChoice) -> SelectedPaper:
        """What was chosen and why."""
        paper = choice.candidate
        summary = paper.about if paper.is_summary else ""
        return cls(paper.document_id, paper.title, choice.relevance, choice.reason, summary)

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Retrieved:
    """One text of a result.

    Attributes:
        role: ``passage`` for what was found, ``context`` for what stands next to it, ``summary`` for what a model
            wrote about the paper, which is not a text of the paper and no evidence.
        document_id: The paper.
        text: The text.
        chunk: The passage; None for a summary.
        score: Fused score of what was found; None for the others.
    """

    role: Literal["passage", "context", "summary"]
    document_id: str
    text: str
    chunk: Chunk | None = None
    score: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        return asdict(self)


def in_order(
    hits: Iterable[Hit], neighbours_of: Callable[[Chunk], Neighbours], summaries: Mapping[str, str]
) -> Iterator[Retrieved]:
    """Put texts in the order of a result, each once.

    For every hit, best first: the summary of its paper, the passage before it, the hit, the passage after it. What is
    a hit itself stands at its own place and not beside another.

    Args:
        hits: The passages that were found.
        neighbours_of: Gives the passages before and after one.
        summaries: By document id; papers without one are left out.
    """
    found = list(hits)
    given = {hit.chunk.id for hit in found}
    summarized: set[str] = set()
    for hit in found:
        paper = hit.chunk.document_id
        if paper in summaries and paper not in summarized:
            summarized.add(paper)
            yield Retrieved("summary", paper, summaries[paper])
        before, after = neighbours_of(hit.chunk)
        for chunk in (before, hit.chunk, after):
            if chunk is hit.chunk:
                yield Retrieved("passage", paper, chunk.text, chunk, hit.score)
            elif chunk is not None and chunk.id not in given:
                given.add(chunk.id)
                yield Retrieved("context", paper, chunk.text, chunk)


def ranked_of(texts: Iterable[Retrieved], hits: Sequence[Hit], choices: Iterable[PaperChoice]) -> list[RankedPassage]:
    """The texts that stand in papers, in their order, as candidates for what is shown."""
    hit_of = {hit.chunk.id: (rank, hit) for rank, hit in enumerate(hits, start=1)}
    choice_of = {choice.candidate.document_id: choice for choice in choices}
    return [
        _ranked(text.chunk, hit_of.get(text.chunk.id), choice_of[text.document_id])
        for text in texts
        if text.chunk is not None
    ]


def _ranked(chunk: Chunk, found: tuple[int, Hit] | None, choice: PaperChoice) -> RankedPassage:
    scores: dict[str, float | None] = {"relevance": choice.relevance}
    why = "stands next to a passage that was found"
    if found is not None:
        rank, hit = found
        scores |= {"fused": hit.score, "dense": hit.dense_score, "sparse": hit.sparse_score, "answers": hit.relevance}
        why = f"number {rank} of the passages in the chosen papers"
    rated = "its paper is unrated" if choice.relevance is None else f"its paper is rated {choice.relevance} of 10"
    return RankedPassage(
        chunk,
        {name: score for name, score in scores.items() if score is not None},
        f"{why}; {rated}: {choice.reason}",
        None if found is None else found[1].relevance,
    )
