"""Decides whether one sentence is proved, and says who decided what.

1. Quotes are looked up in the passages. What is not there is dropped; then the checker must hold the sentence for
   proved by the rest.
2. At least one of them must be in a passage that the sentence cites, none in a paper that it does not cite, and no
   row under the head of another table.
3. The guards may veto: another number, unit, name, direction or negation than the quotes have, a clipped copy.
4. The checker reads the sentence and the quotes; where no model proved the sentence, it finds the quote itself.
5. Of an English sentence on quotes in another language numbers, names and negations alone are guarded, and the checker
   says nothing: a model proves it, or nobody.

Who outvotes whom is a table: ``precedence``. The same sentence, passages, proof and checker always give the same
verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import chain, repeat
from typing import Any, Literal, TypeAlias

from metrics.sentences import Span, sentences
from metrics.support import Support
from metrics.support.altered_copies import own_words
from metrics.support.guards import GUARDS, vetoes
from metrics.support.verdict import Judge, Rule
from programs.ingest.document import Place
from programs.models.checker import shipped_judge
from programs.passages import Passage, RepeatedLine
from programs.proof import GivenPassages
from programs.proof.precedence import ModelWord, decided
from programs.proof.table_quotes import wrong_tables
from programs.proof.translation import is_across, objections
from signatures.values import ProofVerdict, Verdict

CHECKER: Judge = shipped_judge()
"""What reads a sentence against its quotes: the one place where another checker is put in."""

By: TypeAlias = Literal["model", "checker", "guard"]

Said: TypeAlias = ProofVerdict | Literal["given"]
"""What a model said of a sentence: a verdict, or only which sentences it rests on."""

_VERDICTS: dict[Said, Verdict] = {
    "proved": "supported",
    "given": "unverifiable",
    "not proved": "unverifiable",
    "about the evidence": "unverifiable",
}
GIVEN = "it gave these sentences as evidence, and no verdict"
"""Reason of a model that was asked what its sentence rests on; whether that proves it is then the checker's word."""
NO_QUOTE = f"{GUARDS}: quotes"  # the guard that finds no quote of a proof in the passages that the sentence cites

READABLE: frozenset[Rule] = frozenset({"disguise", "length", "unread"})
"""Rules on how a sentence is written, whatever language its quotes are in."""

NOT_READ = "the evidence is not in English, which is all that the checker reads"

ABOUT_EVIDENCE = "it speaks about the evidence, which needs no proof"


@dataclass(frozen=True, slots=True)
class ModelProof:
    """What a model said of one sentence, which is held without its citations.

    Attributes:
        quotes: Label of a passage and words of it, as the model wrote both.
        reason: Why it is not proved.
        starts: Of a proof that was saved, where in its paper each quote is: a table may have one row twice.
    """

    sentence: str
    verdict: Said
    quotes: tuple[tuple[str, str], ...] = ()
    reason: str = ""
    model: str = ""
    starts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Quote:
    """Whole sentences of a passage that prove something, as they are in the paper from ``start`` to ``end``.

    ``places`` are page and box of each line of print that it has a part in; empty for a paper without pages.
    """

    passage: str
    document_id: str
    section: str
    quote: str
    start: int
    end: int
    places: tuple[Place, ...] = ()

    @classmethod
    def of(cls, passage: Passage, span: Span) -> Quote:
        """Cut it out of a passage's whole sentences."""
        text = passage.whole[span.start : span.end]
        start, end = passage.whole_start + span.start, passage.whole_start + span.end
        places = tuple(each for each in passage.places if each.start < end and start < each.end)
        return cls(passage.id, passage.document_id, passage.section, text, start, end, places)

    @classmethod
    def of_repeated(cls, passage: Passage, line: RepeatedLine) -> Quote:
        """A line of a table's beginning, which is shown before a later part of it."""
        about = (passage.id, passage.document_id, passage.section)
        return cls(*about, line.text, line.start, line.end, line.places)

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values; ``places`` as objects with the names of ``Place``, left out where there are none."""
        values = asdict(self)
        del values["places"]
        return {**values, "places": [each._asdict() for each in self.places]} if self.places else values


@dataclass(frozen=True, slots=True)
class Judged:
    """What one judge said: a model, the checker with its version or hash, or a guard with its rule.

    ``probability`` is that of the claim being supported, in [0, 1]; None for a judge that gives none.
    """

    by: By
    name: str
    verdict: Verdict
    probability: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Proven:
    """What was decided on one sentence, by all judges together; the probability is the checker's, in [0, 1].

    The quotes prove it; of an unproved sentence they are what came nearest, which may be nothing.
    """

    verdict: Verdict
    probability: float
    quotes: tuple[Quote, ...]
    reason: str
    judges: tuple[Judged, ...]


def prove(
    sentence: str,
    given: GivenPassages,
    cited: Sequence[Passage],
    proof: ModelProof | None = None,
    checker: Judge = CHECKER,
) -> Proven:
    """Decide on one sentence without its citations, of which it has at least one among the given passages.

    ``proof`` is what a model said of the sentence; None where none was asked.
    """
    texts = given.texts_of({each.document_id for each in cited})
    if proof is None or not proof.model:  # no model read it
        return _checked(sentence, cited, checker, texts)
    reason = {"proved": "", "given": GIVEN}.get(proof.verdict, proof.reason)
    said = Judged("model", proof.model, _VERDICTS[proof.verdict], reason=reason)
    if proof.verdict not in ("proved", "given"):
        reason = ABOUT_EVIDENCE if proof.verdict == "about the evidence" else said.reason or "no passage proves it"
        return _without_proof("not proved", (said,), reason, _checked(sentence, cited, checker, texts))
    quotes, problems = placed(proof.quotes, given, proof.starts)
    wrong = _not_cited(quotes, given, cited) or wrong_tables(quotes, given.passages)
    if not quotes:
        wrong = "; ".join(problems) or proof.reason or "no quote was given for it"
    if not wrong:
        support = checker.check(sentence, ["\n".join(quote.quote for quote in quotes)])
        titles = given.titles_of({quote.passage for quote in quotes})
        checked = _judged(checker, support, sentence, quotes, titles)
        # The model called all of its quotes together a proof, not those that are left.
        wrong = "; ".join(problems) if checked.verdict != "supported" else ""
    if wrong:
        guard = Judged("guard", NO_QUOTE, "unverifiable", reason=wrong)
        return _without_proof("fell through", (said, guard), wrong, _checked(sentence, cited, checker, texts))
    return _decided(sentence, quotes, said, checked, titles, texts)


def _not_cited(quotes: Sequence[Quote], given: GivenPassages, cited: Sequence[Passage]) -> str:
    """What of a proof is in passages that the sentence does not cite; empty if one of them, and no other paper, is."""
    if quotes and not any(quote.passage == each.id for quote in quotes for each in cited):
        return f"its proof is in {given.marker(quotes[0].passage)}, which it does not cite"
    papers = {each.document_id for each in cited}
    beside = next((each for each in quotes if each.document_id not in papers), None)
    return f"its proof needs {given.marker(beside.passage)} too, a paper that it does not cite" if beside else ""


def _judged(
    checker: Judge, support: Support, sentence: str, quotes: Sequence[Quote], titles: Sequence[str] = ()
) -> Judged:
    """What the checker said; that a copy with added words is proved it cannot say."""
    texts = [quote.quote for quote in quotes]
    if is_across(sentence, texts):
        return Judged("checker", checker.name, "unverifiable", 0.0, NOT_READ)
    own = own_words(sentence, texts, titles=titles) if support.verdict == "supported" else ""
    if own:
        return Judged("checker", checker.name, "unverifiable", round(support.score / 2, 4), own)
    return Judged("checker", checker.name, support.verdict, round(support.score, 4), support.reason)


def _without_proof(model: ModelWord, said: tuple[Judged, ...], reason: str, found: Proven) -> Proven:
    """A sentence that no model proves by quotes: what the checker finds in the passages that are cited."""
    verdict = decided(model, (), found.verdict, found.probability)
    reason = found.reason if verdict == "supported" else reason
    return replace(found, verdict=verdict, reason=reason, judges=(*said, *found.judges))


def _checked(sentence: str, cited: Sequence[Passage], checker: Judge, texts: Sequence[str]) -> Proven:
    """What the checker finds without a model: the passage that supports the sentence best.

    First of those that hold most of its words, so that of a copy the one that it was copied from is read alone.
    """
    words, found = set(sentence.split()), []
    for passage in sorted(cited, key=lambda each: -len(words.intersection(each.whole.split()))):
        found.append(_checked_by(sentence, passage, checker, texts))
        if found[-1].verdict == "supported" and found[-1].probability == 1:  # no other could support it better
            break
    return max(found, key=lambda each: (each.verdict == "supported", each.probability))


def _checked_by(sentence: str, passage: Passage, checker: Judge, texts: Sequence[str]) -> Proven:
    support = _read(checker, sentence, passage.whole)
    spans = [each for each in sentences_of(passage.whole) if each.start < support.end and support.start < each.end]
    quotes = (Quote.of(passage, Span(spans[0].start, spans[-1].end)),) if support.quote and spans else ()
    return _decided(sentence, quotes, None, _judged(checker, support, sentence, quotes), given=texts)


@lru_cache(maxsize=512)
def _read(checker: Judge, sentence: str, passage: str) -> Support:
    """What the checker says; an answer is proved and then certified, which asks the same of it twice."""
    return checker.check(sentence, [passage])


def _decided(
    sentence: str,
    quotes: Sequence[Quote],
    said: Judged | None,
    checked: Judged,
    titles: Sequence[str] = (),
    given: Sequence[str] = (),
) -> Proven:
    """Put the judges together; a model that gave quotes and no verdict has none in it."""
    texts = [quote.quote for quote in quotes]
    objected = vetoes(sentence, texts, titles, given) if quotes else []
    if is_across(sentence, texts):
        objected = [*objections(sentence, texts), *(each for each in objected if each.rule in READABLE)]
    proved = said is not None and said.verdict == "supported"
    probability = checked.probability or 0.0
    verdict = decided("proved" if proved else "none", objected, checked.verdict, probability)
    reason = checked.reason
    if objected and verdict != "supported":
        reason = objected[0].reason
    elif said is not None and verdict == "supported" != checked.verdict:
        reason = f"{said.name} says that the quotes prove it"
    guards = (
        Judged("guard", f"{GUARDS}: {veto.rule}", "contradicted" if veto.opposed else "unverifiable", None, veto.reason)
        for veto in objected
    )
    return Proven(verdict, probability, tuple(quotes), reason, (*([said] if said else []), checked, *guards))


def placed(
    quotes: Iterable[tuple[str, str]], given: GivenPassages, starts: Iterable[int] = ()
) -> tuple[list[Quote], list[str]]:
    """Where quotes are, each whole sentence once; and what is wrong with those that are nowhere.

    Args:
        quotes: Labels of passages and words of them, as the paper has them.
        given: All passages.
        starts: Where in its paper each quote is, if that is known.
    """
    found: dict[Quote, None] = {}
    problems, asked = [], list(quotes)
    together = Counter(passage.id for _, quote in asked for passage in given.passages if quote.strip() in passage.whole)
    for (label, quote), start in zip(asked, chain(starts, repeat(0)), strict=False):
        named = given.named(label)
        if not start:  # of a paper's passages that which holds the other quotes too: tables may have the same header
            named = sorted(named, key=lambda each: -together[each.id])
        located = next(filter(None, (_in_passage(quote, each, start) for each in (*named, *given.passages))), ())
        found.update(dict.fromkeys(located))
        if not located:
            problems.append(f"the quote is not in the passage: “{quote}”")
    return list(found), problems


def _in_passage(quote: str, passage: Passage, start: int) -> Sequence[Quote]:
    """The whole sentences of a passage that hold a quote, or the line of a table that is shown before it."""
    for line in passage.repeated:
        if line.text == quote and start in (0, line.start):
            return [Quote.of_repeated(passage, line)]
    quote, at = quote.strip(), start - passage.whole_start
    if at < 0 or not passage.whole.startswith(quote, at):
        at = passage.whole.find(quote)
    if at < 0 or not quote:
        return []
    end = at + len(quote)
    return [Quote.of(passage, each) for each in sentences_of(passage.whole) if each.start < end and at < each.end]


@lru_cache(maxsize=4096)
def sentences_of(text: str) -> tuple[Span, ...]:
    """The sentences of a passage, kept for the quotes that follow."""
    return tuple(sentences(text))
