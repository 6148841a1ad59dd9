"""A language model without weights: it answers DSPy's signatures by extraction from their inputs."""

from programs.lm.extractive.engine import AsyncExtractiveEngine as AsyncExtractiveEngine
from programs.lm.extractive.engine import ExtractiveEngine as ExtractiveEngine
