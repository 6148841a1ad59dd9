"""`evidence_table`: papers × questions, each cell proved by a passage of its paper or "not reported".

table.yaml ─→ columns ┐
papers.idx ─→ rows ───┴→ a cell each: search inside the paper → learned order → the best sentences, numbered
                          → a sentence with its numbers, the value → proved → journal in the output folder → JSON, CSV

The program here fills one cell, a question to one paper of an index:

cell = EvidenceTable(index)(question="How many were randomised?", paper="PMC539050", wanted=ValueType("number"))
cell.value, cell.citations[0].quote
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from textwrap import shorten
from typing import TYPE_CHECKING, ClassVar

import dspy

from metrics.support.lexicon import STOP_WORDS
from metrics.words import words
from programs.answering import answer_probabilities
from programs.bounded_numbers import bounded
from programs.errors import UsageError, check_least
from programs.evidence_table.cell_values import Value, ValueType
from programs.evidence_table.table import NOT_FOUND, proved_sentences, quoted_by
from programs.models.order import LEARNED
from programs.passages import Passage
from programs.passages.asked import Asked
from programs.passages.evidence import Evidence, within_window
from programs.passages.numbered_sentences import NumberedSentences
from programs.passages.passage_selection import LEAST_RELEVANCE, Limits, RankedPassage
from programs.program import Program, attempt, reader_name
from programs.progress import report_step
from programs.proof import CitedAnswer
from programs.proof.sentence_proof import ModelProof
from programs.results.result import result, secondary_findings
from programs.retrieval.reranking import cross_encoder, ordered
from programs.verified import Verified
from programs.written_sentences import Piece, joined, pieces_of
from signatures.evidence_table import FillCell
from signatures.passages import as_data

if TYPE_CHECKING:
    from programs.ingest.document import Document
    from programs.retrieval.records import Hit
    from programs.retrieval.retriever import Retriever


MOST_NOTED = 300
"""Characters of the nearest sentence that a note quotes."""
_IS_ANY_OTHER = re.compile(r"(?:others?|none|neither|unclear|unknown|unspecified|not\b.*|n/?a)\b", re.IGNORECASE)
"""A label for all that the other labels are not."""
_NAME = re.compile(r"\b[A-Z][\w-]*(?:\s+(?:(?:of|for|and|the)\s+)*[A-Z][\w-]*)+")
"""Such as "Ethical Review Committee"."""


@dataclass(frozen=True, slots=True)
class EvidenceTableParameters:
    """What `evidence_table` can be tuned by.

    Attributes:
        candidates: Passages of the paper that the search brings, at least 1.
        context_tokens: Tokens that the passages of a cell may have, at least 1; a token is three quarters of a word.
        least_relevance: Probability of answering below which a passage is left out.
        cross_encoder: What orders the candidates: "learned" for the order that is shipped, the name of another model,
            or empty for the order of the search.
        evidence: Sentences of the passages that a model is shown, at least 1, those that answer best.
        num_tries: Attempts at output that does not parse, at least 1.
    """

    candidates: int = 24
    context_tokens: int = 1500
    least_relevance: float = LEAST_RELEVANCE
    cross_encoder: str = LEARNED
    evidence: int = 12
    num_tries: int = 1

    def __post_init__(self) -> None:
        check_least(self, candidates=1, evidence=1, num_tries=1)
        _ = self.limits

    @property
    def limits(self) -> Limits:
        """How much is shown."""
        return Limits(self.context_tokens, least_relevance=self.least_relevance)


class EvidenceTable(Program[EvidenceTableParameters]):
    """One cell of a table of evidence; the retriever is mostly an ``Index``."""

    name: ClassVar[str] = "evidence_table"

    def __init__(self, retriever: Retriever, parameters: EvidenceTableParameters | None = None) -> None:
        super().__init__(parameters or EvidenceTableParameters())
        self.retriever = retriever
        self.fill = dspy.Predict(FillCell)

    def run(self, question: str, paper: str, wanted: ValueType | None = None) -> dspy.Prediction:
        """Fill one cell.

        Args:
            question: What the column asks.
            paper: Id of a paper of the index.
            wanted: The type of the value; by default text.

        Returns:
            The result described in the README, written from the passages that it cites alone. ``value`` is what the
            cell says, None for "not reported", and ``label`` the same for columns with labels. Without a value the one
            passage is the nearest evidence, and ``notes`` says why there is none.

        Raises:
            UsageError: The question is empty, or the index has no such paper.
            MalformedOutput: The output did not parse in ``num_tries`` tries.
        """
        if not question.strip():
            raise UsageError("the question is empty; ask something of the paper")
        wanted, document = wanted or ValueType(), self.retriever.document(paper)
        hits = self.retriever.search(question, self.settings.candidates, {"document": [paper]})
        hits = ordered(question, hits, cross_encoder(self.settings.cross_encoder))
        ranked = [_ranked(hit, rank) for rank, hit in enumerate(hits, start=1)]
        cell, narrowed = within_window(
            self.settings.limits, functools.partial(self._filled, question, wanted, document, ranked)
        )
        cell.notes = [*cell.notes, *narrowed]
        return cell

    def _filled(
        self, question: str, wanted: ValueType, document: Document, ranked: Sequence[RankedPassage], limits: Limits
    ) -> dspy.Prediction:
        """The cell from what is shown within the limits."""
        passages = Evidence.of(ranked, limits, {document.id: document}.__getitem__).passages
        if not passages:
            return _without(question, passages, "no passage of the paper was found")
        evidence = self._shown(question, passages)
        report_step("cell", f"Filling a cell from {len(evidence)} sentences", sentences=len(evidence))
        said = attempt(
            self.fill,
            self.settings.num_tries,
            signature=bounded(_typed(self.fill.signature, wanted), "answer", evidence=evidence),
            evidence=evidence.shown(),
            question=as_data(question),
            form=as_data(wanted.form),
        )
        pieces = pieces_of(said.answer or (), evidence, question, self.fill.signature.instructions)
        if not said.answerable or not pieces:
            return _without(question, passages, "the passages do not report it")
        if wanted.kind == "number" and not reader_name():
            nearest = shorten(pieces[0].text.rstrip("."), MOST_NOTED, placeholder=" …")
            return _without(question, passages, f"numbers are read by a language model; nearest is {nearest}")
        proved = _proved(pieces, evidence)
        if not proved.answer:
            return _without(question, passages, "what was said of it is not proved by the passages")
        cell = result(question, proved)
        if not reader_name() and secondary_findings(cell.citations):
            return _without(question, passages, "the nearest sentence is of another study, which the paper cites")
        record = [each.as_dict() for each in cell.citations]
        quotes = quoted_by(record)
        value = wanted.read(said.value or "")
        if value and not wanted.borne_out(value, quotes):
            value = wanted.bare(value)
            value = value if value and wanted.borne_out(value, quotes) else None
        if value is None and wanted.kind == "text":
            value = Value(proved_sentences(record)[0])
        if value and wanted.kind == "choices" and not reader_name() and not _is_stated(value.text, quotes):
            value = None
        if value is None:
            kind = f"value of {', '.join(wanted.labels)}" if wanted.labels else wanted.kind
            held = f"“{said.value}” is not a {kind} that is in what was quoted"
            return _without(question, passages, held)
        cell.value, cell.notes = value, cell.get("notes", [])
        cell.label = value.text if wanted.labels else ""
        return cell

    def _shown(self, question: str, passages: Sequence[Passage]) -> NumberedSentences:
        """The sentences that answer best, where an order reads the question; without a model all of them."""
        evidence = NumberedSentences.of(passages)
        asked, encoder = Asked.of(question), self.settings.cross_encoder
        order = answer_probabilities(evidence, asked, encoder) if reader_name() else {}
        return evidence.only(list(order)[: self.settings.evidence]) if order else evidence


@functools.lru_cache(maxsize=256)
def _typed(signature: type[dspy.Signature], wanted: ValueType) -> type[dspy.Signature]:
    """The signature with the type of the value, one for all cells of a column: to make one takes milliseconds."""
    typed: type[dspy.Signature] = signature.with_updated_fields("value", type_=wanted.annotation)
    return typed


def _ranked(hit: Hit, rank: int) -> RankedPassage:
    relevance = hit.relevance
    record = f" ({relevance:.2f})" if relevance is not None else ""
    scores = {"relevance": relevance, "dense": hit.dense_score, "sparse": hit.sparse_score}
    known = {name: round(score, 4) for name, score in scores.items() if score is not None}
    return RankedPassage(
        hit.chunk, known, f"number {rank} of the paper by its probability to answer{record}", relevance
    )


def _proved(pieces: Sequence[Piece], evidence: NumberedSentences) -> Verified:
    """The sentences of a cell that are proved, else the evidence that was named, as the paper has it."""
    kept = _supported(pieces, evidence)
    if not kept.answer and reader_name():
        prose = [each for piece in pieces for each in evidence.given(piece.numbers) if not each.head]
        kept = _supported([Piece.quoting(each) for each in prose[:1]], evidence)
    return kept


def _supported(pieces: Sequence[Piece], evidence: NumberedSentences) -> Verified:
    """Those of the pieces that are proved, from the passages that they cite alone."""
    pieces = [each for each in pieces if each.numbers]
    whole = _written(pieces, evidence)
    proved = {each.sentence for each in whole.citations if each.verdict == "supported"}
    left = [each for each in joined(pieces, _of_cited(pieces, evidence))[1] if each.cited in proved]
    return whole if len(left) == len(pieces) else _written(left, evidence)


def _written(pieces: Sequence[Piece], evidence: NumberedSentences) -> Verified:
    """An answer of pieces, and what each rests on."""
    narrowed = _of_cited(pieces, evidence)
    answer = joined(pieces, narrowed)[0]
    proofs = []
    for each in pieces:
        quotes, starts = narrowed.quotes(each.numbers)
        proofs.append(ModelProof(each.text, "given", tuple(quotes), "", reader_name(), tuple(starts)))
    cited = {each.passage.id: each.passage for each in narrowed.sentences}
    return Verified(CitedAnswer(answer, list(cited.values())), proofs=tuple(proofs))


def _of_cited(pieces: Sequence[Piece], evidence: NumberedSentences) -> NumberedSentences:
    """The sentences that pieces rest on, with their passages numbered anew, those of one passage together."""
    given = evidence.given(number for each in pieces for number in each.numbers)
    places = {id_: at for at, id_ in enumerate(dict.fromkeys(each.passage.id for each in given), 1)}
    by_passage = sorted(given, key=lambda each: places[each.passage.id])
    return NumberedSentences([replace(each, label=each.passage.label(places[each.passage.id])) for each in by_passage])


def _is_stated(label: str, quotes: Sequence[str]) -> bool:
    """Whether quotes have the words of a label, as they are printed. "Other" states nothing; nor does a word of a name.

    "Simulations were performed" speaks of several things, and says of none that it was a simulation.
    """
    texts = label, _NAME.sub(" ", " ".join(quotes))
    wanted, said = ({*words(each.casefold().replace("z", "s"))} for each in texts)  # "randomized" as "randomised"
    return wanted - STOP_WORDS <= said and not _IS_ANY_OTHER.match(label)


def _without(question: str, passages: Sequence[Passage], reason: str) -> dspy.Prediction:
    """A cell that says "not reported", with the nearest evidence."""
    nearest = [
        replace(each, relevance_reason=f"the nearest evidence: {each.relevance_reason}") for each in passages[:1]
    ]
    said = f"{'Not reported' if reader_name() else NOT_FOUND.capitalize()}: {reason}."
    cell = result(question, Verified(CitedAnswer("", nearest)), notes=[said], value=None)
    cell.label = ""
    return cell
