"""A call of a predictor as values, and the sentences that an answer can be made of.

From a paper: sections by their headings. From passages (``signatures.passages``): ``[2] (results) Density fell.`` From
numbered evidence (``programs.passages.numbered_sentences``): a line for a paper, a line for a section of it, and
sentences behind their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import median
from typing import Any

import dspy

from metrics.printed_citations import without_apparatus
from metrics.sentences import sentence_texts
from programs.ingest.line_shapes import classify
from programs.lm.extractive.weighted_terms import terms
from signatures import citation_markers
from signatures.passages import as_data

# A heading as its own line: no full stop, few words.
_HEADING_WORDS = 10
# A heading that runs on into its text: "RESULTS: Of 40 mice …", "Conclusions: Growth …".
_RUN_IN = re.compile(r"(?P<heading>[A-Z][A-Z ,&/()-]{3,60}|[A-Z][a-z]+(?: (?:and )?[A-Za-z]+)?)::? (?=\S)")
_LINE = re.compile(r"^\[(?P<label>[^\[\]\s]{1,40})\] (?:\((?P<section>[a-z]+(?: [a-z]+)?)\) )?(?P<text>\S.*)$")
_NUMBERED = re.compile(r"\((?P<number>\d+)\) (?P<text>.*)")
_PLACE = re.compile(r"\[(?P<section>[a-z]+(?: [a-z]+)?)\](?: (?P<heading>.*))?")
_PAPER = re.compile(r"Paper: (?P<title>\S.*?)(?: \(\d{4}\))?")


@dataclass(frozen=True, slots=True)
class Call:
    """What a predictor asks: a signature, values of its inputs, and demonstrations, of which fields may be missing."""

    signature: type[dspy.Signature]
    inputs: Mapping[str, Any]
    demos: tuple[Mapping[str, Any], ...] = ()

    def text(self, name: str) -> str:
        """An input in words; empty where it was not given."""
        value = self.inputs.get(name)
        return value if isinstance(value, str) else "" if value is None else str(value)

    def taught(self, name: str, beside: str = "") -> int | None:
        """How many sentences, or items, demonstrations give in an output, in the middle; None where none does.

        Those count that give something in it, or in the output beside it.
        """
        given = [demo.get(name) or "" for demo in self.demos if demo.get(beside or name)]
        counts = [len(each if isinstance(each, list) else sentence_texts(str(each))) for each in given]
        return round(median(counts)) if counts else None


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an input."""

    text: str  # as printed, on one line
    label: str = ""  # number or id of its passage; empty in a paper
    section: str = ""  # Kind of its section, such as ``results``; empty when unknown
    terms: frozenset[str] = frozenset()  # its stemmed words
    length: int = 0  # how many words it has
    number: int = 0  # its own number, in numbered evidence


@dataclass(frozen=True, slots=True)
class PromptPassage:
    """A passage of a prompt; ``label`` is its number or id as printed."""

    label: str
    section: str
    text: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """Numbered sentences, and as passages what is of one section of a paper, under the number of its first sentence.

    ``titles`` are those of the papers, by the labels of their passages.
    """

    passages: tuple[PromptPassage, ...]
    sentences: tuple[Sentence, ...]
    titles: Mapping[str, str]

    @property
    def texts(self) -> list[str]:
        """Those of the passages."""
        return [each.text for each in self.passages]


# Optimizers show the same papers and demos in prompt after prompt; a paper of 10,000 words takes some 1 MB here.
@lru_cache(maxsize=64)
def numbered_evidence(shown: str) -> Evidence:
    """Read numbered evidence as a prompt shows it."""
    texts: dict[tuple[str, str], list[str]] = {}
    sentences: list[Sentence] = []
    titles: dict[str, str] = {}
    title, section, heading, label = "", "other", "", ""
    for line in shown.splitlines():
        if found := _NUMBERED.fullmatch(line):
            if not label:
                label = found["number"]
                texts[label, section] = [heading] if heading else []
                titles |= {label: title} if title else {}
            texts[label, section].append(found["text"])
            sentences.append(_sentence(found["text"], label, section, int(found["number"])))
            continue
        label = ""
        if place := _PLACE.fullmatch(line):
            section = place["section"].removeprefix("abstract ")
            heading = (place["heading"] or "") if "|" in line else ""  # columns name what is in the rows
        elif paper := _PAPER.fullmatch(line):
            title = paper["title"]
    passages = tuple(PromptPassage(*place, "\n\n".join(said)) for place, said in texts.items())
    return Evidence(passages, tuple(sentences), titles)


@lru_cache(maxsize=64)
def source_sentences(text: str) -> tuple[Sentence, ...]:
    """Sentences of passages under labels if the text opens with one, else of running text with headings."""
    labelled = passages(text)
    if not labelled:
        return tuple(_of_paper(text))
    return tuple(_sentence(said, each.label, each.section) for each in labelled for said in sentence_texts(each.text))


def passages(text: str) -> tuple[PromptPassage, ...]:
    """The passages of a prompt; none if the text does not open with one."""
    found: list[PromptPassage] = []
    for line in text.strip().splitlines():
        if match := _LINE.match(line):
            section = (match["section"] or "").removeprefix("abstract ")
            found.append(PromptPassage(match["label"], section, match["text"]))
        elif not found:
            return ()
        elif line[:1].isspace() and line.strip():
            found[-1] = replace(found[-1], text=f"{found[-1].text}\n\n{line.strip()}")
    return tuple(found)


def _sentence(text: str, label: str, section: str, number: int = 0) -> Sentence:
    words = terms(text)
    return Sentence(text, label, section, frozenset(words), len(words), number)


def _of_paper(text: str) -> Iterator[Sentence]:
    section = ""
    for said in sentence_texts(text):
        heading, sentence = _parted(" ".join(said.split()))
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


_HEADED = re.compile(r"^(?:[A-Z][A-Z &]{3,40}:+|\(\d\)|[-*•]|(?i:fig(?:ure)?|table)\.?[ -]S?\d+[A-Za-z]?[.:]) ")
_QUOTES = re.compile(r"[“”„]")
_END = re.compile(r"[.!?。]+[\"'”’)]*$")


def compressed(sentence: str) -> str:
    """A sentence without citation marks, figure callouts and a heading before it."""
    text = citation_markers.strip(as_data(" ".join(sentence.split())))
    text = re.sub(r"\s+([.,;])", r"\1", _HEADED.sub("", without_apparatus(text)))
    return text[:1].upper() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


def quoted(sentence: str, label: str = "") -> str:
    """A sentence of a passage as a quotation, cited by its label: “Growth slowed” [1].

    Extraction copies, so it says that it does. Where it leaves out printed citations and callouts in the middle, the
    answer has the sign that something is missing (``written_sentences``).
    """
    text = compressed(sentence)
    end = _END.search(text)
    body = _QUOTES.sub("'", text[: end.start()] if end else text.rstrip(" ,;:"))  # a mark inside would end it
    return f"“{body}” [{label}]." if label else f"“{body}”."
