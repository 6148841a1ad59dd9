"""The metrics of one example and one prediction, by rows of data: ``metrics.yaml``."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml

from metrics.catalogue import METRICS
from metrics.grounded_utility import answer_length, form, grounded_utility
from metrics.judgements import Ledger
from metrics.score import Score
from tests.word_judge import WordJudge

Row = dict[str, Any]
QUOTED, OTHER = "We flew mice. Density fell\nby 12 %. Nothing else did.", "We flew mice."


def cases() -> Iterator[Any]:
    for group in yaml.safe_load(Path(__file__).with_name("metrics.yaml").read_text("utf-8")):
        for number, case in enumerate(group["cases"], 1):
            row = {**group, **case}
            for part in ("example", "prediction"):
                own = case.get(part, {})
                row[part] = None if own is None else {**(group.get(part) or {}), **own}
            values = row.get("each") or [row["gives"]] * len(row["metrics"])
            for metric, gives in zip(row["metrics"], values, strict=True):
                yield pytest.param(metric, {**row, "gives": gives}, id=f"{metric}: {group['why']} {number}")


def written_out(prediction: Row | None) -> Row | None:
    """Passages by id (``ranked``), papers by letter, and passages of one paper with a model's scores (``scored``)."""
    made = dict(prediction or {})
    if "ranked" in made:
        made["passages"] = [{"id": each, "text": ""} for each in made["ranked"]]
    if "papers" in made or "unrated" in made:
        rated = {"relevance": 8} if "papers" in made else {"relevance": None}
        made["papers"] = [{"document_id": each, **rated} for each in made.get("papers", made.get("unrated"))]
    if "scored" in made:
        texts = [OTHER if at or "other" in made else QUOTED for at in range(len(made["scored"]))]
        made["passages"] = [{"id": f"P1::sec{at}", "text": text} for at, text in enumerate(texts)]
        made["evidence"] = [
            {"passage": f"P1::sec{at}", "llm_score": score, "combined_score": score}
            for at, score in enumerate(made["scored"])
        ]
    return None if prediction is None else made


def expected(gives: float | str | list[Any]) -> tuple[float | None, str]:
    if isinstance(gives, list):
        return pytest.approx(gives[0]), gives[1]
    if isinstance(gives, str) and "/" not in gives:
        return None, gives
    return pytest.approx(float(Fraction(gives)), rel=2e-6), "scored"


@pytest.mark.parametrize(("name", "row"), list(cases()))
def test_what_a_metric_gives(name: str, row: Row) -> None:
    metric, options = METRICS[name], row.get("options", {})
    if metric.judged and row.get("judge") != "default":
        options = {**options, "ledger": Ledger(WordJudge())}
    found: Score = metric.score(row["example"], written_out(row["prediction"]), **options)
    assert (found.value, found.status) == expected(row["gives"])
    assert row.get("says", found.feedback) == found.feedback
    assert row.get("has", "") in found.feedback


def test_k_is_positive() -> None:
    with pytest.raises(ValueError, match="got 0"):
        METRICS["recall_at_k"].score({"passage_ids": ["a"]}, {"passages": []}, k=0)


def test_claims_of_an_answer_without_worth_are_not_judged() -> None:
    prediction = {"answer": "Density fell in mice [1]. " * 2_600, "passages": ["density fell in mice"]}
    score = grounded_utility({"question": "What fell?", "answer": "density"}, prediction, ledger=Ledger(WordJudge()))
    assert (score.value, score.evidence) == (0, ())
    assert score.feedback.startswith("its claims were not judged: the answer has 10400 words")


TWELVE = "one two three four five six seven eight nine ten eleven twelve"


@pytest.mark.parametrize(
    ("answer", "worth", "length", "said"),
    [
        (f"{TWELVE} and six more words stand here now [1].", (7 / 19) / 0.8, 19, "copied without quotation marks"),
        (f'"{TWELVE}" [1].', 1, 12, ""),
        ("word " * 200, 0.5, 200, "the answer has 200 words, more than 100"),
        ("骨密度 fell [1].", 1, 2.5, ""),
    ],
)
def test_copies_and_length_cost(answer: str, worth: float, length: float, said: str) -> None:
    prediction = {"answer": answer, "passages": [TWELVE]}
    found = form({}, prediction)
    assert (found.value, answer_length(prediction)) == (pytest.approx(worth), length)
    assert said in found.feedback
