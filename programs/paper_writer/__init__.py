"""`paper_writer`: see ``programs.paper_writer.pipeline``."""

from programs.paper_writer.concept import ExperimentResult, PaperConcept, Plot
from programs.paper_writer.concept_file import read_concept
from programs.paper_writer.draft import PaperDraft, SectionDraft
from programs.paper_writer.evidence import CitedPaper, Evidence, Gathered, PaperChunk
from programs.paper_writer.evidence_gatherer import EvidenceGatherer
from programs.paper_writer.paper_indexer import PaperIndexer
from programs.paper_writer.paper_writer import PaperWriter
from programs.paper_writer.pipeline import PaperWritingPipeline
from programs.paper_writer.query_builder import QueryBuilder
from programs.paper_writer.resources import PaperWriterParameters
from programs.paper_writer.sections import PaperSection

__all__ = [
    "CitedPaper",
    "Evidence",
    "EvidenceGatherer",
    "ExperimentResult",
    "Gathered",
    "PaperChunk",
    "PaperConcept",
    "PaperDraft",
    "PaperIndexer",
    "PaperSection",
    "PaperWriter",
    "PaperWriterParameters",
    "PaperWritingPipeline",
    "Plot",
    "QueryBuilder",
    "SectionDraft",
    "read_concept",
]
