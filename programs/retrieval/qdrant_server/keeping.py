"""How an index is kept on a Qdrant server: in how many pieces and copies, how exact, and where in memory.

Keeping(shards=6, replicas=2)                # on three nodes: one may be lost
Keeping(quantization="int8", on_disk=True)   # a quarter of the memory for vectors; the rest is read from disk
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from programs.errors import UsageError

INT8 = "int8"


@dataclass(frozen=True, slots=True)
class Keeping:
    """Settings of a collection, which are chosen when it is made; None leaves one to the server.

    Attributes:
        shards: Pieces, spread over the nodes of a cluster; a few a node leave room to grow.
        replicas: Copies of each piece, on different nodes; with 2 a node may be lost.
        write_consistency: Copies that must have a write before it counts as done.
        quantization: "int8" searches by vectors of a quarter of the size, and orders what it finds by the whole ones.
        on_disk: Whole vectors stay on disk and are read when needed.
    """

    shards: int | None = None
    replicas: int | None = None
    write_consistency: int | None = None
    quantization: str | None = None
    on_disk: bool | None = None

    def __post_init__(self) -> None:
        for name in ("shards", "replicas", "write_consistency"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UsageError(f"{name}={value} is too few; give 1 or more, or leave it out")
        if self.quantization not in (None, INT8):
            raise UsageError(f"quantization={self.quantization!r} is not known; give {INT8}, or leave it out")
        if (self.write_consistency or 1) > (self.replicas or self.write_consistency or 1):
            raise UsageError(f"write_consistency={self.write_consistency} is more than there are replicas")

    @property
    def chosen(self) -> dict[str, Any]:
        """The settings that are not left to the server."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def unlike(self, found: Keeping) -> str:
        """Where a collection differs from what was chosen, in words; empty where it does not."""
        there = asdict(found)
        return ", ".join(
            f"{name} {there[name] or 'off'} and not {value}"
            for name, value in self.chosen.items()
            if (there[name] or False) != value
        )


@dataclass(frozen=True, slots=True)
class Kept:
    """How an index is kept, and what the loss of a node would do.

    Attributes:
        server: Version of the server.
        keeping: Its settings.
        nodes: Nodes of the cluster; 1 for a single server.
        alone: By node, the pieces of which it holds the only copy that can be read.
        broken: Pieces of which a copy cannot be read at present.
    """

    server: str
    keeping: Keeping
    nodes: int = 1
    alone: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    broken: tuple[int, ...] = ()

    @property
    def loss(self) -> str:
        """What the loss of one node would do, in a sentence."""
        if self.nodes == 1:
            return "One server: while it is down there is no search and no write."
        if not self.alone:
            return f"{self.nodes} nodes: the loss of any one changes nothing."
        pieces = sum(len(each) for each in self.alone.values())
        which = "any" if len(self.alone) == self.nodes else "one"
        return (
            f"{self.nodes} nodes: the loss of {which} ends every search and every write until it is back, for {pieces} "
            f"of {self.keeping.shards} pieces have one copy."
        )
