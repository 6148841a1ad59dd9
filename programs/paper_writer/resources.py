"""What every step of a run works with."""

from __future__ import annotations

from dataclasses import dataclass, field

from programs.paper_writer.calls import Calls
from programs.paper_writer.library import Library
from programs.paper_writer.outage import Outage
from programs.paper_writer.parameters import Parameters


@dataclass(frozen=True, slots=True)
class Resources:
    """One set a run.

    Attributes:
        library: The indexed papers.
        calls: Runs calls of the model side by side.
        settings: The numbers.
        outage: Whether the model is gone.
    """

    library: Library
    calls: Calls
    settings: Parameters
    outage: Outage = field(default_factory=Outage)
