"""What an index was made with, so that it is never searched or extended with something else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from programs.errors import IndexMismatch

FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True)
class Manifest:
    """The choices that are baked into every stored vector.

    Attributes:
        embedder: Name of the embedding model. Its number format is left out: the default model's vectors in 8-bit
            integers lie within a mean cosine of 0.998 of those in float32. Questions in integers find as well among
            passages in float32 as questions in float32 do; the other way round nDCG@10 on SciFact falls by 0.002.
        dimension: Length of its vectors.
        chunking: Policy, size and overlap, as in ``words:220:40``.
        sparse: Name and constants of the sparse model.
        version: Format of the stored records.
        sealed: Whether every record has a seal; in an index that an earlier version began, some have none.
    """

    embedder: str
    dimension: int
    chunking: str
    sparse: str
    version: int = FORMAT_VERSION
    sealed: bool = False

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], place: str) -> Manifest:
        """Read a stored manifest.

        Raises:
            IndexMismatch: Made by another version of this project.
        """
        if values.get("version") != FORMAT_VERSION:
            raise IndexMismatch(
                f"the index at {place} has format {values.get('version')!r}, this version reads {FORMAT_VERSION}; "
                "make it again with `python -m programs index PAPERS`"
            )
        try:
            return cls(**values)
        except TypeError as error:
            raise IndexMismatch(
                f"the index at {place} was made by a newer version of Corroborate ({error}); update this one"
            ) from error

    def require(self, place: str, **wanted: object) -> None:
        """Check that the index was made with what the caller is going to use.

        Raises:
            IndexMismatch: Names the first difference and what to do.
        """
        for name, value in wanted.items():
            own = getattr(self, name)
            if value is not None and value != own:
                raise IndexMismatch(
                    f"the index at {place} was made with {name} {own!r}, not {value!r}; open it with {own!r}, or make "
                    "another index with `python -m programs index PAPERS --index OTHER`"
                )
