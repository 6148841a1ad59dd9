"""What of a sentence's other clauses turns a part of it: a negation, a doubt, a condition, somebody's word.

sentence   "The hypothesis that zinc works was rejected."     claim   "Zinc works."
sentence   "No mice died."                                    claim   "Mice died."
sentence   "Although only ten came, pain fell."               claim   "Pain fell."      nothing turns it
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from metrics.support import lexicon
from metrics.support.alignment import CLAUSE_END, Alignment, alignments, nearest, words_of
from metrics.support.lexicon import word_set
from metrics.support.sentence_features import Token, read
from metrics.support.verdict import Veto

_PURPOSE = re.compile(r"\s*(?:in order )?to (?!be\b)\w+ (?:if|whether|how)\b", re.IGNORECASE)
"""What something is done for, behind a whole statement: "which a larger trial must show to determine if it helps"."""
_CONDITIONS = re.compile(
    r"\b(?:if|unless|only|except|whether|according to|hypothes[ei]\w+|myth|claim(?:ed|s)?|alleg\w+|thought|believed?|"
    r"assum\w+|expect\w+|suppos\w+|would|theor\w+|false|wrong(?:ly)?|untrue)\b",
    re.IGNORECASE,
)
"""Words in front of a statement that make it a condition, a supposition, or somebody's word."""
_OWN_CLAUSE = re.compile(r"[;:]|,?\s(?:but|however|whereas|while|although)\b,?|,\s(?:and|yet|so)\b")
"""What a statement follows that the words in front of do not reach: "only two died, and …"."""
_TAKEN_BACK = re.compile(
    r"\W*(?:(?:is|was|were|has been)\s(?:what|rejected|refuted|wrong|false|untrue|a myth|not (?:true|confirmed))\b"
    r"|in theory\b|which (?!\w+ not (?:the case|seen|observed|found) (?:for|in|with|among|after)\b)"
    r"(?:\w+ ){1,4}?(?:not|never|rejected|refuted|wrong|false)\b|according to \w+, who was wrong\b)"
    r"|\s(?:who|whose)\b",
    re.IGNORECASE,
)
"""Words behind a statement that take it back, or say for whom alone it is."""
_RELATIVE = re.compile(r"[^,;:()]{3,80}, (?:which|who)\s", re.IGNORECASE)
"""A thing with what is said of it whatever its sentence says: "in the first program, which was free"."""
_CONCEDES = re.compile(
    r"(?:even )?(?:though|although|while|whereas|because|since|as|given that|despite)\b", re.IGNORECASE
)
"""What opens a clause that ends at its comma and makes no condition of what follows: "although only ten came, …"."""
_BETWEEN = re.compile(r"[\s,)\]}%\"'”’]*(?:\w+ly\s+)?")
_WORD = re.compile(r"[^\W\d_]+")
FINITE = word_set(
    "is are was were be been has have had do does did can could may might will would shall should must shows showed "
    "suggests suggested indicates indicated found appears appeared remained became led resulted increased decreased "
    "reduced improved rose fell declined differed occurred received"
)
"""Verbs that make a statement of what is before them."""


def clipped(claim: str, quotes: Sequence[str], whole: str = "") -> Iterator[Veto]:
    """A claim that takes over part of a sentence without what makes it a condition, a supposition, or somebody's word.

    "Mice died." of "No mice died.", "Zinc works." of "The hypothesis that zinc works was rejected." Where another
    sentence holds the claim as well, nothing is said. ``whole`` is the sentence that the claim is a part of: what is
    excepted before it counts for it.
    """
    copied = nearest(claim, quotes)
    copied = copied if copied and copied.is_near else None
    is_open = claim.rstrip().endswith("?") or _CONDITIONS.search(whole or claim) or turns(claim)
    left_out = [] if is_open else [_conditioning(each) for each in alignments(claim, quotes) if each.is_within]
    if not (left_out and all(left_out)):
        left_out = [turning_words(copied.text, copied.start, copied.end)] if copied and not turns(claim) else []
    if any(left_out):
        yield Veto("clipped", f'it leaves out "{left_out[0]}"')
    elif copied and copied.ends and not copied.jumps and not _has_own_verb(copied) and (verb := _cut_off(copied)):
        yield Veto("clipped", f'it stops where the paper continues "{verb}"')


def turning_words(text: str, start: int, end: int) -> str:
    """What a part of a sentence leaves out that turns it: a negation, a doubt, a question; empty if nothing does."""
    first = start if _RELATIVE.match(text[start:end]) else 0
    before, after = CLAUSE_END.split(text[first:start])[-1], CLAUSE_END.split(text[end:], maxsplit=1)[0]
    after = "" if _PURPOSE.match(after) else after
    return next((each.strip() for each in (before, after) if turns(each)), "")


def _conditioning(cut: Alignment) -> str:
    """What around a part of a sentence makes it less than said: empty if nothing does."""
    text, start, end = cut.text, cut.start, cut.end
    if text.rstrip(" \"'”’)").endswith("?"):
        return "?"
    opening = max((each.end() for each in _OWN_CLAUSE.finditer(text, 0, start)), default=0)
    if _RELATIVE.match(text[start:end]) or (_CONCEDES.match(text) and text[:start].rstrip().endswith(",")):
        opening = start
    if said := _CONDITIONS.search(text, opening, end) or _TAKEN_BACK.match(text, end):
        return said[0].strip(" ,")
    return turning_words(text, start, end)


def _has_own_verb(copied: Alignment) -> bool:
    """Whether a claim says something by a verb that it does not repeat: "they were A and B" of "(A, B) was summed"."""
    return any(not FINITE.isdisjoint(words_of(change.claimed)) for change in copied.changes)


def _cut_off(copied: Alignment) -> str:
    """The verb before which a copy stops: "VE against HPV 31 [was 39.7 %]"; empty if it does not."""
    gap = _BETWEEN.match(copied.text, copied.end)
    following = _WORD.match(copied.text, gap.end() if gap else copied.end)
    if following is None or following.group().lower() not in FINITE:
        return ""
    return " ".join(copied.text[following.start() :].split()[:3])


def turns(text: str) -> bool:
    """Whether a text denies, doubts or asks."""
    lower = text.lower()
    return any(question in lower for question in lexicon.QUESTIONS) or any(
        token.cue or doubtful(token) for token in read(text).tokens
    )


def doubtful(token: Token) -> bool:
    """Whether a word makes a statement doubtful; "May" is a month."""
    return token.word in lexicon.HEDGES and token.text != "May"
