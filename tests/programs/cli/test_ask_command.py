"""`python -m programs ask`, with the extractive LM and the real embedding model."""

from __future__ import annotations

import json

import pytest

from programs.cli.ask import print_answer
from programs.lm.pace import Timing, keep
from programs.retrieval.index import Index
from tests.command_line import run
from tests.counting_lm import CountingEngine
from tests.programs.cli.conftest import FELL, QUESTION

SAID = (
    "No language model is used: the nearest sentences of the papers are quoted. Name a model with --lm or in "
    "CORROBORATE_LM.\nCompiled state: main_points.extractive.json (random_search; space_biology).\n"
)


@pytest.fixture(scope="module")
def paper(folder):
    return folder / "bone.md"


def test_json_is_all_there_is_on_stdout_and_is_written_to_a_file_too(paper, tmp_path):
    ran = run("ask", QUESTION, "--paper", paper, "--format", "json", "--output", tmp_path / "answer.json")
    assert (ran.code, ran.stderr) == (0, SAID)
    assert (ran.json["program"], ran.json["lm"], ran.json["question"]) == ("main_points", "extractive", QUESTION)
    assert FELL in ran.json["answer"]
    assert ran.json["citations"][0]["verdict"] == "supported"
    assert ran.json["metrics"]["lm_calls"] == 0
    assert json.loads((tmp_path / "answer.json").read_text("utf-8")) == ran.json


@pytest.mark.parametrize(
    ("read", "takes"), [(2.0, "This may take about 6 min: there are about 420 tokens to read, and"), (2000.0, "")]
)
def test_what_a_slow_model_takes_is_said_before_it_is_asked(paper, monkeypatch, read, takes):
    lm = CountingEngine().lm()
    lm.own_address = f"http://127.0.0.1:{round(read)}"
    keep(lm.own_address, lm.model, Timing(500, read, read / 2))
    monkeypatch.setattr("programs.lm._extractive", lambda _: lm)
    ran = run("ask", QUESTION, "--paper", paper, "--format", "json")
    assert takes in ran.stderr
    assert ("This may take" in ran.stderr) == bool(takes)


def test_text_tells_the_answer_or_that_there_is_none_and_its_proof(paper):
    ran = run("ask", QUESTION, "--paper", paper)
    assert (ran.code, ran.stderr) == (0, SAID)
    said = " ".join(ran.stdout.split())
    assert f"Nearest in your papers Bone loss in orbit [bone] “{FELL}.”" in said
    assert not any(word in said for word in ("supported", "calls"))  # of a model, of which there was none
    assert f"quoted [bone] “{FELL}”." in " ".join(run("ask", QUESTION, "--paper", paper, "--proof").stdout.split())
    none = run("ask", "Which telescope saw the quasar?", "--paper", paper)
    assert (none.code, "Nothing near this in the paper." in none.stdout) == (0, True)


def test_a_paper_of_an_index_is_named_by_its_id_or_found(folder):
    named = run("ask", QUESTION, "--paper", "bone", "--index", folder / "papers.idx", "--format", "json")
    alone = ("--program", "main_points", "--format", "json")
    found = run("ask", QUESTION, "--index", folder / "papers.idx", *alone)
    assert named.json["answer"] == found.json["answer"] != ""
    assert "Asking bone, the paper that fits the question best" in found.stderr


def test_an_index_is_asked_as_a_whole_and_a_model_may_be_named_in_the_environment(folder, monkeypatch):
    ran = run("ask", "What happened in orbit?", "--index", folder / "papers.idx", "--format", "json")
    assert ran.json["program"] == "multi_signal"
    assert {each["document_id"] for each in ran.json["passages"]} == {"bone", "roots"}
    refused = run("ask", QUESTION, "--paper", folder / "bone.md", "--filter", "year>=2000")
    assert "--program: rag_fusion, multi_signal, paper_retriever" in refused.stderr
    monkeypatch.setenv("CORROBORATE_LM", "ollama")
    assert "'ollama' names no model" in run("ask", QUESTION, "--index", folder / "papers.idx").stderr


@pytest.mark.parametrize("program", ["multi_signal", "main_points", "paper_retriever"])
def test_an_index_without_papers_is_no_answer(tmp_path, program):
    Index.open(tmp_path / "new.idx", create=True).close()
    ran = run("ask", QUESTION, "--program", program, "--index", tmp_path / "new.idx")
    assert (ran.code, ran.stdout) == (2, "")
    assert "new.idx holds no paper; wait where one is being read" in ran.stderr


def test_an_answer_that_is_not_verified_has_citations_all_the_same(paper):
    ran = run("ask", QUESTION, "--paper", paper, "--no-verify", "--format", "json")
    assert ran.json["metrics"]["lm_calls"] == 0
    assert ran.json["citations"] != []
    assert run("ask", QUESTION, "--paper", paper, "--set", "least_coverage=1", "--format", "json").json["answer"] == ""
    assert "write NAME=VALUE" in run("ask", QUESTION, "--paper", paper, "--set", "evidence").stderr
    for name in ("x", "state", "self"):
        assert f"has no parameter {name}" in run("ask", QUESTION, "--paper", paper, "--set", f"{name}=1").stderr


def test_verbose_tells_the_steps_on_stderr(paper):
    ran = run("ask", QUESTION, "--paper", paper, "--verbose", "--format", "json")
    assert [line for line in ran.stderr.splitlines() if line.startswith("=== ")] == [
        "=== points",
        "=== answerable, answer",
    ]
    assert "Checking every sentence by its evidence" in ran.stderr
    assert ran.json["answerable"] is True


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([QUESTION, "--paper", "none.md"], "no file at none.md; check the path, or name an index with --index"),
        ([QUESTION, "--paper", "."], ". is a folder; name one paper of it, or ask all with `python -m programs index"),
        ([QUESTION, "--output", "nowhere/answer.json"], "no folder at nowhere for --output nowhere/answer.json"),
        ([QUESTION, "--questions", "q.csv"], "--questions asks what is in its file"),
        ([], "no question was given"),
    ],
)
def test_wrong_use_is_named_before_any_work(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a checkout in which README was followed holds an index
    ran = run("ask", *arguments)
    assert (ran.code, ran.stdout, message in ran.stderr) == (2, "", True)


@pytest.mark.parametrize("program", ["rag_fusion", "multi_signal", "paper_retriever"])
def test_a_file_is_told_from_an_id_that_the_index_has_not(program, folder):
    options = ("--index", folder / "papers.idx", "--program", program)
    ran = run("ask", QUESTION, "--paper", folder / "bone.md", *options)
    assert (ran.code, ran.stdout) == (2, "")
    assert f"bone.md is a file, and {program} asks papers of an index by their ids" in ran.stderr
    ran = run("ask", QUESTION, "--paper", "gone", *options)
    assert f"the index at {folder / 'papers.idx'} has no document 'gone'" in ran.stderr


def test_an_id_is_looked_up_in_the_index_that_is_there(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert run("ask", QUESTION, "--paper", "bone", "--format", "json").json["passages"][0]["document_id"] == "bone"
    ran = run("ask", QUESTION, "--paper", "gone")
    assert "no file at gone, and the index at papers.idx has no document 'gone'; `python -m programs list" in ran.stderr


# What the terminal shows of an answer: what it cites apart from what was only read.


def passage(number, paper, *, key="", section="results", title=""):
    described = {"title": title or f"On {paper}", "year": 2014, "section": section, "key": key}
    described |= {"heading": "", "text": "It fell."}
    return {"id": f"{paper}::{number}", "document_id": paper, **described}


def citation(source, marker):
    proof = {"verdict": "supported", "score": 1.0, "sentence": f"It fell [{marker}].", "quote": "It fell."}
    return {
        "passage": source["id"],
        "document_id": source["document_id"],
        "marker": marker,
        "start": 0,
        "end": 8,
        "quotes": [{"document_id": source["document_id"], "quote": "It fell.", "start": 0, "end": 8}],
        "judges": [{"by": "checker", "name": "checker-1", "verdict": "supported"}],
        **proof,
    }


def shown(capsys, passages, citations, answer="It fell.", calls=3, **more):
    rest = {"figures": [], "unsupported_claims": [], "metrics": {"lm_calls": calls, "latency_ms": 12.0}, **more}
    result = {"question": "Did it fall?", "answer": answer, "passages": passages, "citations": citations, **rest}
    print_answer(result, proof=True)
    return capsys.readouterr().out.splitlines()


def test_sources_are_those_cited_a_line_each_with_the_paper(capsys):
    passages = [passage(1, "roots"), passage(2, "bone"), passage(3, "PMC7", key="PMC7"), passage(4, "PMC7", key="PMC7")]
    passages[1] |= {"authors": ["Okafor, N", "Lind, A", "Roy, P"]}
    lines = shown(capsys, passages, [citation(passages[at], str(marker)) for at, marker in ((2, "PMC7"), (1, 2))])
    assert lines[lines.index("Sources") + 1 :][:2] == [
        "[PMC7] On PMC7 (2014)",
        "[2] Okafor et al. (2014): On bone, bone",
    ]
    assert "roots" not in " ".join(lines)


def test_without_an_answer_what_was_read_is_not_called_a_source_and_no_figure_is_shown(capsys):
    figure = {"label": "Figure 2", "document_id": "PMC1", "caption": "Paths of mice."}
    assert "Figure 2 of PMC1: Paths of mice." in shown(capsys, [passage(1, "bone")], [], figures=[figure])
    lines = shown(capsys, [passage(1, "bone", title="[bold]\x1b[31mred")], [], answer="", figures=[figure])
    assert lines[lines.index("Read") + 1] == "[bold]\ufffd[31mred (2014)"  # no markup, and it steers no terminal
    assert not any("Source" in line or "Figure 2" in line for line in lines)


def test_a_sentence_that_nothing_proves_is_marked_where_it_is_said(capsys):
    source = passage(1, "bone")
    for verdict, mark in (("unverifiable", "(not proved)"), ("contradicted", "(contradicted by its source)")):
        weak = {**citation(source, "1"), "verdict": verdict}
        assert shown(capsys, [source], [weak], answer="It fell [1]. So.")[0] == f"It fell [1]. {mark} So."


def quoting(source, sentence, quote=None, page=None):
    made = citation(source, "1")
    places = {"places": [{"page": page}]} if page else {}
    quotes = [{"passage": source["id"], "document_id": source["document_id"], "quote": quote or sentence, **places}]
    return {**made, "sentence": f"“{sentence}” [1].", "quotes": [{**each, "start": 0, "end": 9} for each in quotes]}


OPENED = "However, density fell by 12 % (Figure 1) in mice [4]."
ROWS = "Dose | Death\nZinc | 3\nIron | 8\nLead | 9"


@pytest.mark.parametrize(
    ("sentence", "quote", "said"),
    [
        ("Density fell by 12 % in mice", OPENED, f"“{OPENED}” p. 4"),
        ("Iron | 8", ROWS, "“Iron | 8” p. 4"),
        ("Zinc | 3. Lead | 9", ROWS, "“Zinc | 3 […] Lead | 9” p. 4"),
        ("It fell", "It fell. Nobody knows why mice did so.", "“It fell.” p. 4"),
    ],
)
def test_a_search_shows_the_papers_own_words_and_claims_nothing_of_them(sentence, quote, said, capsys):
    source = {**passage(1, "bone"), "authors": ["Okafor, N", "Lind, A"]}
    lines = shown(capsys, [source], [quoting(source, sentence, quote, 4)], calls=0)
    assert lines[:4] == ["Nearest in your papers", "", "Okafor and Lind (2014): On bone [bone]", f"  {said}"]
    assert not any(word in " ".join(lines) for word in ("supported", "proved", "1.00", "%  of claims", "checker"))


def test_a_sentence_with_two_citations_is_told_once_and_the_one_without_a_part_in_it_is_named(capsys):
    passages = [passage(1, "bone"), passage(2, "roots")]
    both = [{**citation(passages[at], str(at + 1)), "sentence": "It fell [1][2]."} for at in range(2)]
    assert "supported (1.00) [1, 2] It fell [1][2]." in shown(capsys, passages, both)
    both[1] |= {"verdict": "unverifiable", "score": 0.0, "reason": "the proof is in bone::1"}
    lines = shown(capsys, passages, both)
    assert [line for line in lines if "It fell [1][2]." in line] == ["supported (1.00) [1] It fell [1][2]."]
    assert "  [2] has no part in this: the proof is in bone::1" in lines


def test_a_proof_by_a_model_alone_does_not_read_as_one_of_no_probability(capsys):
    judges = [{"by": "model", "name": "ollama_chat/a", "verdict": "supported"}]
    judges += [{"by": "checker", "name": "checker-1", "verdict": "unverifiable"}]
    source = passage(1, "bone")
    lines = shown(capsys, [source], [{**citation(source, "1"), "score": 0.0, "judges": judges}])
    assert "supported by the model's proof alone (checker 0.00) [1] It fell [1]." in lines


# `ask --questions`, `--references` and `--document`; and retracted papers wherever they are cited.

HOW_MUCH = "How much did femur density fall in flight mice?"
FELL_IN_ORBIT = "Femur density fell by 12.4 percent in flight mice after 30 days in orbit."
JATS = f"""<article article-type="research-article" xmlns:xlink="http://www.w3.org/1999/xlink"><front>
<journal-meta><journal-title-group><journal-title>J Cold</journal-title></journal-title-group></journal-meta>
<article-meta><article-id pub-id-type="pmc">1234567</article-id><article-id pub-id-type="doi">10.1000/a_b</article-id>
<title-group><article-title>Bone loss in flight mice</article-title></title-group><volume>12</volume>
<related-article related-article-type="retraction-forward" xlink:href="10.1000/notice"/></article-meta></front>
<body><sec><title>Results</title><p>{FELL_IN_ORBIT} Mice were housed in pairs.</p></sec></body></article>"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("many")
    (folder / "paper.nxml").write_text(JATS)
    (folder / "other.md").write_text("# Roots in orbit\n\n## Results\n\nRoots grew without direction in orbit.\n")
    assert run("index", folder, "--index", folder / "papers.idx").code == 0
    return folder


@pytest.mark.parametrize("program", ["main_points", "multi_signal"])
def test_a_file_of_questions_gives_a_line_and_a_file_each(program, place, tmp_path):
    asked = tmp_path / "q.csv"
    asked.write_text(f"id,question,paper\na,{HOW_MUCH},PMC1234567\nb,What did roots do in orbit?,other\nc,Why?,gone\n")
    ran = run(
        "ask", "--questions", asked, "--index", place / "papers.idx", "--program", program,
        "--output", tmp_path / "out", "--references", tmp_path / "refs.json",
    )  # fmt: skip
    lines = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [line["id"] for line in lines] == ["a", "b", "c"]
    assert "12.4" in lines[0]["answer"]
    assert "gone" in lines[2]["error"]
    assert ran.code == 1
    assert "1 of 3 questions were not answered" in ran.stderr
    for name in ("a", "b"):
        assert run("verify", tmp_path / "out" / f"{name}.json", "--index", place / "papers.idx").code == 0
    assert "PMC1234567" in [each["id"] for each in json.loads((tmp_path / "refs.json").read_text())]


def test_a_retracted_paper_is_marked_wherever_it_is_cited_and_can_be_left_out(place, tmp_path):
    asked = ("ask", HOW_MUCH, "--index", place / "papers.idx", "--program", "multi_signal")
    ran = run(
        *asked, "--output", tmp_path / "a.json", "--references", tmp_path / "r.json", "--document", tmp_path / "a.md"
    )
    result = json.loads((tmp_path / "a.json").read_text())
    assert result["passages"][0]["corrections"] == ["retracted by 10.1000/notice"]
    assert result["notes"] == ["Bone loss in flight mice (PMC1234567) was retracted by 10.1000/notice."]
    assert "RETRACTED BY 10.1000/NOTICE" in ran.stdout
    assert "**Retracted by 10.1000/notice**" in run(*asked, "--format", "markdown").stdout
    assert json.loads((tmp_path / "r.json").read_text())[0]["volume"] == "12"
    assert "[@PMC1234567]" in (tmp_path / "a.md").read_text()
    assert run("verify", tmp_path / "a.json", "--index", place / "papers.idx").code == 0
    del result["passages"][0]["corrections"]
    (tmp_path / "a.json").write_text(json.dumps(result))
    assert "its corrections is" in run("verify", tmp_path / "a.json", "--index", place / "papers.idx").stdout
    left = run(*asked, "--filter", "retracted!=true", "--format", "json").json
    assert {each["document_id"] for each in left["passages"]} == {"other"}
    assert run(*asked, "--filter", "retracted=true", "--format", "json").json["citations"]


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        ("query\nx\n", "q.csv", "has no column question; it has query"),
        ("question\n\n,\n", "q.csv", "holds no question|is empty"),
        ("id,question\na,x\na,y\n", "q.csv", "two questions 'a'"),
        ("id,question\n../a,x\n", "q.csv", "cannot name a file"),
        ("{", "q.jsonl", "line 1 is not JSON"),
        ("x", "q.yaml", "not a list of questions"),
    ],
)
def test_a_file_of_questions_that_cannot_be_asked_is_refused(content, name, said, tmp_path):
    import re

    (tmp_path / name).write_text(content)
    ran = run("ask", "--questions", tmp_path / name)
    assert ran.code == 2
    assert re.search(said, ran.stderr)
