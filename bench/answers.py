"""What `main_points` answers about real papers with the extractive LM: to be read, and counted.

    python -m bench.answers                      # ten trials of Evidence Inference, three papers of QASPER
    python -m bench.answers --trials 80 --quiet  # the counts alone, over all trials

A trial is asked "What was the effect of X compared with Y on Z?"; counted is how many answers are given, replay from
the paper, and rest on a passage that holds the experts' evidence or quote it.
"""

from __future__ import annotations

import argparse
import html
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import dspy

from programs.ingest.document import Document
from programs.ingest.plain_text import document_of
from programs.ingest.reader import read
from programs.lm import LM
from programs.main_points import MainPoints
from programs.replay import replay
from programs.results.rendering import as_json
from tests.benchmarks import BENCHMARKS

TRIALS = BENCHMARKS / "evidence_inference"
QASPER = BENCHMARKS / "qasper" / "papers_qa.jsonl"


@dataclass(frozen=True)
class Case:
    """A question on a real paper, and what experts found in it: sentences of the paper, or answers in their words."""

    question: str
    document: Document
    gold: tuple[str, ...]


@dataclass(frozen=True)
class Outcome:
    """An answer and what can be counted on it."""

    case: Case
    prediction: dspy.Prediction
    faults: Sequence[str]
    seconds: float

    @property
    def found(self) -> bool:
        """Whether the passages hold a sentence that the experts marked."""
        return any(_holds(passage.text, gold) for passage in self.prediction.passages for gold in self.case.gold)

    @property
    def cited(self) -> bool:
        """Whether the answer's quotes touch a sentence that the experts marked."""
        quotes = [citation.quote for citation in self.prediction.citations if citation.quote]
        return any(_holds(gold, quote) or _holds(quote, gold) for quote in quotes for gold in self.case.gold)


def trials(number: int) -> Iterator[Case]:
    """The first prompt of each of the first papers of Evidence Inference."""
    with (TRIALS / "prompts.jsonl").open(encoding="utf-8") as lines:
        prompts = {prompt["pmcid"]: prompt for prompt in reversed([json.loads(line) for line in lines])}
    for pmcid, prompt in sorted(prompts.items(), key=lambda item: item[1]["prompt_id"])[:number]:
        texts = {key: html.unescape(prompt[key]) for key in ("intervention", "comparator", "outcome")}
        question = "What was the effect of {intervention} compared with {comparator} on {outcome}?".format(**texts)
        gold = tuple(evidence["text"] for evidence in prompt["evidence"])
        yield Case(question, read(next((TRIALS / "nxml").glob(f"{pmcid}.*"))), gold)


def qasper(number: int) -> Iterator[Case]:
    """The first question of each of the first papers of QASPER."""
    with QASPER.open(encoding="utf-8") as lines:
        for place, line in zip(range(number), lines, strict=False):
            row = json.loads(line)
            yield Case(row["questions"][0], document_of(row["paper"], f"qasper{place}"), (row["answers"][0],))


def answered(program: MainPoints, case: Case) -> Outcome:
    """Ask, and replay the answer as a file would hold it."""
    started = time.perf_counter()
    with dspy.context(lm=LM("extractive")):
        prediction = program(question=case.question, paper=case.document)
    seconds = time.perf_counter() - started
    saved = json.loads(json.dumps(as_json(prediction)))
    return Outcome(case, prediction, [str(fault) for fault in replay(saved, lambda _: case.document)], seconds)


def _holds(text: str, part: str) -> bool:
    return _letters(part) in _letters(text)


def _letters(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _print(outcome: Outcome) -> None:
    prediction = outcome.prediction
    print(f"\n{'=' * 100}\n{outcome.case.document.id}: {outcome.case.question}")
    print(f"  answer   {prediction.answer or '(none)'}")
    for citation in prediction.citations:
        print(f"  {citation.verdict:<12} [{citation.marker}] {citation.section}: “{citation.quote}”")
    for claim in prediction.unsupported_claims:
        print(f"  unsupported: {claim.claim} ({claim.reason})")
    for passage in prediction.passages:
        print(f"  passage  {len(passage.text.split())} words of {passage.section}, {passage.relevance_reason}")
    for gold in outcome.case.gold:
        print(f"  experts  {gold}")
    print(f"  found {outcome.found}, cited {outcome.cited}, {outcome.seconds:.1f} s, faults {outcome.faults}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=10)
    parser.add_argument("--papers", type=int, default=3)
    parser.add_argument("--quiet", action="store_true")
    options = parser.parse_args()
    program = MainPoints()
    outcomes = []
    for case in (*trials(options.trials), *qasper(options.papers)):
        outcomes.append(answered(program, case))
        if not options.quiet:
            _print(outcomes[-1])
    of_trials = outcomes[: -options.papers or None]
    citations = [citation for outcome in outcomes for citation in outcome.prediction.citations]
    print(f"\n{len(outcomes)} questions, {sum(outcome.prediction.answerable for outcome in outcomes)} answered")
    print(f"{len(citations)} citations, {sum(citation.verdict == 'supported' for citation in citations)} supported")
    print(f"{sum(not outcome.faults for outcome in outcomes)} of {len(outcomes)} replay without a fault")
    print(
        f"{len(of_trials)} trials: experts' evidence in the passages of {sum(each.found for each in of_trials)}, ",
        end="",
    )
    print(f"in the quotes of {sum(each.cited for each in of_trials)}")


if __name__ == "__main__":
    main()
