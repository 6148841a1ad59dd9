"""How far a judge can be trusted, in words that stand beside the scores that rest on it."""

from __future__ import annotations

CHECKER = "corroborate-checker-1@sha256:523ebe159528+guards/8"
"""The judge that is shipped."""

MEASURED = {
    CHECKER: (
        "of 321 claims of SciFact's validation set it judges 46 % rightly (the most frequent verdict: 43 %), and where "
        "it says supported 68 %; it says contradicted of 7 claims only. Of 224 findings of Evidence Inference it puts "
        "the true one above the same turned around in 82 %. Programs correct their answers with this same check, which "
        "flatters groundedness and citations"
    )
}
"""By name and version of the judge; from ``python -m bench.support``, on data that it was not tuned on."""


def accuracy_of(judge: str) -> str:
    """What is known of a judge's accuracy."""
    return MEASURED.get(judge, "its accuracy is not known here; `python -m optimize calibrate` measures it")
