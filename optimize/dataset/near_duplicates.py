"""Questions and papers that are almost the same, and test text in a compiled program: leaks between splits."""

from __future__ import annotations

import math
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Any

from pydantic import BaseModel

from metrics.words import words
from optimize.dataset.example import Example
from programs.program import Program

SIMILAR = 0.8
"""Jaccard similarity of word sets. In the bundled set, written apart, no pair of splits exceeds 0.35."""

SAME_TEXT = 0.4
"""Share of the shorter paper's shingles that stand in the other. Among 80 trials, 20 papers on language and 1,159
abstracts no two share more than 0.06; a paper and its next version share most."""
_SHINGLE = 8
"""Words in a row; fewer are shared by chance."""
_SAMPLED = 4
"""One shingle of so many is compared, chosen by its first word, so that the same are chosen in every paper (after
Broder 1997, doi:10.1109/SEQUEN.1997.666900)."""
_FEWEST = 4
"""Shingles in common that can be no chance; texts of fewer than some 20 words are not compared."""
_BOILERPLATE = 20
"""A shingle of more papers than this is a licence or a publisher's form."""


def near_duplicates(texts: Sequence[tuple[str, str]], similar: float = SIMILAR) -> Iterator[tuple[int, int]]:
    """Pairs of texts of different groups whose words are almost the same.

    Only pairs that share one of their rarest words are compared (prefix filtering, Bayardo et al. 2007,
    doi:10.1145/1242572.1242591), so that time grows with the pairs that are alike, not with all pairs.

    Args:
        texts: Pairs of group and text.
        similar: Jaccard similarity in (0, 1] from which two texts count as the same.

    Yields:
        Places of both, the smaller one first, each pair once.
    """
    bags = [frozenset(words(text)) for _, text in texts]
    frequency = Counter(word for bag in bags for word in bag)
    sharing: dict[str, list[int]] = defaultdict(list)
    for place, bag in enumerate(bags):
        rarest = sorted(bag, key=lambda word: (frequency[word], word))
        for word in rarest[: len(bag) - math.ceil(similar * len(bag)) + 1]:
            sharing[word].append(place)
    pairs = {pair for places in sharing.values() for pair in combinations(places, 2)}
    for first, second in sorted(pairs):
        if texts[first][0] != texts[second][0] and _jaccard(bags[first], bags[second]) >= similar:
            yield first, second


def same_papers(papers: Mapping[str, str], similar: float = SAME_TEXT) -> Iterator[tuple[str, str]]:
    """Pairs of papers that are almost the same text: copies, versions, and a paper with its own abstract.

    Args:
        papers: Texts by name.
        similar: Share of shingles in (0, 1] from which two papers count as the same.

    Yields:
        Names of both, in the order of ``papers``, each pair once.
    """
    shingles = {name: _shingles(text) for name, text in papers.items()}
    seen: set[int] = set()
    holding: dict[int, list[str]] = {}
    for found in shingles.values():
        holding.update((shingle, []) for shingle in found & seen)
        seen |= found
    for name, found in shingles.items():
        for shingle in found & holding.keys():
            holding[shingle].append(name)
    telling = (names for names in holding.values() if len(names) <= _BOILERPLATE)
    common = Counter(pair for names in telling for pair in combinations(names, 2))
    for (first, second), number in common.items():
        if number >= max(_FEWEST, similar * min(len(shingles[first]), len(shingles[second]))):
            yield first, second


def _shingles(text: str) -> frozenset[int]:
    """Hashes of a sample of a text's runs of words."""
    found = words(text)
    starts = (start for start in range(len(found) - _SHINGLE + 1) if _is_sampled(found[start]))
    return frozenset(hash(tuple(found[start : start + _SHINGLE])) for start in starts)


@cache
def _is_sampled(word: str) -> bool:
    return zlib.crc32(word.encode()) % _SAMPLED == 0


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 0.0


_SHORTEST = 6
"""Words; fewer stand in any paper by chance."""


def leaked(program: Program[Any], examples: Sequence[Example]) -> Iterator[str]:
    """Questions, answers, facts and gold quotes of examples that stand in a program's prompts or demos.

    Case, punctuation and spacing do not hide a text.

    Yields:
        The example's id and the text.
    """
    shown = " ".join(_folded(text) for _, predictor in program.named_predictors() for text in _texts_of(predictor))
    for example in examples:
        quotes = (each.quote for each in example.evidence)
        for text in (example.question, example.answer, *example.answers, *example.nuggets, *quotes):
            folded = _folded(text)
            if folded.count(" ") > _SHORTEST and folded in shown:
                yield f"{example.id}: {text[:80]!r}"


def _texts_of(predictor: Any) -> Iterator[str]:  # noqa: ANN401 - a dspy.Predict
    yield predictor.signature.instructions
    for field in predictor.signature.fields.values():
        yield from _strings(field.json_schema_extra or {})
    for demo in predictor.demos:
        yield from _strings(demo.toDict() if hasattr(demo, "toDict") else demo)


def _strings(value: object) -> Iterator[str]:
    """The texts in a value, each as it is: ``str`` of a list would escape a no-break space."""
    if isinstance(value, Mapping):
        yield from _strings(list(value.values()))
    elif isinstance(value, list | tuple | set | frozenset):
        for each in value:
            yield from _strings(each)
    elif isinstance(value, BaseModel):
        yield from _strings(value.model_dump())
    else:
        yield str(value)


def _folded(text: str) -> str:
    return f" {' '.join(words(text))} "
