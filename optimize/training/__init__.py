"""Training of the shipped checker: pairs of claim and premise, the loop, calibration, export.

`labelled_claims` and its neighbours make pairs, `stages` mixes them, `loop` trains,
`probability_calibration` and `checker_evaluation` measure.
"""
