"""A question in English, by which papers are searched; and its answer, proved, in the question's language last.

    Piece("Relapses fell by 12%.", (1,))   →   "Las recaídas bajaron un 12 % [PMC1]."

The model is shown sentences without citations, which the code puts back. A translation that differs in what can be
compared, or that is not exactly one sentence, is asked for once more; then the sentence stays in English.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from textwrap import shorten

import dspy
from dspy.utils.exceptions import LMError as ProviderError

from metrics.visible_text import visible
from programs.certificate import proved_text
from programs.errors import LMError, one_line
from programs.passages.asked import Asked
from programs.passages.numbered_sentences import NumberedSentences
from programs.program import attempt, reader_name
from programs.progress import report_step
from programs.proof import CitedAnswer, GivenPassages
from programs.written_sentences import Piece, joined, unquoted
from signatures import citation_markers
from signatures.evidence import TranslateQuestion
from signatures.passages import as_data

MOST_AT_ONCE = 12
"""Sentences of one call."""
TRANSLATED = (
    "The answer was written in English and translated by the model last; each certificate holds both sentences."
)
NOT_ONE = "it is not one sentence with the same citations"
_MOST_NOTED = 80
"""Characters of a sentence that a note shows."""


@dataclass(frozen=True, slots=True)
class Translation:
    """An answer with its sentences translated.

    Attributes:
        text: The answer.
        pieces: Its sentences with their places, in the order in which they were given.
        english: What is proved of those that are translations, by how the answer has them.
        notes: That it is a translation, and what stayed in English for which reason.
    """

    text: str
    pieces: tuple[Piece, ...]
    english: dict[str, str]
    notes: tuple[str, ...]


class InEnglish(dspy.Module):
    """The translation as a module, so that its prompt is compiled with the program."""

    def __init__(self) -> None:
        super().__init__()
        self.translate = dspy.Predict(TranslateQuestion)

    def forward(self, asked: Asked, num_tries: int) -> Asked:
        """The question with its English form; as it is where it is in English, or no model can translate it."""
        if asked.is_english or not reader_name():
            return asked
        report_step("translate", "Putting the question in English")
        step = attempt(self.translate, num_tries, question=as_data(asked.question))
        return asked.translated(" ".join(visible(step.english or "").split()))


@dataclass(frozen=True)
class AnswerTranslation:
    """The translation of one answer.

    Attributes:
        step: The prompt.
        evidence: What the sentences were written from.
        given: The passages that they cite.
        asked: The question, whose language is wanted.
        num_tries: Attempts at a call whose output does not parse.
    """

    step: dspy.Predict
    evidence: NumberedSentences
    given: GivenPassages
    asked: Asked
    num_tries: int

    def of(self, pieces: Sequence[Piece]) -> Translation:
        """The answer that the proved sentences make, each translated where that holds."""
        report_step("translate", "Putting the answer in the language of the question")
        shown, problems = list(pieces), dict.fromkeys(range(len(pieces)), "")
        try:
            first = self._together([each.text for each in pieces])
            problems = self._taken(shown, pieces, enumerate(first))
            again = [(at, self._alone(pieces[at].text, problems[at])) for at in problems]
            problems = self._taken(shown, pieces, again)
        except (LMError, ProviderError) as error:
            left = [at for at, each in enumerate(shown) if each is pieces[at]]
            problems = dict.fromkeys(left, f"the model failed: {one_line(error)}")
        return self._joined(pieces, shown, problems)

    def _together(self, sentences: Sequence[str]) -> list[str]:
        """Translations of sentences in as few calls as they fit; one by one where the model gives another number."""
        found: list[str] = []
        for start in range(0, len(sentences), MOST_AT_ONCE):
            batch = sentences[start : start + MOST_AT_ONCE]
            said = self._said(batch)
            found += said if len(said) == len(batch) else [self._alone(each) for each in batch]
        return found

    def _alone(self, sentence: str, problem: str = "") -> str:
        """The translation of one sentence, empty where the model gives none or several."""
        said = self._said([sentence], problem)
        return said[0] if len(said) == 1 else ""

    def _said(self, sentences: Sequence[str], problem: str = "") -> list[str]:
        step = attempt(
            self.step,
            self.num_tries,
            question=as_data(self.asked.question),
            sentences=[as_data(unquoted(each)) for each in sentences],
            problem=as_data(problem),
        )
        labels = {each.label for each in self.evidence.sentences}
        return [citation_markers.strip(" ".join(visible(each).split()), labels) for each in step.translations or ()]

    def _taken(
        self, shown: list[Piece], pieces: Sequence[Piece], translations: Iterable[tuple[int, str]]
    ) -> dict[int, str]:
        """Take over the translations that hold; what is wrong with the others, by their places."""
        problems = {}
        for at, text in translations:
            translated = replace(pieces[at], text=text)
            if problem := self._problem(pieces[at], translated):
                problems[at] = problem
            elif text in {each.text for each in shown}:
                problems[at] = "it repeats another sentence"
            else:
                shown[at] = translated
        return problems

    def _problem(self, english: Piece, translated: Piece) -> str:
        """What is wrong with a translation by itself; empty where nothing is."""
        text, source = (joined([each], self.evidence)[0] for each in (translated, english))
        answer = CitedAnswer(text, self.given)
        if len(answer.statements) != 1 or not translated.text:
            return NOT_ONE if translated.text else "it is empty"
        return proved_text(answer, answer.statements[0], source)[1]

    def _joined(self, pieces: Sequence[Piece], shown: list[Piece], problems: dict[int, str]) -> Translation:
        """The answer, in which every translation is one sentence beside the others too."""
        while True:
            text, placed = joined(shown, self.evidence)
            statements = CitedAnswer(text, self.given).statements
            within = [[each for each in statements if each.start < of.end and of.start < each.end] for of in placed]
            apart = [
                at
                for at, (piece, found) in enumerate(zip(placed, within, strict=True))
                if shown[at] is not pieces[at] and (len(found) != 1 or found[0].end > piece.end)
            ]
            if not apart:
                break
            for at in apart:
                shown[at], problems[at] = pieces[at], NOT_ONE
        source = joined(pieces, self.evidence)[1]
        english = {
            text[found[0].start : found[0].end]: source[at].cited
            for at, found in enumerate(within)
            if shown[at] is not pieces[at]
        }
        notes = [TRANSLATED] if english else []
        for at, problem in sorted(problems.items()):
            said = shorten(pieces[at].text, _MOST_NOTED, placeholder=" …")
            notes.append(f"This is given in English, as its translation does not hold ({problem}): {said}")
        return Translation(text, tuple(placed), english, tuple(notes))
