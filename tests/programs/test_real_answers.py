"""Real papers, asked and proved: four trials, with the sentences that experts marked, and a paper of QASPER."""

import html
import json
from dataclasses import dataclass

import dspy
import pytest

from programs.ingest.document import Document
from programs.ingest.formats import read
from programs.ingest.plain_text import document_of
from programs.lm import LM
from programs.main_points import MainPoints
from programs.replay import replay
from programs.results.rendering import as_json
from tests.benchmarks import BENCHMARKS, needs_benchmarks

pytestmark = [needs_benchmarks, pytest.mark.slow]


@dataclass(frozen=True)
class Outcome:
    document: Document
    gold: tuple[str, ...]
    prediction: dspy.Prediction

    @property
    def faults(self):
        saved = json.loads(json.dumps(as_json(self.prediction)))
        return [str(fault) for fault in replay(saved, lambda _: self.document)]

    @property
    def found(self):
        """Whether the passages hold a sentence that the experts marked."""
        return any(holds(passage.text, gold) for passage in self.prediction.passages for gold in self.gold)

    @property
    def cited(self):
        """Whether the answer's quotes touch a sentence that the experts marked."""
        quotes = [citation.quote for citation in self.prediction.citations if citation.quote]
        return any(holds(gold, quote) or holds(quote, gold) for quote in quotes for gold in self.gold)


def holds(text, part):
    text, part = ("".join(filter(str.isalnum, each.casefold())) for each in (text, part))
    return part in text


def on_trials(number):
    """The first prompt of each of the first papers of Evidence Inference."""
    with (BENCHMARKS / "evidence_inference" / "prompts.jsonl").open(encoding="utf-8") as lines:
        prompts = {prompt["pmcid"]: prompt for prompt in reversed([json.loads(line) for line in lines])}
    for pmcid, prompt in sorted(prompts.items(), key=lambda item: item[1]["prompt_id"])[:number]:
        texts = {key: html.unescape(prompt[key]) for key in ("intervention", "comparator", "outcome")}
        question = "What was the effect of {intervention} compared with {comparator} on {outcome}?".format(**texts)
        (path,) = (BENCHMARKS / "evidence_inference" / "nxml").glob(f"{pmcid}.*")
        yield question, read(path), tuple(evidence["text"] for evidence in prompt["evidence"])


def on_qasper():
    """The first question of the first paper."""
    with (BENCHMARKS / "qasper" / "papers_qa.jsonl").open(encoding="utf-8") as lines:
        row = json.loads(next(lines))
    return row["questions"][0], document_of(row["paper"], "qasper0"), (row["answers"][0],)


@pytest.fixture(scope="module")
def outcomes(embedder):
    program = MainPoints(embedder)
    with dspy.context(lm=LM("extractive")):
        return [
            Outcome(document, gold, program(question=question, paper=document))
            for question, document, gold in (*on_trials(4), on_qasper())
        ]


def test_every_answer_replays_from_its_paper(outcomes):
    assert [outcome.faults for outcome in outcomes] == [[]] * 5
    assert all(outcome.prediction.citations for outcome in outcomes)


def test_what_is_copied_is_supported(outcomes):
    verdicts = {citation.verdict for outcome in outcomes for citation in outcome.prediction.citations}
    assert verdicts == {"supported"}
    assert [outcome.prediction.unsupported_claims for outcome in outcomes] == [[]] * 5
    assert [outcome.prediction.uncited for outcome in outcomes] == [[]] * 5


def test_the_effect_asked_for_is_found_where_the_experts_found_it(outcomes):
    found, cited = ([getattr(outcome, name) for outcome in outcomes[:4]] for name in ("found", "cited"))
    assert found.count(True) >= 3, [outcome.prediction.answer for outcome in outcomes]
    assert cited.count(True) >= 3, [outcome.prediction.answer for outcome in outcomes]
