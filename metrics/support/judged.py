"""What passages say of a claim, as a model judges it: the nearest sentences are read, the best of them is the quote.

ModelCheck(checker).check("Relapses fell.", ["… Relapses were halved by the drug (p = 0.01). …"])
# Support("supported", 0.93, 0, "Relapses were halved by the drug (p = 0.01).", …)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from metrics.support.checker import Checker, Judgement
from metrics.support.guards import GUARDS, vetoes
from metrics.support.premise import COMMON, Part, premise_parts, premise_text
from metrics.support.reading import normalised
from metrics.support.verdict import Support, check
from signatures.values import Verdict

LONGEST_CLAIM = 120
"""Words of a claim at most; what is longer is not a single statement and would leave no room for the premise."""
SHORT = 6
"""Words of a claim from which on its language is looked at."""
_OTHER_GRAMMAR = (
    "el la los las de del que en un una y por con para se su más es son fue le les des du une et est dans pour avec "
    "sur der die das und ist mit von den dem ein eine nicht auf il lo gli di che per sono nel da do dos em não ao um"
)
_FOREIGN = frozenset(_OTHER_GRAMMAR.split())
"""Grammar words of Spanish, French, German, Italian and Portuguese."""
COPIED = 0.75
"""Share of a claim's words, in the order of a sentence, from which on it is a copy of it."""
NOT_UNLIKELY = 0.3
"""Probability of a proof from which on the rules' word is taken; on half of the handwritten development claims."""
PIECE = 10
"""Words in one piece from which on a claim copies a sentence, whatever it adds to it."""
WORDLESS = 4
"""A claim of fewer words is read together with the question."""

_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """A judge of claims that asks a checker.

    Attributes:
        checker: The model.
    """

    checker: Checker

    @property
    def name(self) -> str:
        """The checker's, with the hash of its weights."""
        return self.checker.name

    def check(self, claim: str, passages: Sequence[str], question: str = "") -> Support:
        """Judge one claim against passages.

        Args:
            claim: One sentence; citation markers are ignored.
            passages: Any number of texts of any length.
            question: What was asked; a claim of a few words is read together with it.

        Returns:
            The verdict, the probability that the passages prove the claim as its score, and the one sentence that
            bears the verdict out best. What the model cannot read is unverifiable, and the reason says so.
        """
        return self.judged(claim, passages, question)[0]

    def judged(self, claim: str, passages: Sequence[str], question: str = "") -> tuple[Support, Judgement | None]:
        """The same with the model's probabilities; None for what it did not read."""
        text = _whole(normalised(claim).strip(), question)
        reason = unread(text)
        parts = [] if reason else premise_parts(text, passages)
        if not parts:
            return Support("unverifiable", 0.0, None, "", 0, 0, reason or "no passage was given"), None
        judgement = self.checker.judge([(text, premise_text(parts, passages))])[0]
        verdict = self.checker.verdict(judgement)
        part = self._quoted(text, parts, passages, verdict)
        quote = passages[part.passage][part.start : part.end]
        reason = _reason(judgement)
        return Support(verdict, judgement.supported, part.passage, quote, part.start, part.end, reason), judgement

    def _quoted(self, claim: str, parts: Sequence[Part], passages: Sequence[str], verdict: Verdict) -> Part:
        """The sentence that alone bears the verdict out best; of an open claim the one nearest to proving it."""
        if len(parts) == 1:
            return parts[0]
        alone = self.checker.judge([(claim, passages[each.passage][each.start : each.end]) for each in parts])
        worth = [each.contradicted if verdict == "contradicted" else each.supported for each in alone]
        return parts[worth.index(max(worth))]


@dataclass(frozen=True, slots=True)
class GuardedCheck:
    """A model's check under guards: copies with changes are the rules' business, and a veto is final.

    A small model holds a copy with one number changed for the sentence itself; the rules see every change of a copy and
    know nothing of paraphrases.

    Attributes:
        model: Judges claims that are not near copies.
    """

    model: ModelCheck

    @property
    def name(self) -> str:
        """The model's with the guards' version; it changes whenever verdicts do."""
        return f"{self.model.name}+{GUARDS}"

    def check(self, claim: str, passages: Sequence[str], question: str = "") -> Support:
        """Judge one claim against passages; arguments and result as for `ModelCheck.check`.

        Supported is what the model finds likelier to be proved than not, and what the rules find proved and the model
        does not find unlikely; in both cases no guard may object to the quote.
        """
        ruled = check(claim, passages, question)
        if not ruled.quote and not unread(claim):
            return ruled
        if _is_copy(claim, ruled.quote):
            certain = ruled.verdict != "contradicted" or any(each.opposed for each in vetoes(claim, [ruled.quote]))
            return ruled if certain else replace(ruled, verdict="unverifiable")
        found, judgement = self.model.judged(claim, passages, question)
        if judgement is None or found.verdict == "contradicted":
            return found
        vetoed = vetoes(claim, [found.quote])
        if judgement.supported >= max(judgement.contradicted, judgement.neither) and not vetoed:
            return replace(found, verdict="supported")
        if ruled.verdict == "supported" and judgement.supported >= NOT_UNLIKELY and not vetoes(claim, [ruled.quote]):
            return replace(ruled, score=judgement.supported)
        return replace(found, verdict="unverifiable", reason=vetoed[0].reason if vetoed else found.reason)


def _is_copy(claim: str, quote: str) -> bool:
    """Whether nearly all words of a claim stand in a quote in the same order, or many of them in one piece."""
    own, there = (re.findall(r"\w+", normalised(text).lower()) for text in (claim, quote))
    blocks = SequenceMatcher(None, own, there, autojunk=False).get_matching_blocks() if own else []
    in_one_piece = max((block.size for block in blocks), default=0)
    return in_one_piece >= PIECE or sum(block.size for block in blocks) >= COPIED * max(1, len(own))


def unread(claim: str) -> str:
    """Why a claim is not one that the checker reads: empty, too long, not English. Empty text if it is."""
    words = _WORD.findall(claim.lower())
    if not words:
        return "the claim holds no word"
    if len(words) > LONGEST_CLAIM:
        return f"the claim has {len(words)} words, the checker reads {LONGEST_CLAIM} at most"
    english, foreign = (sum(word in known for word in words) for known in (COMMON, _FOREIGN))
    latin = sum(word.isascii() or any(letter.isascii() for letter in word) for word in words)
    if (len(words) >= SHORT and foreign > english) or latin < len(words) / 2:
        return "the claim is not in English, which is all that the checker reads"
    return ""


def _whole(claim: str, question: str) -> str:
    """A claim of a few words with what they answer."""
    if not question or len(_WORD.findall(claim)) >= WORDLESS or not claim:
        return claim
    return f"{question.strip()} {claim}"


def _reason(judgement: Judgement) -> str:
    return (
        f"the checker reads it as supported {judgement.supported:.2f}, contradicted {judgement.contradicted:.2f}, "
        f"open {judgement.neither:.2f}"
    )
