"""Chooses papers by their summaries: a language model rates them from 1 to 10, in batches side by side."""

from __future__ import annotations

import contextvars
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import dspy

from programs.errors import MalformedOutput
from programs.program import attempt
from programs.running.progress import report_step
from signatures.paper_retriever import LEAST_RELEVANCE, MOST_RELEVANCE, PaperRelevance, SelectPapers
from signatures.passages import as_data, numbered

ONLY_ONE = "the only paper that the search found; not rated"
"""The reason of a candidate that stands alone: the model is then not asked."""


@dataclass(frozen=True, slots=True)
class CandidatePaper:
    """A paper to choose from.

    Attributes:
        document_id: The paper.
        title: Its title, or empty.
        about: Its summary, or its first words where it has none.
        is_summary: Which of the two.
    """

    document_id: str
    title: str
    about: str
    is_summary: bool = True


@dataclass(frozen=True, slots=True)
class PaperChoice:
    """A candidate that was chosen.

    Attributes:
        candidate: The paper.
        relevance: From 1 to 10; None where the model did not rate it or was not asked.
        reason: The model's, or ours where it gave none.
    """

    candidate: CandidatePaper
    relevance: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Selection:
    """What the model chose, most relevant first, equals in the order of the candidates; and what was odd about it."""

    choices: tuple[PaperChoice, ...]
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

        Args:
            question: In any language.
            candidates: The papers, likeliest first.
            batch_size: Papers that the model sees at once, at least 1.
            num_tries: Attempts at a batch whose output does not parse; a batch that never does is noted and left out.
        """
        if len(candidates) == 1:
            report_step("select", "One paper was found, so none is rated", papers=1)
            return Selection((PaperChoice(candidates[0], None, ONLY_ONE),))
        batches = [candidates[start : start + batch_size] for start in range(0, len(candidates), batch_size)]
        if not batches:
            return Selection(())
        report_step("select", f"Rating {len(candidates)} papers by their summaries", papers=len(candidates))
        with ThreadPoolExecutor(len(batches)) as pool:
            # Each in a copy of this context, which carries the model and what counts its calls.
            work = [
                pool.submit(contextvars.copy_context().run, self._rated, question, batch, num_tries)
                for batch in batches
            ]
            rated = [each.result() for each in work]
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
        choices = _choices(step.selections or (), batch, notes)
        return Selection(tuple(sorted(choices, key=lambda each: batch.index(each.candidate))), tuple(notes))


def _choices(
    selections: Iterable[PaperRelevance], batch: Sequence[CandidatePaper], notes: list[str]
) -> Iterator[PaperChoice]:
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
        yield PaperChoice(candidate, relevance, " ".join(each.reason.split()) or "no reason given")
