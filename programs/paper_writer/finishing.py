"""From sections to a draft: certificates, bibliography, manuscript, and the files of all that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from programs.paper_writer.bibliography import bibtex, cited_papers
from programs.paper_writer.concept import PaperConcept
from programs.paper_writer.draft import PaperDraft, SectionDraft, draft_of, manuscript
from programs.paper_writer.drafts import BIBLIOGRAPHY, RECORD, DraftFolder, as_json
from programs.paper_writer.evidence import Paper
from programs.paper_writer.sections import Section


def finished_draft(
    concept: PaperConcept, title: str, sections: Mapping[Section, SectionDraft], plan: Mapping[str, Any]
) -> dict[str, Any]:
    """The fields of the result of a run; see ``PaperWritingPipeline.run``."""
    draft = draft_of(title, sections.values())
    citations = {section: each.citations for section, each in sections.items()}
    papers = cited_papers(
        (each for section in sections.values() for each in section.evidence),
        (each.marker for made in citations.values() for each in made),
    )
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


def write_out(drafts: DraftFolder, concept: PaperConcept, finished: Mapping[str, Any]) -> list[str]:
    """Write the finished draft; the manuscript comes last, so where it stands everything does.

    Returns:
        What its user should know of it.
    """
    for plot in concept.plots:
        drafts.copy(plot.file, plot.filename)
    drafts.write(BIBLIOGRAPHY, finished["bibliography"])
    drafts.write(RECORD, as_json(record(finished)))
    return [each for each in [drafts.write_manuscript(finished["manuscript"])] if each]


def record(finished: Mapping[str, Any]) -> dict[str, Any]:
    """A result as one JSON document."""
    draft: PaperDraft = finished["draft"]
    papers: list[Paper] = finished["papers"]
    return {
        "program": "paper_writer",
        "draft": draft.model_dump(),
        "sections": [each.as_dict() for each in finished["sections"]],
        "unsupported": [each.as_dict() for each in finished["unsupported"]],
        "papers": [each.model_dump(mode="json") for each in papers],
        "notes": list(finished["notes"]),
    }
