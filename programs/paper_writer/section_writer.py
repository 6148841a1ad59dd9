"""Writes sections from evidence, and the title from sections."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import dspy

from metrics.sentences import Span
from programs.errors import MalformedOutput, one_line
from programs.paper_writer.concept import PaperConcept, Plot, concept_shown, experiments_shown, inputs_of
from programs.paper_writer.draft import SectionDraft
from programs.paper_writer.evidence import Evidence, PaperSection, cited_as, guidelines, shown
from programs.paper_writer.run_resources import PromptLog, Resources
from programs.paper_writer.section_text import Cited, bare_section, figures_shown, place, standard
from programs.progress import report_step
from programs.proof import CitedAnswer
from programs.verification import Verification, Verified
from signatures.paper_writer import WriteSection, WriteTitle
from signatures.passages import as_data

_GAPS = re.compile(r"\n{3,}")


def cited_sentences(section: CitedAnswer, own: str = "") -> list[Span]:
    """Where the sentences that cite something are, without those that are in the authors' own words."""
    authors_own = _plain(own)
    cited = [each for each in section.statements if each.cites]
    return [Span(each.start, each.end) for each in cited if _plain(section.written(each)) not in authors_own]


def as_answer(text: str, spans: Sequence[Span]) -> str:
    """The sentences as verification reads them, one a line."""
    return "\n".join(text[span.start : span.end].strip() for span in spans)


@dataclass(frozen=True, slots=True)
class Revision:
    """A text after verification, and the sentences that it took out."""

    text: str
    removed: tuple[str, ...] = ()


def revised(section: CitedAnswer, spans: Sequence[Span], verified: str) -> Revision:
    """The text with its cited sentences as verification left them.

    ``verified`` has what became of the sentences at ``spans``, in the same order; some may be repaired, joined or gone.
    """
    text, repaired = section.text, section.rewritten(verified)
    before = [text[span.start : span.end].strip() for span in spans]
    after = [repaired.written(each).strip() for each in repaired.statements]
    replaced = list(before)
    matcher = SequenceMatcher(None, [*map(_plain, before)], [*map(_plain, after)], autojunk=False)
    for kind, first, last, start, end in matcher.get_opcodes():
        if kind == "insert" and replaced:
            place = max(0, first - 1)
            replaced[place] = " ".join(filter(None, [replaced[place], *after[start:end]]))
        elif kind in ("replace", "delete"):
            replaced[first:last] = _spread(after[start:end], last - first)
    removed = tuple(sentence for sentence, left in zip(before, replaced, strict=True) if not left)
    return Revision(_spliced(text, spans, replaced), removed)


def _spread(sentences: Sequence[str], places: int) -> list[str]:
    """Sentences for so many places, one each in order; the last place takes what is left, a place may stay empty."""
    kept = list(sentences[: places - 1]) if len(sentences) > places else list(sentences)
    rest = sentences[len(kept) :]
    return [*kept, *([" ".join(rest)] if rest else []), *[""] * (places - len(kept) - bool(rest))]


def _spliced(text: str, spans: Sequence[Span], replaced: Sequence[str]) -> str:
    parts, position = [], 0
    for span, sentence in zip(spans, replaced, strict=True):
        parts += [text[position : span.start], sentence]
        # Where a sentence is gone, the space behind it goes too.
        position = span.end + (text.startswith(" ", span.end) and not sentence)
    lines = "".join([*parts, text[position:]]).splitlines()
    return _GAPS.sub("\n\n", "\n".join(line.rstrip() for line in lines)).strip()


def _plain(sentence: str) -> str:
    return " ".join(sentence.split()).casefold()


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
        self.verification = Verification()

    def forward(self, task: SectionTask, resources: Resources, log: PromptLog) -> SectionDraft:
        """Write a section.

        A citation of something that is not in the evidence is repaired once by asking again, then taken out and named.

        Raises:
            MalformedOutput: The section's text did not parse in ``num_tries`` tries.
        """
        cited = self._cited(task, resources)
        placed = place(cited.text, task.plots)
        verified = self._verified(task, placed.text, resources)
        notes = [f"{each} was cited, which is not in the evidence; it was taken out" for each in cited.unknown]
        notes += [*placed.notes, *verified.notes]
        if not cited.text:
            notes.append("The model wrote nothing, twice; write this section yourself or take another model")
        if not task.evidence:
            notes.append("No evidence was found, so this section rests on the concept alone")
        return SectionDraft(
            section=task.section,
            text=verified.text,
            evidence=tuple(task.evidence),
            unknown_citations=cited.unknown,
            unsupported_claims=verified.found.unsupported_claims,
            proofs=verified.found.proofs,
            repairs=tuple(each.as_dict() for each in verified.found.repairs),
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

    def _verified(self, task: SectionTask, text: str, resources: Resources) -> _Checked:
        """The section with its cited sentences verified and repaired."""
        section = CitedAnswer(text, [cited_as(each) for each in task.evidence])
        concept, parameters = task.concept, resources.settings
        authors_own = (concept_shown(concept), concept.hypothesis, experiments_shown(concept))
        spans = cited_sentences(section, "\n".join(authors_own))
        if not spans or not parameters.verify:
            return _Checked(text, Verified(section.rewritten("")))
        answer = as_answer(text, spans)
        cited = [each for each in section.passages if each.key in answer]
        report_step("verify", f"{task.section}: verifying {len(spans)} cited sentences", section=task.section)
        try:
            found: Verified = resources.calls.one(
                lambda: self.verification(
                    cited, concept.hypothesis, answer, parameters.max_repairs, parameters.num_tries
                )
            )
        except MalformedOutput as error:
            note = f"The section could not be verified: {one_line(error)}"
            return _Checked(text, Verified(section.rewritten("")), (note,))
        repaired = standard(found.answer, task.evidence).text
        revision = revised(section, spans, repaired)
        notes = tuple(
            f"Repair took out a sentence that its papers do not support: {textwrap.shorten(each, _LONGEST_SHOWN)}"
            for each in revision.removed
        )
        return _Checked(revision.text, found, notes)


@dataclass(frozen=True, slots=True)
class _Checked:
    text: str
    found: Verified
    notes: tuple[str, ...] = ()


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
