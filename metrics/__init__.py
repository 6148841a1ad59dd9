"""How good an answer is: pure functions of an example and a prediction.

    from metrics.grounded_utility import grounded_utility
    grounded_utility(example, prediction)   Score(value=0.82, feedback="sentence 3 cites [2], which does not say 15 %")

Examples and predictions may be objects with attributes, ``dspy.Example`` and ``dspy.Prediction``, or the dicts that
come back from ``predictions.jsonl``. They are read through ``metrics.passages.read`` alone; a missing field is None.

====================================================  =====================================  ==========================
module: metric (↓ lower is better)                    reads of the example                   reads of the prediction
====================================================  =====================================  ==========================
retrieval: recall_at_k, ndcg_at_k, mrr,               passage_ids, else document_ids;        passages
context_precision, context_average_precision          answerable
retrieval: evidence_recall                            evidence (text, or quote and           passages
                                                      document_id); answerable
retrieval: paper_recall_at_k, selection_ndcg          document_ids                           papers, else passages
retrieval: evidence_utility, evidence_ndcg,           evidence, answerable                   passages, evidence
evidence_scoring
answers: exact_match, token_f1                        answers, else answer; answerable       answer, answerable
answers: accuracy, macro_f1                           label, choices                         label, else answer
answers: answerability,                               answerable                             answer, answerable
answerability_balanced_accuracy, over_abstention ↓
answers: risk_coverage ↓                              (takes confidences and values)
answers: answer_relevancy (takes embed=)              question                               answer, passages
grounding: claim_groundedness, contradiction_rate ↓                                          answer, passages, question
grounding: citation_coverage, citation_validity                                              answer, passages
grounding: citation_recall, citation_precision,                                              answer, passages, question
citation_f1
grounding: nugget_recall                              nuggets, answerable, question          answer, answerable
grounded_utility: copy_ratio ↓                                                               answer, passages
grounded_utility: grounded_utility                    nuggets, else label, else answers,     answer, answerable,
                                                      else answer; answerable                passages, question
score: cost                                                                                  metrics
====================================================  =====================================  ==========================

A passage is bare text, or has ``text`` and as far as known ``id, document_id, section, key``; the first one is ``[1]``.
A prediction with an ``error`` failed. ``catalogue`` lists the metrics of one example by name, ``score.mean`` averages
them, ``judgements`` keeps what a judge said of a claim, and ``canaries`` writes answers that no metric may reward.

Modules are imported by name; this package imports none of them, so that start-up stays quick.
"""
