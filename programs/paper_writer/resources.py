"""What every step of a run works with."""

from __future__ import annotations

from dataclasses import dataclass, field

from programs.errors import UsageError
from programs.paper_writer.calls import Calls
from programs.paper_writer.library import Library
from programs.paper_writer.model_health import ModelHealth


@dataclass(frozen=True, slots=True)
class PaperWriterParameters:
    """What `paper_writer` can be tuned by.

    Attributes:
        max_iterations: How often the agent of a section can search at most; 0 leaves it at the default queries.
        max_queries: Queries that it can ask for at a time, at least 1.
        top_k_initial: Passages that a query brings, at least 1.
        top_k_final: Those of them that become evidence, at least 1.
        vector_weight: Share of the similarity in the combined score, in [0, 1]; the rest is the model's score.
        max_evidence: Pieces of evidence that a section is written from at most, the best of all searches; at least 1.
        num_tries: Attempts at a step whose output does not parse, at least 1.
        verify: Whether to verify and repair the cited sentences of a section.
        max_repairs: Rounds of repair at most; 0 only verifies.
        threads: Calls of the model at a time at most, at least 1; it changes nothing but the time.
    """

    max_iterations: int = 5
    max_queries: int = 3
    top_k_initial: int = 20
    top_k_final: int = 8
    vector_weight: float = 0.4
    max_evidence: int = 24
    num_tries: int = 1
    verify: bool = True
    max_repairs: int = 1
    threads: int = 8

    def __post_init__(self) -> None:
        least = {"max_iterations": 0, "max_repairs": 0}
        for name in ("max_queries", "top_k_initial", "top_k_final", "max_evidence", "num_tries", "threads", *least):
            if getattr(self, name) < least.get(name, 1):
                raise UsageError(f"{name} must be at least {least.get(name, 1)}, got {getattr(self, name)}")
        if not 0 <= self.vector_weight <= 1:
            raise UsageError(f"vector_weight must be between 0 and 1, got {self.vector_weight}")


@dataclass(frozen=True, slots=True)
class Resources:
    """One set a run.

    Attributes:
        library: The indexed papers.
        calls: Runs calls of the model side by side.
        settings: The numbers.
        model_health: Whether the model still answers.
    """

    library: Library
    calls: Calls
    settings: PaperWriterParameters
    model_health: ModelHealth = field(default_factory=ModelHealth)
