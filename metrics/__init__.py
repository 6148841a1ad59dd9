"""How good an answer is: pure functions of an example and a prediction.

    from metrics.grounded_utility import grounded_utility
    grounded_utility(example, prediction)   Score(value=0.82, feedback="sentence 3 cites [2], which does not say 15 %")

Examples and predictions may be objects with attributes, ``dspy.Example`` and ``dspy.Prediction``, or the dicts that
come back from ``predictions.jsonl``. They are read through ``metrics.passages`` alone; a missing field is None.

====================================================  =====================================  ==========================
module: metric (↓ lower is better)                    reads of the example                   reads of the prediction
====================================================  =====================================  ==========================
retrieval: recall_at_k, ndcg_at_k, mrr,               passage_ids, else document_ids;        passages
context_precision, context_average_precision          answerable
retrieval: evidence_recall                            evidence (text, or quote and           passages
                                                      document_id); answerable
text_match: exact_match, token_f1                     answers, else answer; answerable       answer, answerable
labels: accuracy, macro_f1                            label, choices                         label, else answer
grounding: claim_groundedness, contradiction_rate ↓                                          answer, passages, question
citations: citation_coverage, citation_validity                                              answer, passages
citations: citation_recall, citation_precision,                                              answer, passages, question
citation_f1
nuggets: nugget_recall                                nuggets, answerable, question          answer, answerable
abstention: answerability,                            answerable                             answer, answerable
answerability_balanced_accuracy, over_abstention ↓
abstention: risk_coverage ↓                           (takes confidences and values)
copying: copy_ratio ↓                                                                        answer, passages
sections: evidence_section_distribution                                                      answer, passages
relevancy: answer_relevancy (takes embed=)             question                               answer, passages
cost: cost                                                                                   metrics
grounded_utility: grounded_utility                    nuggets, else label, else answers,     answer, answerable,
                                                      else answer; answerable                passages, question
====================================================  =====================================  ==========================

A passage is bare text, or has ``text`` and as far as known ``id, document_id, section, key``; the first one is ``[1]``.
A prediction with an ``error`` failed. ``catalogue`` lists the metrics of one example by name, ``score.mean`` averages
them, ``judgements`` keeps what a judge said of a claim, and ``canaries`` writes answers that no metric may reward.

Modules are imported by name; this package imports none of them, so that start-up stays quick.
"""
