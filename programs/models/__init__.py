"""The small models the project brings along, run by ONNX Runtime: no torch between a question and its answer."""
