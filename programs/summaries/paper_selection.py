"""Chooses papers for a question: candidates are found by passages and summaries, and rated by a language model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

import dspy

from programs.errors import MalformedOutput
from programs.ingest.document import Chunk, Document
from programs.passages.evidence import DEPTH, MOST_PAPERS
from programs.passages.passage_selection import RankedPassage
from programs.program import attempt, side_by_side
from programs.progress import report_step
from programs.retrieval.rank_fusion import reciprocal_rank_fusion
from programs.retrieval.records import Hit
from programs.summaries import opening
from signatures.paper_retriever import LEAST_RELEVANCE, MOST_RELEVANCE, PaperRelevance, SelectPapers
from signatures.passages import as_data, numbered

if TYPE_CHECKING:
    from programs.retrieval.filters import Filters
    from programs.retrieval.index import Index
    from programs.retrieval.summary_index import Summaries


MOST_NAMED = 3
"""Papers up to which a note names each."""
NOTHING_FOUND = "Nothing was retrieved: the index holds no paper that matches."


def candidate_papers(
    index: Index,
    summaries: Summaries | None,
    queries: Sequence[str],
    depths: tuple[int, int],
    filters: Filters | None,
    *,
    several: bool,
) -> tuple[list[CandidatePaper], list[str]]:
    """Papers to choose from, the likeliest first, and what is to be said of them.

    ``depths`` are how many passages and how many summaries are looked at; more where a question asks for several
    papers, as ``several`` says. The queries are wordings of the question; filters are what passages have to meet.
    """
    hits = index.search(queries, DEPTH if several else depths[0], filters)
    top_k = MOST_PAPERS if several and depths[1] else depths[1]
    found = summaries.search(queries, top_k, filters) if summaries and top_k else []
    # Filters on single passages say nothing of summaries, and a paper without such a passage would be of no use.
    found = [hit for hit in found if not filters or index.chunks(hit.summary.document_id, filters)]
    lists = [[hit.chunk.document_id for hit in hits], [hit.summary.document_id for hit in found]]
    names = [one.id for one in reciprocal_rank_fusion(lists)][: MOST_PAPERS if several else None]
    found_by = f"{len(hits)} passages and {len(found)} summaries"
    report_step("retrieve", f"Found {len(names)} papers by {found_by}", papers=names)
    written = summaries.of(names) if summaries else {}
    candidates = []
    for document in map(index.document, names):
        summary = written[document.id].text if document.id in written else ""
        about = summary or opening(document)
        candidates.append(CandidatePaper(document.id, document.title, about, bool(summary)))
    return candidates, _notes(candidates)


def _notes(candidates: Sequence[CandidatePaper]) -> list[str]:
    if not candidates:
        return [NOTHING_FOUND]
    missing = [each.document_id for each in candidates if not each.is_summary]
    if not missing or len(candidates) == 1:  # of which the model is not asked
        return []
    named = f" ({', '.join(missing)})" if len(missing) <= MOST_NAMED else ""
    return [
        f"{len(missing)} of {len(candidates)} papers have no summary{named}; they were judged by their first words "
        "instead. Make summaries with `python -m programs index PAPERS --summaries`."
    ]


Neighbours = tuple[Chunk | None, Chunk | None]


@dataclass(frozen=True, slots=True)
class PaperInfo:
    """A paper that passages were taken from; what is not known of it is empty.

    Whose paper it is, its ``possessor``, is a field of its metadata.
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
        known = {name: getattr(document, name) for name in ("title", "authors", "year", "doi", "url")}
        possessor = str(document.metadata.get("possessor", ""))
        return cls(possessor=possessor, file_path=document.source, document_id=document.id, **known)


@dataclass(frozen=True, slots=True)
class SelectedPaper:
    """A paper whose passages were searched.

    Attributes:
        relevance: What the model rated it, 1 to 10; None where the model chose none, or there was no other.
        reason: Why, in the model's words, or that it is in.
        summary: Its summary, or empty where it has none.
    """

    document_id: str
    title: str
    relevance: int | None
    reason: str
    summary: str

    @classmethod
    def of(cls, paper: CandidatePaper, relevance: int | None, reason: str) -> SelectedPaper:
        """A candidate that was chosen."""
        return cls(paper.document_id, paper.title, relevance, reason, paper.about if paper.is_summary else "")


@dataclass(frozen=True, slots=True)
class Retrieved:
    """One text of a result.

    The role is ``passage`` for what was found, ``context`` for what is next to it, and ``summary`` for what a model
    wrote about the paper, which is not a text of the paper, no evidence, and not a chunk. Only what was found has a
    score.
    """

    role: Literal["passage", "context", "summary"]
    document_id: str
    text: str
    chunk: Chunk | None = None
    score: float | None = None


def in_order(
    hits: Iterable[Hit], neighbours_of: Callable[[Chunk], Neighbours], summaries: Mapping[str, str]
) -> Iterator[Retrieved]:
    """Put texts in the order of a result, each once.

    For every hit, best first: the summary of its paper, if there is one, the passage before it, the hit, the passage
    after it. What is a hit itself is at its own place and not beside another.
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


def ranked_of(texts: Iterable[Retrieved], hits: Sequence[Hit], choices: Iterable[SelectedPaper]) -> list[RankedPassage]:
    """The texts that are in papers, in their order, as candidates for what is shown."""
    hit_of = {hit.chunk.id: (rank, hit) for rank, hit in enumerate(hits, start=1)}
    choice_of = {choice.document_id: choice for choice in choices}
    return [
        _ranked(text.chunk, hit_of.get(text.chunk.id), choice_of[text.document_id])
        for text in texts
        if text.chunk is not None
    ]


def _ranked(chunk: Chunk, found: tuple[int, Hit] | None, choice: SelectedPaper) -> RankedPassage:
    scores: dict[str, float | None] = {"relevance": choice.relevance}
    why = "is next to a passage that was found"
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


ONLY_ONE = "the only paper that the search found; not rated"
"""The reason of a candidate that stands alone: the model is then not asked."""


@dataclass(frozen=True, slots=True)
class CandidatePaper:
    """A paper to choose from: about it its summary, or its first words where it has none."""

    document_id: str
    title: str
    about: str
    is_summary: bool = True


@dataclass(frozen=True, slots=True)
class Selection:
    """What the model chose, most relevant first, equals in the order of the candidates; and what was odd about it."""

    choices: tuple[SelectedPaper, ...]
    notes: tuple[str, ...] = ()


class PaperSelector(dspy.Module):
    """The step as a module, so that its prompt is compiled with the program."""

    def __init__(self) -> None:
        super().__init__()
        self.select = dspy.Predict(SelectPapers)

    def forward(
        self, question: str, candidates: Sequence[CandidatePaper], batch_size: int = 10, num_tries: int = 1
    ) -> Selection:
        """Rate papers; those that the model leaves out are irrelevant. A single one is taken without asking.

        The model sees ``batch_size`` papers at once, the likeliest first. A batch whose output does not parse in
        ``num_tries`` attempts is noted and left out.
        """
        if len(candidates) == 1:
            report_step("select", "One paper was found, so none is rated", papers=1)
            return Selection((SelectedPaper.of(candidates[0], None, ONLY_ONE),))
        batches = [candidates[start : start + batch_size] for start in range(0, len(candidates), batch_size)]
        if not batches:
            return Selection(())
        report_step("select", f"Rating {len(candidates)} papers by their summaries", papers=len(candidates))
        rated = side_by_side(partial(self._rated, question, batch, num_tries) for batch in batches)
        choices = sorted((each for batch in rated for each in batch.choices), key=lambda each: -(each.relevance or 0))
        return Selection(tuple(choices), tuple(note for batch in rated for note in batch.notes))

    def _rated(self, question: str, batch: Sequence[CandidatePaper], num_tries: int) -> Selection:
        shown = numbered(("", "\n".join(filter(None, [each.title, each.about]))) for each in batch)
        try:
            step = attempt(self.select, num_tries, papers=shown, question=as_data(question))
        except MalformedOutput as error:
            names = ", ".join(each.document_id for each in batch)
            return Selection((), (f"The papers {names} were not rated: {error}",))
        notes: list[str] = []
        rated = {each.document_id: each for each in _choices(step.selections or (), batch, notes)}
        return Selection(tuple(rated[each.document_id] for each in batch if each.document_id in rated), tuple(notes))


def _choices(
    selections: Iterable[PaperRelevance], batch: Sequence[CandidatePaper], notes: list[str]
) -> Iterator[SelectedPaper]:
    """What is usable of the model's selections; the rest is noted."""
    rated: set[int] = set()
    for each in selections:
        if not 1 <= each.paper <= len(batch):
            notes.append(f"The model rated a paper number {each.paper} of {len(batch)} papers; that was passed over.")
            continue
        candidate, relevance = batch[each.paper - 1], min(each.relevance, MOST_RELEVANCE)
        name = candidate.document_id
        if each.paper in rated:
            notes.append(f"The model rated {name} twice; the first rating counts.")
            continue
        rated.add(each.paper)
        if relevance < LEAST_RELEVANCE:
            notes.append(f"The model rated {name} {each.relevance}, below {LEAST_RELEVANCE}; it counts as left out.")
            continue
        if relevance != each.relevance:
            notes.append(f"The model rated {name} {each.relevance}, above {MOST_RELEVANCE}; it counts as {relevance}.")
        yield SelectedPaper.of(candidate, relevance, " ".join(each.reason.split()) or "no reason given")
