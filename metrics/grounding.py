"""How much of an answer its passages support, whether its citations prove it, and which gold facts it holds.

Recall and precision of citations follow ALCE (Gao et al. 2023, "Enabling Large Language Models to Generate Text with
Citations", arXiv:2305.14627, section 4.2): a sentence is recalled if its citations together entail it; a citation is
precise if its sentence is recalled and it entails the sentence alone or the others do not without it. A sentence with a
citation that resolves to nothing is not recalled, and none of its citations is precise. Nothing is inherited from the
sentence before, and no output scores 0. Judged are the sentences that have to be proved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import harmonic_mean
from typing import TypeAlias

from metrics.judgements import Judgement, Ledger
from metrics.passages import Citable, passages_of, read, read_texts, resolve
from metrics.score import Score, Unscored, for_optimizers, needs_answer
from metrics.statements import Statement, answer_of, claims_of, is_answerable, statements_of
from signatures.citation_markers import render


@for_optimizers
def claim_groundedness(example: object, prediction: object, *, ledger: Ledger | None = None) -> Score:
    """Supported claims / check-worthy claims, over all passages of the prediction (RAGChecker's faithfulness).

    What cannot be verified counts as unsupported. Without claims it is undefined, not 1.
    """
    return _judged_share(prediction, ledger, lambda found: found.supported)


@for_optimizers
def contradiction_rate(example: object, prediction: object, *, ledger: Ledger | None = None) -> Score:
    """Contradicted claims / check-worthy claims; lower is better, undefined without claims."""
    return _judged_share(prediction, ledger, lambda found: found.verdict == "contradicted", lower_is_better=True)


def _judged_share(
    prediction: object, ledger: Ledger | None, counts: Callable[[Judgement], bool], *, lower_is_better: bool = False
) -> Score:
    """Share of the answer's claims that count by their judgement over all passages; feedback on the bad ones."""
    claims = _claims(prediction, worst=float(lower_is_better))
    ledger = Ledger() if ledger is None else ledger
    passages, question = passages_of(prediction), str(read(prediction, "question", ""))
    judged = [(claim, ledger.consult(claim.text, passages, question)) for claim in claims]
    bad = [(claim, judgement) for claim, judgement in judged if counts(judgement) is lower_is_better]
    names = {"contradicted": "contradicted", "unverifiable": "not supported"}
    feedback = "; ".join(
        f"sentence {claim.number} is {names[judgement.verdict]}: {judgement.reason}" for claim, judgement in bad
    )
    share = len(bad) / len(judged) if lower_is_better else 1 - len(bad) / len(judged)
    return Score(share, feedback, tuple(judgement for _, judgement in judged))


def _claims(prediction: object, worst: float = 0.0) -> tuple[Statement, ...]:
    needs_answer(prediction, worst=worst)
    if claims := claims_of(prediction):
        return claims
    missing = "no sentence of the answer makes a claim" if answer_of(prediction) else "no answer"
    raise Unscored(Score.not_applicable(missing))


@dataclass(frozen=True, slots=True)
class Proof:
    """What the citations of one sentence prove."""

    statement: Statement  # the sentence
    recalled: bool  # whether its citations together entail it
    precise: tuple[str, ...]  # those of its citations that are needed, or entail it alone
    unresolved: tuple[str, ...]  # those of its citations that name no passage
    judgement: Judgement | None  # over all its passages together; None without citations or with an unresolved one

    @property
    def feedback(self) -> str:
        """What is wrong with the citations of the sentence; empty if nothing is."""
        sentence = f"sentence {self.statement.number}"
        if not self.statement.cites:
            return f"{sentence} has no citation"
        if self.unresolved:
            return f"{sentence} cites {render(self.unresolved)}, which is not among the passages"
        if self.judgement is not None and not self.recalled:
            return f"{sentence} cites {render(self.statement.cites)}, {self.judgement.shortcoming}"
        needless = [each for each in self.statement.cites if each not in self.precise]
        return f"{sentence} cites {render(needless)}, which it does not need" if needless else ""


@for_optimizers
def citation_coverage(example: object, prediction: object) -> Score:
    """Cited sentences / sentences that need a citation (the grounding ratio); 0.8 is a good target.

    Says nothing of whether the citations prove anything. Undefined when no sentence needs one.
    """
    claims = _claims(prediction)
    bare = [claim for claim in claims if not claim.cites]
    feedback = "; ".join(f"sentence {claim.number} has no citation" for claim in bare)
    return Score(1 - len(bare) / len(claims), feedback, claims)


@for_optimizers
def citation_validity(example: object, prediction: object) -> Score:
    """Citations that resolve to a given passage / citations, over all sentences; undefined without citations."""
    needs_answer(prediction)
    passages = passages_of(prediction)
    cited = [(statement, each) for statement in statements_of(prediction) for each in statement.cites]
    if not cited:
        return Score.not_applicable("the answer holds no citation")
    wrong = [(statement, each) for statement, each in cited if not resolve(each, passages)]
    feedback = "; ".join(
        f"sentence {statement.number} cites [{each}], which is not among the passages" for statement, each in wrong
    )
    return Score(1 - len(wrong) / len(cited), feedback, tuple(each for _, each in wrong))


@for_optimizers
def citation_recall(example: object, prediction: object, *, ledger: Ledger | None = None) -> Score:
    """Sentences that their citations together entail / sentences that need a citation."""
    return _score(prediction, ledger, _recall)


@for_optimizers
def citation_precision(example: object, prediction: object, *, ledger: Ledger | None = None) -> Score:
    """Citations that are needed or entail their sentence alone / citations; 0 without citations."""
    return _score(prediction, ledger, _precision)


@for_optimizers
def citation_f1(example: object, prediction: object, *, ledger: Ledger | None = None) -> Score:
    """Harmonic mean of citation recall and precision."""
    return _score(prediction, ledger, lambda found: float(harmonic_mean((_recall(found), _precision(found)))))


def proofs(prediction: object, ledger: Ledger) -> tuple[Proof, ...]:
    """What the citations of each claim of the answer prove."""
    passages = passages_of(prediction)
    question = str(read(prediction, "question", ""))
    return tuple(_proof(claim, passages, question, ledger) for claim in claims_of(prediction))


_Arithmetic: TypeAlias = Callable[[Sequence[Proof]], float]


def _score(prediction: object, ledger: Ledger | None, arithmetic: _Arithmetic) -> Score:
    try:
        _claims(prediction)
    except Unscored as early:  # of no output nothing is cited
        return Score(0.0, str(early)) if early.score.status == "not_applicable" else early.score
    found = proofs(prediction, Ledger() if ledger is None else ledger)
    feedback = "; ".join(proof.feedback for proof in found if proof.feedback)
    return Score(arithmetic(found), feedback, found)


def _recall(found: Sequence[Proof]) -> float:
    return sum(proof.recalled for proof in found) / len(found)


def _precision(found: Sequence[Proof]) -> float:
    citations = sum(len(proof.statement.cites) for proof in found)
    return sum(len(proof.precise) for proof in found) / citations if citations else 0.0


def _proof(claim: Statement, passages: Sequence[Citable], question: str, ledger: Ledger) -> Proof:
    cited = {each: resolve(each, passages) for each in claim.cites}
    unresolved = tuple(each for each, resolved in cited.items() if not resolved)
    if not cited or unresolved:
        return Proof(claim, recalled=False, precise=(), unresolved=unresolved, judgement=None)
    judgement = ledger.consult(claim.text, _together(cited.values()), question)
    if not judgement.supported:
        return Proof(claim, recalled=False, precise=(), unresolved=(), judgement=judgement)

    def entails(resolved: Sequence[Citable]) -> bool:
        return ledger.consult(claim.text, resolved, question).supported

    precise = tuple(
        each
        for each, resolved in cited.items()
        if len(cited) == 1
        or entails(resolved)
        or not entails(_together(others for other, others in cited.items() if other != each))
    )
    return Proof(claim, recalled=True, precise=precise, unresolved=(), judgement=judgement)


def _together(groups: Iterable[Sequence[Citable]]) -> tuple[Citable, ...]:
    return tuple(dict.fromkeys(passage for group in groups for passage in group))


@for_optimizers
def nugget_recall(example: object, prediction: object, *, ledger: Ledger | None = None) -> Score:
    """Gold facts that the answer entails / gold facts.

    The facts are the example's ``nuggets``. Only the claims of the answer count: a question or heading states nothing.
    Undefined for examples without facts.
    """
    nuggets = read_texts(example, "nuggets")
    if not is_answerable(example) or not nuggets:
        return Score.not_applicable("the example has no gold facts")
    needs_answer(prediction, f"missing: {'; '.join(nuggets)}")
    answer = Citable(1, "\n".join(claim.text for claim in claims_of(prediction)), id="answer")
    ledger = Ledger() if ledger is None else ledger
    question = str(read(example, "question", ""))
    judged = tuple(ledger.consult_fact(nugget, answer, question) for nugget in nuggets)
    missing = [judgement.claim for judgement in judged if not judgement.supported]
    return Score(1 - len(missing) / len(nuggets), f"missing: {'; '.join(missing)}" if missing else "", judged)
