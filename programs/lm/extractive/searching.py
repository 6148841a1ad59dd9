"""Words to search with: ``queries``, a hypothetical passage, a ``topic``.

All are the question's own words, in English as far as the glossary goes.
"""

from __future__ import annotations

import re
from statistics import median

from programs.lm.extractive.answering import find, is_bulleted
from programs.lm.extractive.errors import UnknownTask
from programs.lm.extractive.glossary import to_english
from programs.lm.extractive.prompt import Field, ReadPrompt
from programs.lm.extractive.question import ASKED, weighted_terms
from programs.lm.extractive.roles import QUESTION_NAMES, as_text
from programs.lm.extractive.words import COMMON, folded, is_content, raw_words, term

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
    content = [word for word in _telling(_PMCID.sub(" ", question)) if _is_topical(word)]
    best = sorted(content, key=lambda word: (-_weight(question, word), content.index(word)))[:2]
    return " ".join(word if word.isupper() else word.capitalize() for word in content if word in best)


def _is_topical(word: str) -> bool:
    return not word[0].isdigit() and term(folded(word)) not in _ASKING


def _question(prompt: ReadPrompt, field: Field) -> str:
    for name in QUESTION_NAMES:
        if prompt.values.get(name):
            return to_english(as_text(prompt.values[name])).words
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
