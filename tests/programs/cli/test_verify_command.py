"""`python -m programs verify`: what `ask` wrote, and what somebody changed in it."""

from __future__ import annotations

import json

import pytest

from programs.certificate import certify, measures
from programs.cli.verify import _summary
from programs.ingest.paper_formats import VERSIONS
from programs.passages import Passage
from programs.proof import CitedAnswer
from tests.command_line import run
from tests.programs.cli.conftest import QUESTION


@pytest.fixture(scope="module")
def saved(folder, tmp_path_factory):
    """What `ask` wrote."""
    file = tmp_path_factory.mktemp("saved") / "answer.json"
    assert run("ask", QUESTION, "--paper", folder / "bone.md", "--output", file).code == 0
    return file


@pytest.fixture
def answer(saved):
    """The saved answer, to be changed."""
    return json.loads(saved.read_text("utf-8"))


@pytest.fixture
def verify(folder, tmp_path):
    """Verifies an answer against the paper's file, or against what is given instead."""

    def verified(changed, *options):
        (tmp_path / "changed.json").write_text(json.dumps(changed), "utf-8")
        return run("verify", tmp_path / "changed.json", *(options or ("--paper", folder / "bone.md")))

    return verified


def test_what_ask_wrote_replays_from_the_file_and_from_the_index(saved, folder):
    for options in (("--paper", folder / "bone.md"), ("--index", folder / "papers.idx")):
        ran = run("verify", saved, *options)
        assert (ran.code, ran.stderr) == (0, "")
        assert ran.stdout.startswith("The citation replays: 1 quoted\n")


def test_json_is_all_there_is_on_stdout(saved, folder, answer):
    ran = run("verify", saved, "--paper", folder / "bone.md", "--format", "json")
    assert (ran.code, ran.stderr) == (0, "")
    assert ran.json == {
        "answer": str(saved), "citations": len(answer["citations"]), "uncited": [],
        "only_models_say": [], "said_only": ["points", "relevance_reason"], "verified": True, "faults": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("part", "name", "change", "named"),
    [
        ("citations", "quote", lambda quote: quote.replace("12", "72"), "FAILED citation 1 (bone::"),
        ("passages", "text", lambda text: text.replace("12", "72"), "'7' stands for '1'"),
    ],
)
def test_one_changed_byte_fails_with_its_name(part, name, change, named, answer, verify):
    answer[part][0][name] = change(answer[part][0][name])
    ran = verify(answer)
    assert (ran.code, named in ran.stdout, "All" in ran.stdout) == (1, True, False)


def test_what_follows_from_one_changed_digit_is_counted(answer, verify):
    answer["passages"][0]["text"] = answer["passages"][0]["text"].replace("12", "72")
    told, withheld, total = verify(answer).stdout.splitlines()
    assert "'7' stands for '1'" in told
    assert told.endswith(" more differences with it")
    assert "none of its sentences is proved" in withheld
    assert total.endswith("faults in all; --details or --format json lists each.")


def test_a_sentence_that_cites_nothing_is_told(answer, verify):
    answer["answer"] += " Acid cures cancer."
    assert "'Acid cures cancer.' cites nothing" in verify(answer).stdout
    answer["uncited"] = ["Acid cures cancer."]
    answer["metrics"]["grounded_ratio"] = 0.5
    ran = verify(answer)
    assert ran.code == 0
    assert "Not cited, so not proved: 'Acid cures cancer.'" in ran.stdout


def test_labels_stand_apart_from_what_else_is_beside_the_proof(folder, tmp_path):
    columns = ("--column", "fell: Did femur density fall? [yes/no]", "--column", "count: Did counts double? [yes/no]")
    assert run("table", *columns, "--index", folder / "papers.idx", "--output", tmp_path / "table").code == 0
    ran = run("verify", tmp_path / "table" / "table.json", "--index", folder / "papers.idx")
    assert ran.code == 0
    assert "Read from the sentences, and checked by nothing: bone, fell: label 'yes'; bone, count: label" in ran.stdout
    assert "\nBeside the proof, and checked by nothing: relevance_reason" in ran.stdout


def test_a_fault_of_a_paper_that_an_older_version_read_says_so(folder, answer, verify, tmp_path, monkeypatch):
    with monkeypatch.context() as before:
        before.setitem(VERSIONS, "programs.ingest.markdown", 0)
        assert run("index", folder / "bone.md", "--index", tmp_path / "old.idx").code == 0
    answer["passages"][0]["heading"] = "As it was read"
    assert "An older version read bone, which may be why" in verify(answer, "--index", tmp_path / "old.idx").stderr
    assert verify(answer, "--index", folder / "papers.idx").stderr == ""


@pytest.fixture
def read_widely(answer):
    """The answer with five more passages, and two figures, of papers that are not given; its own is."""
    for number in range(5):
        name = f"far{number % 2}"
        answer["passages"].append({**answer["passages"][0], "id": f"{name}::sec0::chunk{number}", "document_id": name})
    figure = {"id": "fig1", "label": "Figure 1", "caption": "", "pmcid": "", "image_urls": [], "tileshop": ""}
    answer["figures"] = [{**figure, "document_id": "far0"}, {**figure, "document_id": "far1"}]
    return answer


def test_passages_of_missing_papers_are_one_line(read_widely, verify, folder):
    own = len(read_widely["passages"]) - 5
    read_widely |= {"answer": "", "answerable": False, "citations": [], "uncited": []}
    read_widely["metrics"] |= {"grounded_ratio": None, "section_distribution": {}}
    for options, place in (
        (("--paper", folder / "bone.md"), "none of the given papers"),
        (("--index", folder / "papers.idx"), f"no paper of the index at {folder / 'papers.idx'}"),
    ):
        ran = verify(read_widely, *options)
        missing = [line for line in ran.stdout.splitlines() if "far" in line]
        assert (ran.code, len(missing)) == (1, 1)
        assert missing[0].startswith(f"FAILED passages: 5 of {5 + own} are in {place}, with 2 figures (passage far0::")
        assert "and 4 more): far0, far1 are missing; give the " in missing[0]
        assert "--details or --format json lists each" in ran.stdout
        assert sum("far" in line for line in verify(read_widely, *options, "--details").stdout.splitlines()) == 7
        faults = verify(read_widely, *options, "--format", "json").json["faults"]
        assert sum("far" in fault["what"] for fault in faults) == 7


def test_faults_of_one_kind_are_one_line_with_what_has_them(read_widely, verify):
    for passage in read_widely["passages"]:
        passage.update(document_id="bone", id=passage["id"].replace("far", "bone::far"))
    ran = verify(read_widely)
    assert ran.code == 1
    assert "figure 1 (far0::fig1), figure 2 (far1::fig1): no paper of the passages has it" in ran.stdout


def unverifiable(answer):
    """The same answer with a sentence that no passage proves, as `ask` would have saved it."""
    sentence = "Whales sing at night [1]."
    text = f"{answer['answer']} {sentence}"
    cited = CitedAnswer(text, [Passage(**each) for each in answer["passages"]])
    made = certify(cited)
    return {
        **answer, "answer": text, "citations": [each.as_dict() for each in made],
        "metrics": {**answer["metrics"], **measures(cited, made)},
    }  # fmt: skip


def test_what_the_file_says_is_not_proved_is_counted_and_named_and_is_no_fault(answer, verify):
    ran = verify(json.loads(json.dumps(unverifiable(answer))))
    assert (ran.code, ran.stderr) == (0, "")
    summary, first, *_ = ran.stdout.splitlines()
    assert summary.startswith("All ")
    assert "1 unverifiable" in summary
    assert first.startswith("Cited, but unverifiable: 'Whales sing at night [1].' (")


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (
            {"only_models_say": ["Bone fell [1]."]},
            "1 sentence proved by a model's word alone, which no replay can check",
        ),
        ({"uncited": ["Whales sing.", "They do."]}, "2 sentences without a citation"),
        ({"translated": ["Bajó [1]."]}, "1 sentence proved in English and translated by a model"),
    ],
)
def test_the_summary_counts_what_no_replay_proves(found, said):
    cited = {"sentence": "Bone fell [1].", "verdict": "supported"}
    results = [{"citations": [cited, {**cited, "verdict": "unverifiable"}]}, {"citations": [cited]}]
    nothing = {"only_models_say": [], "uncited": [], "translated": []}
    counted = "All 3 citations replay: 1 beside a proof that is elsewhere, 2 supported"
    assert _summary(results, {**nothing, **found}) == f"{counted}; {said}"


@pytest.mark.parametrize(
    ("notes", "said"),
    [
        (["An answer was withheld: none of its sentences is proved (no quote)."], "The answer was withheld"),
        ([], "No sentence was picked"),
    ],
)
def test_of_a_withheld_answer_the_evidence_is_verified(notes, said, answer, verify):
    empty = {"answer": "", "answerable": False, "citations": [], "uncited": [], "notes": notes, "points": []}
    measured = {"grounded_ratio": None, "section_distribution": {}}
    withheld = {**answer, **empty, "metrics": {**answer["metrics"], **measured}}
    ran = verify(withheld)
    assert (ran.code, ran.stderr) == (0, "")
    assert ran.stdout.splitlines()[0].startswith(f"{said}, so there is nothing to verify but the evidence shown: ")
    withheld["passages"][0]["text"] = withheld["passages"][0]["text"].replace("12", "72")
    assert "'7' stands for '1'" in verify(withheld).stdout


def test_without_a_passage_there_is_nothing_to_verify(answer, verify):
    empty = {"answer": "", "answerable": False, "citations": [], "uncited": [], "points": [], "passages": []}
    measured = {"grounded_ratio": None, "section_distribution": {}, "retrieved_k": 0}
    ran = verify({**answer, **empty, "metrics": {**answer["metrics"], **measured}})
    assert (ran.code, ran.stdout.splitlines()[0]) == (
        0, "No sentence was picked, and no passage is shown: there is nothing to verify.",
    )  # fmt: skip


@pytest.mark.parametrize("cited", [False, True])
def test_a_paper_that_is_not_there_is_a_fault_where_it_is_cited(cited, answer, verify):
    """Before, an answer of several papers could not be verified by the file of the one that it cites."""
    other = {**answer["passages"][0], "id": "mars::0-8", "document_id": "mars"}
    other |= {"text": "It fell.", "start": 0, "end": 8}
    answer["passages"].append(other)
    answer["metrics"]["retrieved_k"] += 1
    if cited:
        answer["answer"] += f" It fell [{len(answer['passages'])}]."
    ran = verify(answer)
    assert ran.code == int(cited)
    assert ("not looked at, for it is not here: mars" in ran.stderr) is not cited
    assert ("mars is missing" in ran.stdout) is cited


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "does not hold a saved answer; give the file that `ask --output` wrote"),
        ("[" * 100_000, "nests too deep for an answer"),
        ('{"citations": ' + "9" * 5_000 + "}", "is not a JSON document"),
        ('{"form": 2, "answer": "", "passages": [7], "citations": []}', "passages.0: "),
    ],
)
def test_a_file_that_is_no_answer_is_wrong_use(content, message, folder, tmp_path):
    (tmp_path / "x.json").write_text(content, "utf-8")
    ran = run("verify", tmp_path / "x.json", "--paper", folder / "bone.md")
    assert (ran.code, ran.stdout) == (2, "")
    assert message in ran.stderr


def test_a_path_or_a_result_that_is_nothing_that_was_saved_is_wrong_use(answer, verify, tmp_path):
    for ran, message in (
        (run("verify", tmp_path / "none.json"), "no file at "),
        (run("verify", tmp_path), "cannot be read (Is a directory)"),
        (verify({**answer, "draft": "", "sections": []}), "not as `write` writes it"),
        (verify({**answer, "section": "results"}), "does not write"),
    ):
        assert (ran.code, ran.stdout, message in ran.stderr) == (2, "", True)


def test_a_name_that_stands_twice_is_refused(saved, folder, tmp_path):
    text = saved.read_text("utf-8")
    (tmp_path / "double.json").write_text(text.replace("{", '{"answer": "Bone grew.", ', 1), "utf-8")
    ran = run("verify", tmp_path / "double.json", "--paper", folder / "bone.md")
    assert (ran.code, ran.stdout) == (2, "")
    assert "has the name 'answer' twice" in ran.stderr
