"""What the tests of the paper writer share: a concept, papers with authors, and a script that writes a whole draft."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import dspy

from programs.paper_writer import PaperConcept, PaperWritingPipeline
from programs.paper_writer.evidence import CitedPaper, Evidence
from programs.paper_writer.run_resources import PaperWriterParameters
from programs.passages import Passage
from programs.retrieval.index import Index
from tests.hashing_embedder import HashingEmbedder
from tests.papers import BONE, ROOTS, YEAST
from tests.scripted_lm import Script, correcting
from tests.scripted_lm import evidence as numbered

HYPOTHESIS = "Jumping protects femur density of mice."
CONCEPT = PaperConcept.model_validate(
    {
        "hypothesis": HYPOTHESIS,
        "background": "Mice lose bone in flight.",
        "experiments": [
            {"name": "Jumping", "method": "Mice jumped daily.", "findings": ["Density fell by 2 percent."]}
        ],
    }
)
PAPERS = (
    replace(BONE, authors=("Okafor, Chidinma", "Vasiliev, Oleg"), journal="Journal of Orbits", doi="10.5555/1"),
    replace(ROOTS, authors=("Mbatha, Nomvula",)),
    replace(YEAST, authors=("Haugen, Sigrid",)),
)
KEYS = {"bone": "okafor2014", "roots": "mbatha2009", "yeast": "haugen2017"}
FELL = "Femur density fell by 12 percent in flight mice (okafor2014)."
DONE: dict[str, Any] = {"queries": [], "done": True}


def index_at(place, *documents) -> Index:
    """An index of these papers, by default of all three."""
    index = Index.open(place, create=True, embedder=HashingEmbedder())
    index.add(documents or PAPERS)
    return index


def wants(*queries: tuple[str, str]) -> dict[str, Any]:
    """The agent's reply that asks for searches."""
    return {"queries": [{"query": query, "target_section": target} for query, target in queries], "done": False}


def scored(score: float = 0.5) -> dict[str, Any]:
    """The reply that scores evidence."""
    return {"result": {"score": score, "reason": "it fits"}}


def section_asked(call) -> str:
    """The section that a prompt is about."""
    return call.values["section"]


def sections_written(script: Script) -> list[str]:
    """The sections whose text was asked for, in order."""
    return [section_asked(call) for call in script.asked("section_text")]


def full_script(**replies) -> Script:
    """A model that writes a whole draft; replies in their names' places."""
    usual = {
        "numbers": lambda call: {"numbers": [*numbered(call)][:1]},
        "result": scored(),
        "done": DONE,
        "section_text": lambda call: {"section_text": f"Own words on {section_asked(call)}. {FELL}"},
        "corrected": correcting(FELL.partition(" (")[0]),
        "title": {"title": "Jumping protects bone"},
    }
    return Script(**{**usual, **replies})


def draft_with(script: Script, index: Index, output=None, concept: PaperConcept = CONCEPT, plan_only=False, **numbers):
    """Run the pipeline with a scripted model, by default one call after another."""
    with dspy.context(lm=script.lm()):
        return PaperWritingPipeline(index, PaperWriterParameters(**{"threads": 1, **numbers}))(
            concept=concept, output=output, plan_only=plan_only
        )


def evidence(key: str = "okafor2014", paper_id: str = "bone", text: str = "Femur density fell.", score: float = 0.5):
    """A piece of evidence."""
    paper = CitedPaper(paper_id=paper_id, citation_key=key)
    chunk = Passage(f"{paper_id}::sec0::chunk0", paper_id, "results", "", text, 0, len(text), key=key)
    scores = dict.fromkeys(("vector_score", "llm_score", "combined_score"), score)
    return Evidence(paper=paper, chunk=chunk, summary=text, source_query="q", **scores)


def keys_in(text: str) -> set[str]:
    """Everything in a text that looks like a citation key."""
    return set(re.findall(r"\b[a-z]{3,}(?:19|20)\d{2}[a-z]*\b", text))
