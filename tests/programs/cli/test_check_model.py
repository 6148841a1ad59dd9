"""`python -m programs check --lm`."""

import json

import pytest

from programs.registry import PROGRAMS
from tests.command_line import run
from tests.loopback_ollama import LoopbackOllama, Reply

pytestmark = pytest.mark.slow

KEPT = json.dumps({"sentences": ["Femur density fell."], "is_complete": True})


def checked(server, *more, code=0):
    ran = run("check", "--lm", "ollama/tiny", "--lm-option", f"host={server.url}", *more)
    assert ran.code == code, ran.stderr
    return ran


def test_a_model_that_will_do_is_told_with_its_server_and_the_cost_of_a_question():
    with LoopbackOllama([Reply(KEPT, eval_count=40)], capabilities=["completion", "tools"]) as server:
        said = checked(server).stdout
        assert f"{server.url} 0.33.2" in said
        for line in ("32,768 tokens", "completion, tools", "a JSON schema: kept", "tokens a second", "was not tried"):
            assert line in said
        assert "main_points: 3 calls a question" in said
        assert len(server.chats) == 2
        document = json.loads(checked(server, "--format", "json").stdout)
    assert document["keeps_form"] is True
    assert set(document["cost_of_a_question"]) == {each.name for each in PROGRAMS if each.answers}


def test_a_model_that_does_not_keep_the_form_ends_it_with_1_and_is_quoted():
    with LoopbackOllama(["gyat gyat"]) as server:
        said = checked(server, code=1).stdout
    assert "not kept; it wrote 'gyat gyat'" in said
    assert "choose another model" in said


def test_a_short_context_is_warned_of():
    with LoopbackOllama([KEPT], {"tiny": 4096}) as server:
        assert "A context of 4,096 tokens holds few passages" in checked(server).stdout


def test_a_server_that_is_not_there_says_what_to_start():
    ran = run("check", "--lm", "ollama/tiny", "--lm-option", "host=http://127.0.0.1:9")
    assert ran.code == 1
    assert "start it with `ollama serve`" in ran.stderr


@pytest.mark.parametrize("program", [each for each in PROGRAMS if each.answers], ids=lambda each: each.name)
def test_the_calls_of_a_question_are_those_of_a_run(program, tmp_path, monkeypatch, embedder):
    text = "# Bone loss in orbit\n\n## Results\n\nFemur density fell by 12 percent in flight mice.\n"
    (tmp_path / "papers").mkdir()
    for name, animals in (("bone", "mice"), ("density", "rats")):  # of a single paper none is chosen
        (tmp_path / "papers" / f"{name}.md").write_text(text.replace("mice", animals), "utf-8")
    monkeypatch.chdir(tmp_path)
    assert run("index", "papers").code == 0
    ran = run("ask", "By how much did femur density fall?", "--program", program.name, "--format", "json")
    assert ran.json["metrics"]["lm_calls"] == program.calls
