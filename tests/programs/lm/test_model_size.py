"""Which models count as large."""

from __future__ import annotations

import pytest

from programs.lm import LM
from programs.lm.model_size import is_large
from programs.multi_signal import MultiSignalParameters
from tests.scripted_lm import Script


@pytest.mark.parametrize(
    ("name", "large"),
    [
        ("ollama/qwen2.5:1.5b", False),
        ("ollama/llama3.3:70b", True),
        ("ollama/mixtral:8x7b", True),
        ("ollama/gpt-oss", False),
        ("openai/qwen?api_base=http://127.0.0.1:8080/v1", False),
        ("openai/gpt-5", True),
        ("groq/llama-3.1-8b-instant", False),
        ("anthropic/claude-sonnet-4-5", True),
        ("extractive", False),
    ],
)
def test_a_name_says_it_or_that_a_provider_serves_it(name, large, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    assert is_large(LM(name)) is large


def test_without_a_model_nothing_is_large():
    assert not is_large(None)


def test_what_is_auto_is_as_the_model_is(monkeypatch):
    import dspy

    settings = MultiSignalParameters(evidence=5)
    with dspy.context(lm=Script().lm()):
        small = settings.for_model()
    with dspy.context(lm=LM("openai/gpt-5", api_key="none")):
        large = settings.for_model()
        assert MultiSignalParameters().sentences == 12
    assert (small.reader, small.evidence, small.word) == ("order", 5, "checker")
    assert (large.reader, large.evidence, large.word) == ("both", 5, "model")
