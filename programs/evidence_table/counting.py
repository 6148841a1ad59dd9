"""Whether a number in a sentence counts what a question asks the number of; so a number is found without a model.

"How many patients were randomised?"      "Of 310 screened, 120 adult patients were randomised."      → 120
                                          "Patients (n = 120) were randomised in 4 weeks."            → 120
                                          "80 % of patients had an 8 × 8 cm wound."                   → none
"""

from __future__ import annotations

import re
from itertools import pairwise

from metrics.support.lexicon import STOP_WORDS, stem, word_set
from metrics.support.quantities import UNITS, quantities
from metrics.support.sentence_features import normalised
from metrics.words import words

_ASKED = re.compile(
    r"(?<!\bby )\b(?:how many|(?:total )?number of)\s+(?P<thing>(?:[\w-]+\s+){0,3}?[\w-]+)"
    r"(?=\W*$|\s+(?:were|was|are|is|did|do|does|have|has|had|can|could|took|in|of|on|at|from|with|per|for|that|who|which"
    r"|to|by|there|and|or|participated|completed|received)\b)"
    r"|(?P<size>\bsample size\b|\bhow (?:large|big) (?:was|is) the (?:trial|study|sample|survey|cohort)\b)",
    re.IGNORECASE,
)
_PEOPLE = frozenset(map(stem, word_set("participant patient subject people person individual volunteer adult")))
_ANIMALS = frozenset(map(stem, word_set("animal mouse mice rat rabbit dog cow sheep pig bird")))
_KINDS = frozenset(map(stem, word_set("women men children infant respondent case")))
"""People by their kind: "How many patients?" is answered by their number, "How many women?" by that of women alone."""
_SAMPLED = frozenset(map(stem, word_set("household size")))
"""What else a sample is counted by: "The sample size was 120"."""
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_PLURAL = re.compile(r"[^s]s$|^(?:people|women|men|children|mice|sheep)$")
"""A noun that is counted; in "13 bird species" it is the species."""
_OF_A_GROUP = re.compile(r"\b(?:each|every|per)\b", re.IGNORECASE)
_PART = re.compile(r"\d\s+(?:out )?of (?:the )?$")
_JOINED = re.compile(r"[^.;:()]*\b(?:and|or|plus|versus|vs\.?)\s+(?:the |another )?$", re.IGNORECASE)
"""Between numbers of which neither is that of all: "ten men and ten women"."""
_NEAREST = 80
"""Characters before a number that are looked at."""
_ENDS_NOUN = re.compile(r"[\d.,;:()|×]|\s(?:and|or|but|while|when|in|on|at|by|from|for|with|to)\s", re.IGNORECASE)
"""Behind which words are no part of the noun that a number counts: "in 2025 and several individuals"."""
_NEAR = 4
"""Words between a number and the noun that it counts, that one included."""
_BEFORE = re.compile(
    r"(?P<noun>[^\W\d_]+)\W{0,3}(?:were|was|\(|\|)?\W{0,3}(?:total\W)?(?:n\s?[=:])?\s*$", re.IGNORECASE
)


def counted_thing(question: str) -> frozenset[str]:
    """Stems of what a question asks the number of, any of which may be counted; none where it asks no such thing."""
    asked = _ASKED.search(question)
    if asked is None:
        return frozenset()
    if asked["size"]:
        return _PEOPLE | _KINDS | _ANIMALS | _SAMPLED
    named = asked["thing"].casefold().split()
    head = next(filter(_PLURAL.search, named), named[-1])
    if head in UNITS or head == "times":
        return frozenset()
    if stem(head) in _PEOPLE:
        return _PEOPLE | _KINDS
    return _ANIMALS if head == "animals" else frozenset({stem(head)})


def asks_for_the_whole(question: str) -> bool:
    """Whether a question asks for the size of a sample."""
    asked = _ASKED.search(question)
    return asked is not None and asked["size"] is not None


def counted(sentence: str, question: str) -> str:
    """The number of a sentence that counts what is asked for, as printed; empty where none does, or it is not known.

    Of several that of the clause which says most of the question counts; of "3 of 40 patients" either may be meant.
    """
    plain, thing = normalised(sentence), counted_thing(question)
    asked = {stem(word) for word in words(question) if word not in STOP_WORDS}
    found: dict[str, int] = {}
    numbers = [each for each in quantities(plain) if not each.dimension]
    summands = {at for pair in pairwise(numbers) if _JOINED.match(plain[pair[0].end : pair[1].start]) for at in pair}
    for each in numbers:
        clause = re.split(r"[,;]", plain[: each.start])[-1] + re.split(r"[,;]", plain[each.end :], maxsplit=1)[0]
        if (
            each in summands
            or _PART.search(plain, max(0, each.start - _NEAREST), each.start)
            or _OF_A_GROUP.search(clause)
        ):
            continue
        behind = _ENDS_NOUN.split(plain[each.end :], maxsplit=1)[0]
        near = map(str.casefold, _WORD.findall(behind)[:_NEAR])
        nouns = {stem(word) for word in near if _PLURAL.search(word)}
        before = _BEFORE.search(plain, max(0, each.start - _NEAREST), each.start)
        if thing & nouns or (before and stem(before["noun"].casefold()) in thing):
            found[sentence[each.start : each.end].strip()] = len(asked & {stem(word) for word in words(clause)})
    best = [number for number, held in found.items() if held == max(found.values())]
    return best[0] if len(best) == 1 else ""
