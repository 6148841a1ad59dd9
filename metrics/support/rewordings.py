"""Other orders of a sentence's words that say the same, and one that does not.

quote   "In men, pain fell by 5 points."                     claim   "Pain fell by 5 points in men."
quote   "Pain was lower with zinc than with placebo."        claim   "Pain was higher with placebo than with zinc."
quote   "There was no difference in age."                    claim   "Age did not differ."
quote   "Pain was lower with zinc than with placebo."        claim   "Pain was lower with placebo than with zinc." (not)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from metrics.sentences import sentence_texts
from metrics.support.clauses import words_of
from metrics.support.lexicon import words
from metrics.support.sentence_features import content, normalised, read

_OPENING = re.compile(
    r"(?P<lead>(?P<first>At|After|Among|Before|Between|By|Compared|During|Following|For|From|In|On|Relative|Under|With|"
    r"Within)\s(?![^,]*(?<!who )(?<!that )(?<!which )\b(?:is|are|was|were|has|have|had|did|does|do|can|could|may|might|"
    r"will|would|should)\b)[^,;:]{3,100}),"
    r"\s(?!which\b|who\b|and\b|but\b)(?P<rest>(?:[^;()]|\([^()]*\))+?)\.?\s*$"
)
"""A sentence with what says when, where or against what put first."""
_NO_RELATION = re.compile(
    r"\b(?:no|not|neither|nor|without)\s(?:[\w-]+\s){0,4}?(?P<what>differ|chang|[ae]ffect|associat|correlat|interact|influenc)",
    re.IGNORECASE,
)
"""A relation that is denied, by a noun or by a verb: "no difference in age", "age did not differ"."""
_COMPARED = re.compile(
    r"\b(?P<by>higher|lower|greater|smaller|larger|longer|shorter|more|less|fewer|better|worse|earlier|later|faster|slower)\b"
    r"(?P<one>[^,;:()]*?)\bthan\b(?P<other>[^,;:()]*)",
    re.IGNORECASE,
)
_CONVERSES = [
    set(pair.split("/"))
    for pair in words(
        "higher/lower greater/smaller larger/smaller greater/lower longer/shorter more/less more/fewer better/worse "
        "earlier/later faster/slower"
    )
]
"""Comparatives that say the same once the sides are exchanged."""


def readings(ours: Sequence[str], quotes: Sequence[str]) -> Iterator[str]:
    """The sentences of the quotes, each also with its opening put last: "In men, pain fell" as "Pain fell in men".

    Not where the rest may say the opening's word of something else ("In men, 3 fell ill and 5 in women"), unless the
    claim has exactly these words.
    """
    for text in sentence_texts(*map(normalised, quotes)):
        yield text
        found = _OPENING.match(text)
        if found is None:
            continue
        turned = f"{found['rest']} {found['lead'][0].lower()}{found['lead'][1:]}."
        repeated = re.search(rf"\b(?:{found['first']}|whereas|while)\b", found["rest"], re.IGNORECASE)
        if not repeated or words_of(turned) == list(ours):
            yield turned


def denies_same(claim: str, original: str) -> bool:
    """Whether the only denial of both is of one relation: "no difference in age" as "age did not differ"."""
    found = []
    for text in (claim, original):
        denied = _NO_RELATION.search(text)
        if denied is None or sum(token.denies for token in read(text).tokens) != 1:
            return False
        what = denied["what"].lower().replace("affect", "effect")
        if len(re.findall(rf"\b{what}", text.lower().replace("affect", "effect"))) != 1:
            return False
        found.append(what)
    return found[0] == found[1]


def is_converse(claim: str, original: str) -> bool:
    """Whether "lower in A than in B" is said as "higher in B than in A"."""
    return set(_comparative(claim, original)) in _CONVERSES


def exchanged_comparison(claim: str, original: str) -> str:
    """The comparative whose sides a claim has exchanged, "lower in B than in A"; empty if it has not."""
    ours, theirs = _comparative(claim, original)
    return ours if ours == theirs else ""


def _comparative(claim: str, original: str) -> tuple[str, str]:
    """The only comparative of each, where what is before "than" in one is behind it in the other."""
    ours, theirs = (list(_COMPARED.finditer(text)) for text in (claim, original))
    if not len(ours) == len(theirs) == 1:
        return "", ""
    one, other, first, second = (
        content(f"the {each[0][side]}") for each in (ours, theirs) for side in ("one", "other")
    )
    crossed = bool(one and other) and one != other and (one, other) == (second, first)
    return (ours[0]["by"].lower(), theirs[0]["by"].lower()) if crossed else ("", "")
