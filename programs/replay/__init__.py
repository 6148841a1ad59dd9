"""Proves saved answers, drafts and tables again from the papers, without a model, and names all that does not hold.

    ask … --output answer.json      passages, certificates and sentences without one, made from the papers
    verify answer.json              reads the papers, makes all of it again and compares

What holds afterwards: every passage is in its paper, outside of headings, references and notices, under an id of
that paper's, with its title, DOI, section and heading, and is cited by the key that the paper has; every sentence has
exactly the certificates that it cites, whose quotes are whole sentences of the paper at their places, on the pages
and in the boxes where they are printed, with the verdict that guards and checker give them; every sentence without
one is listed; every figure is one of a paper of the passages, with its label, caption and addresses; nothing of this
is missing.

What cannot be proved: who wrote the answer and to which question, its topic, what was searched for and with which
scores it was found, whether other passages or figures were left out, that a model said of a sentence what its
certificate tells (``only_models_say`` names those that rest on that alone), that a translation says what is proved in
English beyond numbers, units, names, negations and citations (``translated``), what else was said of the answer
(notes, ``conflicts``, ``unsupported_claims``, ``repairs``), and what it cost.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from metrics.sentences import Span
from metrics.visible_text import hidden
from programs.certificate import by_model_alone, certify, measures, proved_text
from programs.errors import UsageError
from programs.ingest.document import Document
from programs.passages.asked import Asked
from programs.passages.figures import NamedFigure
from programs.proof.sentence_proof import ABOUT_EVIDENCE, GIVEN, NO_QUOTE, ModelProof, Quote, Said
from programs.replay.drafts_and_tables import DRAFT, TABLE, draft_faults, read_cells, read_sections, table_faults
from programs.replay.saved_answer import (
    Fault,
    SavedAnswer,
    differences,
    key_faults,
    passage_faults,
    read_saved,
    reference_faults,
    repeated,
    with_places,
)
from programs.results.result import paper_notes

_CHECK = re.compile(r"corroborate-checker-\d+@sha256:[0-9a-f]{12}\+guards/\d+")
_OF_A_VERSION = ("check", "judges", "score", "reason")
# What its own draft shows: "![Femur density.](bone.png)", a file beside it.
_PLOT = re.compile(r"!?\[[^\[\]\n]*\]\([\w.-]+\)")


def answer_faults(saved: SavedAnswer) -> Iterator[Fault]:
    """Text that is not plain, sentences that cite what was not given or nothing unlisted; a false ``answerable``."""
    for found in hidden(_PLOT.sub("", saved.answer) if saved.section else saved.answer):
        yield Fault("answer", f"it holds {found!r}, which a reader does not see as it is judged")
    for claim in saved.cited.unresolved:
        yield Fault("answer", f"{claim.claim!r}: {claim.reason}")
    if "answerable" not in saved.missing and saved.answerable is not bool(saved.answer):
        yield Fault("answerable", f"it is {saved.answerable!r}, the answer has {len(saved.answer)} characters")
    made, listed = Counter(saved.cited.uncited), Counter(saved.uncited)
    for sentence in made - listed:
        yield Fault("answer", f"{sentence!r} cites nothing, and the file does not list it as uncited")
    for sentence in listed - made:
        yield Fault("uncited", f"{sentence!r} is not an uncited sentence of the answer")


def citation_faults(saved: SavedAnswer) -> Iterator[Fault]:
    """Certificates that differ from those that the answer makes, and counts that are not theirs."""
    citations = certify(saved.cited, proofs_of(saved), english=saved.english)
    made = [citation.as_dict() for citation in citations]
    if len(made) == len(saved.citations):
        for number, (expected, found) in enumerate(zip(made, saved.citations, strict=True), start=1):
            yield from _differences(_named(number, found), expected, found)
    else:
        yield Fault("citations", f"the answer makes {len(made)}, the file holds {len(saved.citations)}")
        yield from _unpaired(made, saved.citations)
    if saved.answer and not saved.section and not any(each.verdict == "supported" for each in citations):
        yield Fault("answer", "none of its sentences is proved; such an answer is withheld")
    if not saved.section:
        for said in paper_notes(citations, saved.passages):
            if said not in saved.notes:
                yield Fault("notes", f"they do not say {said!r}")
    for english in saved.english.values():
        if any(hidden(english)) or english != " ".join(english.split()) or "](" in english:
            yield Fault("english", f"{english!r} holds hidden signs, a link or spaces that are not judged")
    if saved.english:
        for unseen in hidden(saved.question):
            yield Fault("question", f"it holds {unseen!r}, which a reader does not see")
        if not saved.question.strip() or Asked.of(saved.question).is_english:
            yield Fault("question", "it is in English, and sentences of the answer are translations of English ones")
    if "metrics" not in saved.missing:
        counted = measures(saved.cited, citations)
        stated = {name: saved.metrics[name] for name in counted if name in saved.metrics}
        yield from differences("metrics", counted, stated)


def proofs_of(saved: SavedAnswer) -> list[ModelProof]:
    """What a model said of the sentences, as the certificates tell it; the checker and the guards are asked anew."""
    texts = {}
    for each in saved.cited.statements:
        written = saved.cited.written(each)
        texts[written] = proved_text(saved.cited, each, saved.english.get(written, ""))[0]
    return [proof for each in saved.citations if (proof := _proof(each, texts)) is not None]


def _proof(citation: Mapping[str, Any], texts: Mapping[str, str]) -> ModelProof | None:
    judges, quotes = citation.get("judges", []), citation.get("quotes", [])
    said = next((each for each in judges if each.get("by") == "model"), None)
    text = texts.get(str(citation.get("sentence")))
    if said is None or text is None:
        return None
    model, reason = str(said.get("name", "")), str(said.get("reason", ""))
    if said.get("verdict") != "supported" and reason != GIVEN:
        about_evidence = citation.get("reason") == ABOUT_EVIDENCE
        return ModelProof(text, "about the evidence" if about_evidence else "not proved", (), reason, model)
    verdict: Said = "given" if reason == GIVEN else "proved"
    refused = next((each for each in judges if each.get("name") == NO_QUOTE), None)
    if refused is not None:
        return ModelProof(text, verdict, (), str(refused.get("reason", "")), model)
    given = tuple((str(each.get("passage", "")), str(each.get("quote", ""))) for each in quotes)
    starts = tuple(start if isinstance(start := each.get("start"), int) else 0 for each in quotes)
    return ModelProof(text, verdict, given, "", model, starts)


def _differences(name: str, made: Mapping[str, Any], stored: Mapping[str, Any]) -> Iterator[Fault]:
    """How a certificate differs; of one that another version made, that alone and what no version may change."""
    check = stored.get("check")
    if check != made["check"] and isinstance(check, str) and _CHECK.fullmatch(check):
        yield Fault(name, f"it was certified by {check}, this is {made['check']}: ask again")
        made, stored = ({**each, **dict.fromkeys(_OF_A_VERSION)} for each in (made, stored))
    yield from differences(name, made, stored)


def _unpaired(made: Sequence[Mapping[str, Any]], stored: Sequence[Mapping[str, Any]]) -> Iterator[Fault]:
    for number, each in enumerate(made, start=1):
        if each not in stored:
            yield Fault(
                _named(number, each), f"[{each['marker']}] in {each['sentence']!r} has no certificate in the file"
            )
    for number, found in enumerate(stored, start=1):
        if found not in made:
            yield Fault(_named(number, found), "the answer makes no such citation")


def _named(number: int, citation: Mapping[str, Any]) -> str:
    return f"citation {number} ({citation.get('passage', '?')})"


_SAID = (
    *("label", "value", "topic", "points", "conflicts", "expansion", "queries", "papers", "notes"),
    *("unsupported_claims", "repairs", "evidence", "unknown_citations"),
)
_REASON, _ERROR = "relevance_reason", "error"
"""Why a passage was chosen, and why a cell failed."""


def said_only(saved: Mapping[str, Any], results: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Names of what a file only says, labels with their values; ``replay_parts`` found no fault in it."""
    found = [each for name, result in results.items() for each in _said(name, result)]
    cells = [cell for row in saved.get("rows", []) for cell in row["cells"]]
    failed = [_ERROR] if any(cell.get(_ERROR) for cell in cells) else []
    return list(dict.fromkeys([*found, *failed, *(["notes"] if saved.get("notes") else [])]))


def _said(part: str, result: Mapping[str, Any]) -> list[str]:
    said = [name for name in _SAID if result.get(name) and not (part and name == "value")]
    said += [_REASON] if any(each.get(_REASON) for each in result["passages"]) else []
    return [f"{part}: label {result['label']!r}".removeprefix(": ") if name == "label" else name for name in said]


def replay(result: Mapping[str, Any], document: Callable[[str], Document]) -> list[Fault]:
    """Prove a saved answer, or a section of a draft, again.

    Args:
        result: What ``ask --format json`` wrote, or a section of what ``write`` did.
        document: Gives a document by its id, as ``Index.document`` does; raises ``UsageError`` for an unknown one.

    Returns:
        Every difference by name; empty when all citations hold.

    Raises:
        UsageError: The result is not of the form that ``ask`` writes.
    """
    try:
        return _faults(read_saved(result), document)
    except RecursionError as error:
        raise UsageError("this answer is nested too deeply for one that `ask --format json` wrote") from error


def parts(saved: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """What a file holds to be replayed by itself: an answer under no name, sections of a draft, or cells of a table.

    Raises:
        UsageError: It is a draft or a table, and not of the form that ``write`` or ``table`` writes.
    """
    if TABLE in saved:
        return read_cells(saved)
    return read_sections(saved) if DRAFT in saved else {"": saved}


def replay_parts(saved: Mapping[str, Any], document: Callable[[str], Document]) -> list[tuple[str, Fault]]:
    """Prove a saved answer, draft or table again; every difference comes after the part in which it was found.

    Arguments and errors are as for ``replay``.
    """
    found = [
        (f"{name}: " if name else "", fault) for name, part in parts(saved).items() for fault in replay(part, document)
    ]
    whole = table_faults if TABLE in saved else draft_faults if DRAFT in saved else None
    return found or [("", fault) for fault in (whole(saved, document) if whole else ())]


def replay_report(saved: Mapping[str, Any], document: Callable[[str], Document]) -> dict[str, Any]:
    """All that can be said of a saved answer, draft or table: whether it holds, and what in it was not proved.

    JSON-ready: ``citations`` (their number), ``uncited``, ``only_models_say``, ``said_only``, ``verified``,
    ``faults``, and ``translated`` where sentences are.

    Raises:
        UsageError: It is none of them.
    """
    results = parts(saved)
    faults = replay_parts(saved, document)
    uncited = [each for result in results.values() for each in result.get("uncited", [])]
    if DRAFT in saved:
        uncited = [saved["draft"]["title"], *_without_figures(uncited)]
    citations = [each for result in results.values() for each in result["citations"]]
    translated = dict.fromkeys(each["sentence"] for each in citations if "english" in each and not faults)
    return {
        **({"translated": list(translated)} if translated else {}),
        "citations": len(citations),
        "uncited": uncited,
        "only_models_say": [] if faults else [each for result in results.values() for each in only_models_say(result)],
        "said_only": said_only(saved, results),
        "verified": not faults,
        "faults": [{"what": f"{part}{fault.what}", "problem": fault.problem} for part, fault in faults],
    }


def _without_figures(uncited: Iterable[str]) -> Iterator[str]:
    """The uncited sentences of a draft without the Markdown that places its own figures, which says nothing."""
    for each in uncited:
        said = _PLOT.sub("", each).strip(" \n*-")
        if any(map(str.isalnum, said)):
            yield said


def only_models_say(result: Mapping[str, Any]) -> list[str]:
    """Sentences that count as proved on a model's word: their quotes and guards hold, the checker is not sure."""
    found = [
        each["sentence"] for each in result["citations"] if by_model_alone(each["verdict"], each.get("judges", []))
    ]
    return list(dict.fromkeys(found))


def _faults(saved: SavedAnswer, document: Callable[[str], Document]) -> list[Fault]:
    papers, missing = _papers(saved, document)
    whole = with_places(saved, papers)
    there = [each for each in saved.passages if each.document_id in papers]
    beside = missing.keys() - _cited_papers(saved)  # without these the answer is proved as well
    lost = [each for each in saved.passages if each.document_id in missing.keys() - beside]
    figures = [each for each in saved.figures if each.get("document_id") not in beside]
    return [
        *(Fault("answer", f"it has no {name}, which `ask` writes into every answer") for name in saved.missing),
        *repeated(saved.passages),
        *(Fault(f"passage {each.id}", missing[each.document_id]) for each in lost),
        *(fault for passage in there for fault in passage_faults(passage, papers[passage.document_id])),
        *key_faults(there, papers),
        *reference_faults(saved.references, papers),
        *_figure_faults(figures, papers, missing),
        *_nearest_faults(whole, papers),
        *answer_faults(saved),
        *citation_faults(whole),
    ]


def _cited_papers(saved: SavedAnswer) -> set[str]:
    """The papers that the answer cites; all that were read where it cites none."""
    cited = (found for each in saved.cited.statements for _, found in saved.cited.cited_by(each))
    return {each.document_id for found in cited for each in found} or {each.document_id for each in saved.passages}


def _papers(saved: SavedAnswer, document: Callable[[str], Document]) -> tuple[dict[str, Document], dict[str, str]]:
    """The papers of the passages by id, in the order of the passages; and of those that are not there what was said."""
    papers: dict[str, Document] = {}
    missing: dict[str, str] = {}
    for name in dict.fromkeys(passage.document_id for passage in saved.passages):
        try:
            papers[name] = document(name)
        except UsageError as error:
            missing[name] = str(error)
    return papers, missing


def _figure_faults(
    figures: Sequence[Mapping[str, Any]], papers: Mapping[str, Document], missing: Mapping[str, str]
) -> Iterator[Fault]:
    """Figures of an answer that no paper of the passages has, that differ from what it has, or that are twice.

    One of a paper that is missing has the fault that the passages of that paper have.
    """
    known = {
        (paper.id, figure.id): NamedFigure.of(paper, figure)
        for paper in papers.values()
        for figure in paper.figures
        if figure.kind == "figure"
    }
    seen = set()
    for number, found in enumerate(figures, start=1):
        name = (str(found.get("document_id")), str(found.get("id")))
        what = f"figure {number} ({'::'.join(name)})"
        if name not in known:
            yield Fault(what, missing.get(name[0], "no paper of the passages has it"))
        elif name in seen:
            yield Fault(what, "it is in the file more than once")
        else:
            yield from differences(what, asdict(known[name]), found)
        seen.add(name)


def _nearest_faults(saved: SavedAnswer, papers: Mapping[str, Document]) -> Iterator[Fault]:
    """Sentences shown where nothing was near that are not in a passage, or differ from what their paper has there."""
    passages = {each.id: each for each in saved.passages}
    for number, found in enumerate(saved.nearest, start=1):
        what = f"nearest sentence {number}"
        passage, start, end = passages.get(str(found.get("passage"))), found.get("start"), found.get("end")
        if passage and passage.document_id not in papers:
            continue  # that its paper is missing is said of the passage
        if passage and type(start) is type(end) is int:
            span = Span(start - passage.whole_start, end - passage.whole_start)
            if 0 <= span.start < span.end <= len(passage.whole):
                yield from differences(what, Quote.of(passage, span).as_dict(), found)
                continue
        yield Fault(what, "it is not at its place in a passage")
