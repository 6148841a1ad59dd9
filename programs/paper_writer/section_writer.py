"""Writes sections from evidence, and the title from sections."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import dspy

from programs.errors import MalformedOutput, one_line
from programs.paper_writer.concept import PaperConcept, Plot, concept_shown, experiments_shown, inputs_of
from programs.paper_writer.draft import SectionDraft
from programs.paper_writer.evidence import Evidence, PaperSection, cited_as, guidelines, shown
from programs.paper_writer.run_resources import PromptLog, Resources
from programs.paper_writer.section_checking import CheckedSection, SectionChecking
from programs.paper_writer.section_text import Cited, bare_section, figures_shown, place, standard
from programs.progress import report_step
from programs.proof import CitedAnswer
from signatures.paper_writer import WriteSection, WriteTitle
from signatures.passages import as_data

MOST_TITLE_WORDS = 20

_LONGEST_SHOWN = 200
"""Characters of a sentence in a note."""

_MARKS = re.compile(r"^[#*_\"“”'\s]+|[#*_\"“”'.\s]+$")


@dataclass(frozen=True, slots=True)
class SectionTask:
    """A section to write: from which evidence, best first, and which earlier sections it sees."""

    section: PaperSection
    concept: PaperConcept
    evidence: Sequence[Evidence]
    earlier: Mapping[PaperSection, str]

    @property
    def plots(self) -> tuple[Plot, ...]:
        """The figures that are in it."""
        return self.concept.plots if self.section is PaperSection.RESULTS else ()


class PaperWriter(dspy.Module):
    """The third phase, a section at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.write = dspy.Predict(WriteSection)
        self.entitle = dspy.Predict(WriteTitle)
        self.checking = SectionChecking()

    def forward(self, task: SectionTask, resources: Resources, log: PromptLog) -> SectionDraft:
        """Write a section.

        A citation of something that is not in the evidence is repaired once by asking again, then taken out and named.

        Raises:
            MalformedOutput: The section's text did not parse in ``num_tries`` tries.
        """
        cited = self._cited(task, resources)
        placed = place(cited.text, task.plots)
        checked, further = self._checked(task, placed.text, resources)
        notes = [f"{each} was cited, which is not in the evidence; it was taken out" for each in cited.unknown]
        notes += [*placed.notes, *further]
        if not cited.text:
            notes.append("The model wrote nothing, twice; write this section yourself or take another model")
        if not task.evidence:
            notes.append("No evidence was found, so this section rests on the concept alone")
        return SectionDraft(
            section=task.section,
            text=checked.text,
            evidence=tuple(task.evidence),
            unknown_citations=cited.unknown,
            unsupported_claims=checked.unsupported_claims,
            proofs=checked.proofs,
            repairs=tuple(each.as_dict() for each in checked.repairs),
            notes=tuple(dict.fromkeys(notes)),
            final_prompt=log.last("section_text"),
        )

    def title(self, concept: PaperConcept, sections: Mapping[PaperSection, str], resources: Resources) -> str:
        """Write the title from abstract, introduction and conclusion."""
        report_step("write", "title: writing", section="title")
        step = resources.ask(
            self.entitle,
            abstract=as_data(sections[PaperSection.ABSTRACT]),
            introduction=as_data(sections[PaperSection.INTRODUCTION]),
            conclusion=as_data(sections[PaperSection.CONCLUSION]),
            working_title=as_data(concept.title),
        )
        written = _title(step.title or "")
        if not written:
            report_step("note", "The model wrote no title; the working title or the hypothesis stands for it")
        return written or _title(concept.title or concept.hypothesis)

    def _cited(self, task: SectionTask, resources: Resources) -> Cited:
        """The section, citing its evidence only; where it cites anything else or is empty, the model is asked again."""
        written = standard(self._written(task, resources, ""), task.evidence)
        again = _corrections(written, task.evidence)
        if not again:
            return written
        report_step("write", f"{task.section}: asking again. {again}", section=task.section)
        return standard(self._written(task, resources, again), task.evidence)

    def _written(self, task: SectionTask, resources: Resources, corrections: str) -> str:
        guideline = guidelines()[task.section]
        report_step(
            "write", f"{task.section}: writing from {len(task.evidence)} pieces of evidence", section=task.section
        )
        earlier = [f"## {guidelines()[name].heading}\n\n{as_data(text)}" for name, text in task.earlier.items()]
        step = resources.ask(
            self.write,
            **inputs_of(task.concept),
            evidence=shown(task.evidence),
            earlier_sections="\n\n".join(earlier),
            figures=as_data(figures_shown(task.plots)),
            section=task.section.value,
            guidelines=guideline.write,
            corrections=as_data(corrections),
        )
        return bare_section(step.section_text or "", guideline.heading)

    def _checked(self, task: SectionTask, text: str, resources: Resources) -> tuple[CheckedSection, tuple[str, ...]]:
        """The section with its cited sentences checked and repaired, and notes on it."""
        section = CitedAnswer(text, [cited_as(each) for each in task.evidence])
        concept, parameters = task.concept, resources.settings
        if not parameters.verify or not any(each.cites for each in section.statements):
            return CheckedSection(text), ()
        report_step("verify", f"{task.section}: checking every cited sentence", section=task.section)
        own = " ".join((concept_shown(concept), concept.hypothesis, experiments_shown(concept)))
        try:
            found: CheckedSection = resources.calls.one(
                lambda: self.checking(section, concept.hypothesis, own, parameters.max_repairs, parameters.num_tries)
            )
        except MalformedOutput as error:
            return CheckedSection(text), (f"The section could not be verified: {one_line(error)}",)
        notes = tuple(
            f"Repair took out a sentence that its papers do not support: {textwrap.shorten(each, _LONGEST_SHOWN)}"
            for each in found.removed
        )
        return replace(found, text=standard(found.text, task.evidence).text), notes


def _corrections(written: Cited, evidence: Sequence[Evidence]) -> str:
    """What the model has to do better; empty if nothing."""
    if written.unknown:
        keys = ", ".join(dict.fromkeys(each.key for each in evidence)) or "none: cite nothing"
        return (
            f"You cited {', '.join(written.unknown)}, which is not in the evidence. Write the section again and cite "
            f"only these keys: {keys}. Leave out statements that none of them supports."
        )
    return "" if written.text else "You wrote nothing. Write the section."


def _title(text: str) -> str:
    """A title on one line, without marks around it and citations in it, of twenty words at most."""
    plain = standard(" ".join(text.split()), ()).text
    return " ".join(_MARKS.sub("", plain).split()[:MOST_TITLE_WORDS])
