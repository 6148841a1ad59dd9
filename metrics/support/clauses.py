"""What of a sentence's other clauses turns a part of it: a negation, a doubt, a condition, somebody's word.

sentence   "The hypothesis that zinc works was rejected."     claim   "Zinc works."
sentence   "No mice died."                                    claim   "Mice died."
sentence   "Although only ten came, pain fell."               claim   "Pain fell."      nothing turns it
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from metrics.sentences import sentence_texts
from metrics.support import lexicon
from metrics.support.quantities import FRACTIONS
from metrics.support.sentence_features import Token, normalised, read
from metrics.support.verdict import Veto

MOST_JUMPING = 3
"""Words at a claim's end that may be repeated from another clause by chance."""

WHOLE = 0.9
"""Share of a claim's words that a part of a sentence holds which the claim takes over."""

WORD = re.compile(rf"\b(?:{'|'.join(FRACTIONS)})\b|\d+(?:[.,]\d+)*|[^\W\d_]+(?:'t)?|[%<>≤≥±=]", re.IGNORECASE)
"""What is compared of two sentences, one by one; "two thirds" is one number."""
_PURPOSE = re.compile(r"\s*(?:in order )?to (?!be\b)\w+ (?:if|whether|how)\b", re.IGNORECASE)
"""What something is done for, behind a whole statement: "which a larger trial must show to determine if it helps"."""
CLAUSE_END = re.compile(r",(?!\d)|[;:()]|\s[—–-]\s|\b(?:but|whereas|while|although)\b")
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


def turning_words(text: str, start: int, end: int, first: int, last: int) -> str:
    """What a part of a sentence leaves out that turns it: a negation, a doubt, a question; empty if nothing does.

    ``text[start:end]`` is the part, ``text[first:last]`` its sentence.
    """
    first = start if _RELATIVE.match(text[start:end]) else first
    before, after = CLAUSE_END.split(text[first:start])[-1], CLAUSE_END.split(text[end:last], maxsplit=1)[0]
    after = "" if _PURPOSE.match(after) else after
    return next((each.strip() for each in (before, after) if turns(each)), "")


def words_of(text: str) -> list[str]:
    """What is compared of a text, in lower case."""
    return [word.lower() for word in WORD.findall(text)]


def out_of_context(claim: str, quotes: Sequence[str], whole: str = "") -> Iterator[Veto]:
    """A claim that takes over part of a sentence without what makes it a condition, a supposition, or somebody's word.

    "Mice died." of "No mice died.", "Zinc works." of "The hypothesis that zinc works was rejected." Where another
    sentence holds the claim as well, nothing is said. ``whole`` is the sentence that the claim is a part of: what is
    excepted before it counts for it.
    """
    ours = words_of(normalised(claim))
    left_out: list[str] = []
    for text in sentence_texts(*map(normalised, quotes)):
        if span := _stretch(ours, words_of(text)):
            given = list(WORD.finditer(text))
            left_out.append(_conditioning(text, given[span[0]].start(), given[span[1]].end()))
    is_open = claim.rstrip().endswith("?") or _CONDITIONS.search(whole or claim) or turns(claim)
    if left_out and all(left_out) and not is_open:
        yield Veto("clipped", f'it leaves out "{left_out[0]}"')


def _stretch(ours: Sequence[str], theirs: Sequence[str]) -> tuple[int, int] | None:
    """First and last place of a run of a sentence's words that holds a claim's in their order, with few others."""
    blocks = [each for each in SequenceMatcher(None, theirs, ours, autojunk=False).get_matching_blocks() if each.size]
    if not blocks or sum(each.size for each in blocks) < WHOLE * len(ours):
        return None
    first, last = blocks[0].a, blocks[-1].a + blocks[-1].size - 1
    return (first, last) if last - first < len(ours) + MOST_JUMPING else None


def _conditioning(text: str, start: int, end: int) -> str:
    """What around a part of a sentence makes it less than said: empty if nothing does."""
    if text.rstrip(" \"'”’)").endswith("?"):
        return "?"
    opening = max((each.end() for each in _OWN_CLAUSE.finditer(text, 0, start)), default=0)
    if _RELATIVE.match(text[start:end]) or (_CONCEDES.match(text) and text[:start].rstrip().endswith(",")):
        opening = start
    if said := _CONDITIONS.search(text, opening, end) or _TAKEN_BACK.match(text, end):
        return said[0].strip(" ,")
    return turning_words(text, start, end, 0, len(text))


def turns(text: str) -> bool:
    """Whether a text denies, doubts or asks."""
    lower = text.lower()
    return any(question in lower for question in lexicon.QUESTIONS) or any(
        token.cue or doubtful(token) for token in read(text).tokens
    )


def doubtful(token: Token) -> bool:
    """Whether a word makes a statement doubtful; "May" is a month."""
    return token.word in lexicon.HEDGES and token.text != "May"
