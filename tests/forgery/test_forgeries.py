"""Forged answers, by hand and generated: none may say something else than its paper and be called proved."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache, reduce
from operator import getitem
from typing import Any

import pytest

from programs.errors import UsageError
from programs.ingest.document import Document, Figure
from programs.passages import Passage
from programs.passages.figures import NamedFigure
from programs.proof import CitedAnswer
from programs.proof.sentence_proof import ModelProof
from programs.replay import only_models_say, parts, replay, replay_parts, said_only
from programs.results.citation_keys import Named, citation_keys
from programs.results.rendering import as_json
from programs.results.result import result
from programs.verified import Verified
from tests.forgery.forgeries import (
    KINDS,
    RESULTS,
    Forgery,
    Original,
    appended_symbols,
    believed,
    by_hand,
    forged_sentence,
    in_results,
    originals,
    rewritten,
)
from tests.papers import BONE, ROOTS, YEAST

GENERATED = 60
"""Forgeries of each way of making an answer; `python -m tests.fuzz` makes any number."""


@cache
def true_answers(*, quoted: bool, by_model: bool) -> list[Original]:
    return [each for each in originals(8, quoted, by_model) if faults(each, each.saved()) == []]


def faults(original: Original, saved: dict) -> list[str]:
    return [str(fault) for fault in replay(saved, lambda _: original.paper)]


def passes(original: Original, forged: Forgery) -> bool:
    """Whether a file is called verified, and what was altered is neither called unproved nor a model's word alone."""
    if not believed(forged) or faults(original, forged.saved):
        return False
    return not any(sentence in forged.text for sentence in only_models_say(forged.saved))


WAYS = pytest.mark.parametrize(
    ("quoted", "by_model"),
    [(False, False), (True, False), (False, True), (True, True)],
    ids=["copied", "quoted", "copied, by a model", "quoted, by a model"],
)


@pytest.mark.slow
@WAYS
def test_true_answers_replay(quoted, by_model):
    for original in true_answers(quoted=quoted, by_model=by_model):
        assert {each["verdict"] for each in original.saved()["citations"]} == {"supported"}


@pytest.mark.slow
@WAYS
def test_no_forgery_by_hand_passes(quoted, by_model):
    first, second, *_ = true_answers(quoted=quoted, by_model=by_model)
    framed, exchanged = list(by_hand(first)), list(in_results(second))
    assert len({each.kind for each in framed}) >= 60
    assert len({each.kind for each in exchanged}) == len(RESULTS)
    assert [each.text for each in framed if passes(first, each)] == []
    assert [each.text for each in exchanged if passes(second, each)] == []


@pytest.mark.slow
@WAYS
def test_no_sentence_rewritten_by_hand_passes(quoted, by_model):
    forged = list(rewritten(quoted=quoted, by_model=by_model))
    assert len(forged) >= 200
    assert {each.kind for original, each in forged if passes(original, each)} == set()


@pytest.mark.slow
@WAYS
def test_no_generated_forgery_passes(quoted, by_model):
    chance = random.Random(f"{quoted} {by_model}")
    answers = true_answers(quoted=quoted, by_model=by_model)
    made = []
    for number in range(GENERATED):
        original = chance.choice(answers)
        kind = chance.choice(list(KINDS))
        forged = forged_sentence(original, kind, chance) if number % 10 else appended_symbols(original, chance)
        made += [(original, forged)] if forged else []
    assert len(made) >= GENERATED / 2
    assert [forged.text for original, forged in made if passes(original, forged)] == []


# Whole files forged by hand: parts exchanged, moved, doubled, taken out, or claimed to be of another kind.
#
# Each is an answer of three papers, one of them retracted, made as ``ask`` saves it, in which one thing is another.
# None may pass, unless ``verify`` names what was changed as checked by nothing.

CAPTION = "Figure 1. Femur density fell in flight mice."
DRAWN = replace(
    BONE,
    text=f"{BONE.text}\n\n{CAPTION}",
    figures=(
        Figure("fig1", "figure", "Figure 1", CAPTION[10:], len(BONE.text) + 2, len(BONE.text) + 2 + len(CAPTION)),
    ),
    metadata={**BONE.metadata, "corrections": ["retracted by 10.1000/notice"]},
    authors=("Okafor, Ada",),
)
PAPERS = {paper.id: paper for paper in (DRAWN, ROOTS, YEAST)}
TRUE = (
    "Femur density fell by 12 percent in flight mice [1]. Roots of thale cress grew without direction in orbit [2]. "
    "Acetic acid shortened the chronological life span of yeast [3]. More is not known."
)
OTHER = "Osteoclast counts doubled [1]. Auxin transport was not altered [2]. Buffering the medium restored it [3]."
TOLD = "La densidad del fémur cayó un 12 por ciento en ratones de vuelo [1]."


def document(name: str) -> Document:
    if name not in PAPERS:
        raise UsageError(f"there is no paper {name}")
    return PAPERS[name]


def made(answer: str = TRUE, *, keys: bool = False, proofs: tuple[ModelProof, ...] = ()) -> dict[str, Any]:
    of_ids = citation_keys(map(Named.of, PAPERS.values()))
    ends = {name: 84 if paper is DRAWN else len(paper.text) for name, paper in PAPERS.items()}
    passages = [
        Passage.of(
            paper,
            9,
            ends[name],
            id=f"{name}::9-{ends[name]}",
            section="results",
            heading="Results",
            scores={"similarity": 0.9},
            key=of_ids[name] if keys else "",
        )
        for name, paper in PAPERS.items()
    ]
    if keys:
        for number, name in enumerate(PAPERS, start=1):
            answer = answer.replace(f"[{number}]", f"[{of_ids[name]}]")
    figures = [NamedFigure.of(DRAWN, DRAWN.figures[0])]
    answered = result("What happened?", Verified(CitedAnswer(answer, passages), proofs=proofs), figures=figures)
    return json.loads(json.dumps(as_json(answered)))


@cache
def _kept(answer: str, keys: bool) -> dict[str, Any]:
    return made(answer, keys=keys)


def saved(answer: str = TRUE, *, keys: bool = False) -> dict[str, Any]:
    """An answer, to be changed."""
    return copy.deepcopy(_kept(answer, keys))


def by_a_model() -> dict[str, Any]:
    quote = "Femur density fell by 12 percent in flight mice."
    return made(TOLD, proofs=(ModelProof(TOLD[:-5] + ".", "proved", (("1", quote),), "", "ollama/gpt-oss"),))


def outcome(changed: dict[str, Any]) -> list[str]:
    """What ``verify`` says against a file; empty where it passes."""
    try:
        return [f"{part}{fault}" for part, fault in replay_parts(changed, document)]
    except UsageError as error:
        return [str(error)]


@pytest.mark.parametrize("whole", [saved, lambda: saved(OTHER), lambda: saved(keys=True), lambda: saved("")])
def test_as_they_were_saved_they_pass(whole):
    assert outcome(whole()) == []
    assert only_models_say(whole()) == []


def exchanged(name: str) -> Callable[[dict[str, Any]], None]:
    return lambda answer: answer.update({name: saved(OTHER)[name]})


def swapped(part: str, name: str) -> Callable[[dict[str, Any]], None]:
    """A value of the first passage or citation in the second one's place, and the other way round."""

    def change(answer: dict[str, Any]) -> None:
        here, there = answer[part][:2]
        here[name], there[name] = there[name], here[name]

    return change


def altered(*place: str | int, **values: Any) -> Callable[[dict[str, Any]], None]:
    """Other values of what stands at a place, such as ``"passages", 0``."""
    return lambda answer: reduce(getitem, place, answer).update(values)


FIRST_PASSAGE, FIRST_CITATION = ("passages", 0), ("citations", 0)
FIRST_QUOTE, FIRST_JUDGE = (*FIRST_CITATION, "quotes", 0), (*FIRST_CITATION, "judges", 0)


def doubled_passage(answer: dict[str, Any]) -> None:
    answer["passages"].append(copy.deepcopy(answer["passages"][0]))


def doubled_under_another_place(answer: dict[str, Any]) -> None:
    answer["passages"].append({**answer["passages"][0], "id": "bone::9-83"})


def caption_as_result(answer: dict[str, Any]) -> None:
    start = DRAWN.figures[0].start
    answer["passages"][0].update(start=start, end=len(DRAWN.text), text=CAPTION, id=f"bone::{start}-{len(DRAWN.text)}")


def no_retraction_in_passages(answer: dict[str, Any]) -> None:
    for each in answer["passages"]:
        each.pop("corrections", None)


def no_retraction_anywhere(answer: dict[str, Any]) -> None:
    no_retraction_in_passages(answer)
    answer.pop("notes")


def another_is_retracted(answer: dict[str, Any]) -> None:
    answer["passages"][1]["corrections"] = answer["passages"][0].pop("corrections")


def swapped_sentences(answer: dict[str, Any]) -> None:
    one, two, *rest = answer["answer"].split(". ")
    answer["answer"] = ". ".join((two, one, *rest))


FORGERIES: dict[str, Callable[[dict[str, Any]], None]] = {
    **{f"{name} of another answer": exchanged(name) for name in ("answer", "citations", "uncited", "metrics")},
    **{
        f"{name} of two passages exchanged": swapped("passages", name)
        for name in ("id", "document_id", "text", "title", "year")
    },
    **{
        f"{name} of two certificates exchanged": swapped("citations", name)
        for name in ("sentence", "quote", "quotes", "passage", "document_id", "end", "marker")
    },
    "passages in another order": lambda answer: answer["passages"].reverse(),
    "certificates in another order": lambda answer: answer["citations"].reverse(),
    "sentences in another order": swapped_sentences,
    "a passage twice": doubled_passage,
    "a passage twice, under another place": doubled_under_another_place,
    "a passage made longer": altered(*FIRST_PASSAGE, end=94, text=DRAWN.text[9:94]),
    "a passage that begins with its heading": altered(*FIRST_PASSAGE, start=0, id="bone::0-84", text=DRAWN.text[0:84]),
    "a caption in the place of a result": caption_as_result,
    "a passage of a paper that is not there": altered(*FIRST_PASSAGE, document_id="cell"),
    "a DOI of a better journal": altered(*FIRST_PASSAGE, doi="10.1126/science.1"),
    "an address that leads elsewhere": altered("passages", 1, url="https://evil.example"),
    "no retraction in the passages": no_retraction_in_passages,
    "no retraction in the notes": lambda answer: answer.pop("notes"),
    "a milder note on the retraction": altered(notes=["Bone loss was corrected (a comma)."]),
    "no retraction at all": no_retraction_anywhere,
    "the retraction of another paper": another_is_retracted,
    "notes that are no texts": altered(notes=[["x"]]),
    "a verdict that is better": altered(*FIRST_CITATION, verdict="SUPPORTED"),
    "a verdict that is a list": altered(*FIRST_CITATION, verdict=["supported"]),
    "a score that is higher": altered(*FIRST_CITATION, score=0.9999),
    "a score beyond 1": altered(*FIRST_CITATION, score=7),
    "a score as a text": altered(*FIRST_CITATION, score="1.0"),
    "another check": altered(*FIRST_CITATION, check="corroborate-checker-9@sha256:000000000000+guards/9"),
    "a check by people": altered(*FIRST_CITATION, check="Cochrane"),
    "no judges": altered(*FIRST_CITATION, judges=[]),
    "judges as a text": altered(*FIRST_CITATION, judges="three professors"),
    "another judge": altered(*FIRST_JUDGE, name="Nature's reviewers"),
    "a judge who is a model": altered(*FIRST_JUDGE, by="model"),
    "a judge who says more": altered(*FIRST_JUDGE, verdict="proved beyond doubt"),
    "a judge with a reason of his own": altered(*FIRST_JUDGE, reason="read it twice"),
    "a quote that is moved": altered(*FIRST_QUOTE, start=10),
    "a quote that is longer": altered(*FIRST_QUOTE, end=90),
    "a quote of another passage": altered(*FIRST_QUOTE, passage="roots::9-94"),
    "a quote in other words": altered(*FIRST_QUOTE, quote="Femur density rose by 12 percent in flight mice."),
    "a quote on a page": altered(*FIRST_QUOTE, places=[{"page": 99, "box": [0, 0, 1, 1]}]),
    "a quote on an endless page": altered(*FIRST_QUOTE, places=[{"page": 10**30, "box": ["x"]}]),
    "places as a text": altered(*FIRST_QUOTE, places="page 3"),
    "a certificate twice": lambda answer: answer["citations"].append(answer["citations"][0]),
    "a certificate less": lambda answer: answer["citations"].pop(),
    "no certificates": lambda answer: answer["citations"].clear(),
    "a share that is better": altered("metrics", grounded_ratio=1.0),
    "a measure of its own": altered("metrics", peer_reviewed=True),
    "sections that are better": altered("metrics", section_distribution={"results": 30}),
    "more passages than there are": altered("metrics", retrieved_k=300),
    "another figure": altered("figures", 0, document_id="roots"),
    "another caption": altered("figures", 0, caption="Femur density rose in flight mice."),
    "another label of a figure": altered("figures", 0, label="Figure 2"),
    "another image": altered("figures", 0, image_urls=["https://evil.example/x.png"]),
    "a figure twice": lambda answer: answer["figures"].append(answer["figures"][0]),
    "a finding among the scores": lambda answer: answer["passages"][0]["scores"].update({"Bone grew": 1.0}),
    "a score in words": altered(*FIRST_PASSAGE, scores={"similarity": "proved"}),
    "a score beyond all": altered(*FIRST_PASSAGE, scores={"similarity": float("nan")}),
    "no scores": altered(*FIRST_PASSAGE, scores=None),
    "a title that is a list": altered(*FIRST_PASSAGE, title=["Bone loss in flight mice"]),
    "a reason that is a list": altered(*FIRST_PASSAGE, relevance_reason=["Bone grew."]),
    "a key where none is": altered(*FIRST_PASSAGE, key="bone"),
    "keys of authors for some": altered(*FIRST_PASSAGE, key="okafor2014"),
    "an older form": altered(form=1),
    "no form": lambda answer: answer.pop("form"),
    "a form as a text": altered(form="2"),
    "a newer form": altered(form=99),
    "a table of nothing": altered(table=1),
    "a draft of nothing": altered(draft={}),
    "a section of a draft": altered(section="results"),
    "a result within": lambda answer: answer.update(result=saved(OTHER)),
    "an answer within": lambda answer: answer.update(answer=saved(OTHER)),
    "a signature": altered(signature="verified by the journal"),
    "answerable as a text": altered(answerable="yes"),
    "not answerable": altered(answerable=False),
    "listed as cited": lambda answer: answer["uncited"].clear(),
    "listed twice": lambda answer: answer["uncited"].append(answer["uncited"][0]),
}


@pytest.mark.parametrize("kind", FORGERIES)
def test_no_forged_file_passes(kind):
    changed = saved()
    FORGERIES[kind](changed)
    assert changed != saved()
    assert outcome(changed)


@pytest.mark.parametrize(
    "change",
    [
        swapped("passages", "key"),
        lambda answer: answer["passages"][0].update(key=answer["passages"][0]["key"].upper() + "x"),
        lambda answer: [each.update(key="") for each in answer["passages"]],
        lambda answer: [each.update(key=str(number)) for number, each in enumerate(answer["passages"])],
        lambda answer: [each.update(key="bone") for each in answer["passages"]],
    ],
)
def test_no_keys_of_others_pass(change):
    changed = saved(keys=True)
    change(changed)
    assert outcome(changed)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("label", "yes"),
        ("points", ["Bone grew by 81 percent."]),
        ("value", {"text": "81 percent", "number": 81, "unit": "percent"}),
        ("papers", [{"document_id": "bone", "title": "Bone gain in orbit"}]),
        ("conflicts", [{"statement": "All papers agree.", "passages": [1, 2]}]),
        ("queries", ["does bone grow"]),
        ("unsupported_claims", ["Bone grew."]),
        ("repairs", ["everything was mended"]),
    ],
)
def test_what_no_paper_bears_out_is_named_as_said_only(name, value):
    changed = {**saved(), name: value}
    assert outcome(changed) == []
    assert any(name in each for each in said_only(changed, parts(changed)))


def test_why_a_passage_was_chosen_is_named_as_said_only():
    changed = saved()
    for each in (changed["passages"][0], changed["citations"][0]):
        each["relevance_reason"] = "Bone grew by 81 percent."
    assert outcome(changed) == []
    assert "relevance_reason" in said_only(changed, parts(changed))


def test_who_judged_cannot_be_exchanged_unseen():
    replay_report = by_a_model()
    assert outcome(replay_report) == []
    assert only_models_say(replay_report) == [TOLD]
    for judge in replay_report["citations"][0]["judges"]:
        judge["by"] = "checker" if judge["by"] == "model" else judge["by"]
    assert outcome(replay_report)
