"""Training of the shipped checker and the learned order: pairs and lists, the loop, calibration, export."""
