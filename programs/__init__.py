"""Answers from scientific papers, with every sentence proved by a passage.

import dspy, programs
dspy.configure(lm=programs.LM("ollama/gpt-oss"))
qa = programs.load("main_points")
qa("Does low pH shorten yeast lifespan?", programs.read("paper.pdf"))
index = programs.Index.open("papers.idx")
hits = index.search("Does low pH shorten yeast lifespan?", k=6)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from programs.certificate import Citation
    from programs.evidence_table import EvidenceTable
    from programs.ingest.document import Document
    from programs.ingest.formats import read
    from programs.lm import LM
    from programs.lm.adapters import adapter_for
    from programs.main_points import MainPoints
    from programs.multi_signal import MultiSignal
    from programs.paper_retriever import PaperRetriever
    from programs.paper_writer import PaperWritingPipeline
    from programs.passages import Passage
    from programs.rag_fusion import RagFusion
    from programs.registry import load
    from programs.results.result import Result
    from programs.retrieval.index import Index

__all__ = [
    "LM",
    "Citation",
    "Document",
    "EvidenceTable",
    "Index",
    "MainPoints",
    "MultiSignal",
    "PaperRetriever",
    "PaperWritingPipeline",
    "Passage",
    "RagFusion",
    "Result",
    "adapter_for",
    "load",
    "read",
]

_HOMES = {
    "LM": "programs.lm",
    "Citation": "programs.certificate",
    "Document": "programs.ingest.document",
    "EvidenceTable": "programs.evidence_table",
    "Index": "programs.retrieval.index",
    "MainPoints": "programs.main_points",
    "MultiSignal": "programs.multi_signal",
    "PaperRetriever": "programs.paper_retriever",
    "PaperWritingPipeline": "programs.paper_writer",
    "Passage": "programs.passages",
    "RagFusion": "programs.rag_fusion",
    "Result": "programs.results.result",
    "adapter_for": "programs.lm.adapters",
    "load": "programs.registry",
    "read": "programs.ingest.formats",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - the public names are of several types
    # The public names load on first use, so that `--help` does not wait for torch.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
