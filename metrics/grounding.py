"""How much of an answer its passages bear out."""

from __future__ import annotations

from metrics.fields import read
from metrics.judgements import Judgement, Ledger
from metrics.optimizer_calls import for_optimizers
from metrics.outcome import answer_of, claims_of, outcome
from metrics.passages import passages_of
from metrics.score import Score
from metrics.statements import Statement


@for_optimizers
def claim_groundedness(example: object, prediction: object, *, ledger: Ledger | None = None) -> Score:
    """Supported claims / check-worthy claims, over all passages of the prediction (RAGChecker's faithfulness).

    What cannot be verified counts as unsupported. Without claims it is undefined, not 1.
    """
    undefined = without_claims(prediction)
    if undefined is not None:
        return undefined
    judged = judged_claims(prediction, Ledger() if ledger is None else ledger)
    unproved = [(claim, judgement) for claim, judgement in judged if not judgement.supported]
    feedback = "; ".join(f"sentence {claim.number} is {_finding(judgement)}" for claim, judgement in unproved)
    return Score(1 - len(unproved) / len(judged), feedback, tuple(judgement for _, judgement in judged))


@for_optimizers
def contradiction_rate(example: object, prediction: object, *, ledger: Ledger | None = None) -> Score:
    """Contradicted claims / check-worthy claims; lower is better, undefined without claims."""
    undefined = without_claims(prediction, worst=1.0)
    if undefined is not None:
        return undefined
    judged = judged_claims(prediction, Ledger() if ledger is None else ledger)
    opposed = [(claim, judgement) for claim, judgement in judged if judgement.verdict == "contradicted"]
    feedback = "; ".join(f"sentence {claim.number} is {_finding(judgement)}" for claim, judgement in opposed)
    return Score(len(opposed) / len(judged), feedback, tuple(judgement for _, judgement in judged))


def judged_claims(prediction: object, ledger: Ledger) -> list[tuple[Statement, Judgement]]:
    """Every claim of the answer with its judgement over all passages of the prediction."""
    passages = passages_of(prediction)
    question = str(read(prediction, "question", ""))
    return [(claim, ledger.consult(claim.text, passages, question)) for claim in claims_of(prediction)]


def without_claims(prediction: object, worst: float = 0.0) -> Score | None:
    """The score of a prediction whose answer makes no claims, or None when it makes some; ``worst`` if it failed."""
    found = outcome(prediction)
    if found == "failed":
        return Score.failed(worst=worst)
    if found == "abstained":
        return Score.abstained("the program abstained")
    if not claims_of(prediction):
        return Score.not_applicable("no sentence of the answer makes a claim" if answer_of(prediction) else "no answer")
    return None


def _finding(judgement: Judgement) -> str:
    return f"{'contradicted' if judgement.verdict == 'contradicted' else 'not supported'}: {judgement.reason}"
