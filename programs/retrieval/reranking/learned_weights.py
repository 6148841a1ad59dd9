"""Weights learned from judged candidates; the seed's stay the default.

From 805 training claims of SciFact and 89 questions on 34 trials of Evidence Inference, each set counting the same, by
``python -m bench.retrieval_gain --learn``, which reports on other claims and other trials. The penalty for
duplicates is not learned. Recency and authority are hardly tested: the abstracts come without year and address, and
on the trials leaving out either changes no order that counts.
"""

from __future__ import annotations

from programs.retrieval.reranking.weights import Weights

LEARNED = Weights(
    sim=0.364,
    bm25=0.081,
    keyword_overlap=0.060,
    sec_boost=0.279,
    recency=0.028,
    authority=0.023,
    length_fit=0.164,
    duplicate_penalty=-0.10,
)
