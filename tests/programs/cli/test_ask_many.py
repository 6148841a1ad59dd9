"""`ask --questions`, `--references` and `--document`; and retracted papers wherever they are cited."""

import json

import pytest

from tests.command_line import run

QUESTION = "How much did femur density fall in flight mice?"
FELL = "Femur density fell by 12.4 percent in flight mice after 30 days in orbit."
JATS = f"""<article article-type="research-article" xmlns:xlink="http://www.w3.org/1999/xlink"><front>
<journal-meta><journal-title-group><journal-title>J Cold</journal-title></journal-title-group></journal-meta>
<article-meta><article-id pub-id-type="pmc">1234567</article-id><article-id pub-id-type="doi">10.1000/a_b</article-id>
<title-group><article-title>Bone loss in flight mice</article-title></title-group><volume>12</volume>
<related-article related-article-type="retraction-forward" xlink:href="10.1000/notice"/></article-meta></front>
<body><sec><title>Results</title><p>{FELL} Mice were housed in pairs.</p></sec></body></article>"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("many")
    (folder / "paper.nxml").write_text(JATS)
    (folder / "other.md").write_text("# Roots in orbit\n\n## Results\n\nRoots grew without direction in orbit.\n")
    assert run("index", folder, "--index", folder / "papers.idx").code == 0
    return folder


@pytest.mark.needs("weights")
@pytest.mark.parametrize("program", ["main_points", "multi_signal"])
def test_a_file_of_questions_gives_a_line_and_a_file_each(program, place, tmp_path):
    asked = tmp_path / "q.csv"
    asked.write_text(f"id,question,paper\na,{QUESTION},PMC1234567\nb,What did roots do in orbit?,other\nc,Why?,gone\n")
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


@pytest.mark.needs("weights")
def test_a_retracted_paper_is_marked_wherever_it_is_cited_and_can_be_left_out(place, tmp_path):
    asked = ("ask", QUESTION, "--index", place / "papers.idx", "--program", "multi_signal")
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


def test_a_question_is_needed_and_only_one_way_of_asking(tmp_path):
    assert "no question was given" in run("ask").stderr
    assert "--questions asks what stands in its file" in run("ask", "x", "--questions", tmp_path / "q.csv").stderr
