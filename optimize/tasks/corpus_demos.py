"""What perfect programs over a collection would have said of a gold example, step by step.

    rewrite   question                              → the gold facts as queries
    imagine   question                              → the gold quotes
    answer    gold passages among those of other papers of the training split → the gold answer, or no answer

and what ``answer_demos`` adds for verification and repair.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from metrics.sentences import sentences
from metrics.words import words
from optimize.dataset.data import Dataset
from optimize.dataset.example import Example
from optimize.tasks.answer_demos import ShownPassages, among_others, cited, passage_of, renamed, verification_demos
from programs.ingest.chunking import SENTENCES, chunk
from programs.results.pmcid_keys import pmcid_keys
from signatures.citation_markers import render

_PASSAGES = 4
_QUERY_WORDS = 15
_TOPIC_WORDS = 2


def rag_fusion_demos(example: Example, dataset: Dataset, rng: random.Random) -> Mapping[str, Mapping[str, Any]]:
    """Demos by predictor; rewording needs gold facts and quotes, verification an answer, else they are missing."""
    given = _given(example, dataset, rng)
    given = renamed(given, pmcid_keys(dataset.documents[each] for each in _papers(given)))
    answer = cited(example.answer, given)
    queries = [" ".join(fact.split()[:_QUERY_WORDS]) for fact in example.nuggets]
    quotes = " ".join(each.quote for each in example.evidence)
    demos: dict[str, Mapping[str, Any]] = {"answer.predict": _summarized(example, dataset, given, answer)}
    if queries:
        demos["reforming.rewrite"] = {"question": example.question, "queries": queries}
    if quotes:
        demos["reforming.imagine"] = {"question": example.question, "hypothetical_passage": quotes}
    return {**demos, **verification_demos(example, given, answer, rng)}


def multi_signal_demos(example: Example, dataset: Dataset, rng: random.Random) -> Mapping[str, Mapping[str, Any]]:
    """Demos by predictor; verification needs an answer, else it is missing. The gold data name no conflicts."""
    given = _given(example, dataset, rng)
    answer = cited(example.answer, given)
    demo = {
        "passages": given.text,
        "papers": given.papers,
        "question": example.question,
        "answerable": example.answerable,
        "conflicts": [],
        "answer": answer,
    }
    return {"answer": demo, **verification_demos(example, given, answer, rng)}


def paper_answer_demos(example: Example, dataset: Dataset, rng: random.Random) -> Mapping[str, Mapping[str, Any]]:
    """Demos of `paper_retriever`'s answer and its verification: those of `multi_signal`, which names conflicts too."""
    demos = dict(multi_signal_demos(example, dataset, rng))
    demos["answer"] = {name: value for name, value in demos["answer"].items() if name != "conflicts"}
    return demos


def _given(example: Example, dataset: Dataset, rng: random.Random) -> ShownPassages:
    """Passages of the example's papers and of others of the training split, which are all a demo may show."""
    train = dict.fromkeys(paper for each in dataset.split("train") for paper in each.document_ids)
    papers = [dataset.documents[each] for each in dict.fromkeys((*example.document_ids, *train))]
    passages = [passage_of(paper, each) for paper in papers for each in chunk(paper, SENTENCES)]
    quotes = [each.quote for each in example.evidence]
    return among_others(passages, quotes, example.question, rng, _PASSAGES)


def _papers(given: ShownPassages) -> list[str]:
    return list(dict.fromkeys(each.document_id for each in given.passages))


def _summarized(example: Example, dataset: Dataset, given: ShownPassages, answer: str) -> Mapping[str, Any]:
    parts = [answer[span.start : span.end] for span in sentences(answer)]
    stated = f"{render(dict.fromkeys(given.marker(each) for each in given.gold))} states it."
    return {
        "passages": given.text,
        "papers": given.papers,
        "question": example.question,
        "reasoning": stated if answer else "No passage states what the question asks for.",
        "answerable": example.answerable,
        "summary": parts[0] if parts else "",
        "bullets": parts[1:],
        "topic": _topic(example, dataset),
    }


def _topic(example: Example, dataset: Dataset) -> str:
    """The first tag of the paper, or the longest words of the question."""
    tags = dataset.documents[example.document_ids[0]].metadata.get("tags")
    if isinstance(tags, list) and tags:
        return " ".join(str(tags[0]).split()[:_TOPIC_WORDS]).title()
    longest = sorted(words(example.question), key=len, reverse=True)[:_TOPIC_WORDS]
    return " ".join(longest).title()
