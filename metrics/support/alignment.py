"""A claim laid beside the sentences of its quotes, word by word, and where it differs from the one that it copies.

    quote   "Femur density did not fall by more than 12 % in flight mice."
    claim   "Femur density did fall by 12 % in flight mice of both strains."
            femur density did [-not] fall by [-more than] 12 % in flight mice [+of both strains]

``altered_copies`` says what the changes make of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise

from metrics.sentences import sentence_texts
from metrics.support.lexicon import stem
from metrics.support.quantities import FRACTIONS
from metrics.support.sentence_features import Token, normalised, read
from metrics.support.statement_parts import statement_parts

NEAR_COPY = 0.8  # share of a claim's words, in the order of one sentence, from which on it is a copy with changes
FEWEST_WORDS = 6  # words below which a claim is a copy only of a sentence that is as short
SHORT_SHARE = 0.7  # share of the longer one's words that it then repeats
WITHIN = 0.9  # share of a claim's words that a stretch of a sentence holds from which the claim is cut
MOST_STRANGE = 3
"""Words of another clause that such a stretch may hold, or that a claim may repeat at its end by chance."""
LEAST_SHARED = 0.375  # share of the different words of the shorter one that both must hold to be laid beside each other
MOST_WORDS = 400  # words of a claim up to which it is compared
LONGEST_SENTENCE = 4_000  # words of a sentence up to which a claim is laid beside it

_TOKEN = re.compile(
    rf"\b(?:{'|'.join(FRACTIONS)})\b|\d+(?:[.,]\d+)*|[^\W\d_]+(?:'t)?|(?<![\w)\]])-(?=[\d.])"
    r"|[^\w\s.,;:()\[\]{}\"'!?/…*_`#|\\-]",
    re.IGNORECASE,
)
"""What is compared one by one: words, numbers, signs; "two thirds" is one number."""
CLAUSE_END = re.compile(r",(?!\d)|[;:()]|\s[—–-]\s|\b(?:but|whereas|while|although)\b")
_OPENING = re.compile(
    r"(?P<lead>(?P<first>At|After|Among|Before|Between|By|Compared|During|Following|For|From|In|On|Relative|Under|With|"
    r"Within)\s(?![^,]*(?<!who )(?<!that )(?<!which )\b(?:is|are|was|were|has|have|had|did|does|do|can|could|may|might|"
    r"will|would|should)\b)[^,;:]{3,100}),"
    r"\s(?!which\b|who\b|and\b|but\b)(?P<rest>(?:[^;()]|\([^()]*\))+?)\.?\s*$"
)
"""A sentence with what says when, where or against what put first."""


@dataclass(frozen=True, slots=True)
class Change:
    """Where a copy differs: its words, and those that the original has in their place."""

    claimed: str
    given: str  # of its clause alone where the copy begins or ends
    ours: tuple[str, ...]
    theirs: tuple[str, ...]
    first: int  # place of the first one among the copy's words
    is_aside: bool = False  # whether the original has these words in brackets, and nothing else there
    before: str = ""  # the last repeated word before
    after: str = ""  # the next repeated word

    @property
    def tokens(self) -> tuple[tuple[Token, ...], tuple[Token, ...]]:
        """Both as the guards see them."""
        return read(self.claimed).tokens, read(self.given).tokens


@dataclass(frozen=True, slots=True)
class Alignment:
    """A claim beside one sentence."""

    claim: str  # normalised
    text: str  # the sentence, likewise
    ours: tuple[str, ...]  # words and signs of the claim, in lower case
    theirs: tuple[str, ...]  # those of the sentence
    start: int  # offset of its first repeated word
    end: int  # offset after its last
    span: int  # its words from the first to the last of them
    repeated: int  # how many are repeated, in their order
    changes: tuple[Change, ...]  # where they differ
    left: frozenset[str]  # stems of its words that the claim does not have in their place
    ends: bool  # whether the claim stops at a repeated word

    @property
    def share(self) -> float:
        """Share of the claim's words that are repeated."""
        return self.repeated / len(self.ours)

    @property
    def is_near(self) -> bool:
        """Whether the claim is a copy with changes, or of a part of the sentence; a short one of a whole one."""
        if len(self.ours) >= FEWEST_WORDS:
            return self.share >= NEAR_COPY
        return self.repeated >= SHORT_SHARE * max(len(self.ours), len(self.theirs))

    @property
    def is_copy(self) -> bool:
        """Whether it is one, or holds a copy of the sentence beside its own words."""
        if self.repeated >= FEWEST_WORDS:
            return self.repeated >= NEAR_COPY * min(len(self.ours), len(self.theirs))
        return self.is_near or 1 < self.repeated >= SHORT_SHARE * max(len(self.ours), len(self.theirs))

    @property
    def is_within(self) -> bool:
        """Whether the claim is cut out of the sentence."""
        return self.share >= WITHIN and self.span < len(self.ours) + MOST_STRANGE + 1

    @property
    def is_whole(self) -> bool:
        """Whether the claim repeats the whole sentence."""
        return not self.left


def words_of(text: str) -> tuple[str, ...]:
    """Words, numbers and signs of a text, in lower case."""
    return tuple(each.lower() for each in _TOKEN.findall(normalised(text)))


def alignments(claim: str, quotes: Sequence[str]) -> Iterator[Alignment]:
    """The claim beside each sentence that shares words with it, also beside "Pain fell in men" of "In men, pain fell".

    Not where the rest may say the opening's word of something else ("In men, 3 fell ill and 5 in women"), unless the
    claim has exactly these words.
    """
    claim = normalised(claim)
    for text in sentence_texts(*map(normalised, quotes)):
        if found := _aligned(claim, text):
            yield found
        if opening := _OPENING.match(text):
            turned = f"{opening['rest']} {opening['lead'][0].lower()}{opening['lead'][1:]}."
            repeated = re.search(rf"\b(?:{opening['first']}|whereas|while)\b", opening["rest"], re.IGNORECASE)
            if (not repeated or words_of(turned) == words_of(claim)) and (found := _aligned(claim, turned)):
                yield found


def nearest(claim: str, quotes: Sequence[str]) -> Alignment | None:
    """The sentence that a claim copies; None for a paraphrase."""
    return max(
        (each for each in alignments(claim, quotes) if each.is_copy), key=lambda each: each.repeated, default=None
    )


def joined_copies(claim: str, quotes: Sequence[str]) -> tuple[str, ...]:
    """A claim, or its statements where they copy different sentences.

    "Pain fell by 5 points, and no one died" of "Pain fell by 5 points." and "No one died." does not deny the first.
    """
    parts = statement_parts(claim)
    copied = [nearest(each, quotes) for each in parts] if len(parts) > 1 else []
    texts = {each.text for each in copied if each and each.is_near}
    return parts if len(texts) > 1 else (claim,)


@lru_cache(maxsize=1024)
def _aligned(claim: str, text: str) -> Alignment | None:
    claimed, given = (list(_TOKEN.finditer(each)) for each in (claim, text))
    ours, theirs = (tuple(each.group().lower() for each in side) for side in (claimed, given))
    shared, fewest = len(set(ours) & set(theirs)), min(len(set(ours)), len(set(theirs)))
    if not shared or shared < LEAST_SHARED * fewest or len(ours) > MOST_WORDS or len(theirs) > LONGEST_SENTENCE:
        return None
    matcher = SequenceMatcher(None, theirs, ours, autojunk=False)
    blocks = [block for block in matcher.get_matching_blocks() if block.size]

    def change(first: int, last: int, start: int, end: int, given_text: str = "") -> Change:
        return Change(
            _between(claim, claimed, start, end),
            given_text or _between(text, given, first, last),
            ours[start:end],
            theirs[first:last],
            start,
            _in_brackets(text, given, first, last),
            claimed[start - 1].group() if start else "",
            claimed[end].group() if end < len(claimed) else "",
        )

    one, other = blocks[0], blocks[-1]
    start, behind, end = given[one.a].start(), other.a + other.size, given[other.a + other.size - 1].end()
    changes = [change(a.a + a.size, b.a, a.b + a.size, b.b) for a, b in pairwise(blocks)]
    if one.b:
        changes.append(change(0, one.a, 0, one.b, CLAUSE_END.split(text[:start])[-1].strip() or " "))
    if not (ends := other.b + other.size == len(ours)):
        tail = CLAUSE_END.split(text[end:], maxsplit=1)[0].strip() or " "
        changes.append(change(behind, len(theirs), other.b + other.size, len(ours), tail))
    kept = {at for block in blocks for at in range(block.a, block.a + block.size)}
    left = frozenset(stem(word) for at, word in enumerate(theirs) if at not in kept)
    repeated = sum(block.size for block in blocks)
    return Alignment(claim, text, ours, theirs, start, end, behind - one.a, repeated, tuple(changes), left, ends)


def _between(text: str, found: Sequence[re.Match[str]], first: int, last: int) -> str:
    return text[found[first].start() : found[last - 1].end()] if first < last else ""


def _in_brackets(text: str, found: Sequence[re.Match[str]], first: int, last: int) -> bool:
    """Whether words are all that a pair of brackets holds."""
    inside = _between(text, found, first, last)
    return (
        bool(inside)
        and not set("()") & set(inside)
        and text[: found[first].start()].rstrip().endswith("(")
        and text[found[last - 1].end() :].lstrip().startswith(")")
    )
