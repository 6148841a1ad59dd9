"""Whether it is seen that passages hold no answer: each question with its paper, and without it.

    python -m bench.silence --fit       # the curve of extractive/answer_probability.py, from tuning questions
    python -m bench.silence             # AUROC, and risk by coverage, on questions that nothing was tuned on

Tuned on prompts about trials that the learned order was not trained on, half of them in other wordings, and on 60
questions in a reader's words (``bench.natural_questions``); reported on 224 prompts about 80 other trials. A prompt is
asked of the collection and of its paper, and then of all others and of the other paper that shares most words with it;
the eight passages that the order puts first are read. Intervals resample papers.
"""

from __future__ import annotations

import argparse
import itertools
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from bench import natural_questions
from bench.corpora import trials
from bench.intervals import resampled
from bench.pdf_against_jats import indexed
from optimize.training import ranking_lists
from optimize.training.ranking_lists import JudgedCollection, ListedPassage, Need
from programs.ingest.chunking import WORDS, chunk
from programs.lm.extractive.answer_probability import (
    LEAST,
    answerability,
    is_unmentioned,
    mentioned_share,
    passage_probabilities,
)
from programs.lm.extractive.relevance import rank
from programs.lm.extractive.sources import passages, source_sentences
from programs.models.order import LearnedOrder
from programs.registry import load
from signatures.passages import numbered
from tests.benchmarks import BENCHMARKS

SHOWN = 8
ORDER = LearnedOrder()


@dataclass(frozen=True)
class Asked:
    """A question with passages: what is seen of it, and whether its paper is among them."""

    scope: str
    document: str
    has_paper: bool
    spoken: float
    best: float
    answerability: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fit", action="store_true", help="fit the curve instead of reporting")
    if parser.parse_args().fit:
        fit([*asked(ranking_lists.trials(BENCHMARKS, dev=True), other_words=True), *in_own_words()])
    else:
        report(list(asked(reported())))


def reported() -> JudgedCollection:
    """The 80 trials that nothing was trained or tuned on."""
    task = trials()
    passages = [
        ListedPassage(paper.id, each.text, f"{paper.title}. {each.heading}")
        for paper in task.documents
        for each in chunk(paper, WORDS)
    ]
    return JudgedCollection(passages, [Need(each.text, (), min(each.papers)) for each in task.questions])


def asked(collection: JudgedCollection, *, other_words: bool = False) -> Iterator[Asked]:
    generator = random.Random(0)
    for number, need in enumerate(collection.needs):
        question = need.question(generator) if other_words and number % 2 else need.plain
        own, others = collection.by_document[need.document], collection.near_and_far(number)[1]
        nearest = collection.by_document[collection.passages[others[0]].document]
        for scope, has_paper, places in (
            ("collection", True, [*own, *others]),
            ("collection", False, others),
            ("paper", True, own),
            ("paper", False, nearest),
        ):
            yield seen(scope, need.document, has_paper, question, [collection.passages[at] for at in places])


def in_own_words() -> Iterator[Asked]:
    """Questions in a reader's words with the passages that `multi_signal` shows."""
    with indexed(natural_questions.documents("dev")) as index:
        program = load("multi_signal", index=index)
        for each in natural_questions.questions("dev"):
            shown = program(question=each.question, answer=False).passages
            titled = [(passage.document_id, passage.title, passage.text) for passage in shown]
            yield judged("own words", each.id, each.answerable, each.question, titled)


def seen(scope: str, document: str, has_paper: bool, question: str, passages: Sequence[ListedPassage]) -> Asked:
    scores = ORDER.scores(question, [each.text for each in passages], [each.about for each in passages])
    best = sorted(range(len(passages)), key=lambda at: -scores[at])[:SHOWN]
    shown = [(passages[at].document, passages[at].about, passages[at].text) for at in best]
    return judged(scope, document, has_paper, question, shown)


def judged(scope: str, document: str, has_paper: bool, question: str, shown: Sequence[tuple[str, str, str]]) -> Asked:
    """What is seen of a question with passages, each with its paper and what it is about."""
    text = numbered(("", " ".join(each.split())) for _, _, each in shown)
    query = rank(question, source_sentences(text)).query
    papers: dict[str, list[str]] = {}
    for paper, about, each in shown:
        papers.setdefault(paper, [about]).append(each)
    spoken = mentioned_share(query, papers.values())
    found = passage_probabilities(question, passages(text)).values()
    unspoken = is_unmentioned(question, query, itertools.chain(*papers.values()))
    return Asked(scope, document, has_paper, spoken, max(found), 0.0 if unspoken else answerability(spoken, found))


def fit(rows: Sequence[Asked]) -> None:
    inputs = [(each.spoken, math.log(each.best / (1 - each.best))) for each in rows]
    model = LogisticRegression(C=100).fit(inputs, [each.has_paper for each in rows])
    print(f"spoken {model.coef_[0][0]:.2f}, best {model.coef_[0][1]:.2f}, shift {model.intercept_[0]:.2f}")
    report(rows, "own words")


def report(rows: Sequence[Asked], *further: str) -> None:
    for scope in ("collection", "paper", *further):
        chosen = [each for each in rows if each.scope == scope]
        low, high = interval(chosen)
        kept = [each for each in chosen if each.answerability >= LEAST]
        right, wrong = (sum(each.has_paper is has for each in kept) for has in (True, False))
        print(
            f"{scope}: {len(chosen)} questions, AUROC {area(chosen):.3f} ({low:.3f}–{high:.3f}); answered at {LEAST}: "
            f"{right} of {sum(each.has_paper for each in chosen)} with their paper, "
            f"{wrong} of {sum(not each.has_paper for each in chosen)} without"
        )
        print("  risk by coverage:", "  ".join(f"{share:.0%} {risk:.2f}" for share, risk in risks(chosen)))


def area(rows: Sequence[Asked]) -> float:
    return float(roc_auc_score([each.has_paper for each in rows], [each.answerability for each in rows]))


def interval(rows: Sequence[Asked]) -> tuple[float, float]:
    areas = [area([rows[at] for at in drawn]) for drawn in resampled([each.document for each in rows])]
    low, high = np.quantile(areas, (0.025, 0.975))
    return float(low), float(high)


def risks(rows: Sequence[Asked]) -> Iterator[tuple[float, float]]:
    """Share of questions without their paper among the surest, by how many are answered."""
    surest = sorted(rows, key=lambda each: -each.answerability)
    wrong = list(itertools.accumulate(not each.has_paper for each in surest))
    for tenths in range(1, 11):
        count = max(1, len(rows) * tenths // 10)
        yield tenths / 10, wrong[count - 1] / count


if __name__ == "__main__":
    main()
