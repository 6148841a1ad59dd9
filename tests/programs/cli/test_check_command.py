"""`python -m programs check`: sound, doubtful and outdated indexes; and the warning of those who search them."""

import json

import dspy
import pytest

from programs.compiled_state import Provenance, save_state
from programs.config import settings
from programs.ingest.document import DocumentBuilder
from programs.ingest.formats import discover
from programs.ingest.paper_formats import VERSIONS
from programs.registry import PROGRAMS, create, load
from programs.retrieval.file_indexing import index_files
from programs.retrieval.index import Index, UnconnectedIndex
from tests.command_line import run
from tests.counting_lm import CountingEngine
from tests.hashing_embedder import HashingEmbedder
from tests.loopback import LoopbackOpenAI
from tests.loopback_ollama import LoopbackOllama, Reply
from tests.loopback_qdrant import served
from tests.programs.ingest.test_readability import ENGLISH, torn

BONE = (
    "# Bone loss in orbit\n\n## Results\n\nFemur density fell.\n\n"
    "## Methods\n\nWe scanned femurs of six mice after ten days in orbit.\n"
)


def fill(place, folder):
    folder.mkdir(exist_ok=True)
    (folder / "bone.md").write_text(BONE, "utf-8")
    with Index.open(place, create=True, embedder=HashingEmbedder()) as index:
        index_files(index, discover([folder]))


@pytest.fixture
def sound(tmp_path):
    fill(tmp_path / "papers.idx", tmp_path / "papers")
    return tmp_path / "papers.idx"


@pytest.fixture
def outdated(tmp_path, monkeypatch):
    with monkeypatch.context() as before:
        before.setitem(VERSIONS, "programs.ingest.markdown", 0)
        fill(tmp_path / "papers.idx", tmp_path / "papers")
    return tmp_path / "papers.idx"


@pytest.fixture
def doubtful(sound):
    """With a paper as an index of former times may hold it, before texts were judged."""
    builder = DocumentBuilder()
    builder.add_section("Results")
    builder.add_paragraph(torn(ENGLISH))
    with Index.open(sound, embedder=HashingEmbedder()) as index:
        index.add([builder.build(id="PMC1", source="PMC1.pdf")])
    return sound


def test_a_sound_index_is_told_with_what_it_holds(sound):
    ran = run("check", "--index", sound)
    assert ran.code == 0, ran.stderr
    for line in ("1 papers, 2 passages", "passages:200:0", "markdown 1", "methods 1, results 1", "text 2", "Sound:"):
        assert line in ran.stdout


def test_the_papers_of_an_index_are_listed(sound):
    ran = run("list", "--index", sound)
    assert (ran.code, ran.stderr) == (0, "")
    heading, line = ran.stdout.splitlines()
    assert heading.split() == ["paper", "year", "passages", "title"]
    assert line.split() == ["bone", "2", "Bone", "loss", "in", "orbit"]
    listed = run("list", "--index", sound, "--format", "json").json
    assert [(each["id"], each["chunks"]) for each in listed] == [("bone", 2)]


@pytest.mark.needs("qdrant")
@pytest.mark.filterwarnings("ignore:Local mode performs exact")
@pytest.mark.filterwarnings("ignore:Payload indexes have no effect")
def test_an_index_on_a_server_is_told_with_how_it_is_kept(tmp_path, monkeypatch):
    place = served(monkeypatch)
    fill(place, tmp_path / "papers")
    ran = run("check", "--index", place)
    assert ran.code == 0, ran.stderr
    assert "by Qdrant" in ran.stdout
    assert "One server: while it is down there is no search and no write." in ran.stdout
    assert run("check", "--index", place, "--format", "json").json["kept"]["nodes"] == 1


def test_options_of_a_server_are_refused_for_a_folder(tmp_path):
    (tmp_path / "bone.md").write_text(BONE, "utf-8")
    ran = run("index", tmp_path / "bone.md", "--index", tmp_path / "papers.idx", "--replicas", "2", "--on-disk")
    assert ran.code == 2
    assert "replicas, on_disk are for an index on a Qdrant server" in ran.stderr


def test_a_doubtful_paper_is_told_with_figures_reasons_and_what_to_do(doubtful):
    ran = run("check", "--index", doubtful, "--format", "json")
    (paper,) = ran.json["doubtful"]
    assert (ran.code, ran.json["sound"], paper["paper"], paper["file"]) == (1, False, "PMC1", "PMC1.pdf")
    assert paper["verdict"] == "unreadable"
    assert "letters that are apart" in paper["reasons"][0]
    assert paper["figures"]["torn"] > 0.5
    assert "programs remove PAPER" in ran.json["actions"][0]
    assert "Hard to read: PMC1 (PMC1.pdf)" in run("check", "--index", doubtful).stdout


def test_an_outdated_paper_is_told_with_what_to_do(outdated):
    ran = run("check", "--index", outdated, "--format", "json")
    assert (ran.code, ran.json["outdated"], ran.json["doubtful"]) == (1, ["bone"], [])
    assert ran.json["actions"] == [f"Read them again: python -m programs index PAPERS --index {outdated}"]
    assert "Read by an older reader: bone" in run("check", "--index", outdated).stdout


def test_an_index_without_papers_is_empty_and_not_sound(tmp_path):
    place = tmp_path / "papers.idx"
    with Index.open(place, create=True, embedder=HashingEmbedder()):
        pass
    ran = run("check", "--index", place)
    assert (ran.code, "Sound" in ran.stdout) == (1, False)
    assert "Empty: it was never filled" in ran.stdout
    assert f"python -m programs index PAPERS --index {place}" in ran.stdout
    assert run("check", "--index", place, "--format", "json").json["sound"] is False


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("none.idx", "python -m programs index PAPERS"),
        ("127.0.0.1:6333/papers", "did you mean http://127.0.0.1:6333/papers"),
    ],
)
def test_an_index_that_is_not_there_is_an_error_with_the_next_action(place, said):
    ran = run("check", "--index", place)
    assert (ran.code, said in ran.stderr) == (2, True)


@pytest.fixture
def hashing(monkeypatch):
    monkeypatch.setattr("programs.retrieval.embedder.load_embedder", lambda _: HashingEmbedder())


@pytest.mark.usefixtures("hashing")
def test_a_search_over_old_readings_warns_once_on_stderr(outdated):
    ran = run("retrieve", "bone", "--index", outdated, "--format", "json")
    assert (ran.code, len(ran.json["hits"])) == (0, 2)
    assert ran.stderr.count("1 paper was read by an older reader") == 1
    assert f"python -m programs index PAPERS --index {outdated}" in ran.stderr
    assert "older reader" in run("ask", "Did femur density fall?", "--index", outdated).stderr


@pytest.mark.usefixtures("hashing")
def test_papers_that_are_read_again_or_not_are_told(outdated, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "roots.md").write_text(BONE.replace("Bone", "Root"), "utf-8")
    ran = run("index", other, "--index", outdated)
    assert "1 paper was not read again: not among the given files" in ran.stderr
    ran = run("index", tmp_path / "papers", "--index", outdated, "--format", "json")
    assert (ran.code, ran.json["renewed"], ran.json["outdated"]) == (0, 1, 0)
    assert "1 paper was read by an older reader; those of the given files are read again." in ran.stderr


# `python -m programs check --lm`.

KEPT = json.dumps({"sentences": ["Femur density fell."], "is_complete": True})


def checked(server, *more, code=0):
    ran = run("check", "--lm", "ollama/tiny", "--lm-option", f"host={server.url}", *more)
    assert ran.code == code, ran.stderr
    return ran


@pytest.mark.slow
def test_a_model_that_will_do_is_told_with_its_server_and_the_cost_of_a_question():
    with LoopbackOllama([Reply(KEPT, eval_count=40)], capabilities=["completion", "tools"], pace=(45, 5)) as server:
        said = checked(server).stdout
        assert f"{server.url} 0.33.2" in said
        for line in ("32,768 tokens", "completion, tools", "a JSON schema: kept", "tokens a second", "was not tried"):
            assert line in said
        assert "main_points: 1 calls a question" in said
        assert "auto      400 tokens of passages at once, what it reads in about 10 s" in said
        assert "reads 45.0 tokens a second, writes 5.0 tokens a second" in said
        assert len(server.chats) == 2
        document = json.loads(checked(server, "--format", "json").stdout)
    assert document["keeps_form"] is True
    assert set(document["cost_of_a_question"]) == {each.name for each in PROGRAMS if each.answers}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wrote", "window", "code", "said"),
    [
        ("gyat gyat", 32_768, 1, ("not kept; it wrote 'gyat gyat'", "choose another model")),
        (KEPT, 4096, 0, ("A context of 4,096 tokens holds few passages",)),
    ],
)
def test_what_a_model_lacks_is_told(wrote, window, code, said):
    with LoopbackOllama([wrote], {"tiny": window}) as server:
        printed = checked(server, code=code).stdout
    assert all(each in printed for each in said)


@pytest.mark.parametrize(
    ("formats", "by"), [(None, "a JSON schema"), (("json_object",), "a JSON object"), ((), "text")]
)
def test_a_server_of_openais_protocol_is_told_with_the_form_that_it_takes(formats, by):
    with LoopbackOpenAI(KEPT, formats=formats) as server:
        option = f"api_base={server.url}/v1"
        ran = run("check", "--lm", "openai/mine", "--lm-option", option, "--lm-option", "num_retries=0")
    assert ran.code == 0, ran.stderr
    assert f"form      {by}: kept" in ran.stdout


@pytest.mark.slow
@pytest.mark.parametrize("program", [each for each in PROGRAMS if each.answers], ids=lambda each: each.name)
def test_the_calls_of_a_question_are_those_of_a_run(program, tmp_path, monkeypatch, embedder):
    text = "# Bone loss in orbit\n\n## Results\n\nFemur density fell by 12 percent in flight mice.\n"
    (tmp_path / "papers").mkdir()
    for name, animals in (("bone", "mice"), ("density", "rats")):  # of a single paper none is chosen
        (tmp_path / "papers" / f"{name}.md").write_text(text.replace("mice", animals), "utf-8")
    monkeypatch.chdir(tmp_path)
    assert run("index", "papers").code == 0
    monkeypatch.setattr("programs.lm._extractive", lambda _: CountingEngine().lm())
    ran = run("ask", "By how much did femur density fall?", "--program", program.name, "--format", "json")
    with dspy.context(lm=CountingEngine().lm()):
        made = load(program.name, index=None if program.asks == "paper" else UnconnectedIndex())
        assert ran.json["metrics"]["lm_calls"] == len(made.prompts())


# `python -m programs list`: programs and compiled states, those that fit and those that do not.


@pytest.fixture
def compiled():
    """The user's folder of compiled states, which is empty again afterwards."""
    folder = settings().compiled
    folder.mkdir(parents=True, exist_ok=True)
    yield folder
    for path in folder.iterdir():
        path.unlink()


def listed():
    """By file, the states' entries in the JSON and their lines in the text."""
    lines = {line.split()[0]: line for line in run("list").stdout.splitlines() if line.strip()}
    entries = run("list", "--format", "json").json
    assert [entry["name"] for entry in entries] == [each.name for each in PROGRAMS if each.name in lines]
    states = [state for entry in entries for state in entry["compiled"]]
    return {state["file"]: (state, lines[state["file"]]) for state in states}


@pytest.mark.slow
def test_a_state_of_every_program_fits(compiled, tmp_path):
    with Index.open(tmp_path / "papers.idx", create=True, embedder=HashingEmbedder()) as index:
        programs = [create(each.name, index=index, embedder=HashingEmbedder()) for each in PROGRAMS]
        for each in programs:
            save_state(each, compiled / f"{each.name}.mine.json", Provenance(lm="openai/one", scores={"val": 0.4321}))
    found = listed()
    for each in programs:
        state, line = found[f"{each.name}.mine.json"]
        assert (state["program"], state["problem"], "val 0.432" in line) == (each.name, "", True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"answerable",', '"decided",', "decided"),
        ('"threshold":', '"warp":', "no parameter warp"),
        ('"program": "main_points"', '"program": "other"', "it was made for the program 'other'"),
    ],
)
def test_a_state_that_does_not_fit_is_marked(compiled, old, new, problem):
    made = create("main_points", embedder=HashingEmbedder())
    path = save_state(made, compiled / "main_points.old.json", Provenance(lm="a", scores={"val": 0.9}))
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
    state, line = listed()[path.name]
    assert (state["program"], problem in state["problem"]) == ("main_points", True)
    assert ("does not fit this version" in line, "0.900" in line) == (True, False)


def test_a_state_that_cannot_be_read_is_left_out_by_name(compiled, caplog):
    (compiled / "main_points.deep.json").write_text("[" * 100_000, "utf-8")
    ran = run("list")
    assert (ran.code, "main_points.deep.json" in ran.stdout) == (0, False)
    assert "main_points.deep.json is not a compiled state" in caplog.text
