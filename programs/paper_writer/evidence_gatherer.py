"""Evidence for one section: default queries first, then an agent that looks for what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dspy
from dspy.utils.exceptions import LMError as ProviderError

from programs.errors import LMError
from programs.paper_writer.agent import Notebook, searches_shown
from programs.paper_writer.concept import PaperConcept, concept_shown, experiments_shown
from programs.paper_writer.evidence import Gathered, shown
from programs.paper_writer.evidence_search import EvidenceSearch, said
from programs.paper_writer.prompt_log import PromptLog
from programs.paper_writer.resources import Resources
from programs.paper_writer.sections import Section, guidelines, section_named
from programs.program import attempt
from programs.progress import tell
from signatures.paper_writer import EvidenceQuery, PlanSearches
from signatures.passages import as_data


class EvidenceGatherer(dspy.Module):
    """The second phase, for one section at a time; sections do not see one another's evidence."""

    def __init__(self) -> None:
        super().__init__()
        self.search_evidence = EvidenceSearch()
        self.plan = dspy.Predict(PlanSearches)

    def forward(
        self,
        section: Section,
        default_queries: Sequence[str],
        concept: PaperConcept,
        resources: Resources,
        log: PromptLog,
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
        """
        notebook = Notebook(section)
        for query in default_queries:
            if not notebook.failed:
                self._search(notebook, query, section, resources)
        for turn in range(resources.parameters.max_iterations):
            wanted = [] if notebook.failed else self._wanted(notebook, concept, turn, resources)
            if not wanted:
                break
            for place, each in enumerate(wanted):
                self._follow(notebook, each, place, resources)
        return notebook.gathered(log.last("queries"))

    def _wanted(
        self, notebook: Notebook, concept: PaperConcept, turn: int, resources: Resources
    ) -> list[EvidenceQuery]:
        """What the agent wants to search for; nothing when it is done, or when the model fails."""
        section, parameters = notebook.section, resources.parameters
        found = notebook.evidence.get(section, ())[: parameters.max_evidence]
        tell("agent", f"{section}: looking for gaps in {len(found)} pieces of evidence", evidence=len(found))
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
            notebook.fail(f"The agent could not be asked: {said(error)}")
            return []
        if step.done or not step.queries:
            tell("agent", f"{section}: the evidence suffices", evidence=len(found))
            return []
        return list(step.queries)

    def _follow(
        self,
        notebook: Notebook,
        wanted: EvidenceQuery,
        place: int,
        resources: Resources,
    ) -> None:
        """Search for what the agent wants, or tell it why not."""
        query = " ".join(wanted.query.split())
        refusal = notebook.refusal(query, wanted.target_section, place, resources.parameters.max_queries)
        target = section_named(wanted.target_section)
        if refusal or target is None:
            notebook.refuse(query, wanted.target_section, refusal)
        elif not notebook.failed:
            self._search(notebook, query, target, resources)

    def _search(
        self,
        notebook: Notebook,
        query: str,
        target: Section,
        resources: Resources,
    ) -> None:
        seen = notebook.seen.get(target, set())
        notebook.add(query, target, self.search_evidence(query, target, seen, resources))
