"""Answering from numbered evidence: read, write, check, each step short.

    read     which sentences of the passages answer: by the learned order, by the model, or by both
    write    an answer from these alone, each sentence with the numbers that it rests on
    check    each sentence beside its evidence: does it answer, and is it proved?
    correct  what is not proved is written once more; where nothing is proved, the evidence itself is quoted

Of a question in another language, and papers in English, all of that is done in English, and proved sentences are put
into the question's language last (``programs.translation``).

A model speaks in numbers, so a quote is the paper's own by construction. What it writes is cited by passage: the reader
sees ``[2]`` or ``[PMC12345]``, never a sentence's number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from textwrap import shorten
from typing import TYPE_CHECKING

import dspy

from metrics.words import missing_words
from programs.bounded_numbers import bounded
from programs.passages import Passage
from programs.passages.asked import Asked
from programs.passages.figure_numbers import figure_numbers
from programs.passages.framing import sought
from programs.passages.numbered_sentences import NumberedSentence, NumberedSentences
from programs.program import AnsweringParameters, attempt, reader_name
from programs.progress import report_step
from programs.proof import CitedAnswer
from programs.proof.translation import reads_as_english
from programs.retrieval.reranking import cross_encoder, sentence_order
from programs.retrieval.retriever import KnowsItsPapers
from programs.sentence_checking import SentenceChecking, least_evidence
from programs.translation import AnswerTranslation
from programs.verified import Verified
from programs.written_sentences import Piece, pieces_of
from signatures.evidence import (
    CheckSentence,
    CorrectSentence,
    FindConflicts,
    SelectEvidence,
    TranslateSentences,
    WriteAnswer,
)
from signatures.passages import as_data

if TYPE_CHECKING:
    from programs.retrieval.filters import Filters
    from programs.retrieval.retriever import Retriever

MOST_SENTENCES = 60
"""Sentences that a model chooses among; the learned order says which."""
OF_SEVERAL = 4
"""So many times the sentences where a question asks of several papers."""
MOST_WRITTEN = 6
"""Sentences of an answer, beside bullets; each is checked."""
MOST_NOTED = 80
"""Characters of a sentence that a note on it shows."""
SHORT_PROMPT = 300
"""Tokens of a prompt without sentences, or with one or two: what is asked, in what form, and the question."""
A_SENTENCE = 40
"""Tokens of a usual sentence of a paper with its number, and its share of headings."""
MOST_OF_CAPTIONS = 3
FIRST = 1
"""Best sentences that are shown with the one before them, which says what "these" are."""


@dataclass(frozen=True, slots=True)
class FromEvidence:
    """An answer, and the sentences that it was written from, the best first.

    Attributes:
        verified: The answer.
        selected: What it was written from.
        conflicts: What papers disagree on, in proved sentences.
        notes: What was left out as too much.
    """

    verified: Verified
    selected: tuple[NumberedSentence, ...] = ()
    conflicts: tuple[Piece, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def nothing(cls, passages: Sequence[Passage]) -> FromEvidence:
        """No answer from passages."""
        return cls(Verified(CitedAnswer("", passages)))


class Answering(dspy.Module):
    """The steps as a module, so that their prompts are compiled with the program that has it."""

    def __init__(self, write: type[dspy.Signature] = WriteAnswer) -> None:
        super().__init__()
        self.select = dspy.Predict(SelectEvidence)
        self.write = dspy.Predict(write)
        self.check = dspy.Predict(CheckSentence)
        self.correct = dspy.Predict(CorrectSentence)
        self.find = dspy.Predict(FindConflicts)

    def forward(
        self,
        passages: Sequence[Passage],
        asked: Asked,
        settings: AnsweringParameters,
        *,
        conflicts: bool = False,
        most_bullets: int = 0,
        temperature: float | None = None,
    ) -> FromEvidence:
        """Answer a question from passages, in the order in which the answer numbers them.

        Args:
            passages: What was retrieved; without any, and where no sentence of theirs answers, no model is asked.
            asked: The question.
            settings: A program's parameters.
            conflicts: Whether to ask what papers disagree on, where the answer rests on several.
            most_bullets: How many bullets are kept, where the signature asks for some.
            temperature: Of the step that writes; None for the model's own.

        Raises:
            MalformedOutput: A step's output did not parse in ``num_tries`` tries.
        """
        settings = settings.for_model()
        evidence = NumberedSentences.of(passages)
        is_read = bool(reader_name()) and reads_as_english("\n".join(each.text for each in evidence.sentences))
        order = answer_probabilities(evidence, asked, settings.cross_encoder) if is_read else {}
        wanted, asked = asked, asked.as_english if is_read else asked
        best = _selected(self.select, evidence, order, asked, settings)
        if not best:
            return FromEvidence.nothing(passages)
        shown = evidence.only([*best, *filter(None, map(evidence.before, best[:FIRST]))])
        report_step("answer", f"Answering from {len(shown)} of {len(evidence)} sentences", sentences=len(shown))
        checking = SentenceChecking(self.check, self.correct, passages, evidence, shown, best, order, asked, settings)
        pieces, notes = self._written(shown, asked, settings, most_bullets, temperature)
        if asked.figures and not reader_name():
            captions = _captions(asked, evidence)
            pieces = [*captions, *(each for each in pieces if each.text not in {one.text for one in captions})]
        verified = checking.checked(pieces)
        found: list[Piece] = []
        papers = {each.document_id for each in verified.citations if each.verdict == "supported"}
        if conflicts and len(papers) > 1 and reader_name():
            verified, found = checking.with_further(self._conflicts(shown, asked, settings))
        if asked is not wanted and verified.answer:
            verified, found, said = self._translated(verified, found, checking.kept, shown, wanted, settings)
            notes += said
        return FromEvidence(verified, tuple(evidence.given(best)), tuple(found), tuple(notes))

    def _written(
        self,
        shown: NumberedSentences,
        asked: Asked,
        settings: AnsweringParameters,
        most_bullets: int,
        temperature: float | None,
    ) -> tuple[list[Piece], list[str]]:
        """What the model writes, and a note of what is too much."""
        step = _asked(self.write, shown, asked, settings, temperature)
        if not step.answerable:
            return [], []
        known = asked.question, self.write.signature.instructions
        said = pieces_of(step.answer or (), shown, *known)
        bullets: list[Piece] = []
        if further := step.get("bullets"):
            found = pieces_of(further, shown, *known, *(each.text for each in said))
            bullets = [replace(each, is_bullet=True) for each in found]
        left = [*said[MOST_WRITTEN:], *bullets[most_bullets:]]
        more = "; ".join(f"“{shorten(each.text, MOST_NOTED, placeholder=' …')}”" for each in left)
        notes = [f"{len(left)} sentences too many are left out: {more}."] if left else []
        return [*said[:MOST_WRITTEN], *bullets[:most_bullets]], notes

    def _translated(
        self,
        verified: Verified,
        found: Sequence[Piece],
        kept: Sequence[Piece],
        shown: NumberedSentences,
        asked: Asked,
        settings: AnsweringParameters,
    ) -> tuple[Verified, list[Piece], Sequence[str]]:
        """The proved answer in the question's language, what papers disagree on in it, and what there is to note."""
        predict, given = dspy.Predict(TranslateSentences), verified.cited.given
        step = AnswerTranslation(predict, shown, given, asked, settings.num_tries)
        made, further = step.of(kept), {each.text for each in found}
        verified = replace(verified, cited=verified.cited.rewritten(made.text), english=made.english)
        of_found = [one for one, each in zip(made.pieces, kept, strict=True) if each.text in further]
        return verified, of_found, made.notes

    def _conflicts(self, shown: NumberedSentences, asked: Asked, settings: AnsweringParameters) -> list[Piece]:
        """What papers disagree on, by the model, where it names sentences of several."""
        report_step("conflicts", "Looking for what the papers disagree on")
        step = _asked(self.find, shown, asked, settings)
        found = pieces_of(step.conflicts or (), shown, asked.question, self.find.signature.instructions)
        return [each for each in found if len({of.passage.document_id for of in shown.given(each.numbers)}) > 1]


def _selected(
    step: dspy.Predict,
    evidence: NumberedSentences,
    order: Mapping[int, float],
    asked: Asked,
    settings: AnsweringParameters,
) -> list[int]:
    """Numbers of the sentences to write from, the best first; none where none answers.

    The order reads English; of other questions the model sees the first sentences of the passages. Without a model
    all sentences are looked at.
    """
    settings = settings.for_model()
    if not reader_name():
        return [each.number for each in evidence.sentences]
    if not order:
        return evidence.within([each.number for each in evidence.sentences[:MOST_SENTENCES]], settings.room)
    if max(order.values()) < least_evidence(asked, settings):
        return []
    ordered = _spread_over_papers(list(order), evidence) if asked.several else list(order)
    count = settings.sentences * (OF_SEVERAL if asked.several else 1)
    ordered = evidence.within(ordered[: max(MOST_SENTENCES, count)], settings.room)
    if settings.reader == "order":
        return ordered[:count]
    shown = evidence.only(ordered)
    chosen = [each.number for each in shown.given(_asked(step, shown, asked, settings).numbers or ())]
    first = ordered[:count] if settings.reader == "both" else []
    return list(dict.fromkeys([*chosen, *first]))[:count]


def answer_probabilities(evidence: NumberedSentences, asked: Asked, encoder_name: str) -> dict[int, float]:
    """How likely each sentence answers, by its number, the best first; empty where no order reads the question."""
    encoder = cross_encoder(encoder_name)
    if encoder is None or not asked.reads_english or not evidence:
        return {}
    sentences = evidence.sentences
    found = sentence_order(
        encoder, asked.searched, [each.read for each in sentences], [each.about for each in sentences]
    )
    return {sentences[at].number: likely for at, (_, likely) in found.items()}


def _spread_over_papers(numbers: Sequence[int], evidence: NumberedSentences) -> list[int]:
    """Numbers in turns of one a paper: the best of each first, then the second of each."""
    turns: dict[str, int] = {}
    places: list[tuple[int, int, int]] = []
    for number in numbers:
        paper = evidence.by_number[number].passage.document_id
        turns[paper] = turns.get(paper, 0) + 1
        places.append((turns[paper], len(places), number))
    return [number for _, _, number in sorted(places)]


def _captions(asked: Asked, evidence: NumberedSentences) -> list[Piece]:
    """What the captions say of the figures that a question names, which words alone do not find."""
    of_them = (each for each in evidence.sentences if {*figure_numbers(each.passage.heading)} & {*asked.figures})
    said = (Piece.quoting(each) for each in of_them if each.text.rstrip(".") != each.passage.heading)
    return list(said)[:MOST_OF_CAPTIONS]


def _asked(
    step: dspy.Predict,
    shown: NumberedSentences,
    asked: Asked,
    settings: AnsweringParameters,
    temperature: float | None = None,
) -> dspy.Prediction:
    """What a step says of the shown sentences and the question, in no other numbers where the server holds a schema."""
    return attempt(
        step if temperature is None else partial(step, config={"temperature": temperature}),
        settings.num_tries,
        signature=bounded(step.signature, "numbers", "answer", "bullets", "conflicts", evidence=shown),
        evidence=shown.shown(),
        question=as_data(asked.question if reader_name() else asked.without_a_model),
    )


OF_A_WORD = 50
"""Passages that a search for one word brings."""


def unread_papers(asked: Asked, answered: FromEvidence, retriever: Retriever, filters: Filters | None) -> list[str]:
    """Where nothing answers without a model: ids of the papers with words of the question that nothing read has.

    Each word is searched by itself, as among others it may bring none of its passages. Behind these papers are those
    that were read. None where there are no such words, or the filters choose papers already.
    """
    if reader_name() or answered.verified.answer or not asked.reads_english or "document" in (filters or {}):
        return []
    if not isinstance(retriever, KnowsItsPapers):
        return []
    passages = answered.verified.cited.passages
    texts = [text for each in passages for text in (each.title, each.heading, each.text)]
    found: dict[str, None] = {}
    for word in missing_words(sought(asked.searched), texts):
        hits = retriever.search(word, OF_A_WORD, filters)
        having = (hit for hit in hits if not missing_words(f"the {word}", [hit.chunk.text]))
        found |= dict.fromkeys(hit.chunk.document_id for hit in having)
    return list(found | dict.fromkeys(each.document_id for each in passages)) if found else []


def usual_prompts(settings: AnsweringParameters) -> list[int]:
    """About how many tokens each call of a model reads to answer from passages, where nothing needs repair."""
    settings = settings.for_model()
    among = min(settings.room or settings.passage_tokens, settings.passage_tokens, MOST_SENTENCES * A_SENTENCE)
    select = [SHORT_PROMPT + among] if settings.reader != "order" else []
    checks = settings.sentences if settings.verify and settings.word == "model" else 0
    return [*select, SHORT_PROMPT + settings.sentences * A_SENTENCE, *[SHORT_PROMPT] * checks]


def most_calls(settings: AnsweringParameters, bullets: int = 0, *, conflicts: bool = False) -> int:
    """Calls that an answer with so many bullets to an English question takes at most, each as often as may be tried."""
    settings = settings.for_model()
    sentences = MOST_WRITTEN + bullets
    checks = sentences if settings.verify else 0  # of a question that the order does not read, whatever ``word`` says
    rounds = settings.max_iterations if settings.verify else 0
    calls = 1 + (settings.reader != "order") + checks + rounds * (sentences + checks)
    return (calls + (1 + MOST_WRITTEN if conflicts else 0)) * settings.num_tries
