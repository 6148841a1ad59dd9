"""What holds for every claim that is checked; single claims are in ``tests/behaviour/verdicts``."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.perturbations import HARMLESS, KINDS
from metrics.sentences import sentences
from metrics.support import check
from tests.benchmarks import BENCHMARKS, needs_benchmarks

pytestmark = pytest.mark.slow

TEXT = st.text(max_size=300)


@pytest.fixture(scope="module")
def real_sentences() -> list[tuple[str, str]]:
    """(sentence, abstract) pairs of SciFact's corpus."""
    lines = (BENCHMARKS / "scifact" / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [" ".join(json.loads(line)["abstract"]) for line in random.Random(3).sample(lines, 400)]
    pairs = [(text[span.start : span.end], text) for text in texts for span in sentences(text)]
    return [(sentence, text) for sentence, text in pairs if len(sentence) > 40][:2000]


@needs_benchmarks
def test_copied_sentences_are_supported_by_their_own_words(real_sentences):
    found = [(text, check(sentence, [text])) for sentence, text in real_sentences[::4]]
    assert all(result.quote == text[result.start : result.end] for text, result in found)
    supported = sum(result.verdict == "supported" and result.score > 0.99 for _, result in found)
    assert supported >= 0.995 * len(found)


@needs_benchmarks
@pytest.mark.parametrize(
    ("kind", "at_least"),
    [
        *((kind, 0.95) for kind in ("number changed", "unit changed", "direction flipped", "negation inserted")),
        *((kind, 0.9) for kind in ("negation removed", "name from elsewhere", "two names swapped")),
        *((kind, 0.95) for kind in HARMLESS if kind not in ("brackets dropped", "half of the sentence")),
    ],
)
def test_small_changes_of_meaning_are_seen_and_harmless_ones_stay_supported(real_sentences, kind, at_least):
    generator, change = random.Random(4), {**KINDS, **HARMLESS}[kind]
    changed = [(change(sentence, text, generator), text) for sentence, text in real_sentences]
    cases = [(new, text) for new, text in changed if new is not None and (kind in HARMLESS or new not in text)][:100]
    seen = sum((check(new, [text]).verdict == "supported") == (kind in HARMLESS) for new, text in cases)
    assert len(cases) >= (20 if kind in HARMLESS else 50)
    assert seen >= at_least * len(cases)


@settings(max_examples=60, deadline=None)
@given(claim=TEXT, passages=st.lists(TEXT, max_size=4), question=TEXT)
def test_any_text_gives_a_verdict_with_its_quote(claim, passages, question):
    found = check(claim, passages, question)
    assert 0.0 <= found.score <= 1.0
    if found.passage is None:
        assert (found.quote, found.start, found.end, found.verdict) == ("", 0, 0, "unverifiable")
    else:
        assert found.quote == passages[found.passage][found.start : found.end]
    assert check(claim, passages, question) == found
