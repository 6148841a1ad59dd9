"""The deterministic support check: does a passage say what the claim says?

1. Each sentence of the passages is screened by the share of the claim's content words that it holds.
2. The best ones, with a neighbour where that adds much, are read closely and laid against the claim.
3. A claim that repeats a sentence nearly word for word is judged by what it changes (``differences``), any other by its
   numbers, names and relation (``relation``).

It knows words, numbers and signs, not the world: a paraphrase without common words stays unverifiable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from metrics.sentences import Span, sentences
from metrics.support import lexicon
from metrics.support.acronyms import acronyms
from metrics.support.alignment import Alignment, align, coverage, window_keys
from metrics.support.attribution import misplaced
from metrics.support.differences import differences, exchanged, lost_doubt, replaced_name, turned_word
from metrics.support.reading import Reading, read
from metrics.support.relation import compare, sides_swapped
from metrics.support.sketch import sketch, sketched_coverage
from signatures.values import Verdict

# Tuned on SciFact's training claims and the even half of Evidence Inference (tests/bench/support.py).
SUPPORTED = 0.55
# The topic must be the same before an opposite sign means a contradiction.
SAME_TOPIC = 0.4
# A claim that shares so much of its weight in the same order repeats the sentence.
REPEATED = 0.75
# With so much in the same order a name in another's place replaces it.
IN_PLACE = 0.5
# A claim of less weight takes up the question's words.
TOO_SHORT = 2.0
# Another sentence joins the window only if the window then holds so much more of the claim.
WORTH_WIDENING = 0.1
# What a relation leaves of the coverage.
CERTAINTY = {"agrees": 1.0, "open": 0.8, "unsaid": 0.6, "opposed": 0.3}
# So many passages are screened by sentence, so many sentences read; so many windows are laid against the claim.
SCREENED = 5
CLOSELY_READ = 3


_NO = re.compile(r"no\W*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Support:
    """What the passages say of a claim.

    Attributes:
        verdict: supported, contradicted or unverifiable.
        score: How well the best passage bears the claim out, in [0, 1].
        passage: Index of that passage, or None when no passage shares a word with the claim.
        quote: Whole sentences, exactly as in the passage: ``passages[passage][start:end]``.
        start: Offset of the quote in the passage.
        end: Offset after it.
        reason: What differs, or what bears it out.
    """

    verdict: Verdict
    score: float
    passage: int | None
    quote: str
    start: int
    end: int
    reason: str


@dataclass(frozen=True, slots=True)
class _Window:
    """Neighbouring sentences of one passage, and how much of the claim they hold."""

    passage: int
    start: int
    end: int
    coverage: float


@dataclass(frozen=True, slots=True)
class _Judgement:
    verdict: Verdict
    score: float
    reason: str


def check(claim: str, passages: Sequence[str], question: str = "") -> Support:
    """Check one claim against passages, without a model.

    Args:
        claim: One sentence; citation markers such as [1], [PMC123] or (smith2024x) are ignored.
        passages: The passages it may rest on, each any number of sentences. What they say about claims or checking has
            no effect but as words.
        question: What was asked; a claim too short to stand alone ("Yes.", "By 12 %.") is read together with it.

    Returns:
        The verdict with the sentences it rests on. An empty claim is unverifiable.
    """
    if question and _NO.fullmatch(claim.strip()):
        return _denied(check(_statement(question), passages))
    reading = _completed(claim.strip(), question)
    windows = _windows(reading, passages)
    if not windows:
        return Support("unverifiable", 0.0, None, "", 0, 0, "no passage shares a word with the claim")
    judged = [(window, _judge(reading, window, passages)) for window in windows]
    window, judgement = max(judged, key=lambda each: (_precedence(each[1], each[0]), each[1].score))
    quote = passages[window.passage][window.start : window.end]
    return Support(
        judgement.verdict, judgement.score, window.passage, quote, window.start, window.end, judgement.reason
    )


def _completed(claim: str, question: str) -> Reading:
    """The claim, with the words of the question when it has hardly any of its own."""
    reading = read(claim)
    if question and claim and reading.weight < TOO_SHORT:
        return read(f"{claim.rstrip('.! ')} {_statement(question)}")
    return reading


def _statement(question: str) -> str:
    return question.rstrip("? ")


def _denied(found: Support) -> Support:
    """What the passages say of "no" when this is what they say of the question's words."""
    if found.verdict == "unverifiable":
        return found
    verdict: Verdict = "contradicted" if found.verdict == "supported" else "supported"
    return replace(found, verdict=verdict, score=1.0 - found.score)


def _precedence(judgement: _Judgement, window: _Window) -> float:
    """A sentence that supports wins over one that contradicts unless the latter is clearly closer to the claim."""
    return window.coverage + {"supported": 0.15, "contradicted": 0.05, "unverifiable": 0.0}[judgement.verdict]


@lru_cache(maxsize=4096)
def _spans(passage: str) -> tuple[Span, ...]:
    return tuple(sentences(passage))


@lru_cache(maxsize=16_384)
def _keys(text: str, passage: str, claim: str) -> frozenset[str]:
    return window_keys(read(text), {**acronyms(claim), **acronyms(passage)})


def _windows(claim: Reading, passages: Sequence[str]) -> list[_Window]:
    """The windows that hold most of the claim, best first."""
    likely = sorted(_screened(claim, passages), key=lambda window: -window.coverage)[:SCREENED]
    found = [_Window(each.passage, each.start, each.end, _coverage(claim, passages, each)) for each in likely]
    found = sorted(found, key=lambda window: -window.coverage)[:CLOSELY_READ]
    if max((window.coverage for window in found), default=0.0) < REPEATED:
        found = [_widened(claim, passages, window) for window in found]
        found.sort(key=lambda window: -window.coverage)
    return [window for window in found if window.coverage > 0]


def _screened(claim: Reading, passages: Sequence[str]) -> Iterator[_Window]:
    """Every sentence of the likely passages with about how much of the claim it holds."""
    shares = [(sketched_coverage(claim, passage), number) for number, passage in enumerate(passages)]
    for _, number in sorted(shares, key=lambda each: (-each[0], each[1]))[:SCREENED]:
        passage = passages[number]
        for span in _spans(passage):
            share = sketched_coverage(claim, passage[span.start : span.end])
            yield _Window(number, span.start, span.end, share)


def _coverage(claim: Reading, passages: Sequence[str], *parts: _Window) -> float:
    """Share of the claim that sentences of one passage hold together."""
    passage = passages[parts[0].passage]
    texts = [passage[part.start : part.end] for part in parts]
    values = tuple(token for text in texts for token in read(text).tokens if token.quantity is not None)
    return coverage(claim, frozenset().union(*(_keys(text, passage, claim.text) for text in texts)), values)


def _widened(claim: Reading, passages: Sequence[str], window: _Window) -> _Window:
    """The window with the sentence before and the one after it, where that adds much."""
    spans = _spans(passages[window.passage])
    index = next(number for number, span in enumerate(spans) if span.start == window.start)
    for neighbour in (index - 1, index + 1):
        if 0 <= neighbour < len(spans):
            beside = _Window(window.passage, spans[neighbour].start, spans[neighbour].end, 0.0)
            share = _coverage(claim, passages, window, beside)
            if share >= window.coverage + WORTH_WIDENING:
                window = _Window(window.passage, min(window.start, beside.start), max(window.end, beside.end), share)
    return window


def _judge(claim: Reading, window: _Window, passages: Sequence[str]) -> _Judgement:
    passage = passages[window.passage]
    text = passage[window.start : window.end]
    given = read(text)
    alignment = align(claim, given, _keys(text, passage, claim.text))
    # A claim that repeats the end of a sentence leaves out whether that sentence asks.
    opening = text[: alignment.shared[0][1].end] if alignment.order >= REPEATED else text
    if _asks(opening) and not _asks(claim.text):
        return _Judgement("unverifiable", 0.5 * alignment.coverage, "the passage only asks or plans this")
    if alignment.order >= REPEATED:
        judged = _judge_repetition(alignment, sketch(passage))
        if sides_swapped(claim, given):
            judged = _Judgement("contradicted", 0.1 * alignment.order, "the passage compares the other way round")
    else:
        judged = _judge_paraphrase(claim, given, alignment, sketch(passage))
    if judged.verdict != "supported":
        return judged
    doubt = lost_doubt(claim, given, alignment)
    if doubt is not None:
        return _Judgement("unverifiable", 0.5 * judged.score, doubt.reason)
    moved = next(misplaced(claim, given), None)
    if moved is None:
        return judged
    reason = f"the passage says {moved.rival.text} where the claim says {moved.token.text}"
    return _Judgement("unverifiable", 0.5 * judged.score, reason)


def _judge_repetition(alignment: Alignment, elsewhere: frozenset[str]) -> _Judgement:
    found = differences(alignment, elsewhere)
    opposed = [each for each in found if each.opposed]
    if opposed:
        return _Judgement("contradicted", 0.1 * alignment.order, opposed[0].reason)
    if found:
        return _Judgement("unverifiable", 0.5 * alignment.order, found[0].reason)
    return _Judgement("supported", alignment.coverage, "the passage says it in nearly the same words")


def _judge_paraphrase(claim: Reading, window: Reading, alignment: Alignment, known: frozenset[str]) -> _Judgement:
    missing = [
        token for token in alignment.missing if token.quantity or (token.kind == "name" and token.key not in known)
    ]
    relation = compare(claim, window)
    if relation.agreement == "opposed" and alignment.coverage >= SAME_TOPIC:
        reason = f'the passage says "{relation.given}", the claim "{relation.claimed}"'
        return _Judgement("contradicted", 0.2 * alignment.coverage, reason)
    score = alignment.coverage * CERTAINTY[relation.agreement]
    if missing:
        return _Judgement("unverifiable", 0.5 * score, f"the passage does not say {missing[0].text}")
    other = turned_word(claim, window)
    if other is None and alignment.order >= IN_PLACE:
        other = replaced_name(alignment) or next(exchanged(alignment.gaps), None)
    if other is not None:
        return _Judgement("unverifiable", 0.5 * score, other.reason)
    if relation.agreement == "unsaid":
        return _Judgement("unverifiable", score, f'the passage does not say "{relation.claimed}" of this')
    if score >= SUPPORTED:
        return _Judgement("supported", score, f"the passage holds {alignment.coverage:.0%} of the claim's content")
    words = ", ".join(token.text for token in alignment.missing[:4])
    return _Judgement(
        "unverifiable", score, f"the passage does not say: {words}" if words else "the relation stays open"
    )


@lru_cache(maxsize=8192)
def _asks(text: str) -> bool:
    """Whether a sentence asks or plans and so states nothing."""
    lower = text.lower()
    return lower.rstrip().endswith("?") or any(phrase in lower for phrase in lexicon.QUESTIONS)
