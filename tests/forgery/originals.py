"""True answers to forge: sentences of the bundled papers, cited and certified, as ``ask`` saves them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metrics.sentences import sentences
from programs.ingest.document import NOT_EVIDENCE, Document
from programs.ingest.reader import read
from programs.passages import Passage
from programs.proof import CitedAnswer
from programs.proof.proving import ModelProof
from programs.results.rendering import as_json
from programs.results.result import result
from programs.verification import Verified

PAPERS = Path("datasets/space_biology/papers")
_FEWEST_WORDS, _MOST_WORDS = 9, 40


@dataclass(frozen=True)
class Original:
    """A true answer.

    Attributes:
        paper: The paper it is of.
        passages: What it cites.
        sentences: Its sentences with their citations, each a sentence of the paper.
        by_model: Whether a language model proved them; else the checker did.
    """

    paper: Document
    passages: tuple[Passage, ...]
    sentences: tuple[str, ...]
    by_model: bool

    def saved(self, *sentences: str, proved: Mapping[str, str] | None = None) -> dict[str, Any]:
        """What a file holds, all of it made anew for these sentences.

        Args:
            *sentences: Of the answer; by default its own.
            proved: For statements that differ from the paper, what a model is said to have quoted for them.
        """
        text = " ".join(sentences or self.sentences)
        proofs = [
            ModelProof(statement, "proved", (("1", quote),), "", "ollama/gpt-oss")
            for statement, quote in (proved or {}).items()
        ]
        made = result("What was found?", Verified(CitedAnswer(text, self.passages), proofs=tuple(proofs)))
        saved: dict[str, Any] = json.loads(json.dumps(as_json(made)))
        return saved


def originals(papers: int, quoted: bool = False, by_model: bool = False) -> Iterator[Original]:
    """Two sentences of each section of results of the first papers.

    Args:
        papers: How many.
        quoted: Whether the sentences stand in quotation marks.
        by_model: See `Original`.
    """
    for path in sorted(PAPERS.glob("*.*"))[:papers]:
        paper = read(path)
        for section in paper.sections:
            text = paper.text[section.start : section.end]
            if section.kind in NOT_EVIDENCE or section.kind not in ("results", "abstract"):
                continue
            spans = [each for each in sentences(text) if _fits(text[each.start : each.end])][:4]
            if len(spans) < 2:
                continue
            name = f"{paper.id}::{section.start}-{section.end}"
            passage = Passage.of(
                paper, section.start, section.end, id=name, section=section.kind, heading=section.heading
            )
            said = tuple(_cited(text[each.start : each.end], quoted) for each in spans)
            yield Original(paper, (passage,), said, by_model)


def _fits(sentence: str) -> bool:
    return _FEWEST_WORDS <= len(sentence.split()) <= _MOST_WORDS and sentence.endswith(".") and "\n" not in sentence


def _cited(sentence: str, quoted: bool) -> str:
    return f"“{sentence[:-1]}” [1]." if quoted else f"{sentence[:-1]} [1]."
