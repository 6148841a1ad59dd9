"""Papers that may bear on a question: those of the best passages and of the best summaries, fused by rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from programs.passages.several_papers import DEPTH, MOST_PAPERS, asks_for_several
from programs.retrieval.fusion import reciprocal_rank_fusion
from programs.running.progress import report_step
from programs.summaries.selection import CandidatePaper
from programs.summaries.source import opening

if TYPE_CHECKING:
    from programs.retrieval.filters import Filters
    from programs.retrieval.index import Index
    from programs.retrieval.summaries import Summaries

NOTHING_FOUND = "Nothing was retrieved: the index holds no paper that matches."


def candidate_papers(
    index: Index, summaries: Summaries | None, queries: Sequence[str], depths: tuple[int, int], filters: Filters | None
) -> tuple[list[CandidatePaper], list[str]]:
    """Papers to choose from, the likeliest first, and what is to be said of them.

    Args:
        index: Their passages.
        summaries: Of its papers; None without any.
        queries: The question, and other words for it.
        depths: How many passages and how many summaries are looked at; more where a question asks for several papers.
        filters: What passages have to meet.
    """
    is_wide, top_k = asks_for_several(queries[0]), depths[1]
    hits = index.search(queries, DEPTH if is_wide else depths[0], filters)
    top_k = MOST_PAPERS if is_wide and top_k else top_k
    found = summaries.search(queries, top_k, filters) if summaries and top_k else []
    # Filters on single passages say nothing of summaries, and a paper without such a passage would be of no use.
    found = [hit for hit in found if not filters or index.chunks(hit.summary.document_id, filters)]
    lists = [[hit.chunk.document_id for hit in hits], [hit.summary.document_id for hit in found]]
    names = [one.id for one in reciprocal_rank_fusion(lists)][: MOST_PAPERS if is_wide else None]
    report_step(
        "retrieve", f"Found {len(names)} papers by {len(hits)} passages and {len(found)} summaries", papers=names
    )
    written = summaries.of(names) if summaries else {}
    candidates = [_candidate(index, name, written[name].text if name in written else "") for name in names]
    return candidates, _notes(candidates)


def _candidate(index: Index, document_id: str, summary: str) -> CandidatePaper:
    document = index.document(document_id)
    return CandidatePaper(document_id, document.title, summary or opening(document), bool(summary))


def _notes(candidates: Sequence[CandidatePaper]) -> list[str]:
    if not candidates:
        return [NOTHING_FOUND]
    missing = [each.document_id for each in candidates if not each.is_summary]
    if not missing or len(candidates) == 1:  # of which the model is not asked
        return []
    return [
        f"{len(missing)} of {len(candidates)} papers have no summary ({', '.join(missing)}); the model saw their first "
        "words instead. Make summaries with `python -m programs index PAPERS --summaries`."
    ]
