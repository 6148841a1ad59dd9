"""Answers against their passages by the guards and the checker: ``proofs``, ``fixed_answer``, ``conflicts``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, takewhile
from typing import Any, Literal, TypeAlias

from metrics.sentences import sentences
from metrics.support import Support, check, lexicon
from metrics.support.lexicon import words
from metrics.support.reading import Reading, Token, read
from programs.lm.extractive.answering import find
from programs.lm.extractive.prompt import Field, ReadPrompt, UnknownTask
from programs.lm.extractive.relevance import RankedSentence, rank
from programs.lm.extractive.sources import (
    PromptPassage,
    Sentence,
    as_text,
    cited_labels,
    compressed,
    passages,
    quotation,
    roles,
    source_sentences,
    without_citations,
)
from programs.lm.extractive.words import COMMON, STOP_TERMS

# What a passage's sentence has to hold of an unsupported one to stand in its place; otherwise that one goes.
REPLACES = 0.4
_BULLET = re.compile(r"(?:[-*•]|\d{1,2}[.)])[ \t]+")
_NUMBERED = re.compile(r"\s*(\d+)\.\s+(.+)")


def _needed(prompt: ReadPrompt, name: str, field: Field) -> str:
    if name not in prompt.values:
        raise UnknownTask(
            f"To give {field.name!r} the extractive LM needs an input `{name}`; there are {list(prompt.values)}"
        )
    return as_text(prompt.values[name])


def proofs(prompt: ReadPrompt, field: Field) -> list[dict[str, Any]]:
    """For every numbered sentence the quote that bears it out in the passages it cites, or what is missing."""
    lines = map(_NUMBERED.match, _needed(prompt, "sentences", field).splitlines())
    return [_proof(int(line[1]), line[2], prompt) for line in lines if line]


def _proof(number: int, sentence: str, prompt: ReadPrompt) -> dict[str, Any]:
    cited, support = _checked(_BULLET.sub("", sentence), prompt)
    if support.verdict != "supported" or support.passage is None:
        return {"number": number, "quotes": [], "verdict": "not proved", "reason": support.reason}
    quote = {"passage": cited[support.passage].label, "quote": support.quote}
    return {"number": number, "quotes": [quote], "verdict": "proved", "reason": ""}


def fixed_answer(prompt: ReadPrompt, field: Field) -> str:
    """The answer with each unsupported sentence replaced by what its passage says, or left out.

    A claim that was found by another checker counts as unsupported here too, whatever the check says of it.
    """
    given = prompt.values.get("unsupported_claims", [])
    claims = [_plain(as_text(each.get("claim", "") if isinstance(each, dict) else each)) for each in given]
    kept: list[tuple[str, str]] = []
    layout = ""
    for before, sentence in _laid_out(_needed(prompt, "answer", field)):
        layout += before
        mended = _mended(sentence, prompt) if _is_claimed(sentence, claims) else sentence
        if mended and _plain(mended) not in [_plain(other) for _, other in kept]:
            kept.append((layout, mended))
            layout = ""
        else:  # the bullet goes with its sentence
            layout = layout[: layout.rindex("\n")] if "\n" in layout else ""
    return "".join(before + sentence for before, sentence in kept).strip()


def _laid_out(answer: str) -> Iterator[tuple[str, str]]:
    """Every sentence with what stands before it: spaces, line breaks and the bullet of a list."""
    position = 0
    for span in sentences(answer):
        bullet = _BULLET.match(answer, span.start, span.end)
        start = bullet.end() if bullet else span.start
        yield answer[position:start], answer[start : span.end]
        position = span.end


def _checked(sentence: str, prompt: ReadPrompt) -> tuple[list[PromptPassage], Support]:
    """The passages that a sentence cites, or all if it cites none, and what they say of it."""
    text = roles(prompt).text_of(prompt.values)
    shown = passages(text) or (PromptPassage("", "", text),)
    labels = {passage.label for passage in shown if passage.label}
    named = cited_labels(sentence, labels)
    cited = [passage for passage in shown if not named or passage.label in named]
    question = as_text(prompt.values.get("question", ""))
    return cited, check(without_citations(sentence, labels), [passage.text for passage in cited], question)


def _mended(sentence: str, prompt: ReadPrompt) -> str:
    """What a passage says instead, cited; empty if none says anything like it."""
    ranking = rank(without_citations(sentence), source_sentences(roles(prompt).text_of(prompt.values)))
    best = next((each for each in ranking.sentences if each.coverage >= REPLACES), None)
    return quotation(best.sentence) if best else ""


def _is_claimed(sentence: str, claims: Sequence[str]) -> bool:
    """Whether a claim is the sentence or a part of it, or the sentence a part of the claim."""
    plain = _plain(sentence)
    return any(claim and (claim in plain or plain in claim) for claim in claims)


def _plain(text: str) -> str:
    return re.sub(r"\W+", " ", without_citations(text)).strip().lower()


# How well a sentence has to answer the question, against the best one, and how many are compared at most.
RELEVANT = 0.35
COMPARED = 12
# Words that two sentences on one thing have in common, and their share of the shorter one's words.
SHARED, SHARED_PART = 4, 0.5
# So many are enough where they are all the words that either has.
SHARED_ALL = 3
# Two studies never measure the same number; it is what they say rose, fell or stayed that can be opposed.
_NUMBERS = re.compile(r"\s?[(\[][^()\[\]]*\d[^()\[\]]*[)\]]|\s?[<>=≤≥±]?\s?\b\d[\d.,]*(?:\s?%)?")
# Methods and introductions say what was done or thought before, not what was found.
FINDINGS = frozenset({"", "abstract", "results", "discussion", "conclusion"})


def conflicts(prompt: ReadPrompt, field: Field) -> list[dict[str, Any]]:
    """What sentences of different papers say against each other, as quotations, with the numbers of their passages.

    Precision comes first: one sentence has to say that a thing rises, the other that it falls or stays, neither may
    bear the other out by the checker, and they have to speak of one thing, in mostly the same words: "liver weight
    fell" and "spleen weight rose" are not a conflict, however much else they share.

    Without an input ``papers`` that tells which paper a passage comes from there is none to be found.
    """
    found = find(prompt, "answer")
    if not found.sentences:
        return []
    papers = _papers(as_text(prompt.values.get("papers", "")))
    near = [each.sentence for each in found.ranking.sentences if _is_near(each, found.ranking.sentences[0])]
    return [
        {
            "statement": f"{quotation(one)} In contrast, {quotation(other)}",
            "passages": [int(one.label), int(other.label)],
        }
        for one, other in _opposed(near[:COMPARED], papers)
    ]


def _papers(text: str) -> dict[str, int]:
    """The paper of each passage, from lines such as "[1][4] Bone loss in flight mice (2014)"."""
    lines = (line.partition(" ")[0] for line in text.splitlines())
    return {label: number for number, marks in enumerate(lines) for label in cited_labels(marks)}


def _is_near(each: RankedSentence, best: RankedSentence) -> bool:
    return each.score >= RELEVANT * best.score > 0 and each.sentence.section in FINDINGS


def _opposed(sentences: list[Sentence], papers: Mapping[str, int]) -> Iterator[tuple[Sentence, Sentence]]:
    """Pairs that contradict each other, each pair of papers once; the better answer stands first."""
    seen = set()
    for one, other in combinations(sentences, 2):
        pair = frozenset((papers.get(one.label), papers.get(other.label)))
        if len(pair) < 2 or None in pair or pair in seen:
            continue
        if _on_one_thing(one, other) and _turned(one, other) and not _agree(one, other):
            seen.add(pair)
            yield one, other


def _on_one_thing(one: Sentence, other: Sentence) -> bool:
    first, second = (subject_of(_without_numbers(each)) for each in (one, other))
    if not (first.named and first.named <= second.words and second.named and second.named <= first.words):
        return False
    words = [_topical(each) for each in (one, other)]
    shared = len(words[0] & words[1])
    if first.words == second.words and len(first.words) >= SHARED_ALL:
        return True
    return shared >= SHARED and shared >= SHARED_PART * min(map(len, words))


def _topical(sentence: Sentence) -> set[str]:
    return {term for term in sentence.terms - STOP_TERMS - COMMON if len(term) > 1 and not term[0].isdigit()}


def _turned(one: Sentence, other: Sentence) -> bool:
    """Whether one says that there is more of it, the other that there is less or no change."""
    courses = {subject_of(_without_numbers(each)).course for each in (one, other)}
    return len(courses) == 2 and courses < {"more", "less", "none"}


def _agree(one: Sentence, other: Sentence) -> bool:
    first, second = _without_numbers(one), _without_numbers(other)
    return any(check(claim, [text]).verdict == "supported" for claim, text in ((first, second), (second, first)))


def _without_numbers(sentence: Sentence) -> str:
    return _NUMBERS.sub("", compressed(sentence.text))


Course: TypeAlias = Literal["more", "less", "none", "some"]
"""What is said of something: it rises, falls or stays, or there is an effect without direction."""

_SIGNIFICANT = 0.05
# Two words of direction so near each other may be one signal.
_TOGETHER = 3
_TURNED: dict[Course, Course] = {"more": "less", "less": "more"}
_COMPARED = frozenset(["than", "versus", "vs"])
_PREPOSITIONS = frozenset(
    words(
        """
        after among as at because before between by compared during for from in on than to under versus when while
        with within without
        """
    )
)


@dataclass(frozen=True, slots=True)
class _Signal:
    """A word of a sentence that says what something does.

    Attributes:
        course: more, less, none (no effect, or negated) or some (an effect without direction).
        position: Index of its token.
        text: As printed, with its negation.
    """

    course: Course
    position: int
    text: str


@dataclass(frozen=True, slots=True)
class Subject:
    """A sentence's words as keys of the guards, without those of direction, effect and number.

    Attributes:
        named: What it speaks of; empty where it states no direction and no effect.
        words: All its content words.
        course: What it says of it: more, less, none or some; None where it says nothing.
    """

    named: frozenset[str]
    words: frozenset[str]
    course: Course | None


def subject_of(text: str) -> Subject:
    """What a sentence says something of: the words before the first word of direction or effect, and its object.

    "Axolotl liver weight decreased after 14 days in orbit"     →  axolotl, liver, weight
    "Flight reduced soleus mass in mice"                        →  flight, soleus, mass
    "Serum CTX did not differ between groups"                   →  serum, CTX
    """
    tokens = read(text).tokens
    found = _signals(read(text))
    strong = next((each for each in found if each.course != "some"), found[0] if found else None)
    return Subject(_keys(_around(tokens, strong) if strong else ()), _keys(tokens), strong.course if strong else None)


def _around(tokens: tuple[Token, ...], signal: _Signal) -> tuple[Token, ...]:
    """The words before a signal in its clause, and those after it up to a preposition or a number."""
    clause = tokens[signal.position].clause
    before = [token for token in tokens[: signal.position] if token.clause == clause]
    after = takewhile(
        lambda token: token.clause == clause and token.quantity is None and token.word not in _PREPOSITIONS,
        tokens[signal.position + 1 :],
    )
    return (*before, *after)


def _keys(tokens: tuple[Token, ...]) -> frozenset[str]:
    return frozenset(token.key for token in tokens if _is_content(token))


def _is_content(token: Token) -> bool:
    is_effect = token.word in lexicon.EFFECT or token.word in lexicon.NO_EFFECT
    return token.weight >= 1 and token.quantity is None and not token.direction and not is_effect


def _signals(reading: Reading) -> list[_Signal]:
    """The signals of a sentence in order; "decreased less" and "greater reduction" are one signal each."""
    found: list[_Signal] = []
    for index, token in enumerate(reading.tokens):
        course = _course(reading, index)
        if course is None:
            continue
        text = f"not {token.text}" if token.negated else token.text
        if found and _is_one(reading, found[-1], index, course):
            found[-1] = _merged(found[-1], course, text)
        else:
            found.append(_Signal(course, index, text))
    return [signal for signal in found if not _only_degree(reading, signal)]


def _is_one(reading: Reading, previous: _Signal, index: int, course: Course) -> bool:
    """Whether two words of direction stand together, one of them telling how much of the other there is."""
    if previous.course == "none" and course in _TURNED and index - previous.position == 1:
        return True  # "no significant reduction", "non-significant reduction"
    if previous.course not in _TURNED or course not in _TURNED or index - previous.position > _TOGETHER:
        return False
    between = reading.tokens[previous.position + 1 : index]
    degree = {reading.tokens[at].word for at in (previous.position, index)} & lexicon.DEGREES
    return bool(degree) and all(token.weight < 1 and token.word not in ("and", "or", "than") for token in between)


def _merged(first: _Signal, course: Course, text: str) -> _Signal:
    """The product of two directions: less of a decrease is more."""
    merged = first.course if course == "more" else _TURNED.get(first.course, first.course)
    return _Signal(merged, first.position, f"{first.text} {text}")


def _course(reading: Reading, index: int) -> Course | None:
    token = reading.tokens[index]
    if token.word in lexicon.NO_EFFECT:
        return "some" if token.negated else "none"
    if token.direction:
        return "none" if token.negated else "more" if token.direction > 0 else "less"
    if token.word in lexicon.EFFECT:
        return "none" if token.negated else "some"
    if token.word in lexicon.PROVEN and token.negated:
        return "none"
    return _course_of_p(reading, index)


def _course_of_p(reading: Reading, index: int) -> Course | None:
    """What a p value says: above the usual level no effect is proven, below it there is one."""
    value = reading.tokens[index + 1].quantity if index + 1 < len(reading.tokens) else None
    if reading.tokens[index].word != "p" or value is None:
        return None
    return "some" if value.value <= _SIGNIFICANT or value.comparator == "<" else "none"


def _only_degree(reading: Reading, signal: _Signal) -> bool:
    """Whether a signal is a mere "more" before an adjective, and nothing is compared."""
    is_adverb = signal.text.lower() in lexicon.ADVERBS_OF_DEGREE
    following = reading.tokens[signal.position + 1 :]
    return is_adverb and not any(
        token.word in _COMPARED and token.clause == following[0].clause for token in following[:8]
    )
