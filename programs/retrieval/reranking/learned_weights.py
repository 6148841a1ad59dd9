"""Weights learned from judged candidates; the seed's stay the default.

From 805 training claims of SciFact and 89 questions on 34 trials of Evidence Inference, each set counting the same, by
``python -m tests.bench.retrieval_gain --learn``; what they are measured on has other questions, and other trials. The
two sets hold no duplicates worth speaking of and one publisher's address each, so the penalty for duplicates is the
seed's, and recency and authority are little more than what was left of theirs.
"""

from __future__ import annotations

from programs.retrieval.reranking.weights import Weights

LEARNED = Weights(
    sim=0.362,
    bm25=0.083,
    keyword_overlap=0.059,
    sec_boost=0.280,
    recency=0.027,
    authority=0.023,
    length_fit=0.165,
    duplicate_penalty=-0.10,
)
