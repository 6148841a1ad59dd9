"""What the baseline says of written sentences: nothing that the checker does not say; what is refused is left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from metrics.sentences import sentences
from programs.lm.extractive.sources import Call, without_citations
from signatures.values import SentenceProof

_BULLET = re.compile(r"(?:[-*•]|\d{1,2}[.)])[ \t]+")
_NUMBERED = re.compile(r"^\s*(\d+)\. ", re.MULTILINE)


def proofs(call: Call) -> dict[str, Any]:
    """An entry without quotes for each sentence: where no model proves it, the checker looks for its quote."""
    numbers = map(int, _NUMBERED.findall(call.text("sentences")))
    return {"proofs": [SentenceProof(number=number, verdict="not proved") for number in numbers]}


def without_claims(call: Call) -> dict[str, Any]:
    """The answer without the sentences that were refused."""
    refused = [_plain(each.claim) for each in call.inputs.get("unsupported_claims") or ()]
    kept, layout = "", ""
    for before, sentence in _laid_out(call.text("answer")):
        plain = _plain(sentence)
        if any(claim and (claim in plain or plain in claim) for claim in refused):
            layout = (layout + before).rpartition("\n")[0]  # the bullet goes with its sentence
        else:
            kept, layout = f"{kept}{layout}{before}{sentence}", ""
    return {"fixed_answer": kept.strip()}


def _laid_out(answer: str) -> Iterator[tuple[str, str]]:
    """Every sentence with what is before it: spaces, line breaks and the bullet of a list."""
    position = 0
    for span in sentences(answer):
        bullet = _BULLET.match(answer, span.start, span.end)
        start = bullet.end() if bullet else span.start
        yield answer[position:start], answer[start : span.end]
        position = span.end


def _plain(text: str) -> str:
    return re.sub(r"\W+", " ", without_citations(text)).strip().lower()
