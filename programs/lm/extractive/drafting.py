"""A draft as an outline: in each section what its authors state, and sentences of the evidence, quoted and cited.

    concept      Background: Mice lose bone in orbit.
    experiments  [E1] Bone structure
                     Method: Thirty mice …
                     Finding: Bone volume fell by 21 %.
    evidence     [lindqvist2019mice] (results) In the tibia, bone volume fraction was 12.4 % lower …

    - Mice lose bone in orbit.
    - Bone volume fell by 21 %.

    - “In the tibia, bone volume fraction was 12.4 % lower …” [lindqvist2019mice].

Nothing is added that would make prose of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from metrics.sentences import sentence_texts
from programs.lm.extractive.relevance import RankedSentence, diverse, rank
from programs.lm.extractive.sources import Call, compressed, quoted, source_sentences

OF_ONE_PAPER = 2
"""Quotations of one paper in a section."""
MOST_QUOTED, CANDIDATES = 6, 40
WORTH_QUOTING = 0.35
"""Share of the best sentence's score under which another has too little to do with the section."""
_STATEMENT = re.compile(r"^\s*(?P<name>[A-Z][a-z]+): (?P<text>.+)$", re.MULTILINE)
_LEANS = re.compile(
    r"\b(?:[Ww]e|[Oo]urs?|[Uu]s|[Tt]his (?:paper|study|report|work)|[Hh]ere)\b"
    r"|\b[A-Z][\w'’-]+ (?:et al\.?|and (?:[A-Z][\w'’-]+|colleagues)),? \(?(?:19|20)\d\d"
)
"""Words that lean on the paper they are in: quoted in another one, "we" would be its authors."""

STATED: Mapping[str, tuple[str, ...]] = {
    "abstract": ("Background", "Objective", "Approach", "Finding", "Contribution"),
    "introduction": ("Background", "Objective", "Hypothesis"),
    "methods": ("Approach", "Method"),
    "results": ("Finding",),
    "discussion": ("Contribution", "Limitation"),
    "conclusion": ("Contribution",),
}
"""What the authors state in each section, by the names that it has in concept and experiments."""


def section(call: Call) -> dict[str, Any]:
    """The authors' own statements, their figures, and the quotations nearest to the statements, paper by paper."""
    own = _own(call)
    stated = dict.fromkeys(text for name in STATED.get(call.text("section"), ()) for text in own.get(name, ()))
    best = [each.sentence for each in _nearest(call, " ".join(stated) or call.text("hypothesis"))]
    papers = list(dict.fromkeys(each.label for each in best))
    by_paper = sorted(best, key=lambda each: papers.index(each.label))
    quotations = _listed(quoted(each.text, each.label) for each in by_paper)
    return {"section_text": "\n\n".join(filter(None, (_listed(stated), call.text("figures"), quotations)))}


def title(call: Call) -> dict[str, Any]:
    """The working title, else the first sentence of the conclusion, if it is the authors' own."""
    first = next(iter(sentence_texts(call.text("conclusion").removeprefix(_BULLET))), "")
    return {"title": call.text("working_title") or ("" if "“" in first else first.rstrip(" ."))}


_BULLET = "- "


def _listed(texts: Iterable[str]) -> str:
    return "\n".join(f"{_BULLET}{each}" for each in texts)


def no_search(call: Call) -> dict[str, Any]:
    """No further search: the queries that every section begins with are all."""
    return {"queries": [], "done": True}


def _own(call: Call) -> dict[str, list[str]]:
    """The authors' statements by name."""
    statements: dict[str, list[str]] = {"Hypothesis": [call.text("hypothesis").strip()]}
    for each in _STATEMENT.finditer(f"{call.text('concept')}\n{call.text('experiments')}"):
        statements.setdefault(each["name"], []).append(each["text"].strip())
    # Who states no contribution contributes the findings.
    statements.setdefault("Contribution", statements.get("Finding", []))
    return statements


def _nearest(call: Call, about: str) -> list[RankedSentence]:
    """Sentences of the evidence, best first, few of one paper and none that an earlier section has."""
    earlier = call.text("earlier_sections")
    sentences = [
        each
        for each in source_sentences(call.text("evidence"))
        if each.label and compressed(each.text).rstrip(".!? ") not in earlier
    ]
    best = diverse(rank(about, sentences).sentences, CANDIDATES)
    worth = [each for each in best if each.score >= WORTH_QUOTING * best[0].score]
    taken: Counter[str] = Counter()
    chosen: list[RankedSentence] = []
    for each in [each for each in worth if not _LEANS.search(each.sentence.text)] or worth:
        if len(chosen) < MOST_QUOTED and taken[each.sentence.label] < OF_ONE_PAPER:
            taken[each.sentence.label] += 1
            chosen.append(each)
    return chosen
