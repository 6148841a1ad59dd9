"""The result that every QA program returns: its fields, what is noted of it, and when its answer is withheld.

An answer can be proved sentence by sentence and still be beside the point. ``least_coverage`` of a program is how
much of the question it has to hold, by ``metrics.words``; 0, the default, withholds nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from textwrap import shorten
from typing import Any

import dspy

from metrics.printed_citations import works_cited_for
from metrics.words import question_coverage
from programs.answering import answer_probabilities
from programs.certificate import FORM, Citation, measures
from programs.languages import language_of
from programs.lm.adapters import is_without_model
from programs.models.order import LEARNED
from programs.passages import Passage
from programs.passages.asked import Asked
from programs.passages.numbered_sentences import NumberedSentences
from programs.proof.sentence_proof import Quote
from programs.results.finds import authors_and_year, judged, words_not_read
from programs.results.rendering import as_html, as_json
from programs.verified import Verified
from signatures import citation_markers

OWN_FIELDS = frozenset({"points", "conflicts", "expansion", "queries", "notes", "papers", "value", "nearest"})
"""What one program or another adds to the fields that all results have."""
_SHOWN = 80
"""Characters of an answer in a result's ``repr``."""


def paper_notes(citations: Sequence[Citation], passages: Sequence[Passage]) -> list[str]:
    """That a cited paper was retracted or corrected, a line a paper, as the notes of every result have it."""
    cited = {each.document_id for each in citations}
    papers = {each.document_id: each for each in passages if each.corrections and each.document_id in cited}
    return [f"{paper.title or name} ({name}) was {'; '.join(paper.corrections)}." for name, paper in papers.items()]


_OF_OTHERS = frozenset({"introduction", "discussion", "conclusion", "other"})
"""Kinds of section in which papers tell what others found."""
_OWN = re.compile(r"\b(?:we|our|(?:this|the present|the current) (?:study|trial|paper|work|analysis))\b", re.IGNORECASE)


def secondary_findings(citations: Iterable[Citation], passages: Iterable[Passage] = ()) -> list[str]:
    """A note for each sentence whose proof tells what other works found, by what the paper cites for it."""
    named = {each.document_id: authors_and_year(each.as_dict()) for each in passages}
    notes = []
    for each in citations:
        quotes = each.quotes if each.verdict == "supported" else ()
        if quotes and all(map(_cites_other_work, quotes)):
            works = dict.fromkeys(work for quote in quotes for work in works_cited_for(quote.quote))
            said = shorten(
                citation_markers.strip(each.sentence).removeprefix("- ").strip("“”"), _SHOWN, placeholder=" …"
            )
            paper = named.get(quotes[0].document_id) or f"[{each.marker}]"
            notes.append(f"“{said}”: for this {paper} cites {'; '.join(works)}; the finding may be theirs.")
    return list(dict.fromkeys(notes))


def _cites_other_work(quote: Quote) -> bool:
    return quote.section in _OF_OTHERS and any(works_cited_for(quote.quote)) and not _OWN.search(quote.quote)


class Result(dspy.Prediction):
    """What a QA program returns: a prediction that shows itself in a line, and in a notebook as a page."""

    def __repr__(self) -> str:
        said = self.get("answer") or ("the nearest sentences alone" if self.get("nearest") else "no answer")
        counts = judged(as_json(self).get("citations", ())) or "nothing cited"
        return f"Result({shorten(said, _SHOWN)!r}, {counts}, {len(self.get('passages', ()))} passages)"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready values, as ``ask --output`` writes them."""
        return as_json(self)

    def _repr_html_(self) -> str:
        return as_html(self)


def result(
    question: str,
    verified: Verified,
    *,
    dedup_count: int = 0,
    **more: Any,  # noqa: ANN401 - any field of a result
) -> Result:
    """Put a result together; its certificates are made here.

    Args:
        question: As it was asked.
        verified: The answer, the passages it was written from, and what verification found.
        dedup_count: How many candidates repeat a better one.
        **more: `OWN_FIELDS`, or ``figures`` and ``topic``.

    Raises:
        TypeError: A field is not known; ``verify`` refuses answers with others.
    """
    verified, withheld = proved(verified)
    citations, passages = verified.citations, verified.cited.passages
    fields: dict[str, Any] = {
        "form": FORM,
        "question": question,
        "answer": verified.answer,
        "answerable": bool(verified.answer),
        "citations": citations,
        "passages": list(passages),
        "unsupported_claims": list(verified.unsupported_claims),
        "repairs": list(verified.repairs),
        "figures": [],
        "topic": "",
        "uncited": verified.cited.uncited,
        "metrics": {**measures(verified.cited, citations), "dedup_count": dedup_count},
    }
    if unknown := more.keys() - fields.keys() - OWN_FIELDS:
        raise TypeError(f"a result has no {', '.join(sorted(unknown))}")
    said = [
        *paper_notes(citations, passages),
        *secondary_findings(citations, passages),
        *more.get("notes", []),
        *withheld,
    ]
    if said:
        more = {**more, "notes": said}
    return Result(**{**fields, **more})


_WITHHELD = "An answer was withheld: "
"""How the note of a withheld answer begins, in results and in saved ones."""
_UNPROVED = "none of its sentences is proved ({}). The passages are what was found instead."


def is_withheld(notes: Iterable[str]) -> bool:
    """Whether the notes of a result without an answer say that there was one."""
    return any(each.startswith(_WITHHELD) for each in notes)


def proved(verified: Verified) -> tuple[Verified, list[str]]:
    """An answer of which a sentence at least is proved, or nothing in its place, and a note that says why."""
    if not verified.answer and verified.unsupported_claims:
        reason = verified.unsupported_claims[0].reason
        return verified, [f"{_WITHHELD}{_UNPROVED.format(reason)}"]
    if not verified.answer or any(each.verdict == "supported" for each in verified.citations):
        return verified, []
    reason = next((each.reason for each in verified.citations if each.reason), "no sentence cites a passage")
    note = f"{_WITHHELD}{_UNPROVED.format(reason)}"
    return verified.withheld(), [note]


def relevant(verified: Verified, question: str, least_coverage: float) -> tuple[Verified, list[str]]:
    """An answer, or nothing in its place, and a note that says why.

    Answer and quotations have to hold ``least_coverage`` of the question's content words; a question in another
    language than English is not judged, since papers are quoted in their own.
    """
    if not least_coverage or not verified.answer:
        return verified, []
    found = question_coverage(question, [verified.answer, *(citation.quote for citation in verified.citations)])
    if found >= least_coverage:
        return verified, []
    note = f"{_WITHHELD}it holds {found:.2f} of the question's words; least_coverage={least_coverage:g}."
    return verified.withheld(), [note]


_OF_AN_ANSWER = ("topic", "conflicts")
NOT_READ = "No passage that was read has: {}; check the spelling, or ask in other words."


def concluded(
    asked: Asked,
    verified: Verified,
    least_coverage: float,
    notes: Iterable[str] = (),
    **more: Any,  # noqa: ANN401 - any field of a result
) -> Result:
    """The result of an answer in words, which is withheld where it holds too little of the question; see ``relevant``.

    What is to be said of its language and of its being withheld comes behind other ``notes``; the rest is as for
    ``result``.
    """
    verified, withheld = relevant(verified, asked.question, least_coverage)
    if not verified.answer:
        more |= {name: type(more[name])() for name in _OF_AN_ANSWER if name in more}
    notes = [*notes, *withheld, *language_notes(asked, verified.answer)]
    found = result(asked.question, verified, notes=notes, **more)
    if not found.answer and is_without_model(dspy.settings.lm):
        found["nearest"] = nearest(asked, found.passages)
        if asked.is_english and found.passages and (missing := words_not_read(as_json(found))):
            found["notes"] = [*found.get("notes", []), NOT_READ.format(", ".join(missing))]
    return found


MOST_NEAREST = 3


def nearest(asked: Asked, passages: Sequence[Passage]) -> list[Quote]:
    """The sentences that most likely answer a question by the learned order; rows are left out.

    Nothing for a question that the order does not read.
    """
    evidence = NumberedSentences.of(passages)
    order = answer_probabilities(evidence, asked, LEARNED)
    prose = [each.number for each in evidence.given(order) if not each.head and " | " not in each.text]
    best = {each.quoted.text: each for each in evidence.given(prose)[:MOST_NEAREST]}
    return [Quote.of(each.passage, each.span) for each in best.values()]


QUOTED_AS_PRINTED = "The answer quotes the papers in their own language; it is not translated."
ENGLISH_ONLY = (
    "The extractive model reads English and a few hundred terms of Spanish, German and Japanese; ask in English, or "
    "name a language model."
)

_QUOTATION = re.compile(r"“[^”]*”")
_MOSTLY = 0.5


def language_notes(asked: Asked, answer: str) -> list[str]:
    """A note for an answer that mostly quotes, in English, after a question in Spanish, German or Japanese.

    Where the extractive model has no answer to a question that is not in English, that it reads English.
    """
    if not answer:
        return [ENGLISH_ONLY] if is_without_model(dspy.settings.lm) and not asked.is_english else []
    said = citation_markers.strip(answer)
    quoted = sum(len(match.group()) for match in _QUOTATION.finditer(said))
    if not quoted or quoted < _MOSTLY * len(said):
        return []
    return [QUOTED_AS_PRINTED] if asked.language != "en" and language_of(said) == "en" else []
