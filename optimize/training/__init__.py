"""Training of the shipped checker: pairs of claim and premise, the loop, calibration, export.

`readers` and its neighbours make pairs, `stages` mixes them, `loop` trains, `calibration` and `evaluation` measure.
"""
