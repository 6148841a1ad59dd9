"""Answers of quoted sentences from numbered evidence, which names each by its number.

The evidence is read as it is written for every model (``programs.passages.numbered_sentences``): a line for a paper, a
line for a section of it, and its sentences behind their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from programs.lm.extractive.answering import MOST_BEFORE_BULLETS, Found, find, further
from programs.lm.extractive.sources import Call, Sentence, quoted
from signatures.evidence import WrittenSentence

_SENTENCE = re.compile(r"\((?P<number>\d+)\) (?P<text>.*)")
_SECTION = re.compile(r"\[(?P<section>[a-z]+(?: [a-z]+)?)\](?: (?P<heading>.*))?")


@dataclass(frozen=True, slots=True)
class _Numbered:
    """Numbered evidence as passages: of each section of a paper one, under the number of its first sentence."""

    passages: str
    papers: str
    numbers: dict[str, tuple[tuple[str, int], ...]]

    @classmethod
    def of(cls, evidence: str) -> _Numbered:
        parts: list[str] = []
        papers: dict[str, list[str]] = {}
        numbers: dict[str, list[tuple[str, int]]] = {}
        paper, section, heading, label = "", "other", "", ""
        for line in evidence.splitlines():
            if sentence := _SENTENCE.fullmatch(line):
                text = sentence["text"]
                if label:
                    parts.append(f"  {text}")
                else:
                    label = sentence["number"]
                    papers.setdefault(paper, []).append(label)
                    parts.append(f"[{label}] ({section}) " + (f"{heading}\n  {text}" if heading else text))
                numbers.setdefault(label, []).append((text, int(sentence["number"])))
                continue
            label = ""
            if place := _SECTION.fullmatch(line):
                section, heading = place["section"], (place["heading"] or "") if "|" in line else ""
            elif line.startswith("Paper: "):
                paper = line.removeprefix("Paper: ").strip()
        titled = [f"{''.join(f'[{each}]' for each in labels)} {title}" for title, labels in papers.items()]
        return cls("\n".join(parts), "\n".join(titled), {name: tuple(found) for name, found in numbers.items()})

    def number_of(self, sentence: Sentence) -> int:
        """The number of the sentence that holds this one; of its passage's first where none does."""
        own = self.numbers[sentence.label]
        wanted = " ".join(sentence.text.split())
        return next((number for text, number in own if wanted in text or text in wanted), own[0][1])


def answer(call: Call) -> dict[str, Any]:
    """The sentences that answer the question best, quoted; none to abstain."""
    evidence = _Numbered.of(call.text("evidence"))
    found = _found(call, evidence, "answer")
    return {"answerable": bool(found.sentences), "answer": _written(evidence, found)}


def answer_with_bullets(call: Call) -> dict[str, Any]:
    """The best sentences as the answer, further ones as bullets."""
    evidence = _Numbered.of(call.text("evidence"))
    found = _found(call, evidence, "answer")
    said = replace(found, sentences=found.sentences[:MOST_BEFORE_BULLETS])
    if not found.sentences or found.is_list:
        more = found.sentences[MOST_BEFORE_BULLETS:]
    else:
        more = tuple(further(found, said.sentences, call.taught("bullets", beside="answer")))
    bullets = _written(evidence, replace(found, sentences=more))
    return {"answerable": bool(found.sentences), "answer": _written(evidence, said), "bullets": bullets}


def _found(call: Call, evidence: _Numbered, field: str) -> Found:
    inputs = {"passages": evidence.passages, "papers": evidence.papers, "question": call.text("question")}
    return find(replace(call, inputs=inputs), call.taught(field))


def _written(evidence: _Numbered, found: Found) -> list[WrittenSentence]:
    chosen: Iterable[Sentence] = (each.sentence for each in found.sentences)
    return [WrittenSentence(text=quoted(each.text, ()), evidence=(evidence.number_of(each),)) for each in chosen]
