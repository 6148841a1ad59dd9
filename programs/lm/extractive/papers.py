"""Whole papers: ``paper_summary``, what one is about, and ``selections``, which of several bear on a question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from metrics.words import inverse_document_frequency
from programs.lm.extractive.errors import UnknownTask
from programs.lm.extractive.glossary import to_english
from programs.lm.extractive.habits import learn
from programs.lm.extractive.output_types import item_schema
from programs.lm.extractive.prompt import Field, ReadPrompt
from programs.lm.extractive.question import NUMBER
from programs.lm.extractive.roles import roles
from programs.lm.extractive.scores import score_range
from programs.lm.extractive.selection import central, diverse
from programs.lm.extractive.sources import PromptPassage, Sentence, passages, source_sentences
from programs.lm.extractive.wording import cited, compressed, joined
from programs.lm.extractive.words import COMMON, is_content, raw_words, term, terms

SENTENCES = 8
# Sentences that an abstract may have to stand for its paper whole.
LONGEST_ABSTRACT = 20
# Share of the question that a paper must cover to be listed at all.
WORTH_LISTING = 0.1
REASON_WORDS = 20


def paper_summary(prompt: ReadPrompt, field: Field) -> str:
    """The abstract, which says most of a paper, or without one the sentences that do, in its order.

    Demos say how many sentences; without them it is eight, and the whole of an abstract that is not long.
    """
    sentences = source_sentences(roles(prompt).text_of(prompt.values))
    abstract = tuple(each for each in sentences if each.section == "abstract")
    count = learn(prompt, field.name).sentences
    if abstract and count is None and len(abstract) <= LONGEST_ABSTRACT:
        return _told(abstract)
    ranked, count = central(abstract or sentences), count or SENTENCES
    chosen = sorted(diverse(ranked, count) or ranked[:count], key=lambda each: each.index)
    return _told([each.sentence for each in chosen])


def _told(sentences: Iterable[Sentence]) -> str:
    return joined([cited(compressed(each.text), ()) for each in sentences])


def selections(prompt: ReadPrompt, field: Field) -> list[dict[str, Any]]:
    """The numbered papers that share words with the question, rated by the share of it that each covers.

    Words count by how few of the papers hold them; papers are compared as wholes.

    Raises:
        UnknownTask: It is not papers with relevance and reason that are to be selected.
    """
    properties = item_schema(field.schema).get("properties", {})
    if properties.keys() != {"paper", "relevance", "reason"}:
        raise UnknownTask(
            f"The extractive LM selects papers with paper, relevance and reason, not with {', '.join(properties)}; "
            "use a model for others"
        )
    who = roles(prompt)
    question = who.question_of(prompt.values)
    low, high = score_range(Field("relevance", schema=properties["relevance"]))
    papers = passages(who.text_of(prompt.values))
    rated = sorted(_rated(question, papers), key=lambda each: -each.coverage)
    return [
        {
            "paper": int(each.label),
            "relevance": round(low + (high - low) * each.coverage),
            "reason": _reason(question, each.matched),
        }
        for each in rated
        if each.coverage >= WORTH_LISTING
    ]


@dataclass(frozen=True, slots=True)
class _Rated:
    """A paper, the question's terms in it, and the share of the question's weight that they have, in [0, 1]."""

    label: str
    matched: frozenset[str]
    coverage: float


def _rated(question: str, papers: Sequence[PromptPassage]) -> list[_Rated]:
    """Rate papers by idf-weighted coverage, with the question's words all alike.

    Which part a word plays in the question, as in ``question.weighted_terms``, tells sentences of one paper apart. It
    is what was given that tells papers apart, and that has little weight there.
    """
    weights = _weights(question)
    held = [frozenset(terms(paper.text)) & weights.keys() for paper in papers]
    counts = Counter(each for found in held for each in found)
    worth = {each: weight * inverse_document_frequency(len(papers), counts[each]) for each, weight in weights.items()}
    total = sum(worth.values()) or 1.0
    return [
        _Rated(paper.label, found, sum(worth[each] for each in found) / total)
        for paper, found in zip(papers, held, strict=True)
    ]


def _weights(question: str) -> dict[str, float]:
    """Content words, those of every paper only where there are no others; numbers count less."""
    found = [word for word in raw_words(to_english(question).words) if is_content(word)]
    chosen = [word for word in found if term(word) not in COMMON] or found
    return {term(word): NUMBER if word[0].isdigit() else 1.0 for word in chosen}


def _reason(question: str, matched: frozenset[str]) -> str:
    words = dict.fromkeys(word for word in raw_words(question) if term(word) in matched)
    return f"shares with the question: {', '.join(list(words)[:REASON_WORDS])}"
