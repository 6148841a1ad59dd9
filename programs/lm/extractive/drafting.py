"""``section_text`` and ``title``: a section of a paper from what its authors say and what the evidence says.

    concept      Background: Mice lose bone in orbit.
    experiments  [E1] Bone structure
                     Method: Thirty mice …
                     Finding: Bone volume fell by 21 %.
    evidence     [lindqvist2019mice] (results) In the tibia, bone volume fraction was 12.4 % lower …

The authors' own statements stand as they are; sentences of the evidence are quoted and cited. Nothing is added but the
number of a figure behind the findings that it shows, so there is no transition between them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from metrics.sentences import sentence_texts
from programs.lm.extractive.prompt import Field, ReadPrompt
from programs.lm.extractive.relevance import RankedSentence, central, diverse, rank, ranked
from programs.lm.extractive.sources import (
    Sentence,
    as_text,
    cited_labels,
    compressed,
    joined,
    passages,
    quotation,
    roles,
    source_sentences,
    without_citations,
)
from programs.lm.extractive.weighted_terms import terms

MOST_TITLE_WORDS = 20
OF_ONE_PAPER = 2
"""Quotations of one paper in a section."""

IN_A_PARAGRAPH = 4
CANDIDATES = 40

_ASIDE = re.compile(r"\s*\([^()]*\)")
_STATEMENT = re.compile(r"^\s*(?P<name>[A-Z][a-z]+): (?P<text>.+)$", re.MULTILINE)
_NUMBER = re.compile(r"^\*Figure (\d+):", re.MULTILINE)
_FIGURE = re.compile(r"!\[[^\n]*\n\*[^\n]*\*")
_LEANS = re.compile(
    r"\b(?:[Ww]e|[Oo]urs?|[Uu]s|[Tt]heirs|[Tt]his (?:paper|study|report|work)|[Hh]ere)\b|\b[Ff]iction|\binvented\b"
    r"|\b[A-Z][\w'’-]+ (?:et al\.?|and (?:[A-Z][\w'’-]+|colleagues)),? \(?(?:19|20)\d\d"
)
"""Words that lean on the paper they stand in: quoted in another one, "we" would be its authors. Such a sentence is only
taken where there is no other."""

WORTH_QUOTING = 0.35
"""Share of the best sentence's score under which another has too little to do with the section."""


@dataclass(frozen=True, slots=True)
class SectionPlan:
    """What a section is made of."""

    opening: tuple[str, ...] = ()  # the authors' own statements that it opens with, by name
    quotations: int = 6  # how many sentences of the evidence follow
    closing: tuple[str, ...] = ()  # the authors' own statements that it ends with
    about: tuple[str, ...] = ("Hypothesis",)  # the own statements that the quotations are chosen for
    prefers: Mapping[str, float] = field(default_factory=dict)  # factor by kind of section that evidence stands in
    by_paper: bool = False  # whether quotations of one paper stand together
    is_one_paragraph: bool = False  # whether all of it is one paragraph


_FOUND = {"results": 1.3, "abstract": 1.2, "conclusion": 1.1, "methods": 0.6, "introduction": 0.6, "references": 0.1}
_MEANT = {"discussion": 1.3, "conclusion": 1.2, "results": 1.1, "methods": 0.5, "references": 0.1}
_KNOWN = {"abstract": 1.3, "conclusion": 1.3, "introduction": 1.1, "methods": 0.5, "references": 0.1}
_DONE = {"methods": 2.0, "abstract": 0.7, "results": 0.5, "discussion": 0.4, "introduction": 0.4, "references": 0.1}

PLANS: Mapping[str, SectionPlan] = {
    "methods": SectionPlan(("Approach", "Method"), 3, (), ("Method",), _DONE),
    "results": SectionPlan(("Finding",), 3, (), ("Finding",), _FOUND),
    "discussion": SectionPlan(("Contribution",), 6, ("Limitation",), ("Finding", "Hypothesis"), _MEANT),
    "introduction": SectionPlan(("Background",), 4, ("Objective", "Hypothesis"), ("Background", "Hypothesis"), _KNOWN),
    "related_work": SectionPlan((), 8, (), ("Hypothesis", "Approach"), _FOUND, by_paper=True),
    "conclusion": SectionPlan(("Contribution",), 1, (), ("Contribution",), _MEANT),
    "abstract": SectionPlan(
        ("Background", "Objective", "Approach", "Finding"),
        1,
        ("Contribution",),
        ("Background",),
        _KNOWN,
        is_one_paragraph=True,
    ),
}


def section_text(prompt: ReadPrompt, field: Field) -> str:
    """The section in Markdown: own statements, quotations, own statements; figures behind the findings they show."""
    plan = PLANS.get(as_text(prompt.values.get("section", "")), SectionPlan())
    own = _own(prompt)
    chosen = _chosen(prompt, plan, own, _count(prompt, field, plan))
    quotations = list(_paragraphs(chosen, plan))
    opening = [*_opening(plan, own, prompt)]
    said = joined(opening)
    closing = joined([text for name in plan.closing for text in own.get(name, ()) if text not in said])
    parts = [part for part in (*opening, *quotations, closing) if part]
    return joined(parts) if plan.is_one_paragraph else "\n\n".join(parts)


def title(prompt: ReadPrompt, field: Field) -> str:
    """The working title; without one the sentence of the conclusion that is nearest to the introduction, cut to length.

    Quotations are passed over. Where the conclusion holds nothing else, the abstract and the introduction stand in, and
    for a prompt without these the central sentence of its text.
    """
    if working := as_text(prompt.values.get("working_title", "")).strip():
        return working
    about = " ".join(each.text for each in _own_sentences(prompt, "introduction"))
    for name in ("conclusion", "abstract", "introduction"):
        if found := rank(about, _own_sentences(prompt, name)).sentences:
            words = _ASIDE.sub("", without_citations(found[0].sentence.text)).rstrip(" .").split()
            return " ".join(words[:MOST_TITLE_WORDS])
    best = central(source_sentences(roles(prompt).text_of(prompt.values)))
    return " ".join(compressed(best[0].sentence.text).rstrip(" .").split()[:MOST_TITLE_WORDS]) if best else ""


def _own_sentences(prompt: ReadPrompt, name: str) -> list[Sentence]:
    return [each for each in source_sentences(as_text(prompt.values.get(name, ""))) if "“" not in each.text]


def target_section(prompt: ReadPrompt, field: Field) -> str:
    """The section that the prompt is about, else the one in which the sentence nearest to the question stands."""
    if section := as_text(prompt.values.get("section", "")):
        return section
    sections = (each.sentence.section for each in ranked(prompt).sentences)
    return next(filter(None, sections), "introduction")


def _own(prompt: ReadPrompt) -> dict[str, list[str]]:
    """The authors' own statements by name; of the experiments a method each, and the findings of each as one text."""
    hypothesis = as_text(prompt.values.get("hypothesis", "")) or roles(prompt).question_of(prompt.values)
    statements: dict[str, list[str]] = {"Hypothesis": [hypothesis.strip()]}
    for match in _STATEMENT.finditer(as_text(prompt.values.get("concept", ""))):
        statements.setdefault(match["name"], []).append(match["text"].strip())
    for experiment in passages(as_text(prompt.values.get("experiments", ""))):
        said = [(match["name"], match["text"].strip()) for match in _STATEMENT.finditer(experiment.text)]
        for name in ("Method", "Finding"):
            statements.setdefault(name, []).append(joined([text for kind, text in said if kind == name]))
    # Who states no contribution contributes the findings.
    statements.setdefault("Contribution", list(statements.get("Finding", ())))
    return statements


def _opening(plan: SectionPlan, own: Mapping[str, Sequence[str]], prompt: ReadPrompt) -> Iterable[str]:
    """Paragraphs of own statements, each experiment in one of its own; figures behind the findings nearest to them."""
    figures = _FIGURE.findall(as_text(prompt.values.get("figures", "")))
    findings = own.get("Finding", ())
    placed = [_nearest(figure, findings) for figure in figures]
    for name in plan.opening:
        if name not in ("Method", "Finding"):
            yield joined(own.get(name, ()))
            continue
        for place, text in enumerate(own.get(name, ())):
            shown = [figure for figure, where in zip(figures, placed, strict=True) if where == place]
            yield _referring(text, shown)
            yield from shown


def _nearest(figure: str, findings: Sequence[str]) -> int:
    words = frozenset(terms(figure))
    shared = [len(words & frozenset(terms(each))) for each in findings]
    return shared.index(max(shared)) if shared else 0


def _referring(text: str, figures: Sequence[str]) -> str:
    """Findings with the numbers of their figures before the last full stop."""
    numbers = [match[1] for figure in figures if (match := _NUMBER.search(figure))]
    if not numbers or not text:
        return text
    named = f"Figure {numbers[0]}" if len(numbers) == 1 else f"Figures {', '.join(numbers)}"
    return f"{text.rstrip('. ')} ({named})."


def _count(prompt: ReadPrompt, field: Field, plan: SectionPlan) -> int:
    """How many sentences the demos of the same section quote in the middle; without such demos what the plan says."""
    section = prompt.values.get("section")
    texts = [
        as_text(demo.outputs[field.name])
        for demo in prompt.demos
        if field.name in demo.outputs and demo.inputs.get("section") == section
    ]
    counts = [sum(bool(cited_labels(sentence)) for sentence in sentence_texts(text)) for text in texts]
    return round(median(counts)) if counts else plan.quotations


def _chosen(
    prompt: ReadPrompt, plan: SectionPlan, own: Mapping[str, Sequence[str]], count: int
) -> list[RankedSentence]:
    """Sentences of the evidence, best first, at most two of one paper and none that an earlier section has."""
    earlier = as_text(prompt.values.get("earlier_sections", ""))
    evidence = prompt.values["evidence"] if "evidence" in prompt.values else roles(prompt).text_of(prompt.values)
    about = " ".join(text for name in plan.about for text in own.get(name, ())) or joined(own["Hypothesis"])
    sentences = [
        each
        for each in source_sentences(as_text(evidence))
        if each.label and compressed(each.text).rstrip(".!? ") not in earlier
    ]
    ranking = rank(about, sentences, plan.prefers)
    best = diverse(ranking.sentences, CANDIDATES)
    worth = [each for each in best if each.score >= WORTH_QUOTING * best[0].score]
    taken: Counter[str] = Counter()
    chosen: list[RankedSentence] = []
    for each in [each for each in worth if not _LEANS.search(each.sentence.text)] or worth:
        if len(chosen) < count and taken[each.sentence.label] < OF_ONE_PAPER:
            taken[each.sentence.label] += 1
            chosen.append(each)
    return chosen


def _paragraphs(chosen: Sequence[RankedSentence], plan: SectionPlan) -> Iterable[str]:
    if plan.by_paper:
        order = {label: place for place, label in enumerate(dict.fromkeys(each.sentence.label for each in chosen))}
        chosen = sorted(chosen, key=lambda each: (order[each.sentence.label], each.index))
    texts = [quotation(each.sentence) for each in chosen]
    for start in range(0, len(texts), IN_A_PARAGRAPH):
        yield joined(texts[start : start + IN_A_PARAGRAPH])
