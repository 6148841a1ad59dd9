"""Whether a saved draft is whole, and says in all its parts what its sections prove.

Each section is replayed by itself, as an answer is. Here its other parts are compared with the sections: the texts of
the draft, the list of citations that are not supported, and the papers that it cites. A title cites nothing, so it is
told as not proved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from programs.errors import UsageError
from programs.ingest.document import Document
from programs.paper_writer.draft import PaperDraft, of_cited_keys
from programs.paper_writer.evidence import CitedPaper, PaperSection
from programs.replay.saved import Fault, differences

KIND = "draft"
"""The name that only a draft has."""
_NAMES = {"program", KIND, "sections", "unsupported", "papers", "notes"}


def read_sections(draft: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The sections of a saved draft by name, each to be replayed by itself.

    Raises:
        UsageError: It is not of the form that ``write`` writes: other names, other sections, one of them twice.
    """
    if draft.keys() != _NAMES:
        differing = ", ".join(sorted(map(repr, draft.keys() ^ _NAMES)))
        raise _of_another_shape(f"its names differ in {differing}")
    texts, sections = draft[KIND], draft["sections"]
    if not isinstance(texts, dict) or texts.keys() != PaperDraft.model_fields.keys():
        raise _of_another_shape("draft does not hold a title and the texts of its sections")
    if not all(isinstance(draft[name], list) for name in ("sections", "unsupported", "papers", "notes")):
        raise _of_another_shape("sections, unsupported, papers or notes are not lists")
    names = [str(each.get("section")) if isinstance(each, dict) else "no object" for each in sections]
    if sorted(names) != sorted(each.value for each in PaperSection):
        raise _of_another_shape(f"its sections are {', '.join(names)}")
    return dict(zip(names, sections, strict=True))


def _of_another_shape(why: str) -> UsageError:
    return UsageError(f"this draft is not as `write` writes it ({why}); give the draft.json of its folder")


def draft_faults(draft: Mapping[str, Any], document: Callable[[str], Document]) -> Iterator[Fault]:
    """What the parts of a draft say beside its sections.

    Args:
        draft: As `read_sections` accepted it, with sections in which `replay` found no fault.
        document: As for `replay`.
    """
    sections = read_sections(draft)
    for name, section in sections.items():
        if draft[KIND][name] != section["answer"]:
            yield Fault("draft", f"its {name} is not the text of the section {name}")
    citations = [each for section in draft["sections"] for each in section["citations"]]
    weak = [each for each in citations if each["verdict"] != "supported"]
    yield from _compared("unsupported", weak, draft["unsupported"])
    cited = {each["marker"] for each in citations}
    yield from _compared("papers", _papers(draft["sections"], cited, document), draft["papers"])


def _papers(
    sections: Sequence[Mapping[str, Any]], cited: set[str], document: Callable[[str], Document]
) -> list[dict[str, Any]]:
    """The papers that are cited, by key, as ``write`` lists them."""
    keys = {each["key"]: each["document_id"] for section in sections for each in section["passages"]}
    papers = {key: _paper(key, document(name)) for key, name in keys.items()}
    return [each.model_dump(mode="json") for each in of_cited_keys(papers, cited)]


def _paper(key: str, document: Document) -> CitedPaper:
    return CitedPaper(
        paper_id=document.id,
        citation_key=key,
        title=document.title,
        authors=tuple(document.authors),
        year=document.year,
        journal=document.journal,
        doi=document.doi,
        url=document.url,
    )


def _compared(what: str, made: Sequence[Mapping[str, Any]], stored: Sequence[Any]) -> Iterator[Fault]:
    if len(made) != len(stored) or not all(isinstance(each, Mapping) for each in stored):
        yield Fault(what, f"the sections make {len(made)}, the file holds {len(stored)}")
        return
    for number, (expected, found) in enumerate(zip(made, stored, strict=True), start=1):
        yield from differences(f"{what} {number}", expected, found)
