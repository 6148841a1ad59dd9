"""The check of a section: every sentence that cites papers is looked up in them, and corrected or admitted.

    look up    the sentences of the cited papers that support it, by the checker
    prove      guards and checker, on these
    correct    what is not proved is written once more, from the nearest sentences of the papers that it cites

Without a model what is not proved is taken out. What the authors state of their own work needs no proof.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import dspy

from metrics.statements import Statement
from metrics.support.sentence_features import normalised
from programs.bounded_numbers import bounded
from programs.certificate import Decided, certify
from programs.passages.numbered_sentences import NumberedSentence, NumberedSentences
from programs.program import attempt, reader_name
from programs.progress import report_step
from programs.proof import CitedAnswer
from programs.proof.sentence_proof import CHECKER, ModelProof
from programs.verified import Repair
from signatures import citation_markers
from signatures.evidence import CorrectSentence
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
            before, after = (_listed(each, check.cited(each)) for each in (section, again))
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
        near = [each.number for each in self.nearest(statement)]
        chosen: list[int] = []
        score = -1.0
        while len(chosen) < MOST_TOGETHER:
            found = {each: self._support(statement.text, [*chosen, each]) for each in near if each not in chosen}
            best = max(found, key=lambda each: found[each], default=None)
            if best is None or found[best] <= score:
                break
            chosen, score = [*chosen, best], found[best]
        quotes, starts = self.evidence.quotes(chosen)
        return ModelProof(statement.text, "given", tuple(quotes), "", reader_name(), tuple(starts))

    def _support(self, sentence: str, numbers: Sequence[int]) -> float:
        """The checker's probability that these sentences support it."""
        quotes, _ = self.evidence.quotes(numbers)
        return CHECKER.check(sentence, ["\n".join(quote for _, quote in quotes)]).score


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


def _listed(section: CitedAnswer, cited: Sequence[Statement]) -> str:
    return "\n".join(section.written(each).strip() for each in cited)


def _plain(sentence: str) -> str:
    return " ".join(sentence.split()).casefold()
