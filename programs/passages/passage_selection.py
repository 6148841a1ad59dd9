"""Which passages an answer is written from: the best candidates that fill a number of tokens, as they are shown.

    limits = Limits(context_tokens=6000, min_sources=3, least_relevance=0.02)
    passages = shown_passages(chosen(ranked, limits), documents, limits)

1. The best passage of each of the first ``min_sources`` papers has its place before any paper has a second one, the
   best ``of_each`` of theirs before any other, whatever their relevance.
2. The others follow in their order until the tokens are spent, or the order says that no more is about the question;
   what it says of a table of the best paper does not count, since rows and columns say little in words.
   With a ``top_k`` there are exactly so many, where they exist and fit.
3. A text that is in a better passage is not shown again, and passages that touch are one stretch of the paper.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from metrics.sentences import Span, sentences
from programs.errors import check_least, check_shares
from programs.ingest.chunking import WORDS_PER_TOKEN
from programs.ingest.document import Chunk, Document
from programs.ingest.regions import words
from programs.passages import Passage, cut_sentences

CONTEXT_TOKENS = 6000
"""Of all passages together, by default: 4,500 words."""
LEAST_RELEVANCE = 0.02
"""Probability of answering below which a passage is not shown unless there are fewer than ``FEWEST``."""
FEWEST = 6
"""Passages that are shown whatever their relevance, where there are so many: a question may be one that the order was
not made for."""
OF_EACH = 3
"""Passages of each paper that was named or chosen as a whole, which are shown whatever their relevance."""
_FEWEST_TOKENS = 250
"""Of a passage or two; a model that cannot read these cannot read the question with them."""
_TOUCHING = 3
"""Characters between two spans of one section that can only be white space."""


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """A candidate at its place in an order, with its scores by name and why it is there.

    ``relevance`` is how likely it answers, by the learned order; None where that was not asked.
    """

    chunk: Chunk
    scores: Mapping[str, float] = field(default_factory=dict)
    reason: str = ""
    relevance: float | None = None

    @property
    def document_id(self) -> str:
        """The id of the paper that the passage is of."""
        return self.chunk.document_id


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is shown.

    Attributes:
        context_tokens: Of all passages, at least 1; a token is three quarters of a word.
        top_k: Passages, at least 1; None for as many as the tokens hold and are about the question.
        shortlist: Best candidates to choose from unless papers are missing; None for all.
        max_per_document: Candidates that a paper may bring; None for any number.
        min_sources: Papers that have a passage before any has a second one, where there are so many.
        least_relevance: What a passage behind the first ``FEWEST`` must have, where its relevance is known.
        merge: Whether copies of a better passage are left out, and passages that touch are joined.
        of_each: Best passages of these papers that are shown whatever their relevance, where there is no ``top_k``: of
            papers that were chosen as wholes.
    """

    context_tokens: int = CONTEXT_TOKENS
    top_k: int | None = None
    shortlist: int | None = None
    max_per_document: int | None = None
    min_sources: int = 1
    least_relevance: float = LEAST_RELEVANCE
    merge: bool = True
    of_each: int = 0

    def __post_init__(self) -> None:
        check_least(self, context_tokens=1, top_k=1, shortlist=1, max_per_document=1, min_sources=1, of_each=0)
        check_shares(self, "least_relevance")

    def halved(self) -> Limits | None:
        """The same with half of the tokens, for a model that could not read so many; None where few are left."""
        half = self.context_tokens // 2
        return replace(self, context_tokens=half) if half >= _FEWEST_TOKENS else None


def tokens(text: str) -> float:
    """About how many tokens a text has.

    A token is counted as three quarters of a word, as in chunking: what a model's own tokenizer counts is near enough
    for a limit, and the same for every model.
    """
    return len(words(text, Span(0, len(text)))) / WORDS_PER_TOKEN


def fitting(passages: Sequence[Passage], room: int | None) -> list[Passage]:
    """The first of the passages, as many as so many tokens hold, and at least one; all with None."""
    if room is None:
        return list(passages)
    sizes = accumulate(tokens(each.text) for each in passages)
    return list(passages[: max(1, sum(size <= room for size in sizes))])


@dataclass(frozen=True, slots=True)
class Stretch:
    """What is shown as one passage: its best candidate, its span of the document, its candidates in reading order."""

    best: RankedPassage
    start: int
    end: int
    members: tuple[RankedPassage, ...]


def chosen(ranked: Sequence[RankedPassage], limits: Limits) -> list[Stretch]:
    """Choose passages of a ranking, best first.

    They come in the order of their best candidates. Where the first one alone exceeds the tokens, it is returned all
    the same, and ``shown_passages`` cuts it.
    """
    taken: list[int] = []
    left = float(limits.context_tokens)
    for place in _considered(ranked, limits):
        if limits.top_k and len(_stretches(ranked, [*taken, place], limits)) > limits.top_k:
            continue
        size = tokens(_unshown(ranked[place].chunk, [ranked[each].chunk for each in taken] if limits.merge else []))
        if size <= left:
            taken.append(place)
            left -= size
    return _stretches(ranked, taken or list(range(min(len(ranked), 1))), limits)


def shown_passages(
    stretches: Iterable[Stretch],
    documents: Mapping[str, Document],
    limits: Limits,
    keys: Mapping[str, str] | None = None,
) -> list[Passage]:
    """Stretches that were ``chosen`` as passages; ``keys`` are what papers are cited by, where not by numbers."""
    passages = [_passage(each, documents[each.best.document_id], keys or {}) for each in stretches]
    if passages:
        passages[0] = _cut(passages[0], documents[passages[0].document_id], limits.context_tokens)
    return passages


def _considered(ranked: Sequence[RankedPassage], limits: Limits) -> Iterator[int]:
    """Places of the candidates that may be shown: first one of each paper that is to be there, then in their order."""
    copies = _copies(ranked) if limits.merge else set()
    papers: dict[str, list[int]] = {}
    for place in (each for each in range(len(ranked)) if each not in copies):
        papers.setdefault(ranked[place].document_id, []).append(place)
    owed = {place for places in list(papers.values())[: limits.min_sources] for place in places[: limits.of_each]}
    allowed = [
        place
        for place, each in enumerate(ranked)
        if place not in copies
        and (place < FEWEST or place in owed or not _is_beside_the_point(each, ranked[0], limits))
    ]
    best: dict[str, int] = {}
    for place in allowed:
        best.setdefault(ranked[place].document_id, place)
    first = list(best.values())[: min(limits.min_sources, limits.top_k or limits.min_sources)]
    if limits.top_k is None:
        first += sorted(owed.difference(first))
    yield from first
    brought = Counter(ranked[place].document_id for place in first)
    shortlist = max(limits.shortlist or len(ranked), limits.top_k or 0)
    for place in (each for each in allowed if each < shortlist and each not in first):
        name = ranked[place].document_id
        if limits.max_per_document is None or brought[name] < limits.max_per_document:
            brought[name] += 1
            yield place


def _is_beside_the_point(each: RankedPassage, best: RankedPassage, limits: Limits) -> bool:
    is_table = each.chunk.kind == "table" and each.document_id == best.document_id
    is_judged = each.relevance is not None and limits.top_k is None and not is_table
    return is_judged and (each.relevance or 0.0) < limits.least_relevance


def _copies(ranked: Sequence[RankedPassage]) -> set[int]:
    """Places of candidates whose every letter and digit is in a better one: a changed number is not a copy."""
    letters = ["".join(filter(str.isalnum, each.chunk.text.casefold())) for each in ranked]
    return {place for place, text in enumerate(letters) if any(text in better for better in letters[:place])}


def _unshown(chunk: Chunk, shown: Iterable[Chunk]) -> str:
    """The text of a chunk without what overlapping ones have at its start and its end."""
    start, end = chunk.start, chunk.end
    for other in shown:
        if other.document_id == chunk.document_id:
            start = max(start, other.end) if other.start <= start < other.end else start
            end = min(end, other.start) if other.start < end <= other.end else end
    return chunk.text[start - chunk.start : max(end - chunk.start, 0)]


def _stretches(ranked: Sequence[RankedPassage], places: Sequence[int], limits: Limits) -> list[Stretch]:
    """Candidates in their order, those that touch together."""
    found: list[list[int]] = []
    for place in sorted(places, key=lambda place: (ranked[place].document_id, ranked[place].chunk.start)):
        if limits.merge and found and _touch([ranked[each].chunk for each in found[-1]], ranked[place].chunk):
            found[-1].append(place)
        else:
            found.append([place])
    stretches = []
    for together in sorted(found, key=min):
        members = tuple(ranked[place] for place in together)
        end = max(each.chunk.end for each in members)
        stretches.append(Stretch(ranked[min(together)], members[0].chunk.start, end, members))
    return stretches


def _touch(stretch: Sequence[Chunk], following: Chunk) -> bool:
    """Whether a passage continues where others of its section end; captions and tables stand alone."""
    last = stretch[-1]
    is_text = last.kind == following.kind == "text"
    place = (following.document_id, following.section, following.heading)
    is_same = (last.document_id, last.section, last.heading) == place
    return is_text and is_same and following.start - max(each.end for each in stretch) <= _TOUCHING


def _passage(stretch: Stretch, document: Document, keys: Mapping[str, str]) -> Passage:
    best, start, end = stretch.best, stretch.start, stretch.end
    others = len(stretch.members) - 1
    return Passage.of(
        document,
        start,
        end,
        id=f"{document.id}::{start}-{end}" if others else best.chunk.id,
        section=best.chunk.section,
        heading=best.chunk.heading,
        scores=best.scores,
        relevance_reason=best.reason + (f"; joined with {others} next to it" if others else ""),
        key=keys.get(document.id, ""),
    )


def _cut(passage: Passage, document: Document, budget: int) -> Passage:
    """A passage that exceeds the budget up to the end of a sentence, or of a word where its first one is longer."""
    if tokens(passage.text) <= budget:
        return passage
    counted = words(passage.text, Span(0, len(passage.text)))
    last = counted[max(int(budget * WORDS_PER_TOKEN), 1) - 1].end
    end = max((span.end for span in sentences(passage.text) if span.end <= last), default=last)
    joined = passage.id.removesuffix(f"{passage.start}-{passage.end}")
    named = passage.id if joined == passage.id else f"{joined}{passage.start}-{passage.start + end}"
    _, after = cut_sentences(document, passage.start, passage.start + end)
    return replace(passage, id=named, text=passage.text[:end], end=passage.start + end, after=after)
