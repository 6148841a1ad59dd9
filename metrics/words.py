"""Words of a text, for counting and comparing."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from metrics.support.lexicon import STOP_WORDS, stem, word_set

_WORD = re.compile(r"\d+(?:[.,]\d+)*|[\u3040-\u30ff\u3400-\u9fff]|[^\W\d_\u3040-\u30ff\u3400-\u9fff]+")


def words(text: str) -> list[str]:
    """Words and numbers in lower case; single characters of Chinese and Japanese, which part words by nothing."""
    return _WORD.findall(text.lower())


def inverse_document_frequency(texts: int, holding: int) -> float:
    """ln(1 + (N − n + ½) / (n + ½)): how much it says that a text holds a term which n of N texts hold; above 0.

    Robertson and Spärck Jones's weight as BM25 uses it (Robertson and Zaragoza 2009, doi:10.1561/1500000019), kept
    above 0 by the 1, as in Lucene.
    """
    return math.log(1 + (texts - holding + 0.5) / (holding + 0.5))


_ENGLISH = word_set(
    "the of what which how does did do is are were why where who whether with between after than would should could "
    "have had and by from that not"
)


def question_coverage(question: str, texts: Iterable[str]) -> float:
    """Content words of a question that are in any of some texts / its content words, in [0, 1].

    A diagnostic, and what an answer's confidence and a program's ``least_coverage`` rest on; never an objective, for an
    answer that repeats the question holds all of its words.

    Words are compared by their English stems, each counted once; words of grammar do not count.

    Args:
        question: What was asked.
        texts: An answer and what it quotes.

    Returns:
        1 where nothing can be said to be missing: for a question without a content word, or without one of the words
        that hardly any English question lacks and other languages do not have.
    """
    asked = {stem(word) for word in words(question) if word not in STOP_WORDS}
    if not asked or _ENGLISH.isdisjoint(words(question)):
        return 1.0
    said = {stem(word) for text in texts for word in words(text)}
    return len(asked & said) / len(asked)


def held_shares(question: str, texts: Sequence[str]) -> list[float]:
    """Of each text, how much of the question it holds, in [0, 1]: of the content words that any of them holds.

    Words are compared by their English stems and weighed by ``inverse_document_frequency``; 1 where no text holds any.
    """
    asked = {stem(word) for word in words(question) if word not in STOP_WORDS}
    held = [asked & {stem(word) for word in words(text)} for text in texts]
    counts = Counter(word for each in held for word in each)
    weights = {word: inverse_document_frequency(len(texts), count) for word, count in counts.items()}
    total = math.fsum(weights.values())
    return [math.fsum(weights[word] for word in each) / total if total else 1.0 for each in held]


def missing_words(question: str, texts: Iterable[str]) -> list[str]:
    """Content words of a question that none of some texts holds, in its order, each once.

    Words are compared by their English stems. Single letters and single characters of Chinese and Japanese are left
    out: by themselves they say little. A question that shares no word with the texts and has none of those that hardly
    any English question lacks may be in another language, so nothing is said about it.
    """
    said = {stem(word) for text in texts for word in words(text)}
    asked = dict.fromkeys(word for word in words(question) if word not in STOP_WORDS and len(word) > 1)
    missing = [word for word in asked if stem(word) not in said]
    is_foreign = len(missing) == len(asked) and _ENGLISH.isdisjoint(words(question))
    return [] if is_foreign else missing
