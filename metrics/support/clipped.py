"""What a copy leaves out of its sentence: a negation, a doubt, a condition, somebody's word, the verb."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from metrics.support import lexicon
from metrics.support.alignment import CLAUSE_END, Alignment, alignments, nearest
from metrics.support.sentence_features import Token, read
from metrics.support.verdict import Veto

_CONDITIONS = re.compile(
    r"\b(?:if|unless|only|except|whether|according to|hypothes[ei]\w+|myth|claim(?:ed|s)?|alleg\w+|thought|believed?|"
    r"assum\w+|expect\w+|suppos\w+|would|theor\w+|false|wrong(?:ly)?|untrue)\b",
    re.IGNORECASE,
)
"""Words in front of a statement that make it a condition, a supposition, or somebody's word."""
_OWN_CLAUSE = re.compile(
    r"[;:]|,?\s(?:but|however|whereas|while|although)\b,?|,\s(?:and|yet|so)\b"
    r"|^(?:[Aa]lthough|[Tt]hough|[Ww]hile|[Bb]ecause|[Ss]ince|[Ww]hereas|[Dd]espite)\b[^,]*,"
)
"""What a statement follows that the words in front of do not reach: "only two died, and …"."""
_TAKEN_BACK = re.compile(
    r"\W*(?:(?:is|was|were|has been)\s(?:what|rejected|refuted|wrong|false|untrue|a myth|not (?:true|confirmed))\b"
    r"|in theory\b|which (?!\w+ not the case for)(?:\w+ ){1,4}?(?:not|never|rejected|refuted|wrong|false)\b)"
    r"|\s(?:who|whose)\b",
    re.IGNORECASE,
)
"""Words behind a statement that take it back, or say for whom alone it is."""
_FINITE = (
    r"(?:is|are|was|were|be|been|has|have|had|do|does|did|can|could|may|might|will|would|shall|should|must|shows|showed|"
    r"suggests|suggested|indicates|indicated|found|appears|appeared|remained|became|led|resulted|increased|decreased|"
    r"reduced|improved|rose|fell|declined|differed|occurred|received)"
)
"""Verbs that make a statement of what is before them."""
HAS_VERB = re.compile(rf"\b{_FINITE}\b", re.IGNORECASE)
_CONTINUES = re.compile(rf"[\s,)\]}}%\"'”’]*(?:\w+ly\s+)?(?P<verb>{_FINITE}\b(?:\s\S+){{0,2}})", re.IGNORECASE)


def clipped(claim: str, quotes: Sequence[str], whole: str = "") -> Iterator[Veto]:
    """A claim that takes over part of a sentence without what makes it a condition, a supposition, or somebody's word.

    "Mice died." of "No mice died.", "Zinc works." of "The hypothesis that zinc works was rejected." Where another
    sentence holds the claim as well, nothing is said.
    """
    copied = nearest(claim, quotes)
    left_out: list[str] = []
    if not (claim.rstrip().endswith("?") or _turns(claim)):
        is_open = not _CONDITIONS.search(whole or claim)
        left_out = [_condition(each) for each in alignments(claim, quotes) if each.is_within and is_open]
        if not (left_out and all(left_out)):
            left_out = [_turning_words(copied)] if copied and copied.is_near else []
    if any(left_out):
        yield Veto("clipped", f'it leaves out "{left_out[0]}"')
    elif copied and copied.is_near and copied.ends:
        follows = _CONTINUES.match(copied.text, copied.end)
        if follows and not any(HAS_VERB.search(change.claimed) for change in copied.changes):
            yield Veto("clipped", f'it stops where the paper continues "{follows["verb"]}"')


def _condition(cut: Alignment) -> str:
    """What around a part of a sentence makes it less than said: empty if nothing does."""
    if cut.text.rstrip(" \"'”’)").endswith("?"):
        return "?"
    opening = max((each.end() for each in _OWN_CLAUSE.finditer(cut.text, 0, cut.start)), default=0)
    if said := _CONDITIONS.search(cut.text, opening, cut.start) or _TAKEN_BACK.match(cut.text, cut.end):
        return said[0].strip(" ,")
    return _turning_words(cut)


def _turning_words(cut: Alignment) -> str:
    """What the clause of a part of a sentence has beside it that turns it; empty if nothing does."""
    before, after = CLAUSE_END.split(cut.text[: cut.start])[-1], CLAUSE_END.split(cut.text[cut.end :], maxsplit=1)[0]
    return before.strip() if _turns(before) else after.strip() if _denies_or_doubts(after) else ""


def _turns(text: str) -> bool:
    """Whether a text denies, doubts or asks."""
    lower = text.lower()
    return _denies_or_doubts(text) or any(question in lower for question in lexicon.QUESTIONS)


def _denies_or_doubts(text: str) -> bool:
    return any(token.cue or is_doubtful(token) for token in read(text).tokens)


def is_doubtful(token: Token) -> bool:
    """Whether a word makes a statement doubtful; "May" is a month."""
    return token.word in lexicon.HEDGES and token.text != "May"
