"""Writes sections from evidence, checks what they cite, and writes the title from sections.

The check of a section: every sentence that cites papers is looked up in them, and corrected or admitted.

    look up    the sentences of the cited papers that support it, by the checker
    prove      guards and checker, on these
    correct    what is not proved is written once more, from the nearest sentences of the papers that it cites

Without a model what is not proved is taken out. What the authors state of their own work needs no proof.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import dspy

from metrics.statements import Statement
from metrics.support.sentence_features import normalised
from programs.bounded_numbers import bounded
from programs.certificate import Decided, certify
from programs.errors import MalformedOutput, one_line
from programs.paper_writer.concept import PaperConcept, Plot, concept_shown, experiments_shown, inputs_of
from programs.paper_writer.draft import SectionDraft
from programs.paper_writer.evidence import Evidence, PaperSection, cited_as, guidelines, shown
from programs.paper_writer.run_resources import PromptLog, Resources
from programs.paper_writer.section_text import Cited, bare_section, figures_shown, place, standard
from programs.passages.numbered_sentences import NumberedSentence, NumberedSentences
from programs.program import attempt, reader_name
from programs.progress import report_step
from programs.proof import CitedAnswer
from programs.proof.sentence_proof import CHECKER, ModelProof
from programs.verified import Repair
from signatures import citation_markers
from signatures.evidence import CorrectSentence
from signatures.paper_writer import WriteSection, WriteTitle
from signatures.passages import as_data
from signatures.values import UnsupportedClaim

NEAREST = 8
"""Sentences of the cited papers that a sentence is compared with: those that share most words with it."""
MOST_TOGETHER = 3
"""Of them that may prove it together."""

_FULL_STOPS = ".!?…。！？"
_GAPS = re.compile(r"\n{3,}")


@dataclass(frozen=True, slots=True)
class CheckedSection:
    """A section after its check, with what could not be proved, what was said of its sentences, and what is gone."""

    text: str
    unsupported_claims: tuple[UnsupportedClaim, ...] = ()
    proofs: tuple[ModelProof, ...] = ()
    repairs: tuple[Repair, ...] = ()
    removed: tuple[str, ...] = ()


class SectionChecking(dspy.Module):
    """The check as a module, so that its prompt is compiled with the program."""

    def __init__(self) -> None:
        super().__init__()
        self.correct = dspy.Predict(CorrectSentence)

    def forward(self, section: CitedAnswer, question: str, own: str, rounds: int, num_tries: int) -> CheckedSection:
        """Check the cited sentences of a section.

        Args:
            section: The text; passages have the keys that it cites.
            question: What the paper is about.
            own: What the authors state: sentences that are in it are theirs.
            rounds: Of repair, at most.
            num_tries: Attempts at output that does not parse.
        """
        check = _Check(section, own)
        problems = check.problems(section)
        repairs: list[Repair] = []
        removed: list[str] = []
        for number in range(1, rounds + 1):
            if not problems:
                break
            report_step("repair", f"Repairing {len(problems)} unproved sentences", claims=len(problems))
            written = {
                each.start: self._corrected(each, why, check, question, num_tries) for each, why in problems.items()
            }
            again = section.rewritten(_spliced(section, problems, written))
            if again is section:
                break
            left = check.problems(again)
            removed += [section.written(each) for each in problems if not written[each.start]]
            before, after = (
                "\n".join(each.written(one).strip() for one in check.cited(each)) for each in (section, again)
            )
            repairs.append(Repair(number, _claims(problems), before, after, _claims(left)))
            section, problems = again, left
        proofs = tuple(check.proofs.values())
        return CheckedSection(section.text, _claims(problems), proofs, tuple(repairs), tuple(removed))

    def _corrected(self, statement: Statement, problem: str, check: _Check, question: str, num_tries: int) -> str:
        """The sentence written once more, with its citations; as it was where that changes nothing; or empty."""
        if not reader_name():
            return ""
        shown = check.evidence.only(each.number for each in check.nearest(statement))
        written = attempt(
            self.correct,
            num_tries,
            signature=bounded(self.correct.signature, "corrected", evidence=shown),
            evidence=shown.shown(),
            question=as_data(question),
            sentence=as_data(statement.text),
            problem=as_data(problem),
        ).corrected
        text = citation_markers.strip(written.text, check.keys).strip() if written else ""
        keys = dict.fromkeys(each.label for each in shown.given(written.evidence)) if text else ()
        if not keys:
            return ""
        bare = text.rstrip(_FULL_STOPS)
        return f"{bare} ({'; '.join(keys)}){text[len(bare) :] or '.'}"


class _Check:
    """What is known of the sentences of one section, through its repairs."""

    def __init__(self, section: CitedAnswer, own: str) -> None:
        self.evidence = NumberedSentences.of(section.passages)
        self.keys = {each.label for each in self.evidence.sentences}
        self.proofs: dict[str, ModelProof] = {}
        self._decided: Decided = {}
        self._own = _plain(own)

    def cited(self, section: CitedAnswer) -> list[Statement]:
        """The sentences that cite something and are not in the authors' own words."""
        cited = [each for each in section.statements if each.cites and each.needs_citation]
        return [each for each in cited if _plain(section.written(each)) not in self._own]

    def problems(self, section: CitedAnswer) -> dict[Statement, str]:
        """The sentences that are not proved, with the reason."""
        cited = self.cited(section)
        if reader_name():
            self.proofs |= {each.text: self._proof(each) for each in cited if each.text not in self.proofs}
        found = certify(section, self.proofs.values(), self._decided)
        proved = {each.sentence for each in found if each.verdict == "supported"}
        reasons = {each.sentence: each.reason for each in found}
        sentences = {each: section.written(each) for each in cited}
        return {each: reasons.get(text, "") for each, text in sentences.items() if text not in proved}

    def nearest(self, statement: Statement) -> list[NumberedSentence]:
        """Sentences of the papers that it cites, those that share most words with it, the nearest first."""
        said = {*normalised(statement.text).casefold().split()}
        cited = [each for each in self.evidence.sentences if each.label in statement.cites]
        return sorted(cited, key=lambda each: -len(said.intersection(normalised(each.read).casefold().split())))[
            :NEAREST
        ]

    def _proof(self, statement: Statement) -> ModelProof:
        """The sentences that support it best by the checker, one or a few together."""

        def support(numbers: Sequence[int]) -> float:
            quotes, _ = self.evidence.quotes(numbers)
            return CHECKER.check(statement.text, ["\n".join(quote for _, quote in quotes)]).score

        near = [each.number for each in self.nearest(statement)]
        chosen: list[int] = []
        score = -1.0
        while len(chosen) < MOST_TOGETHER:
            found = {each: support([*chosen, each]) for each in near if each not in chosen}
            best = max(found, key=lambda each: found[each], default=None)
            if best is None or found[best] <= score:
                break
            chosen, score = [*chosen, best], found[best]
        quotes, starts = self.evidence.quotes(chosen)
        return ModelProof(statement.text, "given", tuple(quotes), "", reader_name(), tuple(starts))


def _spliced(section: CitedAnswer, problems: Mapping[Statement, str], written: Mapping[int, str]) -> str:
    """The text with some sentences written anew; where one is gone, the space behind it goes too."""
    text, parts, position = section.text, [], 0
    for each in problems:
        sentence = written[each.start]
        parts += [text[position : each.start], sentence]
        position = each.end + (text.startswith(" ", each.end) and not sentence)
    lines = "".join([*parts, text[position:]]).splitlines()
    return _GAPS.sub("\n\n", "\n".join(line.rstrip() for line in lines)).strip()


def _claims(problems: Mapping[Statement, str]) -> tuple[UnsupportedClaim, ...]:
    return tuple(UnsupportedClaim(claim=each.text, reason=why) for each, why in problems.items())


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
        if written.unknown:
            keys = ", ".join(dict.fromkeys(each.key for each in task.evidence)) or "none: cite nothing"
            again = (
                f"You cited {', '.join(written.unknown)}, which is not in the evidence. Write the section again and "
                f"cite only these keys: {keys}. Leave out statements that none of them supports."
            )
        elif not written.text:
            again = "You wrote nothing. Write the section."
        else:
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


def _title(text: str) -> str:
    """A title on one line, without marks around it and citations in it, of twenty words at most."""
    plain = standard(" ".join(text.split()), ()).text
    return " ".join(_MARKS.sub("", plain).split()[:MOST_TITLE_WORDS])
