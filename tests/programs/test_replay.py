"""Replaying saved answers, true ones and forged ones."""

import json
import re
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metrics.sentences import sentence_texts
from programs.errors import UsageError
from programs.ingest.document import Document, Figure, Section
from programs.ingest.regions import place_of
from programs.passages import Passage
from programs.passages.figures import NamedFigure
from programs.proof import CitedAnswer
from programs.replay import replay
from programs.results.rendering import as_json
from programs.results.result import result
from programs.verified import Verified, unverified
from tests.papers import BONE, PAPERS, ROOTS, paper

ANSWER = "Femur density fell by 12 percent in flight mice [1]. Osteoclast counts rose [1][2]. More is not known."


def document(document_id, papers=PAPERS):
    for each in papers:
        if each.id == document_id:
            return each
    raise UsageError(f"there is no paper {document_id}")


def passage(paper, start, end):
    return Passage.of(
        paper,
        start,
        end,
        id=f"{paper.id}::{start}-{end}",
        section="results",
        heading="Results",
        scores={"similarity": 0.9},
    )


PASSAGES = [passage(BONE, 9, 84), passage(ROOTS, 9, len(ROOTS.text))]


def saved(answer=ANSWER, passages=PASSAGES):
    """An answer as a file holds it."""
    return json.loads(json.dumps(as_json(result("What happened?", Verified(CitedAnswer(answer, passages))))))


def faults(answer, papers=PAPERS):
    return [str(fault) for fault in replay(answer, lambda name: document(name, papers))]


def forged(*path, value):
    """The saved answer with one value exchanged."""
    changed = saved()
    *way, last = path
    place = changed
    for step in way:
        place = place[step]
    place[last] = value
    return changed


def test_a_true_answer_replays():
    assert faults(saved()) == []


def test_an_abstention_replays():
    assert faults(saved("")) == []
    assert faults(saved("", [])) == []


# One byte


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        (("citations", 0, "quote"), BONE.text[9:57].replace("12", "13"), "citation 1 (bone::9-84): its q"),
        (("citations", 0, "start"), 10, "citation 1 (bone::9-84): its start is 10, replayed it is 9"),
        (("citations", 1, "verdict"), "contradicted", "citation 2 (bone::9-84): its verdict is 'contradicted'"),
        (("citations", 0, "score"), True, "its score is True, replayed it is 1.0"),
        (("citations", 0, "passage"), "roots::9-80", "citation 1 (roots::9-80): its passage is 'roots::9-80'"),
        (("citations", 0, "signed_by"), "Science", "its signed_by is 'Science', replayed it is None"),
        (("passages", 0, "text"), BONE.text[9:84].replace("12", "72"), "from character 22 on: '7' stands for '1'"),
        (("passages", 0, "text"), BONE.text[9:83], "it has 74 characters, the paper 75"),
        (("passages", 0, "start"), 8, "passage bone::9-84: its text differs from bone[8:84]"),
        (("passages", 0, "start"), 9 - len(BONE.text), "is not a place in a paper of 84 characters"),
        (("passages", 0, "end"), 85, "bone[9:85] is not a place in a paper of 84 characters"),
        (("passages", 0, "end"), 9, "bone[9:9] is not a place"),
        (("passages", 0, "document_id"), "roots", "passage bone::9-84: its text differs from roots[9:84]"),
        (("passages", 0, "id"), "roots::9-84", "passage roots::9-84: its id does not begin with that of its paper"),
        (("passages", 0, "year"), 2024, "its year is 2024, replayed it is 2014"),
        (("passages", 0, "section"), "conclusion", "its section is 'conclusion', replayed it is 'results'"),
        (("passages", 0, "heading"), "", "its heading is '', replayed it is 'Results'"),
        (("passages", 0, "key"), "PMC9", "passage bone::9-84: its key is 'PMC9', replayed it is ''"),
        (("passages", 0, "id"), "bone::8-84", "its id ends in '8-84', which is neither its place nor"),
        (("passages", 0, "id"), "bone::fig9", "its id ends in 'fig9', which is neither its place nor"),
        (("answer",), ANSWER.replace("12", "l2"), "citation 1 (bone::9-84): its sentence"),
        (("answer",), ANSWER + " Acid cures cancer.", "'Acid cures cancer.' cites nothing, and the file does not list"),
        (("answer",), ANSWER + " Acid cures cancer [7].", "it cites [7], which was not given"),
        (("answer",), ANSWER + " Acid cures cancer [1].", "'Acid cures cancer [1].' has no certificate in the file"),
        (("answer",), f"👎\n\n{ANSWER}", "'👎' cites nothing, and the file does not list it"),
        (("answer",), ANSWER.replace("fell", "fe\u200bll"), "answer: it holds 'U+200B ZERO WIDTH SPACE'"),
        (("answer",), f"~~{ANSWER}~~", "answer: it holds '~~', which a reader does not see"),
        (("answer",), ANSWER.replace("[1].", "[1](https://evil.example)."), "answer: it holds '(https://evil.example)'"),
        (("answer",), "", "the answer has 0 characters"),
        (("answerable",), False, "answerable: it is False"),
        (("uncited", 0), "More is known.", "uncited: 'More is known.' is not an uncited sentence of the answer"),
        (("metrics", "grounded_ratio"), 0.99, "metrics: its grounded_ratio is 0.99"),
        (("metrics",), {}, "metrics: it has no grounded_ratio, replayed it is 0."),
    ],
)  # fmt: skip
def test_every_change_is_named(path, value, named):
    assert any(named in fault for fault in faults(forged(*path, value=value))), faults(forged(*path, value=value))


def test_a_changed_paper_is_named():
    changed = replace(BONE, text=BONE.text.replace("fell", "rose"))
    (fault,) = faults(saved(), (changed, ROOTS))
    assert fault == "passage bone::9-84: its text differs from bone[9:84] from character 14 on: 'f' stands for 'r'"


def test_a_paper_that_has_other_sections_now_is_named():
    changed = replace(BONE, sections=(Section("Methods", "methods", 9, 84),))
    assert "its section is 'results', replayed it is 'methods'" in faults(saved(), (changed, ROOTS))[0]


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_dropped_citation_is_named(number):
    changed = saved()
    dropped = changed["citations"].pop(number)
    assert faults(changed) == [
        "citations: the answer makes 3, the file holds 2",
        f"citation {number + 1} ({dropped['passage']}): [{dropped['marker']}] in {dropped['sentence']!r} "
        "has no certificate in the file",
    ]


def test_an_added_citation_is_named():
    changed = saved()
    changed["citations"].append({**changed["citations"][0], "sentence": "Acid cures cancer [1]."})
    assert faults(changed) == [
        "citations: the answer makes 3, the file holds 4",
        "citation 4 (bone::9-84): the answer makes no such citation",
    ]


@pytest.mark.parametrize("name", ["answerable", "uncited", "metrics", "figures"])
def test_what_was_taken_out_is_named(name):
    changed = saved()
    del changed[name]
    assert f"answer: it has no {name}, which `ask` writes into every answer" in faults(changed)


# Forgeries that are consistent in themselves


@pytest.mark.parametrize(
    ("keys", "forged", "named"),
    [
        (("bone", "roots"), {}, None),
        (("bone", "roots"), {1: "PMC9"}, "passage roots::9-95: its key is 'PMC9', replayed it is 'roots'"),
        (("roots", "bone"), {}, "passage bone::9-84: its key is 'roots'"),
        (("bone", "roots"), {1: "smith2024quantum"}, "replayed it is 'roots'"),
    ],
)
def test_papers_are_cited_by_their_own_keys(keys, forged, named):
    given = [replace(each, key=key) for each, key in zip(PASSAGES, keys, strict=True)]
    written = [replace(each, key=forged.get(number, each.key)) for number, each in enumerate(given)]
    answer = saved(f"Femur density fell by 12 percent in flight mice [{written[0].key}].", written)
    found = faults(answer)
    assert (found == []) if named is None else any(named in each for each in found), found


FIGURED = replace(
    BONE,
    figures=(
        Figure("fig1", "figure", "Figure 1", "Osteoclast counts doubled", 58, 84, ("https://example.org/1.jpg",)),
        Figure("table1", "table", "Table 1", "Mice", 9, 20),
    ),
)


def with_figures(*figures, passages=None):
    made = result(
        "What?", Verified(CitedAnswer("", passages or [passage(FIGURED, 9, 84)])), figures=[f for f in figures if f]
    )
    return json.loads(json.dumps(as_json(made)))


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({}, None),
        ({"caption": "Acid cures cancer"}, "figure 1 (bone::fig1): its caption is 'Acid cures cancer'"),
        ({"image_urls": ["https://evil.example"]}, "its image_urls is ['https://evil.example']"),
        ({"id": "fig2"}, "figure 1 (bone::fig2): no paper of the passages has it"),
        ({"id": "table1"}, "figure 1 (bone::table1): no paper of the passages has it"),
        ({"id": []}, "no paper of the passages has it"),
        ({"document_id": "other"}, "figure 1 (other::fig1): no paper of the passages has it"),
    ],
)
def test_figures_are_those_of_the_papers(changed, named):
    answer = with_figures(NamedFigure.of(FIGURED, FIGURED.figures[0]))
    answer["figures"][0] |= changed
    found = faults(answer, (FIGURED,))
    assert (found == []) if named is None else named in found[0], found


def test_a_figure_stands_once_and_is_of_a_paper_of_the_passages():
    figure = NamedFigure.of(FIGURED, FIGURED.figures[0])
    assert faults(with_figures(figure, figure), (FIGURED,)) == [
        "figure 2 (bone::fig1): it is in the file more than once"
    ]
    elsewhere = with_figures(figure, passages=[PASSAGES[1]])
    assert faults(elsewhere, (FIGURED, ROOTS)) == ["figure 1 (bone::fig1): no paper of the passages has it"]


def test_a_caption_is_a_passage_under_its_own_name():
    def caption(start, name="fig1", heading="Figure 1"):
        shown = Passage.of(FIGURED, start, 84, id=f"bone::{name}", section="results", heading=heading)
        return faults(saved("", [shown]), (FIGURED,))

    assert caption(58) == []
    assert caption(9) == ["passage bone::fig1: its id names Figure 1, which is at bone[58:84]"]
    assert caption(58, heading="Figure 2") == [
        "passage bone::fig1: its heading is 'Figure 2', replayed it is 'Figure 1'"
    ]
    assert caption(58, heading="Results") != []


TWO_PARTS = Document(
    "two",
    "Mice flew.\n\nFemur density fell in all of them.\n\nFigure 1. Femora.\n\nFigure 2. Femora and tibiae of mice.",
    sections=(Section("Animals", "methods", 0, 10), Section("Bone", "results", 12, 93)),
    figures=(
        Figure("fig1", "figure", "Figure 1", "Femora.", 48, 65),
        Figure("fig2", "figure", "Figure 2", "Femora and tibiae of mice.", 67, 103),
    ),
)


@pytest.mark.parametrize(
    ("start", "end", "section", "heading"),
    [
        (0, 46, "results", "Bone"),
        (0, 14, "methods", "Animals"),
        (20, 103, "results", "Figure 2"),
        (12, 65, "results", "Bone"),
        (48, 72, "results", "Figure 1"),
    ],
)
def test_a_passage_over_several_parts_has_the_name_of_the_one_that_it_has_most_of(start, end, section, heading):
    def found(section, heading):
        given = Passage.of(TWO_PARTS, start, end, id=f"two::{start}-{end}", section=section, heading=heading)
        return faults(saved("", [given]), (TWO_PARTS,))

    assert found(section, heading) == []
    for forged in ("Animals", "Bone", "Figure 1", "Figure 2", "Figure 1; Figure 2", ""):
        assert bool(found(section, forged)) is (forged != heading)
    for forged in ("methods", "results", "other", "abstract"):
        assert bool(found(forged, heading)) is (forged != section)


def test_two_passages_cannot_share_an_id():
    false = Passage.of(ROOTS, 9, len(ROOTS.text), id=PASSAGES[0].id, section="results")
    named = faults(saved(ANSWER, [PASSAGES[0], false]))
    assert named[0] == "passage bone::9-84: 2 passages have this id; each must have its own"


# Files that are no answers


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"answer": None}, "answer: Input should be a valid string"),
        ({"answer": "\ud800"}, "Invalid JSON: "),
        ({"passages": None}, "passages: "),
        ({"citations": ["one"]}, "citations.0: "),
        ({"uncited": [["none"]]}, "uncited.0: "),
        ({"metrics": []}, "metrics: "),
        ({"figures": {}}, "figures: "),
        ({"passages": [7]}, "passages.0: "),
        ({"passages": [{"id": "bone::1"}]}, "passages.0.document_id: Field required"),
        ({"passages": [{**PASSAGES[0].as_dict(), "signed_by": "Science"}]}, "passages.0.signed_by: Extra"),
        ({"passages": [{**PASSAGES[0].as_dict(), "section": []}]}, "passages.0.section: "),
        ({"passages": [{**PASSAGES[0].as_dict(), "start": True}]}, "passages.0.start: "),
        *(({"form": form}, "this version reads 2; ask the question again") for form in (0, 1, 3, "2", None, True, 2.0)),
    ],
)  # fmt: skip
def test_a_file_of_another_form_is_refused(changed, message):
    with pytest.raises(UsageError, match=message):
        faults({**saved(), **changed})


@pytest.mark.parametrize("name", ["answer", "passages", "citations"])
def test_a_file_that_lacks_a_part_is_refused(name):
    answer = saved()
    del answer[name]
    with pytest.raises(UsageError, match=f"it has no {name}; make one with `ask --format json`"):
        faults(answer)


# Many answers

WORDS = st.sampled_from(
    [
        "Femur density fell by 12 percent",
        "Osteoclast counts doubled",
        "Auxin — transport",
        "酸は",
        "p < 0.05",
        "“quoted”",
        "(1)",
    ]
)
MARKERS = st.sampled_from(
    ["", " [1]", " [2]", " [1][2]", " [1, 2]", " [1–2]", " [bone]", " [7]", " [0.3, 0.5]", "【2】", "¹"]
)
ENDS = st.sampled_from([". ", ".\n\n", "? ", ":\n- ", "。", " "])
ANSWERS = st.lists(st.tuples(WORDS, MARKERS, ENDS).map("".join), max_size=6).map("".join)
MANY = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)


@MANY
@given(ANSWERS)
def test_any_answer_that_a_program_returns_replays(text):
    answer = saved(unverified(text, PASSAGES).answer)
    assert faults(answer) == []
    for citation in answer["citations"]:
        paper = document(citation["document_id"])
        assert paper.text[citation["start"] : citation["end"]] == citation["quote"]


def test_a_certificate_of_an_older_version_is_told_from_a_changed_one():
    older = saved()
    for citation in older["citations"]:
        citation.update(check=re.sub(r"guards/\d+", "guards/1", citation["check"]), score=0.5)
    found = faults(older)
    assert len(found) == len(older["citations"])
    assert all("it was certified by corroborate-checker-" in each and "ask again" in each for each in found)
    older["citations"][0]["verdict"] = "contradicted"
    assert len(faults(older)) > len(found)


# Passages that cut a sentence

DENIED = paper(
    "denied",
    "It is not true that femur density fell by 12 percent in flight mice.",
    "Osteoclast counts rose by 112.4 percent, but only in mice that had died.",
)


@pytest.mark.parametrize(
    ("shown", "claim", "quoted"),
    [
        ("femur density fell by 12 percent in flight mice.", "Femur density fell by 12 percent in flight mice", 0),
        ("Osteoclast counts rose by 112.4 percent", "Osteoclast counts rose by 112.4 percent", 1),
        ("12.4 percent, but only in mice that had died.", "12.4 percent, but only in mice that had died", 1),
    ],
)
def test_a_passage_that_cuts_a_sentence_is_judged_by_the_whole_sentence(shown, claim, quoted):
    start = DENIED.text.index(shown)
    answer = saved(f"{claim} [1].", [passage(DENIED, start, start + len(shown))])
    assert faults(answer, [DENIED]) == []
    for each in answer["citations"]:
        whole = sentence_texts(DENIED.text)[1:][quoted]
        assert (each["verdict"], each["quote"]) != ("supported", shown)
        assert each["quote"] in ("", whole)
        assert DENIED.text[each["start"] : each["end"]] == each["quote"]


def test_a_true_sentence_of_a_passage_that_cuts_it_is_proved_by_the_whole_of_it():
    shown = "Osteoclast counts rose by 112.4 percent, but only"
    start, whole = DENIED.text.index(shown), sentence_texts(DENIED.text)[2]
    answer = saved(f"{whole[:-1]} [1].", [passage(DENIED, start, start + len(shown))])
    assert faults(answer, [DENIED]) == []
    assert [(each["verdict"], each["quote"]) for each in answer["citations"]] == [("supported", whole)]


# What is beside the proof


@pytest.mark.parametrize(
    "measured",
    [{"tokens": "reviewed by Nature"}, {"latency_ms": {"Acid cures": 1}}, {"dedup_count": True}, {"lm_calls": 1e400}],
)
def test_metrics_hold_numbers(measured):
    changed = saved()
    changed["metrics"].update(measured)
    with pytest.raises(UsageError, match=r"not a saved answer: metrics\."):
        faults(changed)


# Passages of what is no evidence

PRINTED = "Acid cures cancer\n\nWe did not test acid.\n\nReferences\n\nSmith A. Acid cures cancer in mice. J Med 2010."
LISTED = Document(
    "listed",
    PRINTED,
    sections=tuple(
        Section(heading, kind, PRINTED.index(body), PRINTED.index(body) + len(body))
        for heading, kind, body in (
            ("Acid cures cancer", "results", "We did not test acid."),
            ("References", "references", "Smith A. Acid cures cancer in mice. J Med 2010."),
        )
    ),
)


@pytest.mark.parametrize(
    ("shown", "held"),
    [
        ("Acid cures cancer", "Acid cures cancer"),
        ("Acid cures cancer\n\nWe did not test acid.", "Acid cures cancer"),
        ("Smith A. Acid cures cancer in mice. J Med 2010.", "Smith A. Acid cures cancer in mice. J Med 2010."),
        ("We did not test acid.\n\nReferences", "References"),
        ("We did not test acid.", ""),
    ],
)
def test_a_passage_holds_no_heading_and_no_reference(shown, held):
    start = PRINTED.index(shown)
    end = start + len(shown)
    section, heading = place_of(LISTED, start, end)
    given = Passage.of(LISTED, start, end, id=f"listed::{start}-{end}", section=section, heading=heading)
    found = faults(saved(f"{shown.splitlines()[-1].rstrip('.')} [1].", [given]), [LISTED])
    said = [f"passage {given.id}: it holds {held!r}, which is a heading, a reference or a notice"] if held else []
    assert found == said
