"""`paper_writer`: a draft from a concept and an index, every citation of it taken from what was read.

pipeline = PaperWritingPipeline(Index.open("papers.idx"))
pipeline(concept=read_concept("concept.yaml"), output="draft/").draft.introduction

default queries → evidence agent, section by section → sections, independent ones side by side → title → bibliography
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import dspy

from programs.errors import LMError, UsageError
from programs.paper_writer.concept import ExperimentResult, PaperConcept, Plot, checked, digest, read_concept
from programs.paper_writer.draft import (
    BIBLIOGRAPHY,
    RECORD,
    Drafts,
    PaperDraft,
    SectionDraft,
    as_json,
    bibtex,
    manuscript,
    of_cited_keys,
)
from programs.paper_writer.evidence import SEES, WRITING_ORDER, CitedPaper, Evidence, Gathered, PaperSection, merged
from programs.paper_writer.evidence_gatherer import EvidenceGatherer, QueryBuilder
from programs.paper_writer.run_resources import Calls, Library, PaperIndexer, PaperWriterParameters, Resources, logged
from programs.paper_writer.section_writer import PaperWriter, SectionTask
from programs.program import Program, model_name
from programs.progress import report_step
from programs.retrieval.index import Index

__all__ = [
    "CitedPaper",
    "Evidence",
    "EvidenceGatherer",
    "ExperimentResult",
    "Gathered",
    "PaperConcept",
    "PaperDraft",
    "PaperIndexer",
    "PaperSection",
    "PaperWriter",
    "PaperWriterParameters",
    "PaperWritingPipeline",
    "Plot",
    "QueryBuilder",
    "SectionDraft",
    "read_concept",
]


def finished_draft(
    concept: PaperConcept, title: str, sections: Mapping[PaperSection, SectionDraft], plan: Mapping[str, Any]
) -> dict[str, Any]:
    """The fields of the result of a run; see ``PaperWritingPipeline.run``."""
    draft = PaperDraft(title=title, **{each.section.value: each.text for each in sections.values()})
    citations = {section: each.citations for section, each in sections.items()}
    known = {each.key: each.paper for section in sections.values() for each in section.evidence}
    papers = of_cited_keys(known, (each.marker for made in citations.values() for each in made))
    notes = [f"{section}: {note}" for section, each in sections.items() for note in each.notes]
    return {
        **plan,
        "notes": [*plan["notes"], *notes],
        "draft": draft,
        "sections": list(sections.values()),
        "citations": [each for made in citations.values() for each in made],
        "unsupported": [each for section in sections.values() for each in section.weak],
        "papers": list(papers),
        "bibliography": bibtex(papers),
        "manuscript": manuscript(draft, concept.authors, papers),
    }


def record(finished: Mapping[str, Any]) -> dict[str, Any]:
    """A result as one JSON document."""
    return {
        "program": "paper_writer",
        "draft": finished["draft"].model_dump(),
        **{name: [each.as_dict() for each in finished[name]] for name in ("sections", "unsupported")},
        "papers": [each.model_dump(mode="json") for each in finished["papers"]],
        "notes": list(finished["notes"]),
    }


_TITLE = "written-title"


class PaperWritingPipeline(Program[PaperWriterParameters]):
    """A concept, an index of the papers that may be cited, a draft."""

    name: ClassVar[str] = "paper_writer"

    def __init__(self, index: Index, parameters: PaperWriterParameters | None = None) -> None:
        super().__init__(parameters or PaperWriterParameters())
        if not isinstance(index, Index):
            raise UsageError(f"paper_writer reads all papers of an index, got {type(index).__name__}; give an Index")
        self.index = index
        self.query_builder = QueryBuilder()
        self.gatherer = EvidenceGatherer()
        self.writer = PaperWriter()

    def run(self, concept: PaperConcept, output: str | Path | None = None, plan_only: bool = False) -> dspy.Prediction:
        """Write a draft, or with ``plan_only`` gather its evidence.

        A run that was interrupted continues from the folder ``output``; without one nothing is saved.

        Returns:
            ``evidence`` by section, ``searches`` by section and ``notes``; unless ``plan_only`` also ``draft`` (a
            ``PaperDraft``), ``sections`` (a ``SectionDraft`` each), ``citations`` (certificates of all sections),
            ``unsupported`` (those whose passage does not support the sentence), ``bibliography`` (BibTeX) and
            ``manuscript`` (Markdown).

        Raises:
            UsageError: A plot is missing, the index holds no paper, or the folder belongs to another draft.
            MalformedOutput: The output of a section did not parse in ``num_tries`` tries.
            LMError: The model failed, and no evidence was found; or it failed while a section was written. Finished
                sections are kept in the folder.
        """
        concept = checked(concept)
        library = Library(self.index)
        for note in library.notes:
            report_step("note", note)
        drafts = Drafts(output, self._origin(concept, library) if output else None)
        with closing(drafts):
            resources = Resources(library, Calls(self.settings.threads), self.settings, drafts)
            plan = _plan(self._gathered(concept, resources), library, self.settings.max_evidence)
            if plan_only:
                return dspy.Prediction(**plan)
            sections = self._sections(concept, plan["evidence"], resources)
            finished = finished_draft(concept, self._title(concept, sections, resources), sections, plan)
            for plot in concept.plots:
                drafts.write(plot.filename, plot.file.read_bytes())
            drafts.write(BIBLIOGRAPHY, finished["bibliography"])
            drafts.write(RECORD, as_json(record(finished)))
            # The manuscript last: once it is there everything is.
            finished["notes"] += drafts.write_manuscript(finished["manuscript"])
        return dspy.Prediction(**finished)

    def _gathered(self, concept: PaperConcept, resources: Resources) -> dict[PaperSection, Gathered]:
        """Evidence of all sections, side by side; each is kept once it is complete."""
        tasks = {section: partial(self._gather, section, concept, resources) for section in WRITING_ORDER}
        gathered = resources.calls.side_by_side(tasks)
        if not any(each.complete or each.evidence for each in gathered.values()):
            note = next(note for each in gathered.values() for note in each.notes)
            raise LMError(f"the model failed before any evidence was found, so nothing was written. {note}")
        return gathered

    def _gather(self, section: PaperSection, concept: PaperConcept, resources: Resources) -> Gathered:
        drafts = resources.drafts
        former = drafts.restored(f"gathered-{section}", Gathered)
        if former is not None:
            count = len(former.evidence)
            report_step("gathered", f"{section}: evidence from the run before", section=section, evidence=count)
            return former
        with logged() as log:
            queries = self.query_builder(section, concept)
            found: Gathered = self.gatherer(section, queries, concept, resources, log)
        drafts.keep_prompts(f"{section}.evidence.jsonl", log.lines())
        drafts.keep_prompts(f"{section}.evidence.final.md", found.final_prompt)
        if found.complete:
            drafts.save(f"gathered-{section}", found.model_dump(mode="json"))
        message = f"{section}: {len(found.evidence)} pieces of evidence by {len(found.searches)} queries"
        report_step("gathered", message, section=section, evidence=len(found.evidence))
        return found

    def _sections(
        self, concept: PaperConcept, evidence: Mapping[PaperSection, tuple[Evidence, ...]], resources: Resources
    ) -> dict[PaperSection, SectionDraft]:
        """All sections, each once those that it sees are written, and otherwise side by side."""
        written: dict[PaperSection, SectionDraft] = {}

        def write(section: PaperSection) -> SectionDraft:
            earlier = {each: written[each].text for each in SEES.get(section, ())}
            written[section] = self._write(SectionTask(section, concept, evidence[section], earlier), resources)
            return written[section]

        return resources.calls.side_by_side({section: partial(write, section) for section in WRITING_ORDER}, SEES)

    def _write(self, task: SectionTask, resources: Resources) -> SectionDraft:
        drafts, step = resources.drafts, f"written-{task.section}"
        former = drafts.restored(step, SectionDraft)
        if former is not None:
            report_step("written", f"{task.section}: from the run before", section=task.section)
            return former
        with logged() as log:
            section: SectionDraft = self.writer(task, resources, log)
        drafts.keep_prompts(f"{task.section}.jsonl", log.lines())
        drafts.keep_prompts(f"{task.section}.final.md", section.final_prompt)
        drafts.save(step, section.model_dump(mode="json"))
        report_step("written", f"{task.section}: {len(section.text.split())} words", section=task.section)
        return section

    def _title(self, concept: PaperConcept, sections: Mapping[PaperSection, SectionDraft], resources: Resources) -> str:
        saved = resources.drafts.load(_TITLE)
        if saved is not None:
            return str(saved)
        with logged() as log:
            title = self.writer.title(concept, {name: each.text for name, each in sections.items()}, resources)
        resources.drafts.keep_prompts("title.final.md", log.last("title"))
        resources.drafts.save(_TITLE, title)
        report_step("written", f"title: {title}", section="title")
        return title

    def _origin(self, concept: PaperConcept, library: Library) -> dict[str, Any]:
        """What a draft depends on, by names that people understand."""
        hashes = self.index.content_hashes(library.keys)
        return {
            "concept": digest(concept),
            "index": {paper: f"{key} {hashes.get(paper, '')}" for paper, key in library.keys.items()},
            "chunking": str(self.index.chunking),
            "model": model_name(),
            # All but the threads, which change nothing in a draft.
            "parameters": {name: value for name, value in asdict(self.settings).items() if name != "threads"},
        }


def _plan(gathered: Mapping[PaperSection, Gathered], library: Library, most: int) -> dict[str, Any]:
    """What is known before writing: evidence by section, with what other sections' agents found for it."""
    evidence = {
        section: merged(gathered[section].evidence, *(each.for_others.get(section, ()) for each in gathered.values()))
        for section in WRITING_ORDER
    }
    notes = [f"{section}: {note}" for section in WRITING_ORDER for note in gathered[section].notes]
    return {
        "evidence": {section: found[:most] for section, found in evidence.items()},
        "searches": {section: list(gathered[section].searches) for section in WRITING_ORDER},
        "notes": [*library.notes, *notes],
    }
