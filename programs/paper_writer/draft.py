"""A draft: its sections with what each was written from, and the folder in which it is made.

    draft/
      draft.md          the manuscript, with its figures beside it
      references.bib    the papers that it cites
      draft.json        sections, evidence, certificates, what is weak, notes
      prompts/          every prompt of every step; methods.final.md is the one that Methods was written from
      state/            every finished step, from which an interrupted run continues

Every file is written whole or not at all.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from programs.atomic_files import exclusive_lock, write_file
from programs.certificate import FORM, Citation, certify, measures
from programs.errors import UsageError
from programs.ingest.document import Document
from programs.paper_writer.evidence import CitedPaper, Evidence, PaperSection, cited_as, guidelines
from programs.paper_writer.section_text import as_markdown
from programs.passages import Passage
from programs.proof import CitedAnswer
from programs.proof.sentence_proof import ModelProof
from programs.references import bibtex as as_bibtex
from programs.references import item_of
from signatures.values import UnsupportedClaim

_FEW = 3
"""Authors who are all named in the list; of more, the first."""


def of_cited_keys(papers: Mapping[str, CitedPaper], keys: Iterable[str]) -> tuple[CitedPaper, ...]:
    """Those of the papers whose key is cited, by key."""
    return tuple(papers[key] for key in sorted(papers.keys() & set(keys)))


def bibtex(papers: Iterable[CitedPaper]) -> str:
    """A BibTeX database of the papers under the draft's keys; empty without papers."""
    of_no_key = {"paper_id", "citation_key"}
    known = {each.citation_key: Document(each.paper_id, "", **each.model_dump(exclude=of_no_key)) for each in papers}
    return as_bibtex([item_of(document, key) for key, document in known.items()])


def reference(paper: CitedPaper) -> str:
    """A paper as one line of a reference list, in plain text."""
    names = [name.partition(",")[0] for name in paper.authors]
    authors = ", ".join(paper.authors) if len(names) <= _FEW else f"{paper.authors[0]} et al."
    who = f"{authors or 'Anonymous'} ({paper.year or 'n.d.'})"
    where = f"https://doi.org/{paper.doi}" if paper.doi else paper.url
    parts = (who, paper.title or paper.paper_id, paper.journal, where)
    return ". ".join(part.rstrip(".") for part in parts if part)


class PaperDraft(BaseModel, frozen=True):
    """The eight parts of a paper in the order of reading; headings and references are not part of them."""

    title: str
    abstract: str
    introduction: str
    related_work: str
    methods: str
    results: str
    discussion: str
    conclusion: str


class SectionDraft(BaseModel, frozen=True):
    """A section, and what it was written from.

    Attributes:
        text: In Markdown, without heading; citations are ``(key)`` or ``(key; key)``.
        evidence: What the model saw, best first.
        unknown_citations: What the model cited beside it; nothing of it is in the text.
        proofs: What the model said of the cited sentences.
        notes: What did not go as it should, for people.
        final_prompt: The prompt that the section was written from, for debugging.
    """

    section: PaperSection
    text: str
    evidence: tuple[Evidence, ...] = ()
    unknown_citations: tuple[str, ...] = ()
    unsupported_claims: tuple[UnsupportedClaim, ...] = ()
    proofs: tuple[ModelProof, ...] = ()
    repairs: tuple[dict[str, Any], ...] = ()
    notes: tuple[str, ...] = ()
    final_prompt: str = ""

    @property
    def answer(self) -> str:
        """The text; with the two that follow, what metrics ask of a prediction."""
        return self.text

    @property
    def answerable(self) -> bool:
        """Whether there is any."""
        return bool(self.text)

    @cached_property
    def passages(self) -> list[Passage]:
        """What citations resolve to."""
        return [each.passage for each in self.evidence]

    @cached_property
    def citations(self) -> list[Citation]:
        """A certificate for every cited sentence and key."""
        papers = {each.id: each.document_id for each in self.passages}
        return [
            replace(
                each,
                document_id=papers[each.passage],
                quotes=tuple(replace(quote, document_id=papers[quote.passage]) for quote in each.quotes),
            )
            for each in certify(self._cited, self.proofs)
        ]

    @cached_property
    def _cited(self) -> CitedAnswer:
        return CitedAnswer(self.text, [cited_as(each) for each in self.evidence])

    @property
    def weak(self) -> list[Citation]:
        """Certificates whose passage does not support the sentence."""
        return [each for each in self.citations if each.verdict != "supported"]

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values of the form that ``programs.replay.replay`` proves again from the papers."""
        return {
            "form": FORM,
            "section": self.section.value,
            "answer": self.answer,
            "answerable": self.answerable,
            "passages": [each.as_dict() for each in self.passages],
            "citations": [each.as_dict() for each in self.citations],
            "uncited": self._cited.uncited,
            "metrics": measures(self._cited, self.citations),
            "evidence": [  # the passage itself is among the section's passages
                {"passage": each.chunk.id, "key": each.key, **each.model_dump(mode="json", exclude={"paper", "chunk"})}
                for each in self.evidence
            ],
            **self.model_dump(mode="json", include={"unknown_citations", "unsupported_claims", "repairs", "notes"}),
        }


def manuscript(draft: PaperDraft, authors: Sequence[str], papers: Sequence[CitedPaper]) -> str:
    """The draft as one Markdown document with its references."""
    parts = [f"# {as_markdown(draft.title)}"]
    if authors:
        parts.append("; ".join(map(as_markdown, authors)))
    for name in draft.model_dump(exclude={"title"}):
        parts += [f"## {guidelines()[PaperSection(name)].heading}", as_markdown(getattr(draft, name))]
    if papers:
        listed = (f"- **{each.citation_key}**: {as_markdown(reference(each))}" for each in papers)
        parts += ["## References", "\n".join(listed)]
    return "\n\n".join(part for part in parts if part) + "\n"


M = TypeVar("M", bound=BaseModel)

MANUSCRIPT, BIBLIOGRAPHY, RECORD = "draft.md", "references.bib", "draft.json"

_STATE, _ORIGIN, _WRITTEN = "state", "origin", "manuscript"
_MOST_NAMED = 5
"""Parts of what a draft depends on that an error lists."""


class Drafts:
    """What is kept of a draft, in a folder that belongs to it alone, and to one process at a time until it is closed.

    A run with another ``origin``, by which a draft says what it depends on, must not continue with it. Without a folder
    nothing is kept, and the draft is only returned.

    Raises:
        UsageError: The folder holds another draft or other files, cannot be written to, or is in use.
    """

    def __init__(self, folder: str | Path | None = None, origin: Mapping[str, Any] | None = None) -> None:
        self.folder = None if folder is None else Path(folder)
        self._lock = ExitStack()
        if self.folder is None:
            return
        if self.folder.is_file():
            raise UsageError(f"{self.folder} is a file; name a folder for the draft")
        state = self.folder / _STATE
        known, now = self.load(_ORIGIN), origin or {}
        if known is not None and not isinstance(known, dict):
            raise UsageError(f"{state / _ORIGIN}.json is not an origin of a draft; name a new folder for the draft")
        if known is None and self.folder.is_dir() and any(each != state for each in self.folder.iterdir()):
            raise UsageError(
                f"the folder {self.folder} holds files that do not belong to a draft; name a new one for the draft"
            )
        action = "wait until it is done, or name a new folder"
        busy = f"the draft in {self.folder} is being written by another process; {action}"
        with ExitStack() as unless_it_fits:
            unless_it_fits.enter_context(exclusive_lock(state / "lock", busy))
            # An origin without a finished step, as after a mistyped model name, may still change.
            if known is None or not any(each.stem != _ORIGIN for each in state.rglob("*.json")):
                self.save(_ORIGIN, dict(now))
            elif changed := [why for name in now if (why := _changed(name, known.get(name), now[name]))]:
                raise UsageError(
                    f"the draft in {self.folder} was begun with another {' and '.join(changed)}; name a new folder to "
                    "write from these, or continue with the former"
                )
            self._lock = unless_it_fits.pop_all()

    def close(self) -> None:
        """Let other processes continue with the draft."""
        self._lock.close()

    def load(self, step: str) -> Any | None:  # noqa: ANN401 - any JSON value
        """What was saved of a step, or None; a ``UsageError`` where its file is damaged."""
        if self.folder is None:
            return None
        path = self.folder / _STATE / f"{step}.json"
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError) as error:
            raise UsageError(f"{path} cannot be read ({error}); delete it, and that step is done again") from error

    def restored(self, step: str, model: type[M]) -> M | None:
        """What was saved of a step as a value, or None; a ``UsageError`` where its file is damaged."""
        saved = self.load(step)
        try:
            return None if saved is None else model.model_validate(saved)
        except ValidationError as error:
            raise UsageError(
                f"state/{step}.json in the draft's folder is of another form than this step has; delete it, and that "
                "step is done again"
            ) from error

    def save(self, step: str, value: Any) -> None:  # noqa: ANN401 - any JSON-ready value
        """Keep a finished step."""
        self.write(f"{_STATE}/{step}.json", as_json(value))

    def keep_prompts(self, name: str, text: str) -> None:
        """Keep prompts for debugging; an empty text is not kept."""
        if text:
            self.write(f"prompts/{name}", text)

    def write(self, name: str, content: str | bytes) -> None:
        """Write a file of the draft, whole or not at all."""
        if self.folder is None:
            return
        path = self.folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_file(path, content)
        except OSError as error:
            reason = error.strerror or error
            raise UsageError(f"{path} cannot be written ({reason}); name a folder that you can write to") from error

    def write_manuscript(self, text: str) -> list[str]:
        """Write the manuscript; one that was edited since it was written is kept beside it, and a note says so."""
        if self.folder is None:
            return []
        path, now, notes = self.folder / MANUSCRIPT, text.encode(), []
        there = path.read_bytes() if path.is_file() else now
        if there != now and _digest(there) != self.load(_WRITTEN):
            numbered = (path.with_name(f"{MANUSCRIPT}.bak-{number}") for number in itertools.count(1))
            backup = next(each.name for each in numbered if not each.exists())
            self.write(backup, there)
            notes = [f"{MANUSCRIPT} was edited after it was written; your edition is kept as {backup}"]
        self.write(MANUSCRIPT, now)
        self.save(_WRITTEN, _digest(now))
        return notes


def _changed(name: str, before: Any, now: Any) -> str:  # noqa: ANN401 - JSON values
    """What differs, with its parts where it has any; empty if nothing does."""
    if before == now:
        return ""
    if not isinstance(before, Mapping) or not isinstance(now, Mapping):
        return name
    parts = sorted(each for each in {*before, *now} if before.get(each) != now.get(each))
    more = f" and {len(parts) - _MOST_NAMED} more" if len(parts) > _MOST_NAMED else ""
    return f"{name} ({', '.join(parts[:_MOST_NAMED])}{more})"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def as_json(value: Any) -> str:  # noqa: ANN401 - any JSON-ready value
    """A JSON document as it is written to files."""
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"
