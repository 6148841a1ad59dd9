"""Words of an answer against the words of reference answers: exact match and token F1.

Both are SQuAD's (Rajpurkar et al. 2016, arXiv:1606.05250): lower case, no punctuation, no English articles, maximum
over the references. Two things differ. A decimal point stays, since 1.24 is not 12.4. Chinese and Japanese, written
without spaces, are compared character by character, as MLQA does (Lewis et al. 2020, arXiv:1910.07475).
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Sequence

from metrics.fields import read_texts
from metrics.optimizer_calls import for_optimizers
from metrics.outcome import answer_of, is_answerable, outcome
from metrics.passages import citable_ids, passages_of
from metrics.score import Score
from signatures import citation_markers

_ARTICLES = frozenset({"a", "an", "the"})
_DECIMAL_POINT = re.compile(r"(?<=\d)\.(?=\d)")
# Han with its extensions, Hiragana and Katakana; Hangul parts words by spaces.
_UNSPACED = re.compile(r"[\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]")
_KEPT_POINT = "\ue000"


def tokens(text: str) -> list[str]:
    """Words of a text in SQuAD's normal form; characters where a script has no spaces."""
    marked = _DECIMAL_POINT.sub(_KEPT_POINT, unicodedata.normalize("NFC", text).lower())
    bare = "".join("" if _is_punctuation(character) else character for character in marked)
    spaced = _UNSPACED.sub(lambda match: f" {match.group()} ", bare.replace(_KEPT_POINT, "."))
    return [word for word in spaced.split() if word not in _ARTICLES]


@for_optimizers
def exact_match(example: object, prediction: object) -> Score:
    """1 if the answer equals a reference in normal form, else 0."""
    answer, references, undefined = _compared(example, prediction)
    if undefined is not None:
        return undefined
    if any(tokens(answer) == tokens(reference) for reference in references):
        return Score(1.0)
    return Score(0.0, f'expected "{references[0]}", got "{answer}"')


@for_optimizers
def token_f1(example: object, prediction: object) -> Score:
    """Harmonic mean of the shares of words that answer and reference have in common, with the best reference."""
    answer, references, undefined = _compared(example, prediction)
    if undefined is not None:
        return undefined
    value, reference = max(((_f1(tokens(answer), tokens(each)), each) for each in references), key=lambda pair: pair[0])
    return Score(value, "" if value == 1 else f'expected "{reference}", got "{answer}"')


def _compared(example: object, prediction: object) -> tuple[str, tuple[str, ...], Score | None]:
    """The answer without citations, the references, and the score when there is nothing to compare."""
    references = read_texts(example, "answers", "answer")
    if not is_answerable(example) or not references:
        return "", (), Score.not_applicable("the example has no reference answer")
    found = outcome(prediction)
    if found == "failed":
        return "", references, Score.failed()
    if found == "abstained":
        return "", references, Score.abstained(f'the program abstained, expected "{references[0]}"', value=0.0)
    return citation_markers.strip(answer_of(prediction), citable_ids(passages_of(prediction)) or None), references, None


def _f1(answer: Sequence[str], reference: Sequence[str]) -> float:
    if not answer or not reference:
        return float(answer == reference)
    common = sum((Counter(answer) & Counter(reference)).values())
    return 2 * common / (len(answer) + len(reference))


def _is_punctuation(character: str) -> bool:
    return character in string.punctuation or unicodedata.category(character).startswith("P")
