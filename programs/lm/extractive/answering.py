"""Answers made of sentences of the passages: ``answer``, ``points``, ``summary`` with ``bullets``, cells of a table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from metrics.support.quantities import LABELS, UNITS, Quantity, quantities
from metrics.support.sentence_features import normalised
from programs.lm.extractive.answer_probability import (
    LEAST,
    answerability,
    is_beside,
    is_unspoken,
    of_papers_on,
    papers_shown,
    passage_probabilities,
    spoken_share,
    weighed_by_order,
)
from programs.lm.extractive.cues import bears_out, cues_of, is_of_kind, names_what_is_asked
from programs.lm.extractive.demonstrations import DEFAULT_THRESHOLD, Habits, learn
from programs.lm.extractive.labels import VOTERS, direction_of, label, meaning_of, stated_label
from programs.lm.extractive.listing import of_each_paper
from programs.lm.extractive.prompt import Field, ReadPrompt
from programs.lm.extractive.relevance import SHORT, RankedSentence, SentenceRanking, central, diverse, leading, rank
from programs.lm.extractive.sources import (
    Sentence,
    as_text,
    cited,
    compressed,
    joined,
    passages,
    quotation,
    roles,
    source_sentences,
)
from programs.lm.extractive.weighted_terms import COMMON, is_content, raw_words, term, terms
from programs.passages.named_papers import asks_for_several

# Without demos that show how long answers are.
MOST_SENTENCES = 3
IN_OTHER_WORDS = 0.6
"""Share of the threshold on common words that holds where the learned order has read the passages."""
_POINTS_ON = re.compile(r"\b(?:Tables?|Fig(?:ure)?s?)\b")
TELLING = ("abstract", "conclusion", "results")
"""Sections in which papers say what they found."""
PLANNED = ("introduction", "methods")
"""Sections that say what was known and done; they add nothing to an answer that tells what was found."""
_QUANTITY = re.compile(r"(?:[<>≤≥~]\s?)?\d[\d,.]*(?:\s?(?:±|–|-|to)\s?\d[\d.,]*)?\s?(?:%|[µμ]?[a-zA-Z]+(?:/[a-z]+)?)?")
_CLAUSE = re.compile(r"\s*(?:[,;:()]|\b(?:which|that|whereas|while|because|but)\b)\s*")


@dataclass(frozen=True, slots=True)
class FoundAnswer:
    """What the text has for the question: sentences to answer with, none when it abstains, out of all of them."""

    sentences: tuple[RankedSentence, ...]
    habits: Habits
    ranking: SentenceRanking
    is_list: bool = False  # whether each paper that was asked for has one sentence


def answerable(prompt: ReadPrompt, field: Field) -> bool:
    """Whether the text covers enough of the question."""
    # Length and sections are learnt from answers, also when it is whether there is one that is asked for.
    name = ("summary" if is_bulleted(prompt) else "answer") if field.name == "answerable" else field.name
    return bool(find(prompt, name).sentences)


def answer(prompt: ReadPrompt, field: Field) -> str:
    """The sentences that cover the question best, each with its citation before the full stop; empty to abstain.

    Where the demos' answers are parts of sentences, a quantity or clause of the best sentence instead.
    """
    found = find(prompt, field.name)
    if found.habits.spans and found.sentences:
        return _span(roles(prompt).question_of(prompt.values), found.sentences[0])
    return _quotations(found.sentences)


def find(prompt: ReadPrompt, name: str) -> FoundAnswer:
    """Look for what answers the question, as the demos' output field of that name does."""
    who, habits = roles(prompt), learn(prompt, name)
    question, text = who.question_of(prompt.values), who.text_of(prompt.values)
    ranking = rank(question, source_sentences(text), habits.sections)
    found = passage_probabilities(question, text)
    query, is_named = ranking.query, _names_kind(ranking)
    if found and query.weights and not query.named and not any(cue.is_named for cue in query.cues):
        return FoundAnswer(tuple(leading(findings(ranking), habits.sentences or MOST_SENTENCES)), habits, ranking)
    # Where the order has read the passages, other words for what is asked count for less, unless demos teach caution.
    lenient = IN_OTHER_WORDS if found and habits.threshold <= DEFAULT_THRESHOLD else 1.0
    if ranking.confidence < habits.threshold * lenient and (query.named or not is_named):
        return FoundAnswer((), habits, ranking)
    if found:
        shown, titles = passages(text), who.titles(prompt.values)
        papers = [*papers_shown(shown, titles).values()] if titles else [who.beside_question(prompt.values)]
        # Of harms, funders and the like the order knows too little to speak against a sentence that names them.
        likely = answerability(spoken_share(ranking.query, papers), [*found.values(), 0.5 * is_named])
        boldness = min(1.0, habits.threshold / DEFAULT_THRESHOLD)
        is_off = is_unspoken(question, ranking.query, who.beside_question(prompt.values))
        if likely < LEAST * boldness or is_off or is_beside(question, ranking.query, papers):
            return FoundAnswer((), habits, ranking)
        if titles and asks_for_several(question):
            listed = of_each_paper(question, weighed_by_order(question, ranking, found, titles), titles)
            return FoundAnswer(listed, habits, ranking, is_list=True)
        ranking = weighed_by_order(question, of_papers_on(question, ranking, shown, titles), found, titles)
        named = (each for each in ranking.sentences if names_what_is_asked(each.sentence.text, ranking.query.cues))
        ranking = SentenceRanking(ranking.query, tuple(named))
    best = ranking.sentences
    chosen = diverse(best, habits.sentences) if habits.sentences else leading(best, MOST_SENTENCES)
    return FoundAnswer(tuple(chosen), habits, ranking)


def _names_kind(ranking: SentenceRanking) -> bool:
    """Whether a question asks for harms, funders and the like, and some sentence names them."""
    return any(is_of_kind(each.sentence.text, ranking.query.cues) for each in ranking.sentences)


def findings(ranking: SentenceRanking) -> list[RankedSentence]:
    """Sentences that say what was found, the most telling first: for a question that names nothing."""
    return [each for each in central(tuple(each.sentence for each in ranking.sentences)) if _tells(each.sentence)]


def _tells(sentence: Sentence) -> bool:
    is_prose = sentence.length >= SHORT and "|" not in sentence.text and not _POINTS_ON.search(sentence.text)
    return is_prose and sentence.section in TELLING and bears_out(sentence.text, ()) == 1.0


def is_bulleted(prompt: ReadPrompt) -> bool:
    """Whether the answer is a summary with bullets under it."""
    return {"summary", "bullets"} <= {field.name for field in prompt.outputs}


def _span(question: str, best: RankedSentence) -> str:
    """A quantity if the question asks for one, else the clause that adds most to the question's own words."""
    text = compressed(best.sentence.text)
    quantities = [match.group().strip(" .,") for match in _QUANTITY.finditer(text)]
    if quantities and any(cue.is_needed for cue in cues_of(question)):
        return quantities[0]
    clauses = [clause for clause in _CLAUSE.split(text.rstrip(".!? ")) if clause]
    asked = {word.lower() for word in question.split()}
    return max(clauses, key=lambda clause: sum(word.lower() not in asked for word in clause.split()[:12]))


# A text that hardly touches the question still has points to look at; only one that does not is left empty.
MERE_TOUCH = 0.15


def points(prompt: ReadPrompt, field: Field) -> list[str]:
    """The sentences of the text that say most about the question, in the text's words, best first.

    Sentences of numbered passages end with their citation.
    """
    who, habits = roles(prompt), learn(prompt, field.name)
    found = [each for each in source_sentences(who.text_of(prompt.values)) if each.section != "references"]
    ranking = rank(who.question_of(prompt.values), found, habits.sections)
    if ranking.confidence < min(MERE_TOUCH, habits.threshold) and not _names_kind(ranking):
        return []
    chosen = [each.sentence for each in diverse(ranking.sentences, habits.items)]
    return [cited(compressed(each.text), [each.label]) if each.label else each.text for each in chosen]


_MOST_BEFORE_BULLETS = 2
MOST_BULLETS = 6
# How good a further sentence has to be against the best one, without demos that show how many there should be.
BEARS = 0.45


def summary(prompt: ReadPrompt, field: Field) -> str:
    """Up to three sentences in the order of the text; those of numbered passages are cited.

    With ``bullets`` beside it, it is the answer's first sentences instead.
    """
    if is_bulleted(prompt):
        return _quotations(_first(find(prompt, field.name)))
    who, habits = roles(prompt), learn(prompt, field.name)
    sentences = source_sentences(who.text_of(prompt.values))
    question = who.question_of(prompt.values)
    ranked = rank(question, sentences, habits.sections).sentences if question else central(sentences)
    count = min(habits.sentences or MOST_SENTENCES, MOST_SENTENCES)
    chosen = sorted(diverse(ranked, count) or central(sentences)[:count], key=lambda each: each.index)
    return joined([cited(compressed(each.sentence.text), [each.sentence.label]) for each in chosen])


def bullets(prompt: ReadPrompt, field: Field) -> list[str]:
    """Further sentences that bear on the question, none that the summary has; without a summary, points."""
    if not is_bulleted(prompt):
        return points(prompt, field)
    found = find(prompt, "summary")
    if not found.sentences:
        return []
    said, taught = _first(found), _taught(prompt, field)
    if found.is_list:
        return [quotation(each.sentence) for each in found.sentences[len(said) :]]
    count, least = (MOST_BULLETS, BEARS * said[0].score) if taught is None else (min(taught, MOST_BULLETS), 0.0)
    beside = found.ranking.sentences
    if said[0].sentence.section not in PLANNED:
        beside = tuple(each for each in beside if each.sentence.section not in PLANNED)
    further = [each for each in diverse(beside, count + len(said)) if each not in said]
    return [quotation(each.sentence) for each in further[:count] if each.score >= least]


def _taught(prompt: ReadPrompt, field: Field) -> int | None:
    """How many bullets answers have in the middle of the demos, which may be none; None without demos."""
    counts = [len(demo.outputs.get(field.name) or ()) for demo in prompt.demos if demo.outputs.get("summary")]
    return round(median(counts)) if counts else None


def _first(found: FoundAnswer) -> tuple[RankedSentence, ...]:
    return found.sentences[:_MOST_BEFORE_BULLETS]


def _quotations(sentences: Iterable[RankedSentence]) -> str:
    return joined([quotation(each.sentence) for each in sentences])


_SPREAD = re.compile(
    r"\b(?i:p\s?(?:[<>=≤≥]|value)\W*|(?:day|week|month|visit|phase|grade|stage)[\s-]*)$"
    r"|\b(?:CIs?|intervals?|IQR|SDs?|SEM?)\b[^()\[\];]*$"
)
_INTERVAL = re.compile(r"\d+\s?%?,?\s?(?:CIs?\b|confidence|credible)", re.IGNORECASE)
_COUNT = re.compile(
    r"(?<!\bby )\bhow many (?!per\s?cent|times|\w*grams?\b|\w*met(?:er|re)s?\b)|\bnumber of\b", re.IGNORECASE
)
_LENGTH = re.compile(r"\bhow (?:long|many (?:minutes|hours|days|weeks|months|years))\b|\bduration\b", re.IGNORECASE)
_ASKS_CHANGE = re.compile(
    r"\b(?:los[ts]|losing|loss|chang|decreas|reduc|declin|fall|fell|drop|increas|rise|rose|gain)\w*", re.IGNORECASE
)
_ABOUT = r"(?:(?:about|approximately|some|nearly|almost|a mean of|an average of) )?[-+~<>]?\s?"
_CHANGED_BY = re.compile(
    rf"(?:\bby|\b(?:lost|gained|(?:loss|chang|decreas|reduc|declin|fall|drop|increas|rise|gain)\w*"
    rf"(?: (?:of|was|were))?)) {_ABOUT}$",
    re.IGNORECASE,
)
_IS_CHANGE = re.compile(
    r"\s?(?:lower|higher|greater|smaller|less|more|loss|reduction|decrease|decline|drop|increase|gain)\b", re.IGNORECASE
)
_WHERE = re.compile(r"\b(?:in|at|of|on|after|under|using|with) (?P<where>[^?]+)\??$", re.IGNORECASE)
_PART = re.compile(r"[,;]|\b(?:and|but|whereas|while)\b", re.IGNORECASE)
_WANTED_UNIT = re.compile(r"\bin (?P<unit>\S+) if\b")


def quotes(prompt: ReadPrompt, field: Field) -> list[dict[str, Any]]:
    """The sentences that the answer takes over, each with the label of its passage."""
    return [{"passage": each.sentence.label, "quote": each.sentence.text} for each in _sentences(prompt)]


def cell_answer(prompt: ReadPrompt, field: Field) -> str:
    """The answer as any; of a cell of a table, the one sentence that says its value."""
    if any(each.name == "value" for each in prompt.outputs):
        return _quotations(_sentences(prompt))
    return answer(prompt, field)


def cell_label(prompt: ReadPrompt, field: Field) -> Any:  # noqa: ANN401 - one of the field's values, of any JSON type
    """The label of a cell: a direction as of any prompt, else the one that a sentence states, if one does."""
    choices: Sequence[Any] = field.schema["enum"]
    if not _form(prompt) or any(meaning_of(str(each)) in {"more", "less", "same"} for each in choices):
        return label(prompt, field)
    stated = stated_label(_question(prompt), find(prompt, "answer").ranking.sentences, choices)
    return stated[0] if stated else choices[-1]


def value(prompt: ReadPrompt, field: Field) -> str:
    """A number of the sentence where the form asks for one, else the sentence; empty to abstain."""
    text = next((compressed(each.sentence.text) for each in _sentences(prompt)), "")
    return _number(text, _dimension(prompt), _question(prompt)) if _asks_for_number(prompt) else text


def _sentences(prompt: ReadPrompt) -> Sequence[RankedSentence]:
    """What the answer is made of: the best sentence, which says what the value is, or none.

    Where the value is a number, the best that holds one; where it is a direction, the best that reports that one; of
    other labels the best that states one.
    """
    found = find(prompt, "answer")
    if not found.sentences:
        return ()
    if _asks_for_number(prompt):
        dimension, asked = _dimension(prompt), _question(prompt)
        # Of a change the best sentence is often that of another site.
        beside = leading(found.ranking.sentences, MOST_SENTENCES) if _ASKS_CHANGE.search(asked) else found.sentences
        return [each for each in beside if _number(compressed(each.sentence.text), dimension, asked)][:1]
    wanted = next((each for each in prompt.outputs if each.name == "value" and "enum" in each.schema), None)
    if wanted is None:
        return found.sentences[:1]
    said = meaning_of(str(label(prompt, wanted)))
    if said not in {"more", "less", "same"}:
        stated = stated_label(_question(prompt), found.ranking.sentences, wanted.schema["enum"])
        return (stated[1],) if stated else ()
    saying = [each for each in found.ranking.sentences[:VOTERS] if direction_of(each.sentence.text) == said]
    return saying[:1] if saying else found.sentences[:1]


def _asks_for_number(prompt: ReadPrompt) -> bool:
    return _form(prompt).startswith("a number")


def _dimension(prompt: ReadPrompt) -> str | None:
    """Of the unit that is wanted, empty for a count; None for any."""
    wanted = _WANTED_UNIT.search(_form(prompt))
    if wanted is None:
        asked = _question(prompt)
        return "time" if _LENGTH.search(asked) else "" if _COUNT.search(asked) else None
    return UNITS.get(wanted["unit"], (None, 1.0))[0]


def _form(prompt: ReadPrompt) -> str:
    return as_text(prompt.values.get("form", ""))


def _question(prompt: ReadPrompt) -> str:
    return roles(prompt).question_of(prompt.values)


def _number(text: str, dimension: str | None, question: str) -> str:
    """The first number of the dimension, or of any if none is wanted; not one of a name or test.

    A count or a length of time is asked for in so many words, so a share or a dose is not an answer to it. Where a
    change is asked for, a group's own value is not an answer either.
    """
    plain = normalised(text)
    counted = [each for each in quantities(plain) if not _is_beside(plain, each)]
    if dimension not in ("", "time") and _ASKS_CHANGE.search(question):
        wanted = [each for each in counted if each.dimension == dimension] or counted
        changed = _change(plain, wanted, question)
        return text[changed.start : changed.end] if changed else ""
    best = next((each for each in counted if each.dimension == dimension), None)
    if dimension is None:
        best = next(iter(counted), None)
    return text[best.start : best.end] if best else ""


def _change(plain: str, numbers: Sequence[Quantity], question: str) -> Quantity | None:
    """The number that says how much something changed where the question asks; None where it cannot be told apart."""
    asked = _WHERE.search(question)
    where = {term(word) for word in raw_words(asked["where"]) if is_content(word)} - COMMON if asked else set()
    if where and where.isdisjoint(terms(plain)):
        return None
    changes = [each for each in numbers if _CHANGED_BY.search(plain[: each.start]) or _IS_CHANGE.match(plain, each.end)]
    # "By 5 % with zinc and 3 % with iron": what follows a change may be one as well.
    left = [each for each in numbers if not changes or each in changes or each.start > changes[0].start]
    if len(left) > 1 and "respectively" in plain:
        return None
    if len(left) > 1 and changes:
        shared = {each: len(where & {*terms(_part(plain, each))}) for each in left}
        left = [each for each in left if shared[each] == max(shared.values()) > 0]
    return left[0] if len(left) == 1 else None


def _part(plain: str, number: Quantity) -> str:
    """The part of a sentence between conjunctions in which a number stands."""
    start = max((each.end() for each in _PART.finditer(plain, 0, number.start)), default=0)
    following = _PART.search(plain, number.end)
    return plain[start : following.start() if following else len(plain)]


def _is_beside(plain: str, number: Quantity) -> bool:
    """Whether a number names something, or tells when, or how sure another one is."""
    is_spread = _SPREAD.search(plain[: number.start]) or _INTERVAL.match(plain, number.start)
    return number.dimension in LABELS or bool(is_spread)
