"""How many of the facts that a full answer must hold an answer holds."""

from __future__ import annotations

from metrics.fields import read, read_texts
from metrics.judgements import Ledger
from metrics.optimizer_calls import for_optimizers
from metrics.outcome import claims_of, is_answerable, outcome
from metrics.passages import Passage
from metrics.score import Score


@for_optimizers
def nugget_recall(example: object, prediction: object, *, ledger: Ledger | None = None) -> Score:
    """Gold facts that the answer entails / gold facts.

    The facts are the example's ``nuggets``. Only the claims of the answer count: a question or heading states nothing.
    Undefined for examples without facts.
    """
    nuggets = read_texts(example, "nuggets")
    if not is_answerable(example) or not nuggets:
        return Score.not_applicable("the example has no gold facts")
    found = outcome(prediction)
    if found == "failed":
        return Score.failed()
    if found == "abstained":
        return Score.abstained(f"the program abstained, missing: {'; '.join(nuggets)}", value=0.0)
    answer = Passage(1, "\n".join(claim.text for claim in claims_of(prediction)), id="answer")
    ledger = Ledger() if ledger is None else ledger
    question = str(read(example, "question", ""))
    judged = tuple(ledger.consult_fact(nugget, answer, question) for nugget in nuggets)
    missing = [judgement.claim for judgement in judged if not judgement.supported]
    return Score(1 - len(missing) / len(nuggets), f"missing: {'; '.join(missing)}" if missing else "", judged)
