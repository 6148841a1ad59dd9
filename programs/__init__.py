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

from programs.registry import PROGRAMS

if TYPE_CHECKING:
    from programs.certificate import Citation as Citation
    from programs.evidence_table import EvidenceTable as EvidenceTable
    from programs.ingest.document import Document as Document
    from programs.ingest.formats import read as read
    from programs.lm import LM as LM
    from programs.lm.adapters import adapter_for as adapter_for
    from programs.main_points import MainPoints as MainPoints
    from programs.multi_signal import MultiSignal as MultiSignal
    from programs.paper_retriever import PaperRetriever as PaperRetriever
    from programs.paper_writer import PaperWritingPipeline as PaperWritingPipeline
    from programs.passages import Passage as Passage
    from programs.rag_fusion import RagFusion as RagFusion
    from programs.registry import load as load
    from programs.results.result import Result as Result
    from programs.retrieval.index import Index as Index

_HOMES = {
    "LM": "programs.lm",
    "Citation": "programs.certificate",
    "Document": "programs.ingest.document",
    "Index": "programs.retrieval.index",
    "Passage": "programs.passages",
    "Result": "programs.results.result",
    "adapter_for": "programs.lm.adapters",
    "load": "programs.registry",
    "read": "programs.ingest.formats",
    **{each.home: each.module for each in PROGRAMS},
}
__all__ = sorted(_HOMES)  # noqa: PLE0605 - the classes of programs come from their table


def __getattr__(name: str) -> Any:  # noqa: ANN401 - the public names are of several types
    # The public names load on first use, so that `--help` does not wait for torch.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
