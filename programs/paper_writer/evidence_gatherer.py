"""Evidence for one section: default queries first, then an agent that looks for what is missing.

    query → nearest passages, without those seen → the sentences of each that contribute, by their numbers → the model's
          score of these → 0.4 · similarity + 0.6 · score → the best

The agent asks for searches until the evidence suffices or its turns are used up. A request that cannot be met is
answered with the reason.
"""

from __future__ import annotations

import math
import string
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import dspy
from dspy.utils.exceptions import LMError as ProviderError
from pydantic import BaseModel

from programs.bounded_numbers import bounded
from programs.errors import LMError, MalformedOutput, one_line
from programs.paper_writer.concept import PaperConcept, inputs_of
from programs.paper_writer.evidence import (
    Evidence,
    Gathered,
    PaperSection,
    Search,
    guidelines,
    merged,
    rank,
    section_named,
    shown,
)
from programs.paper_writer.run_resources import GONE, Calls, PaperWriterParameters, PromptLog, Resources
from programs.passages.numbered_sentences import NumberedSentences
from programs.program import attempt
from programs.progress import report_step
from signatures.evidence import SelectEvidence
from signatures.paper_writer import EvidenceQuery, PlanSearches, ScoreEvidence, ScoreResult
from signatures.passages import as_data

MOST_SENTENCES = 3
"""Of a passage, that stand for it as evidence."""
NOTHING = "no sentence of it contributes to the query"


class Outcome(BaseModel, frozen=True):
    """What a search brought.

    Attributes:
        evidence: Best first, at most ``top_k_final``.
        seen: Ids of the passages that were looked at.
        notes: Scores that were clamped, and calls that failed.
        failed: Whether the model failed; output of a wrong form is not a failure, and loses only that passage.
    """

    evidence: tuple[Evidence, ...] = ()
    seen: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    failed: bool = False


class EvidenceSearch(dspy.Module):
    """The search as a module, so that its two prompts are compiled with the program."""

    def __init__(self) -> None:
        super().__init__()
        self.select = dspy.Predict(SelectEvidence)
        self.score = dspy.Predict(ScoreEvidence)

    def forward(self, query: str, target_section: PaperSection, seen: Collection[str], resources: Resources) -> Outcome:
        """Search for evidence, leaving out the passages whose ids were seen.

        A call that fails costs only the passage that it was about: the others stay, and the outcome says so.
        """
        parameters = resources.settings
        found = resources.library.search(query, parameters.top_k_initial, seen)
        if not found:
            return Outcome()
        shown = f"{target_section}: reading and scoring {len(found)} passages for “{query}”"
        report_step("summarize", shown, passages=len(found))
        looked_at = resources.calls.map(lambda each: self._looked_at(each, target_section, resources), found)
        evidence = sorted((each for one in looked_at for each in one.evidence), key=rank)
        return Outcome(
            evidence=tuple(evidence[: parameters.top_k_final]),
            seen=tuple(each.chunk.id for each in found),
            notes=tuple(dict.fromkeys(note for one in looked_at for note in one.notes)),
            failed=any(each.failed for each in looked_at),
        )

    def _looked_at(self, found: Evidence, section: PaperSection, resources: Resources) -> Outcome:
        """What one passage brings; a model that is gone is not asked."""
        if resources.calls.is_down:
            return Outcome(failed=True)
        try:
            evidence, given = self._scored(found, section, resources.settings)
        except MalformedOutput as error:
            return Outcome(notes=(f"A passage was left out: {one_line(error)}",))
        except (LMError, ProviderError) as error:
            resources.calls.failed(error)
            return Outcome(notes=(f"The model failed: {one_line(error)}",), failed=True)
        taken = evidence.llm_score
        note = f"The model scored {found.chunk.id} {given}, outside of 0 to 1; {taken} was taken"
        return Outcome(evidence=(evidence,), notes=() if given == taken else (note,))

    def _scored(
        self, found: Evidence, section: PaperSection, parameters: PaperWriterParameters
    ) -> tuple[Evidence, float]:
        """A passage with its sentences that contribute to the query, and the score as the model gave it."""
        query, sentences = as_data(found.source_query), NumberedSentences.of([found.chunk])
        chosen = attempt(
            self.select,
            parameters.num_tries,
            signature=bounded(self.select.signature, "numbers", evidence=sentences),
            evidence=sentences.shown(),
            question=query,
        )
        numbers = [each.number for each in sentences.given(chosen.numbers or ())[:MOST_SENTENCES]]
        summary = " ".join(each.read for each in sentences.only(numbers).sentences)
        result = ScoreResult(score=0.0, reason=NOTHING)
        if summary:
            result = attempt(
                self.score,
                parameters.num_tries,
                summary=as_data(summary),
                source_section=found.chunk.section,
                target_section=section.value,
                query=query,
            ).result
        score = 0.0 if math.isnan(result.score) else max(0.0, min(1.0, float(result.score)))
        similarity, weight = found.vector_score, parameters.vector_weight
        scores = {
            "vector_score": round(similarity, 4),
            "llm_score": score,
            "combined_score": round(weight * similarity + (1 - weight) * score, 4),
        }
        reason = " ".join((result.reason or "").split())
        return found.model_copy(update={"summary": summary, "reason": reason, **scores}), result.score


MOST_QUERIES = 4
"""Default queries of a section. Each brings up to 40 calls of the model."""

MOST_WORDS = 60
"""Of a query: embedding models read little more, and a longer one is about everything."""


class QueryBuilder(dspy.Module):
    """Builds the default queries of a section from templates; it asks no model."""

    def forward(self, section: PaperSection, concept: PaperConcept) -> list[str]:
        """Fill the templates of a section, each query once; the hypothesis where nothing else can be filled in."""
        guideline = guidelines()[section]
        fields = {name: getattr(concept, name) for name in ("hypothesis", "background", "objective", "approach")}
        own = [_filled(template, fields) for template in guideline.queries]
        of_experiments = [
            _filled(template, {"name": each.name, "method": each.method, "finding": " ".join(each.findings)})
            for template in guideline.experiment_queries
            for each in concept.experiments
        ]
        queries = dict.fromkeys(query for query in (*own, *of_experiments) if query)
        return list(queries)[:MOST_QUERIES] or [_cut(concept.hypothesis)]


def _filled(template: str, fields: Mapping[str, str]) -> str:
    """The template with its fields; empty if one of them is."""
    named = [name for _, name, _, _ in string.Formatter().parse(template) if name]
    return _cut(template.format(**fields)) if all(fields.get(name) for name in named) else ""


def _cut(text: str) -> str:
    return " ".join(text.split()[:MOST_WORDS])


EMPTY = "refused: the query is empty; write what a passage would say"
REPEATED = "refused: this was searched before; word it otherwise or look for something else"
ONLY_SEEN = "found only passages that were seen before; look for something else, or be done"


@dataclass
class Notebook:
    """What the agent of a section has found and asked so far; ``failed`` says whether the model did.

    Evidence is by the section that is to cite it, and so are the ids of the passages that were seen.
    """

    section: PaperSection
    evidence: dict[PaperSection, tuple[Evidence, ...]] = field(default_factory=dict)
    seen: dict[PaperSection, set[str]] = field(default_factory=dict)
    searches: list[Search] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    failed: bool = False

    def can_ask(self, calls: Calls) -> bool:
        """Whether the model has not failed, here or in another section; if there, that is noted."""
        if calls.is_down and not self.failed:
            self.fail(GONE)
        return not self.failed

    def target(self, query: str, named: str, place: int, most: int) -> PaperSection | str:
        """The section that a query is for, or in words for the agent why it is not searched for.

        ``place`` queries came before it this time, of at most ``most``.
        """
        if not query:
            return EMPTY
        if place >= most:
            return f"refused: over the limit of {most} queries at a time; ask for it again if it still matters"
        section = section_named(named)
        if section is None:
            return f"refused: there is no section {named!r}; name one of {', '.join(PaperSection)}"
        same = [each for each in self.searches if _plain(each.query) == _plain(query)]
        was_asked = any(each.target_section == section and not each.outcome.startswith("refused") for each in same)
        return REPEATED if was_asked else section

    def add(self, query: str, target: PaperSection, outcome: Outcome) -> None:
        """Keep what a search brought."""
        self.evidence[target] = merged(self.evidence.get(target, ()), outcome.evidence)
        self.seen.setdefault(target, set()).update(outcome.seen)
        self.notes += outcome.notes
        self.failed |= outcome.failed
        found = f"looked at {len(outcome.seen)} passages, kept {len(outcome.evidence)}"
        self.keep(query, target, found if outcome.seen else ONLY_SEEN)

    def keep(self, query: str, target: str, outcome: str) -> None:
        """Keep a query with what it brought, or why it was not searched for."""
        report_step("agent", f"{self.section}: “{query}” for {target or 'no section'}: {outcome}")
        self.searches.append(Search(query=query, target_section=target, outcome=outcome))

    def fail(self, reason: str) -> None:
        """Keep that the model failed; what was found stays."""
        self.notes.append(reason)
        self.failed = True

    def shown(self) -> str:
        """Past searches as they are in a prompt."""
        lines = (f"“{each.query}” for {each.target_section or 'no section'}: {each.outcome}" for each in self.searches)
        return "\n".join(" ".join(line.split()) for line in lines)

    def gathered(self, final_prompt: str) -> Gathered:
        """All of it as a value."""
        own = self.evidence.get(self.section, ())
        if self.failed:
            self.notes.append(f"Gathering ended early; the {len(own)} pieces of evidence found so far are kept")
        return Gathered(
            section=self.section,
            evidence=own,
            for_others={each: found for each, found in self.evidence.items() if each is not self.section and found},
            searches=tuple(self.searches),
            notes=tuple(dict.fromkeys(self.notes)),
            complete=not self.failed,
            final_prompt=final_prompt,
        )


def _plain(query: str) -> str:
    return " ".join(query.casefold().split()).strip(" .?!\"'")


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
    ) -> Gathered:
        """Gather evidence, by the default queries and then by those of the agent.

        Searches of a section follow one another, since each leaves out what was seen before; the calls of each run side
        by side. When the model fails, what was found so far is returned and ``complete`` is off.
        """
        notebook, parameters = Notebook(section), resources.settings
        for query in default_queries:
            self._search(notebook, query, section, resources)
        for turn in range(parameters.max_iterations):
            wanted = self._wanted(notebook, concept, turn, resources)
            if not wanted:
                break
            for place, each in enumerate(wanted):
                query, named = " ".join(each.query.split()), each.target_section
                target = notebook.target(query, named, place, parameters.max_queries)
                if isinstance(target, PaperSection):
                    self._search(notebook, query, target, resources)
                else:
                    notebook.keep(query, named, target)
        return notebook.gathered(log.last("queries"))

    def _wanted(
        self, notebook: Notebook, concept: PaperConcept, turn: int, resources: Resources
    ) -> Sequence[EvidenceQuery]:
        """What the agent wants to search for; nothing when it is done, or when the model fails."""
        if not notebook.can_ask(resources.calls):
            return ()
        section, parameters = notebook.section, resources.settings
        found = notebook.evidence.get(section, ())[: parameters.max_evidence]
        report_step("agent", f"{section}: looking for gaps in {len(found)} pieces of evidence", evidence=len(found))
        try:
            asked = resources.ask(
                self.plan,
                **inputs_of(concept),
                section=section.value,
                objective=guidelines()[section].objective,
                evidence=shown(found),
                past_searches=as_data(notebook.shown()),
                iterations_left=parameters.max_iterations - turn,
            )
        except (LMError, ProviderError) as error:
            resources.calls.failed(error)
            notebook.fail(f"The agent could not be asked: {one_line(error)}")
            return ()
        if asked.done or not asked.queries:
            report_step("agent", f"{section}: the evidence suffices", evidence=len(found))
            return ()
        return tuple(asked.queries)

    def _search(self, notebook: Notebook, query: str, target: PaperSection, resources: Resources) -> None:
        """Search; once the model failed, nothing."""
        if notebook.can_ask(resources.calls):
            seen = notebook.seen.get(target, set())
            notebook.add(query, target, self.search_evidence(query, target, seen, resources))
