"""Evidence for one section: default queries first, then an agent that looks for what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dspy
from dspy.utils.exceptions import LMError as ProviderError
from pydantic import BaseModel

from programs.errors import LMError
from programs.paper_writer.agent import Notebook, searches_shown
from programs.paper_writer.concept import PaperConcept, concept_shown, experiments_shown
from programs.paper_writer.drafts import Drafts, Unsaved, restored
from programs.paper_writer.evidence import Gathered, shown
from programs.paper_writer.evidence_search import EvidenceSearch, Outcome, said
from programs.paper_writer.model_health import GONE
from programs.paper_writer.prompt_log import PromptLog
from programs.paper_writer.resources import Resources
from programs.paper_writer.sections import PaperSection, guidelines, section_named
from programs.program import attempt
from programs.running.progress import report_step
from signatures.paper_writer import EvidenceQuery, PlanSearches
from signatures.passages import as_data


class _Turn(BaseModel):
    """What the agent asked for once; nothing when it was done."""

    queries: tuple[EvidenceQuery, ...] = ()


class _Searched(BaseModel):
    """A finished search."""

    query: str
    target: PaperSection
    outcome: Outcome


class EvidenceGatherer(dspy.Module):
    """The second phase, for one section at a time; sections do not see one another's evidence."""

    def __init__(self) -> None:
        super().__init__()
        self.search_evidence = EvidenceSearch()
        self.plan = dspy.Predict(PlanSearches)

    def forward(
        self,
        section: PaperSection,
        default_queries: Sequence[str],
        concept: PaperConcept,
        resources: Resources,
        log: PromptLog,
        drafts: Drafts | None = None,
    ) -> Gathered:
        """Gather evidence.

        Searches of a section follow one another, since each leaves out what was seen before; the calls of each run side
        by side. When the model fails, what was found so far is returned and ``complete`` is off.

        Args:
            section: The section.
            default_queries: What to search for first.
            concept: What the paper is about.
            resources: Where to search, and what runs the calls.
            log: Hears every prompt.
            drafts: Keeps every finished search and turn of the agent; what it has of a former run is not asked again.
        """
        notebook, kept = Notebook(section), drafts or Unsaved()
        for query in default_queries:
            self._search(notebook, query, section, resources, kept)
        for turn in range(resources.settings.max_iterations):
            wanted = self._wanted(notebook, concept, turn, resources, kept)
            if not wanted:
                break
            for place, each in enumerate(wanted):
                self._follow(notebook, each, place, resources, kept)
        return notebook.gathered(log.last("queries"))

    def _wanted(
        self, notebook: Notebook, concept: PaperConcept, turn: int, resources: Resources, kept: Drafts
    ) -> list[EvidenceQuery]:
        """What the agent wants to search for; nothing when it is done, or when the model fails."""
        step = f"turns/{notebook.section}-{turn}"
        former = restored(kept, step, _Turn)
        if former is None and _can_ask(notebook, resources):
            former = self._turn(notebook, concept, turn, resources)
            if former is not None:
                kept.save(step, former.model_dump(mode="json"))
        return list(former.queries) if former and not notebook.failed else []

    def _turn(self, notebook: Notebook, concept: PaperConcept, turn: int, resources: Resources) -> _Turn | None:
        """Ask the agent; None when the model fails."""
        section, parameters = notebook.section, resources.settings
        found = notebook.evidence.get(section, ())[: parameters.max_evidence]
        report_step("agent", f"{section}: looking for gaps in {len(found)} pieces of evidence", evidence=len(found))
        asked: dict[str, Any] = {
            "concept": concept_shown(concept),
            "experiments": experiments_shown(concept),
            "hypothesis": as_data(concept.hypothesis),
            "section": section.value,
            "objective": guidelines()[section].objective,
            "evidence": shown(found),
            "past_searches": as_data(searches_shown(notebook.searches)),
            "iterations_left": parameters.max_iterations - turn,
        }
        try:
            step = resources.calls.one(lambda: attempt(self.plan, parameters.num_tries, **asked))
        except (LMError, ProviderError) as error:
            resources.model_health.record(error)
            notebook.fail(f"The agent could not be asked: {said(error)}")
            return None
        if step.done or not step.queries:
            report_step("agent", f"{section}: the evidence suffices", evidence=len(found))
            return _Turn()
        return _Turn(queries=tuple(step.queries))

    def _follow(
        self,
        notebook: Notebook,
        wanted: EvidenceQuery,
        place: int,
        resources: Resources,
        kept: Drafts,
    ) -> None:
        """Search for what the agent wants, or tell it why not."""
        query = " ".join(wanted.query.split())
        refusal = notebook.refusal(query, wanted.target_section, place, resources.settings.max_queries)
        target = section_named(wanted.target_section)
        if refusal or target is None:
            notebook.refuse(query, wanted.target_section, refusal)
        else:
            self._search(notebook, query, target, resources, kept)

    def _search(
        self,
        notebook: Notebook,
        query: str,
        target: PaperSection,
        resources: Resources,
        kept: Drafts,
    ) -> None:
        """Search, unless a former run did; once the model failed, nothing."""
        if notebook.failed:
            return
        step = f"searches/{notebook.section}-{len(notebook.searches)}"
        former = restored(kept, step, _Searched)
        if former is not None and (former.query, former.target) == (query, target):
            notebook.add(query, target, former.outcome)
        elif _can_ask(notebook, resources):
            outcome: Outcome = self.search_evidence(query, target, notebook.seen.get(target, set()), resources)
            notebook.add(query, target, outcome)
            if not outcome.failed:
                kept.save(step, _Searched(query=query, target=target, outcome=outcome).model_dump(mode="json"))


def _can_ask(notebook: Notebook, resources: Resources) -> bool:
    if resources.model_health.is_down and not notebook.failed:
        notebook.fail(GONE)
    return not notebook.failed
