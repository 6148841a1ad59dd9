"""The extractive model in both of DSPy's layouts."""

import dspy
import pytest

from programs.lm import LM


@pytest.fixture(params=["chat", "json"])
def extractive(request):
    """Run a test once with each layout."""
    adapters = {"chat": dspy.ChatAdapter(use_json_adapter_fallback=False), "json": dspy.JSONAdapter()}
    with dspy.context(lm=LM("extractive", cache=False), adapter=adapters[request.param]):
        yield
