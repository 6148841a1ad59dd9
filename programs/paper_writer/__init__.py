"""`paper_writer`: see ``programs.paper_writer.pipeline``."""

from programs.paper_writer.concept import ExperimentResult, PaperConcept, Plot, read_concept
from programs.paper_writer.draft import PaperDraft, SectionDraft
from programs.paper_writer.evidence import CitedPaper, Evidence, Gathered, PaperChunk, PaperSection
from programs.paper_writer.evidence_gatherer import EvidenceGatherer, QueryBuilder
from programs.paper_writer.library import PaperIndexer
from programs.paper_writer.paper_writer import PaperWriter
from programs.paper_writer.pipeline import PaperWritingPipeline
from programs.paper_writer.resources import PaperWriterParameters

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
