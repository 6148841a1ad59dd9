"""Who decides whether passages bear a claim out, and how far such a judge is to be trusted.

checker            ``metrics.support.judged``: the shipped model under guards, no network, the default
language model     ``lm_judge.LMJudge``: labels by a signature, ``--judge-lm``
NLI cross-encoder  ``nli_judge.NLIJudge``: a model of sentence-transformers, ``--judge-nli``

``optimize.calibrating`` compares any of them with what people said.
"""
