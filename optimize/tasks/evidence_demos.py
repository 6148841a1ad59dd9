"""Demos of the steps that answer from numbered evidence, made of gold data.

select    numbered sentences, question    → the numbers of the gold sentences
write     those and others, question      → the gold answer, each sentence with the numbers that say it; or no answer
check     gold sentences, a claim         → whether they say it; a planted falsehood is "something else"
correct   gold sentences, the falsehood   → the gold sentence

The gold data name no conflicts, so that step has no demos.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from metrics.sentences import sentence_texts
from metrics.support import check
from optimize.dataset import Example
from optimize.tasks import ShownPassages, common, falsify
from programs.passages.numbered_sentences import NumberedSentence, NumberedSentences

OTHERS = 4
"""Sentences beside the gold ones that a demo shows, those nearest to the question."""


def evidence_demos(
    example: Example, given: ShownPassages, rng: random.Random, *, bullets: bool = False
) -> dict[str, Mapping[str, Any]]:
    """Demos by predictor; where a question has no answer, or nothing to falsify, those that need one are missing.

    With ``bullets`` the answer's first sentence is the answer, and each other one a bullet.
    """
    evidence = NumberedSentences.of(given.passages)
    gold = _gold(example, evidence)
    others = [each for each in evidence.sentences if each not in gold]
    nearest = sorted(others, key=lambda each: -common(each.text, example.question))[:OTHERS]
    shown = evidence.only([each.number for each in (*gold, *nearest)])
    asked = {"evidence": shown.shown(), "question": example.question}
    answer = [_written(each, gold) for each in sentence_texts(example.answer)] if gold else []
    said = {"answer": answer[:1], "bullets": answer[1:]} if bullets else {"answer": answer}
    demos: dict[str, Mapping[str, Any]] = {
        "answer.select": {**asked, "numbers": [each.number for each in gold]},
        "answer.write": {**asked, "answerable": bool(answer), **said},
    }
    if not answer:
        return demos
    alone = evidence.only([each.number for each in gold]).shown()
    claim, wrong = answer[0]["text"], None
    for each in answer:
        if wrong := falsify(each["text"], rng, alone):
            claim = each["text"]
            demos["answer.correct"] = {
                **asked,
                "sentence": wrong.text,
                "problem": wrong.reason,
                "corrected": each,
            }
            break
    is_false = wrong is not None and rng.random() < 0.5
    demos["answer.check"] = {
        "evidence": alone,
        "claim": wrong.text if wrong and is_false else claim,
        "verdict": "something else" if is_false else "all of it",
    }
    return demos


def _gold(example: Example, evidence: NumberedSentences) -> list[NumberedSentence]:
    """The sentences that the gold quotes are in, or that are in them."""
    quotes = [" ".join(each.quote.split()) for each in example.evidence]
    texts = ((each, " ".join(each.quoted.text.split())) for each in evidence.sentences)
    return [each for each, text in texts if any(quote in text or text in quote for quote in quotes)]


def _written(sentence: str, gold: list[NumberedSentence]) -> dict[str, Any]:
    """A sentence of the answer with the numbers of the gold sentences that support it; of all where none does alone."""
    supporting = [each for each in gold if check(sentence, [each.read]).verdict == "supported"]
    return {"text": sentence, "evidence": [each.number for each in supporting or gold]}
