"""What passages say of a claim: guards judge copies, a model judges what is said in other words.

default_check().check("Relapses fell.", ["… Relapses were halved by the drug (p = 0.01). …"])
# Support("supported", 0.93, 0, "Relapses were halved by the drug (p = 0.01).", …)

The nearest sentences are read together, the best of them is the quote.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module

from metrics.support.alignment import MOST_WORDS, Alignment, alignments
from metrics.support.altered_copies import own_words, permuted
from metrics.support.guards import GUARDS, vetoes
from metrics.support.languages import is_english
from metrics.support.numbers import unsupported_number
from metrics.support.premise import PremisePart, keys, premise_parts, premise_text
from metrics.support.sentence_features import normalised
from metrics.support.statement_parts import statement_parts
from metrics.support.verdict import Checker, PremiseJudgement, Support
from signatures.values import Verdict

LONGEST_CLAIM = 120
"""Words of a claim at most; what is longer is not a single statement and would leave no room for the premise."""
COPIED = 0.75  # share of a claim's words, in the order of a sentence, from which on it is a copy of it
WORDLESS = 4  # A claim of fewer words is read together with the question
LEAST_OF_PART = 0.1
"""Probability that each statement of a claim has at least where the claim is supported: chosen on half of the papers,
``python -m bench.support --only partial`` reports the others."""

_WORD = re.compile(r"[^\W\d_]+")
_YES, _NO = re.compile(r"yes\W*", re.IGNORECASE), re.compile(r"no\W*", re.IGNORECASE)


def default_check() -> GuardedCheck:
    """The judge where a caller gives none: the checker that comes with the project, under guards.

    Its model runs in ``programs``, which imports this package: so it is looked up by name, when it is first asked for.
    """
    judge: GuardedCheck = import_module("programs.models.checker").shipped_judge()
    return judge


@dataclass(frozen=True, slots=True)
class GuardedCheck:
    """A checker under guards: a veto is final, and copies are the guards' business.

    A small model holds a copy with one number changed for the sentence itself; the guards see every change of a copy
    and know nothing of paraphrases.
    """

    checker: Checker  # judges claims that are not copies

    @property
    def name(self) -> str:
        """The checker's, with the hash of its weights, and the guards' version; it changes whenever verdicts do."""
        return f"{self.checker.name}+{GUARDS}"

    def alone(self, claim: str, passages: Sequence[str], question: str = "") -> Support:
        """What the checker says without guards; arguments as for `metrics.support.check`.

        Returns:
            The verdict, the probability that the passages prove the claim as its score, and the one sentence that
            supports the verdict best. What the checker cannot read is unverifiable, and the reason says so.
        """
        read = _Read.of(claim, passages, question)
        return _unjudged(read.unread) if read.unread else self._judged(read)[0]

    def _judged(self, read: _Read) -> tuple[Support, PremiseJudgement]:
        """The same of a claim that can be read, with the checker's probabilities."""
        alone = read.texts if len(read.texts) > 1 else ()
        pairs = [(read.claim, premise_text(read.parts, read.passages)), *((read.claim, text) for text in alone)]
        judgement, *each_alone = self.checker.judge(pairs)
        verdict = self.checker.verdict(judgement)
        worth = [
            each.contradicted if verdict == "contradicted" else each.supported for each in each_alone or [judgement]
        ]
        reason = (
            f"the checker reads it as supported {judgement.supported:.2f}, contradicted {judgement.contradicted:.2f}, "
            f"open {judgement.neither:.2f}"
        )
        return read.support(verdict, judgement.supported, worth.index(max(worth)), reason), judgement

    def check(self, claim: str, passages: Sequence[str], question: str = "") -> Support:
        """Judge one claim against passages; arguments as for `metrics.support.check`.

        A copy of a sentence, in any language, is supported if no guard objects; the share of its words that are there
        is its score. A short one may add no word. Of what is said in other words that is supported which
        the model finds likelier to be proved than not, if no guard objects.
        """
        if question and _NO.fullmatch(claim.strip()):
            affirmed = self.check(question.rstrip("? "), passages)
            verdict: Verdict = "supported" if affirmed.verdict == "contradicted" else "unverifiable"
            return replace(affirmed, verdict=verdict, score=1.0 - affirmed.score)
        if question and _YES.fullmatch(claim.strip()):
            return self.check(question.rstrip("? "), passages)
        read = _Read.of(claim, passages, question)
        copied, at = read.copied()
        if copied and copied.share >= COPIED:
            return _judged_copy(read, copied, at)
        if read.unread:
            return _unjudged(read.unread)
        found, judgement = self._judged(read)
        if found.verdict == "contradicted":
            return found
        if not _is_supported(judgement):
            part = self.unproved_part(read.claim, passages, others_proved=True)
            return replace(found, verdict="unverifiable", reason=_partly(part) if part else found.reason)
        claim, texts = read.claim, read.texts
        vetoed = vetoes(claim, texts)
        reason = vetoed[0].reason if vetoed else _added_word(claim, texts)
        if part := "" if reason else self.unproved_part(claim, passages):
            reason = _partly(part)
        return replace(found, verdict="unverifiable" if reason else "supported", reason=reason or found.reason)

    def unproved_part(self, claim: str, passages: Sequence[str], *, others_proved: bool = False) -> str:
        """The statement of a claim that the passages support least, where that is too little; else empty.

        A model that reads a whole sentence overlooks a part that nothing says. ``others_proved``: only where they prove
        another of its statements.
        """
        parts = statement_parts(claim)
        if len(parts) == 1:
            return ""
        read = [_Read.of(each, passages, "") for each in parts]
        judged = self.checker.judge([(each.claim, premise_text(each.parts, passages)) for each in read])
        least, part = min((each.supported, text) for each, text in zip(judged, parts, strict=True))
        is_open = least < LEAST_OF_PART and (not others_proved or any(map(_is_supported, judged)))
        return part if is_open else ""


@dataclass(frozen=True, slots=True)
class _Read:
    """A claim with the sentences that it is read against."""

    claim: str  # without citations; one of a few words with the question before it
    passages: Sequence[str]  # all texts
    parts: Sequence[PremisePart]  # the sentences nearest to the claim
    unread: str  # why the model cannot judge it; empty if it can

    @classmethod
    def of(cls, claim: str, passages: Sequence[str], question: str) -> _Read:
        text = normalised(claim).strip()
        if question and text and len(_WORD.findall(text)) < WORDLESS:
            text = f"{question.strip()} {text}"
        # What shares no word cannot prove the claim, and "every claim is supported" sways a small model.
        own = keys(text) if 0 < len(_WORD.findall(text)) <= MOST_WORDS else frozenset()
        nearest = premise_parts(text, passages) if own else []
        parts = [each for each in nearest if own & keys(passages[each.passage][each.start : each.end])]
        given = any(map(str.strip, passages))
        missing = "no passage shares a word with it" if given else "no passage was given"
        return cls(text, passages, parts, unread(text) or ("" if parts else missing))

    @property
    def texts(self) -> list[str]:
        """The sentences as they are in the passages."""
        return [self.passages[part.passage][part.start : part.end] for part in self.parts]

    def copied(self) -> tuple[Alignment | None, int]:
        """The claim beside the sentence that has most of its words in their order, and which sentence it is."""
        found = [(each, at) for at, text in enumerate(self.texts) for each in alignments(self.claim, [text])]
        return max(found, key=lambda each: (each[0].share, -each[1]), default=(None, 0))

    def support(self, verdict: Verdict, score: float, at: int, reason: str) -> Support:
        """The verdict with one of the sentences as its quote."""
        part = self.parts[at]
        return Support(verdict, score, part.passage, self.texts[at], part.start, part.end, reason)


def _judged_copy(read: _Read, copied: Alignment, at: int) -> Support:
    share, text = copied.share, read.texts[at]
    vetoed = vetoes(read.claim, [text])
    if opposed := next((each.reason for each in vetoed if each.opposed), ""):
        return read.support("contradicted", 1 - share, at, opposed)
    reason = vetoed[0].reason if vetoed else _added_word(read.claim, [text])
    if reason:
        return read.support("unverifiable", share / 2, at, reason)
    return read.support("supported", share, at, "the passage says it in nearly the same words")


def _added_word(claim: str, texts: Sequence[str]) -> str:
    """What a claim says and sentences do not: a number, another order, or added words beside those of a copy."""
    if permuted(claim, texts):
        return "a sentence has the same words in another order"
    if number := unsupported_number(claim, texts):
        return f"the passage does not say {number}"
    return own_words(claim, texts)


def _unjudged(reason: str) -> Support:
    return Support("unverifiable", 0.0, None, "", 0, 0, reason)


def unread(claim: str) -> str:
    """Why a claim is not one that the checker reads: empty, too long, not English. Empty text if it is."""
    words = _WORD.findall(claim.lower())
    if not words:
        return "the claim holds no word"
    if len(words) > LONGEST_CLAIM:
        return f"the claim has {len(words)} words, the checker reads {LONGEST_CLAIM} at most"
    if not is_english(claim):
        return "the claim is not in English, which is all that the checker reads"
    return ""


def _is_supported(judgement: PremiseJudgement) -> bool:
    return judgement.supported >= max(judgement.contradicted, judgement.neither)


def _partly(part: str) -> str:
    return f"partly proved: no passage says “{part}”"
