"""The sentences that an answer can be made of, each with where it stands.

From a paper: sections by their headings. From numbered passages: ``[2] (results) Femur density fell.`` (see
``signatures.passages``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from metrics.sentences import sentences
from programs.ingest.sections import classify
from programs.lm.extractive.words import terms

# A heading as a line of its own: no full stop, few words.
_HEADING_WORDS = 10
# A heading that runs on into its text: "RESULTS: Of 40 mice …", "Conclusions: Growth …".
_RUN_IN = re.compile(r"(?P<heading>[A-Z][A-Z ,&/()-]{3,60}|[A-Z][a-z]+(?: (?:and )?[A-Za-z]+)?)::? (?=\S)")
_LINE = re.compile(r"^\[(?P<label>[^\[\]\s]{1,40})\] (?:\((?P<section>[a-z]+(?: [a-z]+)?)\) )?(?P<text>\S.*)$")
_LABEL = re.compile(r"\[([^\[\]\s]{1,40})\]")
_TITLE = re.compile(r"^(?P<labels>(?:\[[^\[\]\s]{1,40}\])+) (?P<title>\S.*?)(?: \(\d{4}\))?$")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an input.

    Attributes:
        text: As printed, on one line.
        label: Number or id of its passage; empty in a paper.
        section: Kind of its section, such as ``results``; empty when unknown.
        terms: Its stemmed words.
        length: How many words it has.
    """

    text: str
    label: str = ""
    section: str = ""
    terms: frozenset[str] = frozenset()
    length: int = 0


@dataclass(frozen=True, slots=True)
class PromptPassage:
    """A numbered passage of a prompt; ``label`` is its number or id as printed."""

    label: str
    section: str
    text: str


# Optimizers show the same papers and demos in prompt after prompt; a paper of 10,000 words takes some 1 MB here.
@lru_cache(maxsize=64)
def source_sentences(text: str) -> tuple[Sentence, ...]:
    """Sentences of numbered passages if the text opens with one, else of running text with headings."""
    numbered = passages(text)
    return tuple(_of_passages(numbered) if numbered else _of_paper(text))


def passages(text: str) -> tuple[PromptPassage, ...]:
    """The numbered passages of a prompt; none if the text does not open with one."""
    found: list[PromptPassage] = []
    for line in text.strip().splitlines():
        if match := _LINE.match(line):
            found.append(PromptPassage(match["label"], match["section"] or "", match["text"]))
        elif not found:
            return ()
        elif line[:1].isspace() and line.strip():
            found[-1] = replace(found[-1], text=f"{found[-1].text}\n\n{line.strip()}")
    return tuple(found)


def titles(text: str) -> dict[str, str]:
    """Titles of papers by the labels of their passages, from lines as ``[1][4] Bone loss in flight mice (2014)``."""
    found = [match for line in text.strip().splitlines() if (match := _TITLE.match(line))]
    return {label: match["title"] for match in found for label in _LABEL.findall(match["labels"])}


def _of_passages(numbered: tuple[PromptPassage, ...]) -> Iterator[Sentence]:
    for passage in numbered:
        for span in sentences(passage.text):
            yield _sentence(passage.text[span.start : span.end], passage.label, passage.section)


def _sentence(text: str, label: str, section: str) -> Sentence:
    words = terms(text)
    return Sentence(text, label, section, frozenset(words), len(words))


def _of_paper(text: str) -> Iterator[Sentence]:
    section = ""
    for span in sentences(text):
        heading, sentence = _parted(" ".join(text[span.start : span.end].split()))
        if heading:
            kind = classify(heading)
            section = kind if kind != "other" else section
        if sentence:
            yield _sentence(sentence, "", section)


def _parted(sentence: str) -> tuple[str, str]:
    """A heading, and the sentence that it runs into; either may be empty."""
    if _is_heading(sentence):
        return sentence.lstrip("# ").rstrip(":"), ""
    match = _RUN_IN.match(sentence)
    if match and (match["heading"].isupper() or classify(match["heading"]) != "other"):
        return match["heading"], sentence[match.end() :]
    return "", sentence


def _is_heading(line: str) -> bool:
    if len(line) > 100 or line[-1] in ".?!;,":
        return False
    return len(line.split()) <= _HEADING_WORDS and (line[0] == "#" or line[0].isupper() or line[0].isdigit())
