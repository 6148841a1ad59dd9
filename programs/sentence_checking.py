"""The check of an answer that was written from numbered evidence: what is proved stays.

    does it answer     the learned order's probability that the sentence answers the question
    is it proved       guards and checker, on the sentences that it rests on; where its word counts the model, if the
                       checker is not sure

What fails is written once more. Where no sentence is proved, the best sentence of the evidence is given, in quotation
marks, as the paper's words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import dspy

from metrics.statements import Statement
from metrics.support.sentence_features import normalised
from programs.bounded_numbers import bounded
from programs.certificate import Citation, Decided, certify
from programs.passages import Passage
from programs.passages.asked import Asked
from programs.passages.numbered_sentences import NumberedSentences
from programs.program import AnsweringParameters, attempt, reader_name
from programs.progress import report_step
from programs.proof import CitedAnswer, GivenPassages
from programs.proof.sentence_proof import CHECKER, ModelProof, Said
from programs.proof.translation import is_across, reads_as_english
from programs.retrieval.reranking import cross_encoder
from programs.verified import Repair, Verified
from programs.written_sentences import Piece, joined, pieces_of
from signatures.passages import as_data
from signatures.values import UnsupportedClaim

NO_NUMBER = "no number of a sentence that says it was given"
BESIDE = "it does not answer the question"
LITTLE_SUPPORT = "the checker is not sure enough of it"
QUOTED = 0.3
"""Probability of answering that a sentence has at least where it is quoted unasked. With the former order, on 77
prompts about trials, 49 of 55 best sentences above it were in the experts' passages, and 11 of 18 from .1 to it."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def least_evidence(asked: Asked, settings: AnsweringParameters) -> float:
    """Probability of answering that a sentence has at least; 0 for what the order was not trained on.

    That is a question which papers did something, and what a figure shows. Where the model's word counts, the model
    says whether sentences answer.
    """
    trusts_model = settings.word == "model" and bool(reader_name())
    return 0.0 if asked.several or asked.figures or trusts_model else settings.least_evidence


@dataclass(frozen=True, slots=True)
class _Answer:
    """Sentences with their places, the answer that they make, and what is said of them."""

    pieces: tuple[Piece, ...]
    cited: CitedAnswer
    proofs: tuple[ModelProof, ...]


class SentenceChecking:
    """The check of one answer.

    Args:
        check: The prompt by which a model says whether sentences say all of a claim.
        correct: The prompt by which it writes a sentence once more.
        passages: What was retrieved, in the order in which the answer numbers it.
        everything: Their sentences.
        shown: Those that the answer was written from.
        best: Numbers of the sentences that were chosen to write from, the best first.
        order: How likely each sentence answers, by its number; empty where the order does not read the question.
        asked: The question.
        settings: A program's parameters.
    """

    def __init__(
        self,
        check: dspy.Predict,
        correct: dspy.Predict,
        passages: Sequence[Passage],
        everything: NumberedSentences,
        shown: NumberedSentences,
        best: Sequence[int],
        order: Mapping[int, float],
        asked: Asked,
        settings: AnsweringParameters,
    ) -> None:
        self.asked = asked
        self._check, self._correct = check, correct
        self._given, self._everything, self._shown = GivenPassages(passages), everything, shown
        self._best, self._order, self._settings = best, order, settings
        self._always_asks = settings.verify and (settings.word == "model" or not order or not asked.is_english)
        self._least = least_evidence(asked, settings) if order and asked.is_english else 0.0
        self._proofs: dict[str, ModelProof] = {}
        self._decided: Decided = {}
        self.kept: list[Piece] = []
        """The sentences that the answer is made of."""
        self._refused: tuple[UnsupportedClaim, ...] = ()
        self._repairs: list[Repair] = []

    def checked(self, pieces: Sequence[Piece]) -> Verified:
        """What of the answer is proved, after repair; where nothing is, the best evidence in quotation marks."""
        if not self._settings.verify:
            self.kept = list(pieces)
            return self._verified()
        pieces = [self._rested(each) for each in pieces]
        problems = self._problems(pieces)
        for _ in range(self._settings.max_iterations if reader_name() else 0):
            if not problems:
                break
            report_step("repair", f"Repairing {len(problems)} unproved sentences", claims=len(problems))
            again = _once(
                [self._corrected(each, problems[at]) if at in problems else each for at, each in enumerate(pieces)]
            )
            if again == pieces:
                break
            left = self._problems(again)
            self._repaired(pieces, problems, again, left)
            pieces, problems = again, left
        self.kept = [each for at, each in enumerate(pieces) if at not in problems]
        # Whoever chose the evidence also says whether it answers.
        if not self.kept and reader_name() and (pieces or self._settings.reader == "order"):
            self.kept = self._quoted(pieces)
        if problems:
            self._repaired(pieces, problems, self.kept, {})
            self._refused = _claims(pieces, problems)
        return self._verified()

    def with_further(self, pieces: Sequence[Piece]) -> tuple[Verified, list[Piece]]:
        """The answer with further sentences behind it, and those of them that are proved, as it has them."""
        problems = self._problems(pieces)
        proved = [each for at, each in enumerate(pieces) if at not in problems]
        self.kept = _once([*self.kept, *proved])
        placed = self._answer(self.kept).pieces
        return self._verified(), [each for each in placed if each.text in {piece.text for piece in proved}]

    def _verified(self) -> Verified:
        made = self._answer(self.kept)
        return Verified(made.cited, self._refused, tuple(self._repairs), made.proofs, self._decided)

    def _problems(self, pieces: Sequence[Piece]) -> dict[int, str]:
        """What is wrong with the sentences that may not stay, by their places."""
        report_step("verify", "Checking every sentence by its evidence")
        made = self._answer(pieces)
        found = certify(made.cited, made.proofs, self._decided)
        problems = {}
        for at, piece in enumerate(made.pieces):
            within = [each for each in made.cited.statements if each.start < piece.end and piece.start < each.end]
            for each in within:
                if each.needs_citation and (problem := self._problem(made.cited, each, piece, found)):
                    problems[at] = problem
                    break
        return problems

    def _problem(self, answer: CitedAnswer, statement: Statement, piece: Piece, found: Sequence[Citation]) -> str:
        """What is wrong with a sentence; empty where nothing is."""
        if piece.unknown and not piece.numbers:
            return f"it gives the numbers {', '.join(map(str, piece.unknown))}, which no sentence has"
        if not piece.numbers:
            return NO_NUMBER
        certificates = [each for each in found if each.sentence == answer.written(statement)]
        best = max(certificates, key=lambda each: (each.verdict == "supported", each.score), default=None)
        if best is None or best.verdict != "supported":
            return (best.reason if best else "") or NO_NUMBER
        if not self._asks_model(piece) and (
            best.score < self._settings.least_support or not self._agrees_with_all(piece)
        ):
            return LITTLE_SUPPORT
        return "" if piece.is_quotation or self._is_answer(piece) else BESIDE

    def _is_answer(self, piece: Piece) -> bool:
        """Whether the learned order, where it reads question and sentence, finds that the sentence answers."""
        encoder = cross_encoder(self._settings.cross_encoder)
        if not self._least or encoder is None:
            return True
        titles = [f"{each.passage.title}. {each.passage.heading}" for each in self._shown.given(piece.numbers[:1])]
        return max(encoder.scores(self.asked.question, [piece.text] * 2, ["", *titles])) >= self._least

    def _answer(self, pieces: Sequence[Piece]) -> _Answer:
        """The answer that pieces make, and what the model says of its sentences; of a quotation it is not asked."""
        text, placed = joined(pieces, self._shown)
        cited = CitedAnswer(text, self._given)
        proofs = [
            self._proof(statement, piece)
            for statement in cited.statements
            for piece in placed
            if piece.start <= statement.start < piece.end and piece.numbers
        ]
        return _Answer(tuple(placed), cited, tuple(proofs))

    def _asks_model(self, piece: Piece) -> bool:
        """Whether the model is asked what the checker doubts: where its word counts, or the checker cannot read."""
        evidence = " ".join(each.text for each in self._shown.given(piece.numbers))
        return self._always_asks or (self._settings.verify and not reads_as_english(evidence))

    def _rested(self, piece: Piece) -> Piece:
        """The sentence with the evidence that supports it best, where the checker decides and doubts what was given."""
        if self._asks_model(piece):
            return piece
        numbers = [*piece.numbers]
        score = self._supported(piece.text, numbers)
        if score < self._settings.least_support:
            others = [[each.number] for each in self._shown.sentences]
            found = [(numbers, score), *((each, self._supported(piece.text, each)) for each in others)]
            numbers, score = max(found, key=lambda each: each[1])
        for number in reversed(numbers):  # a model may name every sentence that it was shown
            fewer = [each for each in numbers if each != number]
            if fewer and self._supported(piece.text, fewer) >= score:
                numbers = fewer
        return replace(piece, numbers=tuple(numbers))

    def _supported(self, sentence: str, numbers: Sequence[int]) -> float:
        """The checker's probability that these sentences support it; 0 where it does not say so."""
        quotes, _ = self._everything.quotes(numbers)
        if not quotes:
            return 0.0
        texts = [quote for _, quote in quotes]
        if is_across(sentence, texts):
            return 0.0
        support = CHECKER.check(sentence, ["\n".join(texts)])
        return support.score if support.verdict == "supported" else 0.0

    def _agrees_with_all(self, piece: Piece) -> bool:
        """Whether all sentences together support it that were shown of the papers it rests on.

        Of several sentences one may fit by chance what the others deny: a model that exchanges two groups takes its
        words from there.
        """
        if piece.is_quotation:
            return True
        papers = {each.passage.document_id for each in self._everything.given(piece.numbers)}
        shown = [each.number for each in self._shown.sentences if each.passage.document_id in papers]
        numbers = dict.fromkeys([*piece.numbers, *shown, *self._numbers_of_question(piece.text, piece)])
        return self._supported(piece.text, [*numbers]) > 0

    def _proof(self, statement: Statement, piece: Piece) -> ModelProof:
        """What is said of a sentence: that it rests on these, or, where the model is asked, whether they prove it."""
        if statement.text in self._proofs:
            return self._proofs[statement.text]
        numbers = [*piece.numbers, *self._numbers_of_question(statement.text, piece)]
        quotes, starts = self._everything.quotes(numbers)
        verdict: Said = "given"
        reason = ""
        doubted = self._asks_model(piece) and self._supported(statement.text, numbers) < self._settings.least_support
        if doubted and reader_name() and not piece.is_quotation:
            shown = self._everything.only(numbers).shown()
            step = attempt(self._check, self._settings.num_tries, evidence=shown, claim=as_data(statement.text))
            verdict = "proved" if step.verdict == "all of it" else "not proved"
            reason = "" if verdict == "proved" else f"its evidence says {step.verdict}"
        proof = ModelProof(statement.text, verdict, tuple(quotes), reason, reader_name(), tuple(starts))
        self._proofs[statement.text] = proof
        return proof

    def _numbers_of_question(self, sentence: str, piece: Piece) -> list[int]:
        """Sentences of the same papers that hold the numbers which the question gave and the evidence lacks."""
        given = self._everything.given(piece.numbers)
        papers = {each.passage.document_id for each in given}
        held = " ".join(each.read for each in given)
        question = self.asked.question
        lacking = {each for each in _NUMBER.findall(sentence) if each in question and each not in held}
        found = []
        for number in sorted(lacking):
            holds = re.compile(rf"(?<![\d.,]){re.escape(number)}(?![\d]|[.,]\d)")
            others = (each for each in self._everything.sentences if each.passage.document_id in papers)
            found += [each.number for each in others if not each.head and holds.search(each.text)][:1]
        return found

    def _corrected(self, piece: Piece, problem: str) -> Piece:
        """The sentence written once more; as it was where that changes nothing."""
        question, step = self.asked.question, self._correct
        again = attempt(
            step,
            self._settings.num_tries,
            signature=bounded(step.signature, "corrected", evidence=self._shown),
            evidence=self._shown.shown(),
            question=as_data(question),
            sentence=as_data(piece.text),
            problem=as_data(problem),
        ).corrected
        pieces = pieces_of([again], self._shown, question, step.signature.instructions) if again else []
        is_other = bool(pieces) and (not piece.numbers or normalised(pieces[0].text) != normalised(piece.text))
        return replace(self._rested(pieces[0]), is_bullet=piece.is_bullet) if is_other else piece

    def _quoted(self, pieces: Sequence[Piece]) -> list[Piece]:
        """The sentence that answers best, as the paper has it; rows of tables are left out.

        By the order's word where it reads the question, else by the numbers of what could not be proved.
        """
        numbers = self._best if self._order else [number for piece in pieces for number in piece.numbers]
        prose = [each for each in self._shown.given(numbers) if not each.head]
        likely = [each for each in prose if self._order.get(each.number, 1.0) >= QUOTED]
        return [Piece.quoting(each) for each in likely[:1]]

    def _repaired(
        self,
        before: Sequence[Piece],
        problems: Mapping[int, str],
        after: Sequence[Piece],
        left: Mapping[int, str],
    ) -> None:
        """Note a round of repair."""
        was, became = (self._answer(each).cited.text for each in (before, after))
        number = len(self._repairs) + 1
        self._repairs.append(Repair(number, _claims(before, problems), was, became, _claims(after, left)))


def _once(pieces: Sequence[Piece]) -> list[Piece]:
    return list({normalised(each.text): each for each in pieces}.values())


def _claims(pieces: Sequence[Piece], problems: Mapping[int, str]) -> tuple[UnsupportedClaim, ...]:
    return tuple(UnsupportedClaim(claim=pieces[at].text, reason=why) for at, why in problems.items())
