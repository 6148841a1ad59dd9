"""Answers from scientific papers, with every sentence proved by a passage.

import dspy, programs
dspy.configure(lm=programs.LM("ollama/gpt-oss"))
qa = programs.load("main_points")
index = programs.Index.open("papers.idx")
hits = index.search("Does low pH shorten yeast lifespan?", k=6)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from programs.lm import LM
    from programs.registry import load
    from programs.retrieval.index import Index

__all__ = ["LM", "Index", "load"]

_HOMES = {"LM": "programs.lm", "Index": "programs.retrieval.index", "load": "programs.registry"}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - the public names are of several types
    # The public names load on first use, so that `--help` does not wait for torch.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
