"""Summarizes papers with a language model: one paper, or those of an index that have no current summary.

    with dspy.context(lm=programs.LM("ollama/gpt-oss")):
        Summarizer()(document=read("paper.pdf")).summary

Each summary of an index is stored as it is made: a run that is killed loses only those in progress.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from typing import Any, ClassVar, TypeAlias

import dspy
from dspy.utils import exceptions as dspy_errors
from dspy.utils.exceptions import ContextWindowExceededError

from programs.errors import LMError, MalformedOutput, UsageError, check_least, one_line
from programs.ingest.document import Document
from programs.ingest.regions import Region, regions
from programs.program import Program, attempt, in_threads
from programs.progress import report_step
from programs.retrieval.index import Index
from programs.retrieval.summary_index import Summaries, Summary
from signatures.paper_retriever import MergeSummaries, SummarizePaper
from signatures.passages import as_data, numbered

READING_VERSION = "1"
"""Raise it when ``body`` gives other text for the same paper, and papers are summarized again."""

OPENING_WORDS = 200
"""About as long as a summary."""

_BACK_MATTER = re.compile(
    r"(?:authors?.{0,3} )?(?:contributions?|information|details|roles)\b"
    r"|(?:competing|conflicts?|declarations?).{0,5} (?:of )?interests?"
    r"|acknowledge?ments?|funding|financial|(?:list of )?abbreviations|ethic|compliance|consent|(?:data )?availability"
    r"|disclosure|supplement|supporting information|additional file|provenance|trial registration|pre-publication"
    r"|(?:foot|end)notes|publisher.{0,2} note",
    re.IGNORECASE,
)
"""Headings of what is behind a paper's conclusion."""


def body(document: Document) -> str:
    """Title and sections under their headings, without references, figures, tables and what is said of the authors."""
    parts = [document.title]
    evidence = (
        region for region in regions(document) if region.kind != "other" or not _BACK_MATTER.match(region.heading)
    )
    for is_abstract, group in groupby(evidence, key=lambda region: region.kind == "abstract"):
        texts = [(region.heading, _text(document, region)) for region in group]
        # Parts of an abstract are headed like those of the paper (Methods, Results), which would pass for these.
        parts += (
            ["Abstract", *(text for _, text in texts)] if is_abstract else [part for pair in texts for part in pair]
        )
    return "\n\n".join(filter(None, parts))


def opening(document: Document) -> str:
    """The abstract, or the first words of a paper that has none."""
    found = list(regions(document))
    chosen = [region for region in found if region.kind == "abstract"] or found
    return " ".join(" ".join(_text(document, region) for region in chosen).split()[:OPENING_WORDS])


def _text(document: Document, region: Region) -> str:
    return "\n\n".join(document.text[span.start : span.end].strip() for span in region.spans)


_SHORTEST_PART = 200
"""Words below which a part is not halved again: then the model's context is the problem, not the paper."""


@dataclass(frozen=True, slots=True)
class SummarizerParameters:
    """What summarizing can be tuned by.

    Attributes:
        longest_part: Words of a paper that are read at once, at least 200; a longer paper is halved until its parts
            fit, and so is one that exceeds the model's context.
        overlap: Share of a part that the part beside it repeats, in [0, 0.5).
        num_tries: Attempts at a step whose output does not parse, at least 1.
    """

    longest_part: int = 20_000
    overlap: float = 0.1
    num_tries: int = 2

    def __post_init__(self) -> None:
        check_least(self, longest_part=_SHORTEST_PART, num_tries=1)
        if not 0 <= self.overlap < 0.5:
            raise UsageError(f"overlap must be in [0, 0.5), got {self.overlap}")


class Summarizer(Program[SummarizerParameters]):
    """One paper, one summary."""

    name: ClassVar[str] = "summarizer"

    def __init__(self, parameters: SummarizerParameters | None = None) -> None:
        super().__init__(parameters or SummarizerParameters())
        self.summarize = dspy.Predict(SummarizePaper)
        self.merge = dspy.Predict(MergeSummaries)

    @property
    def recipe(self) -> str:
        """Digest of prompts and parameters; with the model's name it tells whether a summary is to be made again."""
        return hashlib.sha256(json.dumps(self.dump_state(), sort_keys=True).encode()).hexdigest()

    def run(self, document: Document) -> dspy.Prediction:
        """Summarize a paper: ``summary``, in one paragraph, and ``parts``, how many it was read in.

        Raises:
            UsageError: The paper has no text but references.
            MalformedOutput: A step's output did not parse in ``num_tries`` tries, or held no summary.
        """
        text = body(document)
        if not text.strip():
            raise UsageError(f"{document.id} has no text to summarize")
        report_step("summarize", f"Summarizing {document.id}", document=document.id)
        summary, parts = self._of(text.split(" "))
        return dspy.Prediction(summary=summary, parts=parts)

    def _of(self, words: list[str]) -> tuple[str, int]:
        """The summary of a text, parted at its spaces, and how many parts it was read in."""
        if len(words) <= self.settings.longest_part:
            try:
                step = attempt(self.summarize, self.settings.num_tries, paper=as_data(" ".join(words)))
            except ContextWindowExceededError:
                if len(words) < 2 * _SHORTEST_PART:
                    raise
            else:
                return _paragraph(step.paper_summary), 1
        middle, reach = len(words) // 2, int(len(words) * self.settings.overlap / 2)
        first, second = self._of(words[: middle + reach]), self._of(words[middle - reach :])
        shown = numbered(("", each) for each in (first[0], second[0]))
        step = attempt(self.merge, self.settings.num_tries, summaries=shown)
        return _paragraph(step.paper_summary), first[1] + second[1]


def _paragraph(written: str | None) -> str:
    summary = " ".join((written or "").split())
    if not summary:
        raise MalformedOutput("the model wrote an empty summary; try again, or take another model")
    return summary


# With these every further paper would fail as well.
_HOPELESS = (
    dspy_errors.LMConfigurationError,
    dspy_errors.LMAuthError,
    dspy_errors.LMBillingError,
    dspy_errors.LMUnsupportedModelError,
)
_LONGEST_REASON = 300


@dataclass(frozen=True, slots=True)
class Failure:
    """A paper that could not be summarized."""

    document_id: str
    title: str
    reason: str

    def __str__(self) -> str:
        return f"{self.document_id}{f' ({self.title})' if self.title else ''}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Summarized:
    """What happened to the papers so far: summaries made, there already, and removed as their papers are gone."""

    made: int = 0
    current: int = 0
    removed: int = 0
    failures: tuple[Failure, ...] = ()
    lm_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def done(self) -> int:
        """Papers that are behind."""
        return self.made + self.current + len(self.failures)

    @property
    def cost(self) -> str:
        """Calls and tokens in words."""
        return f"{self.lm_calls:,} calls, {self.prompt_tokens + self.completion_tokens:,} tokens"

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        return asdict(self)


Progress: TypeAlias = Callable[[Summarized, str], None]
"""Called with what is done, and the paper that was last."""


def summarize_index(
    index: Index,
    *,
    threads: int = 8,
    summarizer: Summarizer | None = None,
    on_progress: Progress = lambda _done, _name: None,
) -> Summarized:
    """Bring an index's summaries up to date, with the language model of ``dspy.settings``.

    A paper is summarized when it has no summary, or one of another text, by another model or by other prompts. Whatever
    else is known of a paper may change without the model being asked again.

    ``threads`` papers are summarized at a time; ``on_progress`` is called as papers are done with.

    Raises:
        UsageError: Threads below 1, or no model is configured.
        LMError: The model cannot be asked at all; what was made until then is kept.
    """
    if threads < 1:
        raise UsageError(f"threads must be at least 1, got {threads}")
    if dspy.settings.lm is None:
        raise UsageError("no language model is configured; set one with dspy.configure(lm=programs.LM(…))")
    summaries = index.make_summaries()
    run = _Run(index, summaries, summarizer or Summarizer(), on_progress)
    with summaries.writing():
        return run(threads)


class _Run:
    def __init__(self, index: Index, summaries: Summaries, summarizer: Summarizer, on_progress: Progress) -> None:
        self._index = index
        self._summaries = summaries
        self._summarizer = summarizer
        self._on_progress = on_progress
        self._lm = str(dspy.settings.lm.model)
        self._recipe = _digest(f"{self._lm}/{READING_VERSION}/{summarizer.recipe}")
        self._stored = summaries.stored()
        self._done = Summarized()

    def __call__(self, threads: int) -> Summarized:
        names = [str(each["id"]) for each in self._index.documents()]
        gone = self._stored.keys() - set(names)
        self._summaries.remove(sorted(gone))
        hashes = self._index.content_hashes(names)
        kept = self._stored.items()
        current = {name for name, one in kept if (one.content_hash, one.recipe) == (hashes.get(name), self._recipe)}
        fresh = [name for name in names if name not in current]
        self._report("", current=len(names) - len(fresh), removed=len(gone))
        with closing(in_threads(self._summarized, fresh, threads, as_they_come=True)) as found:
            for outcome in found:
                if isinstance(outcome, Failure):
                    self._report(outcome.document_id, failures=(*self._done.failures, outcome))
                else:
                    self._keep(*outcome)
        self._summaries.store.optimize()
        return self._done

    def _summarized(self, name: str) -> tuple[Document, Summary, dspy.Prediction | None] | Failure:
        """One paper's work, in its own thread."""
        document = self._index.document(name)
        source = _digest(body(document))
        stored = self._stored.get(name)
        if stored is not None and (stored.source, stored.recipe) == (source, self._recipe):
            return document, replace(stored, content_hash=document.content_hash), None
        try:
            made = self._summarizer(document=document)
        except _HOPELESS:
            raise
        except (LMError, UsageError, dspy_errors.LMError) as error:
            return Failure(name, document.title, one_line(error, _LONGEST_REASON))
        return document, Summary(name, made.summary, self._lm, self._recipe, source, document.content_hash), made

    def _keep(self, document: Document, summary: Summary, made: dspy.Prediction | None) -> None:
        self._summaries.put(summary, document)
        if made is None:
            self._report(document.id, current=self._done.current + 1)
            return
        spent = made.metrics
        self._report(
            document.id,
            made=self._done.made + 1,
            lm_calls=self._done.lm_calls + spent["lm_calls"],
            prompt_tokens=self._done.prompt_tokens + spent["tokens"]["prompt"],
            completion_tokens=self._done.completion_tokens + spent["tokens"]["completion"],
        )

    def _report(self, name: str, **changed: object) -> None:
        self._done = replace(self._done, **changed)  # type: ignore[arg-type]  # fields of Summarized
        self._on_progress(self._done, name)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
