"""Certificates: for each cited sentence of an answer, the quotes that prove it, their places, and who judged.

    {"sentence": "Femur density fell by 12.4 % in flight mice [1].", "passage": "PMC1::sec2::chunk0",
     "document_id": "PMC1", "quote": "Femur density fell by 12.4% in flight mice.", "start": 812, "end": 855,
     "quotes": [{"passage": "PMC1::sec2::chunk0", "quote": …, "start": 812, "end": 855,
                 "places": [{"start": 790, "end": 861, "page": 4, "left": 56.7, "bottom": 301.2, …}], …}],
     "verdict": "supported", "score": 0.97, "judges": [{"by": "model", "name": "ollama/gpt-oss", …}, …], …}

``places``, of a paper with pages, are the lines of print that a quote has a part in: the span of the text that each
holds, its page in the file, from 1, and its box in points from the lower left corner of that page's crop box.

A sentence that was put into the question's language has ``english`` too: what is proved, with the same citations. Where
the two differ in numbers, units, names, negations or citations, the sentence is not proved.

Given the same passages, and what a model said, the same certificates are made; so anyone who has the papers can verify
an answer without a language model: see ``programs.replay``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeAlias

from metrics.sentences import Span
from metrics.statements import Statement
from metrics.support.guards import GUARDS
from programs.ingest.line_shapes import SectionKind
from programs.passages import Passage
from programs.proof import CitedAnswer
from programs.proof.sentence_proof import CHECKER, NO_QUOTE, Judged, ModelProof, Proven, Quote, prove
from programs.proof.translation import disagreement
from signatures.values import Verdict

FORM = 2
"""Of certificates in files; in form 1, which had no such number, each held one quote and one check's verdict."""


@dataclass(frozen=True, slots=True)
class Citation:
    """One sentence and one passage that it cites.

    Attributes:
        sentence: As it is in the answer, with its citations.
        marker: What the sentence writes in brackets: "1", "PMC12345".
        passage: Id of the passage.
        document_id: The paper.
        section: Kind of section the passage was found in.
        quote: The first of the quotes that is in this passage; empty when none does.
        start: Offset of it in the document's text.
        end: Offset after it.
        quotes: All that prove the sentence together, those of other passages too.
        verdict: Whether the quotes prove the sentence; without a quote in this passage it is unverifiable here.
        score: The checker's probability that they do, in [0, 1].
        reason: What proves it, or what is missing.
        check: Name and version of the checker.
        judges: Who said what: a model, the checker, guards.
        retrieval: Scores that brought the passage up.
        relevance_reason: Those scores in words.
        doi: Of the paper, or empty.
        url: Of the paper, or empty.
        english: The sentence that is proved, with its citations, where the answer has a translation of it; else empty,
            and left out of JSON.
    """

    sentence: str
    marker: str
    passage: str
    document_id: str
    section: SectionKind
    quote: str
    start: int
    end: int
    quotes: tuple[Quote, ...]
    verdict: Verdict
    score: float
    reason: str
    check: str
    judges: tuple[Judged, ...]
    retrieval: Mapping[str, float]
    relevance_reason: str
    doi: str
    url: str
    english: str = ""

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        values = asdict(self)
        if not self.english:
            del values["english"]
        return {**values, "quotes": [each.as_dict() for each in self.quotes], "judges": list(values["judges"])}


def by_model_alone(verdict: str, judges: Iterable[Mapping[str, Any]]) -> bool:
    """Whether a certificate, as a file holds it, is supported only with a model's word.

    Without it the checker does not hold the sentence for proved, or a guard that both outvote has the last word.
    """
    others = [each for each in judges if each["by"] != "model"]
    checked = any(each["by"] == "checker" and each["verdict"] == "supported" for each in others)
    outvoted = any(each["by"] == "guard" and each["name"] != NO_QUOTE for each in others)
    return verdict == "supported" and (not checked or outvoted)


Decided: TypeAlias = dict[tuple[str, tuple[int, ...]], Proven]
"""What was decided on sentences of one answer, by their text and by which of its given passages they cite."""


def certify(
    answer: CitedAnswer,
    proofs: Iterable[ModelProof] = (),
    decided: Decided | None = None,
    english: Mapping[str, str] | None = None,
) -> list[Citation]:
    """Make the certificates of an answer, in the order of its sentences and of their citations.

    A citation that names a paper of which several passages were given means the one that holds a quote. Sentences
    that no model said anything of are the checker's alone. What is ``decided`` is not proved again, and the rest is
    added to it. Of ``english``, by the sentence as it is in the answer, comes what is proved in its place.
    """
    by_sentence = {each.sentence: each for each in proofs}
    decided = {} if decided is None else decided
    certificates = []
    for statement in answer.statements:
        given, written = answer.cited_by(statement), answer.written(statement)
        source = (english or {}).get(written, "")
        cited = {id(passage): passage for _, found in given for passage in found}
        text, differs = proved_text(answer, statement, source)
        key = text, tuple(cited)
        if cited and key not in decided:
            decided[key] = prove(text, answer.given, list(cited.values()), by_sentence.get(text))
        for marker, of in given:
            proven = _mistranslated(decided[key], differs) if differs else decided[key]
            certificates.append(replace(_citation(written, marker, of, proven), english=source))
    return certificates


def proved_text(answer: CitedAnswer, statement: Statement, english: str) -> tuple[str, str]:
    """What is proved of a sentence, without citations: its English form where it has one; and where the two differ."""
    if not english:
        return statement.text, ""
    found = CitedAnswer(english, answer.given).statements
    if len(found) != 1:
        return english, "its English form is not one sentence"
    if found[0].cites != statement.cites:
        return found[0].text, "its citations are others than those of the English sentence"
    if found[0].needs_citation and not statement.needs_citation:
        return found[0].text, "it states nothing that could be proved"
    return found[0].text, disagreement(found[0].text, statement.text)


def _mistranslated(proven: Proven, differs: str) -> Proven:
    """The proof of a sentence whose translation says something else."""
    guard = Judged("guard", f"{GUARDS}: translation", "unverifiable", reason=differs)
    return replace(proven, verdict="unverifiable", reason=f"translation: {differs}", judges=(*proven.judges, guard))


def _citation(sentence: str, marker: str, found: Sequence[Passage], proven: Proven) -> Citation:
    """What the sentence's proof says of one of its citations."""
    here = [(passage, quote) for quote in proven.quotes for passage in found if quote.passage == passage.id]
    passage, quote = (
        here[0] if here else (found[0], Quote.of(found[0], Span(len(found[0].before), len(found[0].before))))
    )
    beside = proven.verdict == "supported" and not here
    return Citation(
        sentence=sentence,
        marker=marker,
        passage=passage.id,
        document_id=passage.document_id,
        section=passage.section,
        quote=quote.quote,
        start=quote.start,
        end=quote.end,
        quotes=proven.quotes,
        verdict="unverifiable" if beside else proven.verdict,
        score=0.0 if beside else proven.probability,
        reason=f"the proof is in {proven.quotes[0].passage}" if beside else proven.reason,
        check=CHECKER.name,
        judges=proven.judges,
        retrieval=passage.scores,
        relevance_reason=passage.relevance_reason,
        doi=passage.doi,
        url=passage.url,
    )


def grounded_ratio(answer: CitedAnswer, citations: Iterable[Citation]) -> float | None:
    """Sentences with a certificate that proves them / sentences that need proof; None where none needs it."""
    needed = [answer.written(each) for each in answer.statements if each.needs_citation]
    proved = {each.sentence for each in citations if each.verdict == "supported"}
    return round(sum(sentence in proved for sentence in needed) / len(needed), 4) if needed else None


def measures(answer: CitedAnswer, citations: Sequence[Citation]) -> dict[str, Any]:
    """What can be counted on an answer without a language model: passages, ``grounded_ratio``, citations by section."""
    return {
        "retrieved_k": len(answer.passages),
        "grounded_ratio": grounded_ratio(answer, citations),
        "section_distribution": dict(Counter(citation.section for citation in citations)),
    }
