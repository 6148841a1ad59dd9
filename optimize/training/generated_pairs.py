"""Pairs made from unlabelled papers and from trials' findings."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

import yaml

from metrics.sentences import sentences
from optimize.training.labelled_claims import (
    Label,
    Pair,
    nearest,
    plain,
    reported_documents,
    rows,
    scifact_abstracts,
    scifact_reported,
)
from optimize.training.wording import EFFECTS, TrialFinding, any_statement, false_statement, swapped, true_statement

Change = Callable[[str, random.Random], str | None]

_WORDS = yaml.safe_load((files("optimize.training") / "altered.yaml").read_text(encoding="utf-8"))
_ADDED: tuple[str, ...] = tuple(_WORDS["added"])
_HEDGED = (
    (re.compile(r"\b(?:may|might|could|can) (?=[a-z]+\b)"), "will "),
    (re.compile(r"\b(?:suggest|indicate)(s?) that\b"), r"prove\1 that"),
    (re.compile(r"\bsuggested that\b"), "proved that"),
    (re.compile(r"\b(?:possibly|probably|perhaps|presumably|potentially|likely) "), "certainly "),
    (re.compile(r"\b(?:was|were|is|are) associated with\b"), "caused"),
    (re.compile(r"\bsome\b"), "all"),
    (re.compile(r"\bmost\b"), "all"),
    (re.compile(r"\btended to (?=[a-z]+)"), "clearly did "),
)
_FOUND = "difference|effect|association|change|evidence|increase|reduction|correlation"
_DENIED = (
    (re.compile(r"\b(?:did|does|do) not (?=[a-z])"), "clearly did "),
    (re.compile(r"\b(was|were|is|are|has|have|had|can|could) not\b"), r"\1"),
    (re.compile(rf"\b[Nn]o (significant |statistically significant |clear |)({_FOUND})"), r"a \1\2"),
    (re.compile(r"\b[Nn]either\b(.{3,60}?)\bnor\b"), r"both\1and"),
    (re.compile(r"\bwithout\b"), "with"),
)  # fmt: skip
_AUXILIARY = re.compile(
    r"\b(was|were|is|are|has|have|had|can|could|will|would|may|might)\b(?! (?:not|no|never|neither)\b)"
)
_NUMBER = re.compile(r"(?<![\w.\-–,/\[])\d+(?:\.\d+)?(?![\w,/\-–\]]|\.\d)")
_BRACKETS = re.compile(r"\s?[(\[][^()\[\]]*[)\]]")
_OPENING = re.compile(
    r"^(?:[A-Z][a-z]+ly|However|Moreover|In addition|Thus|Therefore|In contrast|Overall|In conclusion|Also|Of note|"
    r"Here|Further),? "
)
_TAIL = re.compile(
    r"(?:, (?:which|whereas|while|although|but|suggesting|indicating|with|and)\b|;| \(|, (?:p|P) ?[<=>])[^;]{6,}$"
)
_LEAD = re.compile(
    r"^((?:In|After|At|During|Among|Within|For|On|By|Under|Over|Compared with|Compared to|When|Because) "
    r"[^,.;()]{6,70}), ([a-z][^;]{25,})\.$"
)
_NAME = re.compile(r"(?<![\w-])(?:[A-Z]{2,}[\w-]*|[A-Z][a-z]+-?\d+[\w-]*|[a-z]+[A-Z]\w+)(?![\w-])")


def _turns() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    same = {word: tuple(others) for word, others in _WORDS["same"].items()}
    other: dict[str, tuple[str, ...]] = {}
    for up, down in _WORDS["directions"]:
        for own, across in ((up, down), (down, up)):
            for word in own:
                same[word] = same.get(word, ()) + tuple(each for each in own if each != word)
                other[word] = other.get(word, ()) + tuple(across)
    return {word: each for word, each in same.items() if each}, other


_ALIKE, _OPPOSITE = _turns()


def one_replaced(
    pattern: re.Pattern[str], sentence: str, generator: random.Random, new: Callable[[re.Match[str]], str]
) -> str | None:
    """The sentence with ``new`` of one match, drawn at random; None where nothing matches or nothing changes."""
    found = list(pattern.finditer(sentence))
    if not found:
        return None
    match = generator.choice(found)
    changed = sentence[: match.start()] + new(match) + sentence[match.end() :]
    return None if changed == sentence else changed


def _first_change(replacements: Sequence[tuple[re.Pattern[str], str]], sentence: str) -> str | None:
    changed = (pattern.sub(new, sentence, count=1) for pattern, new in replacements)
    return next((each for each in changed if each != sentence), None)


def _replacing(words: dict[str, tuple[str, ...]]) -> Change:
    pattern = re.compile(r"\b(" + "|".join(sorted(map(re.escape, words), key=len, reverse=True)) + r")\b")
    return lambda sentence, generator: one_replaced(
        pattern, sentence, generator, lambda match: generator.choice(words[match.group()])
    )


reworded = _replacing(_ALIKE)
"""One word becomes one of the same sense."""
turned = _replacing(_OPPOSITE)
"""One word of direction becomes its opposite."""


def shortened(sentence: str, generator: random.Random) -> str | None:
    """What follows the main clause goes."""
    match = _TAIL.search(sentence, 45)
    return sentence[: match.start()] + "." if match else None


def unbracketed(sentence: str, generator: random.Random) -> str | None:
    """All brackets go with what they hold."""
    changed = _BRACKETS.sub("", sentence)
    return changed if changed != sentence else None


def unopened(sentence: str, generator: random.Random) -> str | None:
    """The adverb that opens the sentence goes."""
    match = _OPENING.match(sentence)
    rest = sentence[match.end() :] if match else ""
    return rest[0].upper() + rest[1:] if rest else None


def reordered(sentence: str, generator: random.Random) -> str | None:
    """The opening phrase moves to the end."""
    match = _LEAD.match(sentence)
    return f"{match[2][0].upper()}{match[2][1:]} {match[1][0].lower()}{match[1][1:]}." if match else None


def denied(sentence: str, generator: random.Random) -> str | None:
    """A negation goes, or, where there is none, comes in."""
    negations = ("not", "not", "never", "no longer")
    return _first_change(_DENIED, sentence) or one_replaced(
        _AUXILIARY, sentence, generator, lambda match: f"{match.group()} {generator.choice(negations)}"
    )


def renumbered(sentence: str, generator: random.Random) -> str | None:
    """One number becomes another of the same kind."""

    def another(match: re.Match[str]) -> str:
        decimals = len(match.group().partition(".")[2])
        value = float(match.group()) * generator.choice((0.5, 0.7, 0.9, 1.1, 1.3, 2.0, 10.0))
        return f"{value + generator.choice((0, 0, 1, 3)) * 10**-decimals:.{decimals}f}"

    return one_replaced(_NUMBER, sentence, generator, another)


def exchanged(sentence: str, generator: random.Random) -> str | None:
    """Two names or two numbers of the sentence change places."""
    for pattern in generator.sample((_NAME, _NUMBER), 2):
        found = list(pattern.finditer(sentence))
        pairs = [(a, b) for a in found for b in found if a.start() < b.start() and a.group() != b.group()]
        if pairs:
            a, b = generator.choice(pairs)
            return sentence[: a.start()] + b.group() + sentence[a.end() : b.start()] + a.group() + sentence[b.end() :]
    return None


def overstated(sentence: str, generator: random.Random) -> str | None:
    """A hedge goes: what may be so is said to be so."""
    return _first_change(generator.sample(_HEDGED, len(_HEDGED)), sentence)


def widened(sentence: str, generator: random.Random) -> str | None:
    """A detail that the sentence does not hold comes in."""
    added = generator.choice(_ADDED)
    return f"{sentence.rstrip('.')} {added}." if added not in sentence and sentence.endswith(".") else None


HARMLESS: Sequence[Change] = (reworded, shortened, unbracketed, unopened, reordered)
FALSE: Sequence[Change] = (turned, turned, denied, denied, renumbered, exchanged)
BEYOND: Sequence[Change] = (overstated, widened)


def copy_of(sentence: str, generator: random.Random) -> str:
    """The sentence with up to three harmless changes, sometimes none."""
    for change in generator.sample(HARMLESS, generator.choice((0, 1, 2, 3))):
        sentence = change(sentence, generator) or sentence
    return sentence


def changed_by(changes: Sequence[Change], sentence: str, generator: random.Random) -> str | None:
    """A copy made false or too wide by one of the changes; None where none of them fits."""
    base = copy_of(sentence, generator)
    found = (change(base, generator) for change in generator.sample(list(changes), len(changes)))
    return next((each for each in found if each is not None), None)


_WORD = re.compile(r"[a-z]{4,}")
SENTENCE = (50, 330)
"""Characters of a sentence that copies are made of."""


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph of a paper."""

    document: str
    text: str


def paragraphs(data: Path) -> list[Text]:
    """Running text to copy sentences from: trials' passages and abstracts, none of a paper that is reported."""
    apart = reported_documents(data)
    found = [
        Text(paper["pmcid"], passage["text"])
        for paper in rows(data / "trials_train" / "papers.jsonl")
        if paper["pmcid"] not in apart
        for passage in paper["passages"]
        if passage["kind"] == "text" and passage["section"] in ("abstract", "results", "discussion", "conclusion")
    ]
    held = scifact_reported(data) | {document.removeprefix("scifact:") for document in apart}
    abstracts = scifact_abstracts(data).items()
    return found + [Text(f"scifact:{key}", " ".join(text)) for key, text in abstracts if key not in held]


def copies(texts: Iterable[Text], generator: random.Random) -> Iterator[Pair]:
    """A true, a false and a too wide copy of a sentence of each text, against it and perhaps its neighbours."""
    for text in texts:
        parts = [text.text[span.start : span.end] for span in sentences(text.text)]
        usable = [at for at, part in enumerate(parts) if SENTENCE[0] <= len(part) <= SENTENCE[1] and part[0].isupper()]
        if len(usable) < 2:
            continue
        at = generator.choice(usable)
        near = [part for part in parts[max(0, at - 1) : at + 2] if len(part) <= SENTENCE[1]]
        premise = " ".join(near) if generator.random() < 0.35 else parts[at]
        false, beyond = changed_by(FALSE, parts[at], generator), changed_by(BEYOND, parts[at], generator)
        claims: list[tuple[str | None, Label]] = [(copy_of(parts[at], generator), "supported")]
        claims += [(false, "contradicted"), (beyond, "unverifiable")]
        other = parts[generator.choice([each for each in usable if each != at])]
        if other not in premise:
            is_altered = generator.random() < 0.4
            claim = changed_by(FALSE, other, generator) if is_altered else copy_of(other, generator)
            claims.append((claim or other, "unverifiable"))
        yield from (Pair(claim, premise, label, "copies", text.document) for claim, label in claims if claim)


def findings(data: Path) -> list[tuple[TrialFinding, str, str]]:
    """Trials' findings with their evidence and paper, none of a paper that is reported."""
    apart = reported_documents(data)
    return [
        (finding_of(row), row["premise"], row["pmcid"])
        for row in rows(data / "claims" / "evidence_inference_v2.jsonl")
        if row["pmcid"] not in apart and row["effect"] in EFFECTS
    ]


def worded(
    found: list[tuple[TrialFinding, str, str]], source: str, generator: random.Random, words: int = 70
) -> Iterator[Pair]:
    """Statements of each finding: true, made false, on another outcome of the paper, against another outcome's text."""
    by_paper: dict[str, list[tuple[TrialFinding, str]]] = {}
    for finding, premise, document in found:
        by_paper.setdefault(document, []).append((finding, premise))
    for finding, premise, document in found:
        true, false = true_statement(finding, generator), false_statement(finding, generator)
        yield Pair(true, nearest(true, premise, words), "supported", source, document)
        yield Pair(false, nearest(false, premise, words), "contradicted", source, document)
        statement = f"{finding.outcome} {premise}"
        others = [each for each, _ in by_paper[document] if not _mentioned(each.outcome, statement)]
        if others:
            moved = replace(finding, outcome=generator.choice(others).outcome)
            moved = swapped(moved) if generator.random() < 0.3 else moved
            claim = any_statement(moved, generator)
            yield Pair(claim, nearest(claim, premise, words), "unverifiable", source, document)


def finding_of(row: dict[str, str]) -> TrialFinding:
    """The finding of a row of Evidence Inference, whose effect must be one of `EFFECTS`."""
    intervention, comparator, outcome = (plain(row[name]) for name in ("intervention", "comparator", "outcome"))
    return TrialFinding(intervention, comparator, outcome, EFFECTS[row["effect"]])


def _mentioned(outcome: str, text: str) -> bool:
    """Whether half of an outcome's words are in a text, so that the text may speak of it."""
    own, there = set(_WORD.findall(outcome.lower())), set(_WORD.findall(text.lower()))
    return not own or len(own & there) / len(own) >= 0.5
