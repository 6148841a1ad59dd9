"""Words to search with (``queries``, a hypothetical passage, a ``topic``), and papers to choose and to sum up.

Words to search with are the question's own, in English as far as the glossary goes.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from metrics.words import inverse_document_frequency
from programs.lm.extractive.answering import find, is_bulleted
from programs.lm.extractive.demonstrations import learn
from programs.lm.extractive.labels import score_range
from programs.lm.extractive.prompt import Field, ReadPrompt, UnknownTask, item_schema
from programs.lm.extractive.relevance import central, diverse
from programs.lm.extractive.sources import (
    QUESTION_NAMES,
    PromptPassage,
    Sentence,
    as_text,
    cited,
    compressed,
    joined,
    passages,
    roles,
    source_sentences,
)
from programs.lm.extractive.weighted_terms import (
    ASKED,
    COMMON,
    NUMBER,
    folded,
    is_content,
    raw_words,
    term,
    terms,
    to_english,
    weighted_terms,
)

MOST_WORDS = 15
# They all have the words of the question alone, so more of them take weight from the question and add nothing: on the
# bundled questions two find 0.79 of the evidence among six passages, four 0.75.
DEFAULT_QUERIES = 2
# Where to look for an answer rather than what it is about.
_POINTERS = frozenset(
    map(term, ("according", "article", "named", "panel", "paper", "per", "reported", "shown", "stated", "study"))
)
# Words that ask, of languages that a question may come in, as far as none of them is a word of the topic.
_ASKING_WORDS = """
    about become explain give happen happened know list name occur reveal say tell
    abbildung abb ab auf aus beeinflusst beeinflussen es fuhrt fuhren gibt hangt kann konnen macht nach passiert
    sich tabelle wann warum was wer weshalb wirken wirkt wo wozu zeigen zeigt
    como cual figura hay influye influyen muestra muestran ocurre pasa puede pueden sucede tabla
"""
_ASKING = frozenset(map(term, _ASKING_WORDS.split()))
_FIGURE = re.compile(
    r"\b(?:fig(?:ure|ura)?s?\.?|abb(?:ildung(?:en)?|\.)|tab(?:les?|ellen?|las?)?\.?)\s*S?\d+[a-z]?\b", re.IGNORECASE
)
_PMCID = re.compile(r"\bPMC\d+\b", re.IGNORECASE)
_UP_TO = re.compile(r"\b(?:up to|at most|no more than|maximum(?: of)?)\s+(\d+)", re.IGNORECASE)


def queries(prompt: ReadPrompt, field: Field) -> list[str]:
    """Cuts of the question, each under 16 words: all its content words, what is asked, what is given, and mixes."""
    question = _question(prompt, field)
    content = _content(question)
    asked = [word for word in content if _weight(question, word) == ASKED]
    given = [word for word in content if word not in asked]
    variants = [content, asked, given, [*asked, "results"], [*asked, "mechanism"], [*asked, "compared", "control"]]
    lines = dict.fromkeys(" ".join(words[:MOST_WORDS]) for words in variants if not all(map(str.isdigit, words)))
    return list(lines)[: _count(prompt, field)]


def _count(prompt: ReadPrompt, field: Field) -> int:
    """How many entries the demos have in the middle, within what the field's description allows."""
    lengths = [len(demo.outputs[field.name]) for demo in prompt.demos if isinstance(demo.outputs.get(field.name), list)]
    stated = _UP_TO.search(field.desc)
    count = round(median(lengths)) if lengths else DEFAULT_QUERIES
    return min(count, int(stated[1])) if stated else count


def hypothetical_passage(prompt: ReadPrompt, field: Field) -> str:
    """A sentence as a paper on the question might have it, made of its words alone: there is no fact in it.

    A longer one, about results and controls, finds fewer of the bundled questions' passages.
    """
    return f"We studied {' '.join(_content(_question(prompt, field)))}."


def query(prompt: ReadPrompt, field: Field) -> str:
    """One search query: the content words of the question."""
    return " ".join(_content(_question(prompt, field))[:MOST_WORDS])


def topic(prompt: ReadPrompt, field: Field) -> str:
    """The one or two heaviest words of the question, in title case; acronyms stay as they are.

    Empty where the answer beside it abstains, and for a question such as "What does Figure 2 show?".
    """
    if is_bulleted(prompt) and not find(prompt, "summary").sentences:
        return ""
    question = _question(prompt, field)
    telling = _telling(_PMCID.sub(" ", question))
    content = [word for word in telling if not word[0].isdigit() and term(folded(word)) not in _ASKING]
    best = sorted(content, key=lambda word: (-_weight(question, word), content.index(word)))[:2]
    return " ".join(word if word.isupper() else word.capitalize() for word in content if word in best)


def _question(prompt: ReadPrompt, field: Field) -> str:
    for name in QUESTION_NAMES:
        if prompt.values.get(name):
            return to_english(as_text(prompt.values[name]))
    raise UnknownTask(
        f"To give {field.name!r} the extractive LM needs one of the inputs {', '.join(QUESTION_NAMES)}; "
        f"there are {', '.join(prompt.values)}"
    )


def _content(question: str) -> list[str]:
    """What to search for: the words that tell something, or all where none does."""
    return _telling(question) or raw_words(_FIGURE.sub(" ", question)) or raw_words(question)


def _telling(question: str) -> list[str]:
    words = raw_words(_FIGURE.sub(" ", question))
    return list(dict.fromkeys(word for word in words if is_content(word) and term(word) not in COMMON | _POINTERS))


def _weight(question: str, word: str) -> float:
    return dict(weighted_terms(question)).get(term(word), 0.0)


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
    listed = [each for each in _rated(question, papers) if each.coverage >= WORTH_LISTING]
    found = []
    for each in sorted(listed, key=lambda each: -each.coverage):
        shared = list(dict.fromkeys(word for word in raw_words(question) if term(word) in each.matched))
        reason = f"shares with the question: {', '.join(shared[:REASON_WORDS])}"
        relevance = round(low + (high - low) * each.coverage)
        found.append({"paper": int(each.label), "relevance": relevance, "reason": reason})
    return found


@dataclass(frozen=True, slots=True)
class _Rated:
    """A paper, the question's terms in it, and the share of the question's weight that they have, in [0, 1]."""

    label: str
    matched: frozenset[str]
    coverage: float


def _rated(question: str, papers: Sequence[PromptPassage]) -> list[_Rated]:
    """Rate papers by idf-weighted coverage, with the question's content words all alike, but numbers.

    Which part a word plays in the question, as in ``weighted_terms``, tells sentences of one paper apart. It
    is what was given that tells papers apart, and that has little weight there.
    """
    content = [word for word in raw_words(to_english(question)) if is_content(word)]
    chosen = [word for word in content if term(word) not in COMMON] or content
    weights = {term(word): NUMBER if word[0].isdigit() else 1.0 for word in chosen}
    held = [frozenset(terms(paper.text)) & weights.keys() for paper in papers]
    counts = Counter(each for found in held for each in found)
    worth = {each: weight * inverse_document_frequency(len(papers), counts[each]) for each, weight in weights.items()}
    total = sum(worth.values()) or 1.0
    return [
        _Rated(paper.label, found, math.fsum(worth[each] for each in found) / total)
        for paper, found in zip(papers, held, strict=True)
    ]
