"""What an index holds, and what is wrong with it: papers damaged, hard to read, or read by an older reader."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from programs.errors import IndexCorrupt
from programs.ingest.document import Document
from programs.ingest.formats import reading
from programs.ingest.readability import Readability, doubts, judge_document
from programs.retrieval.filters import OWN_VALUES
from programs.retrieval.index import Index
from programs.retrieval.store import Kept


@dataclass(frozen=True, slots=True)
class DoubtfulPaper:
    """A paper whose stored text is hard to read, or that has pages of which nothing was read.

    Attributes:
        paper: Its id.
        file: Name of the file it was read from.
        readability: The figures.
        reasons: What speaks against it.
    """

    paper: str
    file: str
    readability: Readability
    reasons: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values, with the verdict and its reasons."""
        judged = self.readability
        return {
            "paper": self.paper,
            "file": self.file,
            "verdict": "doubtful" if judged.verdict == "readable" else judged.verdict,
            "reasons": list(self.reasons),
            "figures": asdict(judged),
        }


@dataclass(frozen=True, slots=True)
class Soundness:
    """What an index holds, and what is wrong with it.

    Attributes:
        papers: Number of papers.
        passages: Number of passages.
        formats: Papers by format; "given" for those that came from no file.
        sections: Passages by the kind of section they stand in, those that there are.
        kinds: Passages by their own kind: text, figure, table.
        embedder: Name of the embedding model.
        dimension: Length of its vectors.
        chunking: How papers were cut.
        doubtful: Papers whose text is hard to read.
        outdated: Ids of the papers that an older version of their reader read.
        damaged: Ids of the papers of which the index no longer holds what was stored.
        unsealed: Whether an earlier version began the index, so that not all damage can be seen.
        kept: How a server keeps it; None for a folder.
    """

    papers: int
    passages: int
    formats: Mapping[str, int]
    sections: Mapping[str, int]
    kinds: Mapping[str, int]
    embedder: str
    dimension: int
    chunking: str
    doubtful: tuple[DoubtfulPaper, ...]
    outdated: tuple[str, ...]
    damaged: tuple[str, ...]
    unsealed: bool
    kept: Kept | None = None

    @property
    def is_sound(self) -> bool:
        """Whether there are papers, and none is doubtful, outdated or damaged."""
        return self.papers > 0 and not (self.doubtful or self.outdated or self.damaged)

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        return {
            **{name: getattr(self, name) for name in self.__slots__},
            "doubtful": [each.as_dict() for each in self.doubtful],
            "outdated": list(self.outdated),
            "damaged": list(self.damaged),
            "kept": {**asdict(self.kept), "loss": self.kept.loss} if self.kept else None,
            "sound": self.is_sound,
        }


def soundness(index: Index, on_progress: Callable[[int, str], None]) -> Soundness:
    """Read every paper of an index, and judge it.

    Args:
        index: The index.
        on_progress: Called after each paper with how many are behind, and its id.

    Raises:
        IndexCorrupt: A file of the index is not what was written.
    """
    index.require_whole()
    formats: Counter[str] = Counter()
    doubtful, damaged = [], []
    for done, name in enumerate(index.document_ids(), start=1):
        on_progress(done, name)
        try:
            document = _whole(index, name)
        except IndexCorrupt:
            damaged.append(name)
            continue
        formats[reading(document.source).partition(" ")[0] or "given"] += 1
        if reasons := doubts(document):
            doubtful.append(DoubtfulPaper(name, document.source, judge_document(document), reasons))
    return Soundness(
        papers=formats.total() + len(damaged),
        passages=index.count(),
        formats=dict(sorted(formats.items())),
        sections=_counts(index, "section"),
        kinds=_counts(index, "kind"),
        embedder=index.manifest.embedder,
        dimension=index.manifest.dimension,
        chunking=index.manifest.chunking,
        doubtful=tuple(doubtful),
        outdated=tuple(index.outdated()),
        damaged=tuple(damaged),
        unsealed=not index.manifest.sealed,
        kept=index.kept(),
    )


def _whole(index: Index, name: str) -> Document:
    """A paper, after reading all that the index holds of it."""
    index.description(name)
    index.chunks(name)
    if summaries := index.summaries():
        summaries.of([name])
    return index.document(name)


def _counts(index: Index, field: str) -> dict[str, int]:
    """Passages by a field of theirs, in the order of its values; without values that no passage has."""
    counted = {value: index.count({field: value}) for value in OWN_VALUES[field]}
    return {value: count for value, count in counted.items() if count}
