"""`evidence_table`: papers × questions, each cell proved by a passage of its paper or "not reported".

table.yaml ─→ columns ┐
papers.idx ─→ rows ───┴→ a cell each: search inside the paper → learned order → 1,500 tokens → value, sentence, quotes
                          → quotes placed, sentence proved → journal in the output folder → JSON, CSV, XLSX, MD, HTML

The program here fills one cell, a question to one paper of an index:

cell = EvidenceTable(index)(question="How many were randomised?", paper="PMC539050", wanted=ValueType("number"))
cell.value, cell.citations[0].quote
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import dspy

from metrics.visible_text import visible
from programs.certificate import Citation
from programs.errors import UsageError, check_least
from programs.evidence_table.columns import Value, ValueType
from programs.evidence_table.table import proved_sentences, quoted_by
from programs.models.order import LEARNED
from programs.passages import Passage, shown
from programs.passages.context_selection import LEAST_RELEVANCE, Limits, RankedPassage
from programs.passages.evidence import Evidence, within_window
from programs.program import Program, attempt, reader_name
from programs.progress import report_step
from programs.proof import CitedAnswer
from programs.proof.sentence_proof import ModelProof, placed
from programs.results.result import result
from programs.retrieval.reranking import cross_encoder, ordered
from programs.verification import Verified
from signatures import citation_markers
from signatures.evidence_table import FillCell
from signatures.passages import as_data

if TYPE_CHECKING:
    from programs.ingest.document import Document
    from programs.retrieval.records import Hit
    from programs.retrieval.retriever import Retriever

_FULL_STOPS = ".!?…。！？"


@dataclass(frozen=True, slots=True)
class EvidenceTableParameters:
    """What `evidence_table` can be tuned by.

    Attributes:
        candidates: Passages of the paper that the search brings, at least 1.
        context_tokens: Tokens that the passages of a cell may have, at least 1; a token is three quarters of a word.
        least_relevance: Probability of answering below which a passage is left out.
        cross_encoder: What orders the candidates: "learned" for the order that is shipped, the name of another model,
            or empty for the order of the search.
        num_tries: Attempts at output that does not parse, at least 1.
    """

    candidates: int = 24
    context_tokens: int = 1500
    least_relevance: float = LEAST_RELEVANCE
    cross_encoder: str = LEARNED
    num_tries: int = 1

    def __post_init__(self) -> None:
        check_least(self, candidates=1, num_tries=1)
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
        report_step("cell", f"Filling a cell from {len(passages)} passages", passages=len(passages))
        said = attempt(
            self.fill,
            self.settings.num_tries,
            signature=_typed(self.fill.signature, wanted),
            passages=shown(passages),
            question=as_data(question),
            form=as_data(wanted.form),
        )
        if not said.answerable or not (said.answer or "").strip():
            return _without(question, passages, "the passages do not report it")
        quotes = tuple((each.passage.strip(" []#"), each.quote) for each in said.quotes or ())
        proved = _proved(visible(said.answer).strip(), passages, quotes)
        if not proved.answer:
            return _without(question, passages, "what was said of it is not proved by the passages")
        cell = result(question, proved)
        value = _value(said.value or "", cell.citations, wanted)
        if value is None:
            kind = f"value of {', '.join(wanted.labels)}" if wanted.labels else wanted.kind
            held = f"“{said.value}” is not a {kind} that is in what was quoted"
            return _without(question, passages, held)
        cell.value, cell.notes = value, cell.get("notes", [])
        cell.label = value.text if wanted.labels else ""
        return cell


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


def _proved(answer: str, passages: Sequence[Passage], quotes: Sequence[tuple[str, str]]) -> Verified:
    """The sentences of an answer that are proved, with the passages that they cite, numbered anew.

    A sentence without citations cites the passages in which its quotes are. What is not proved is left out: a cell
    is one sentence or two, and the rest can be dropped.
    """
    claimed = _claimed(answer, passages, quotes)
    whole = _written(claimed, passages, quotes)
    proved = {each.sentence for each in whole.citations if each.verdict == "supported"}
    kept = {each.text for each in whole.cited.statements if whole.cited.written(each) in proved}
    left = [each for each in claimed if each.sentence in kept]
    return whole if left == claimed else _written(left, passages, quotes)


@dataclass(frozen=True, slots=True)
class _Claim:
    """A sentence without its citations, and the passages that it cites, at least one."""

    sentence: str
    cited: tuple[Passage, ...]


def _claimed(answer: str, passages: Sequence[Passage], quotes: Sequence[tuple[str, str]]) -> list[_Claim]:
    said, found = CitedAnswer(answer, passages), []
    quoted = {quote.passage for quote in placed(quotes, said.given)[0]}
    for each in said.statements:
        cited = list({id(passage): passage for _, named in said.cited_by(each) for passage in named}.values())
        cited = cited or [passage for passage in passages if passage.id in quoted]
        if cited and each.needs_citation:
            found.append(_Claim(each.text, tuple(cited)))
    return found


def _written(claims: Sequence[_Claim], passages: Sequence[Passage], quotes: Sequence[tuple[str, str]]) -> Verified:
    """An answer of some claims, from the passages that they cite alone."""
    used = list({passage.id: passage for each in claims for passage in each.cited}.values())
    numbers = {passage.id: str(number) for number, passage in enumerate(used, start=1)}
    labels = {str(place): numbers.get(passage.id, "") for place, passage in enumerate(passages, start=1)}
    renamed = tuple((labels.get(label, ""), quote) for label, quote in quotes)
    answer = " ".join(_cited(each.sentence, [numbers[passage.id] for passage in each.cited]) for each in claims)
    proofs = tuple(ModelProof(each.sentence, "proved", renamed, "", reader_name()) for each in claims)
    return Verified(CitedAnswer(answer, used), proofs=proofs)


def _cited(sentence: str, numbers: Sequence[str]) -> str:
    bare = sentence.rstrip(_FULL_STOPS)
    return f"{bare} {citation_markers.render(numbers)}{sentence[len(bare) :] or '.'}"


def _value(written: str, certificates: Sequence[Citation], wanted: ValueType) -> Value | None:
    """The value, if what was proved supports it; of a text that is not there, the proved sentence itself."""
    record = [each.as_dict() for each in certificates]
    quotes = quoted_by(record)
    value = wanted.read(written)
    for each in (value, value and wanted.bare(value)):
        if each is not None and wanted.borne_out(each, quotes):
            return each
    if wanted.kind != "text":
        return None
    return Value(proved_sentences(record)[0])


def _without(question: str, passages: Sequence[Passage], reason: str) -> dspy.Prediction:
    """A cell that says "not reported", with the nearest evidence."""
    nearest = [
        replace(each, relevance_reason=f"the nearest evidence: {each.relevance_reason}") for each in passages[:1]
    ]
    cell = result(question, Verified(CitedAnswer("", nearest)), notes=[f"Not reported: {reason}."], value=None)
    cell.label = ""
    return cell
