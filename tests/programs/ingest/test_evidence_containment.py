"""Evidence that experts marked in 80 trials stands whole in one chunk, or in two neighbours, whatever the policy."""

import json
from functools import cache

import pytest

from programs.ingest import jats
from programs.ingest.chunking import SENTENCES, TOKENS, WORDS, Chunking, chunk
from programs.ingest.document import Document
from tests.benchmarks import BENCHMARKS, needs_benchmarks

pytestmark = pytest.mark.slow

TRIALS = BENCHMARKS / "evidence_inference"
GATE = 0.97


def letters(text: str) -> str:
    """What is left of a text that two renderings of one paper agree on."""
    return "".join(filter(str.isalnum, text)).casefold()


@cache
def paper(pmcid: str) -> Document:
    return jats.read(TRIALS / "nxml" / f"{pmcid}.nxml")


@cache
def passages(pmcid: str, chunking: Chunking) -> list[str]:
    """Letters of every chunk, and of every two neighbours, read together as they stand in the paper."""
    document = paper(pmcid)
    chunks = sorted(chunk(document, chunking), key=lambda each: each.start)
    spans = zip(chunks, [*chunks[1:], chunks[-1]], strict=True)
    return [letters(document.text[first.start : max(first.end, second.end)]) for first, second in spans]


@needs_benchmarks
@pytest.mark.parametrize("chunking", [SENTENCES, WORDS, TOKENS], ids=str)
def test_evidence_stands_whole_in_one_chunk_or_two_neighbours(chunking: Chunking) -> None:
    prompts = [json.loads(line) for line in (TRIALS / "prompts.jsonl").read_text("utf-8").splitlines()]
    marked = sorted({(prompt["pmcid"], each["text"]) for prompt in prompts for each in prompt["evidence"]})
    missing = [
        f"{pmcid}: {text}"
        for pmcid, text, wanted in ((pmcid, text, letters(text)) for pmcid, text in marked)
        if not any(wanted in passage for passage in passages(pmcid, chunking))
    ]
    share = 1 - len(missing) / len(marked)
    assert share >= GATE, f"{share:.4f} of {len(marked)} with {chunking}; missing:\n" + "\n".join(missing)
