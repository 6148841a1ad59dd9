"""Language models by name: ``LM("ollama/gpt-oss")``, ``LM("extractive")`` or any LiteLLM name."""

from programs.lm.factory import LM as LM
