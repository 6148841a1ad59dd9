"""Answers of quoted sentences from numbered evidence, which names each by its number.

The evidence is read as it is written for every model (``programs.passages.numbered_sentences``): a line for a paper, a
line for a section of it, and its sentences behind their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from programs.lm.extractive.answering import MOST_BEFORE_BULLETS, MOST_SENTENCES, Found, find, further
from programs.lm.extractive.relevance import RankedSentence, central, diverse, rank
from programs.lm.extractive.sources import Call, Sentence, quoted, source_sentences
from signatures.evidence import WrittenSentence

_SENTENCE = re.compile(r"\((?P<number>\d+)\) (?P<text>.*)")
_SECTION = re.compile(r"\[(?P<section>[a-z]+(?: [a-z]+)?)\](?: (?P<heading>.*))?")


@dataclass(frozen=True, slots=True)
class Numbered:
    """Numbered evidence as passages: of each section of a paper one, under the number of its first sentence."""

    passages: str
    papers: str
    numbers: dict[str, tuple[tuple[str, int], ...]]

    @classmethod
    def of(cls, evidence: str) -> Numbered:
        """Read what a prompt shows."""
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
    evidence = Numbered.of(call.text("evidence"))
    found = _found(evidence, call)
    return {"answerable": bool(found.sentences), "answer": written(evidence, found.sentences)}


def answer_with_bullets(call: Call) -> dict[str, Any]:
    """The best sentences as the answer, further ones as bullets."""
    evidence = Numbered.of(call.text("evidence"))
    found = _found(evidence, call)
    said = found.sentences[:MOST_BEFORE_BULLETS]
    if not found.sentences or found.is_list:
        more = found.sentences[MOST_BEFORE_BULLETS:]
    else:
        more = tuple(further(found, said, call.taught("bullets", beside="answer")))
    bullets = written(evidence, more)
    return {"answerable": bool(found.sentences), "answer": written(evidence, said), "bullets": bullets}


def selected(call: Call) -> dict[str, Any]:
    """The numbers of the sentences that say most about the question, the best first."""
    evidence = Numbered.of(call.text("evidence"))
    sentences = source_sentences(evidence.passages)
    ranked, count = rank(call.text("question"), sentences).sentences, call.taught("numbers") or MOST_SENTENCES
    chosen = diverse(ranked, count) or central(sentences)[:count]
    return {"numbers": list(dict.fromkeys(evidence.number_of(each.sentence) for each in chosen))}


def _found(evidence: Numbered, call: Call) -> Found:
    inputs = {"passages": evidence.passages, "papers": evidence.papers, "question": call.text("question")}
    return find(replace(call, inputs=inputs), call.taught("answer"))


def written(evidence: Numbered, chosen: Iterable[RankedSentence]) -> list[WrittenSentence]:
    """Quotations of sentences, each with its number."""
    texts = (each.sentence for each in chosen)
    return [WrittenSentence(text=quoted(each.text, ()), evidence=(evidence.number_of(each),)) for each in texts]
