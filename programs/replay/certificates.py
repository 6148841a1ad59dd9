"""Whether sentences and certificates of an answer are those that its passages make."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from metrics.visible_text import hidden
from programs.certificate import certify, measures
from programs.proof.proving import ABOUT_EVIDENCE, NO_QUOTE, ModelProof
from programs.replay.saved import Fault, SavedAnswer, differences, laid_out, printable
from programs.results.result import said_of_papers

_PROVING = ("judges", "quotes")
_CHECK = re.compile(r"corroborate-checker-\d+@sha256:[0-9a-f]{12}\+guards/\d+")
_OF_A_VERSION = ("check", "judges", "score", "reason")
# What a draft shows of its own: "![Femur density.](bone.png)", a file beside it.
_PLOT = re.compile(r"!\[[^\[\]\n]*\]\([\w.-]+\)")


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
    citations = certify(saved.cited, proofs_of(saved))
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
        for said in said_of_papers(citations, saved.passages):
            if said not in saved.notes:
                yield Fault("notes", f"they do not say {said!r}")
    if "metrics" not in saved.missing:
        counted = measures(saved.cited, citations)
        stated = {name: saved.metrics[name] for name in counted if name in saved.metrics}
        yield from differences("metrics", counted, stated)


def proofs_of(saved: SavedAnswer) -> list[ModelProof]:
    """What a model said of the sentences, as the certificates tell it; the checker and the guards are asked anew."""
    texts = {saved.cited.written(each): each.text for each in saved.cited.statements}
    proofs = (_proof(each, texts) for each in saved.citations)
    return [proof for proof in proofs if proof is not None]


def _proof(citation: Mapping[str, Any], texts: Mapping[str, str]) -> ModelProof | None:
    judges, quotes = (_objects(citation.get(name)) for name in _PROVING)
    said = next((each for each in judges if each.get("by") == "model"), None)
    text = texts.get(str(citation.get("sentence")))
    if said is None or text is None:
        return None
    model, reason = str(said.get("name", "")), str(said.get("reason", ""))
    if said.get("verdict") != "supported":
        about_evidence = citation.get("reason") == ABOUT_EVIDENCE
        return ModelProof(text, "about the evidence" if about_evidence else "not proved", (), reason, model)
    refused = next((each for each in judges if each.get("name") == NO_QUOTE), None)
    if refused is not None:
        return ModelProof(text, "proved", (), str(refused.get("reason", "")), model)
    given = tuple((str(each.get("passage", "")), str(each.get("quote", ""))) for each in quotes)
    starts = tuple(start if isinstance(start := each.get("start"), int) else 0 for each in quotes)
    return ModelProof(text, "proved", given, "", model, starts)


def _objects(values: Any) -> list[Mapping[str, Any]]:  # noqa: ANN401 - whatever stands in the file
    return [each for each in values if isinstance(each, Mapping)] if isinstance(values, list) else []


def _differences(name: str, made: Mapping[str, Any], stored: Mapping[str, Any]) -> Iterator[Fault]:
    """How a certificate differs; of one that another version made, that alone and what no version may change."""
    if _is_of_another_version(made, stored):
        yield Fault(name, f"it was certified by {stored['check']}, this is {made['check']}: ask again")
        made, stored = ({**each, **dict.fromkeys(_OF_A_VERSION)} for each in (made, stored))
    yield from differences(name, laid_out(made), laid_out(stored))


def _is_of_another_version(made: Mapping[str, Any], stored: Mapping[str, Any]) -> bool:
    """Whether another version of the checker or the guards judged, whose scores are not to be compared."""
    check = stored.get("check")
    return check != made["check"] and isinstance(check, str) and _CHECK.fullmatch(check) is not None


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
    return f"citation {number} ({printable(citation.get('passage', '?'))})"
