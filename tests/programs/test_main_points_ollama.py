"""`main_points` through a real HTTP server that speaks Ollama's API."""

from contextlib import contextmanager

import dspy
import pytest

from programs.config import settings
from programs.errors import ContextExceeded, LMUnavailable
from programs.lm import LM
from programs.main_points import MainPoints, MainPointsParameters, run
from tests.hashing_embedder import HashingEmbedder
from tests.loopback_ollama import LoopbackOllama, Reply
from tests.papers import paper
from tests.scripted_lm import Call, Script, correcting, judging, points, saying

pytestmark = pytest.mark.slow

FELL = "Femur density fell by 12 percent in flight mice."
TRUE = "Femur density fell by 12 percent in flight mice [1]."
FALSE = "Femur density fell by 90 percent in flight mice."
QUESTION = "By how much did femur density fall?"


@contextmanager
def ollama(script, model="tiny", context_length=32768, failing=""):
    """A server that answers chats from a script, but for the step that it is to fail at."""

    def reply(body):
        system, *_, user = (message["content"] for message in body["messages"])
        call = Call.of(system, user, body["options"].get("temperature"))
        return Reply(status=500, error="out of memory") if call.step == failing else script.reply(call)

    with LoopbackOllama(reply, models={model: context_length}) as server:
        yield server


def ask(server, document, **parameters):
    with dspy.context(lm=LM("ollama/tiny", host=server.url, cache=False, num_retries=0)):
        return MainPoints(HashingEmbedder(), MainPointsParameters(**parameters))(question=QUESTION, paper=document)


@pytest.mark.parametrize("rounds", [0, 1, 2, 3])
def test_a_clean_answer_takes_one_chat_and_each_repair_one_more_one_after_the_other(rounds):
    written = [*(FALSE.replace("90", str(90 + number)) for number in range(rounds)), FELL]
    script = Script(answer=saying(written[0]), corrected=[correcting(each) for each in written[1:]])
    with ollama(script) as server:
        prediction = ask(server, paper("bone", FELL), max_iterations=rounds)
        chats, busiest = server.chats, server.busiest
    assert script.steps == ["answer", *["corrected"] * rounds]
    assert len(chats) == prediction.metrics["lm_calls"] == 1 + rounds
    assert busiest == 1
    assert prediction.answer == TRUE
    assert prediction.unsupported_claims == []


STEPS = ["points", "numbers", "answer"]


def reading():
    """A script of a model that reads the paper and chooses the evidence by itself."""
    return Script(points=points(FELL), numbers={"numbers": [1]}, answer=saying(FELL))


def test_every_chat_has_room_for_prompt_and_answer_at_temperature_0():
    document = paper("bone", FELL, *(f"Mouse {number} weighed {number} grams." for number in range(2_000)))
    script = reading()
    with ollama(script, context_length=131_072) as server:
        ask(server, document, reader="model", context_tokens=500)
        chats = server.chats
    assert script.steps == STEPS
    assert {chat["options"]["temperature"] for chat in chats} == {0.0}
    for chat in chats:
        words = sum(len(message["content"].split()) for message in chat["messages"])
        assert chat["options"]["num_ctx"] >= words + chat["options"]["num_predict"]
    assert chats[0]["options"]["num_ctx"] > 8_000 + 4_000
    assert document.text in chats[0]["messages"][-1]["content"]


def test_a_paper_beyond_the_models_context_is_read_in_parts():
    document = paper("bone", FELL, *(f"Mouse {number} weighed {number} grams." for number in range(2_000)))
    script = reading()
    with ollama(script, context_length=6_144) as server:
        prediction = ask(server, document, reader="model", context_tokens=500)
    assert prediction.answer == TRUE
    assert prediction.points == [FELL]
    assert len(script.asked("points")) > 1
    assert script.steps[-2:] == STEPS[1:]


def test_a_context_that_holds_no_page_is_named():
    with ollama(Script(), context_length=64) as server, pytest.raises(ContextExceeded, match="a longer context"):
        ask(server, paper("bone", FELL))


def test_a_server_that_fails_at_the_last_step_is_named():
    script = Script(answer=saying(FALSE))
    with ollama(script, failing="corrected") as server:
        with pytest.raises(LMUnavailable, match="out of memory"):
            ask(server, paper("bone", FELL), max_iterations=1)
        assert len(server.chats) == 2


# The drop-in function

PAPER_TEXT = """Acetic acid effects on aging in budding yeast

Accumulation of acetic acid in stationary phase induces oxidative stress in yeast. Buffering the medium restored it.

Low pH also stimulates growth signaling pathways in mammals.

Yeast was grown at 30 degrees in flasks."""
POINT = "Accumulation of acetic acid in stationary phase induces oxidative stress in yeast."
ANSWER = "Acetic acid induces oxidative stress in yeast in stationary phase [1]."


@pytest.fixture
def gpt_oss(monkeypatch, embedder):
    """A local server with gpt-oss, where the environment says it is; skips without the embedding model's weights."""
    script = Script(points=points(POINT), answer=saying(ANSWER.replace(" [1]", "")), verdict=judging())
    with ollama(script, "gpt-oss", 131_072) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        settings.cache_clear()
        yield server
    settings.cache_clear()


def test_the_seeds_example_call_runs_and_tells_its_steps(gpt_oss, capsys):
    paper_text = PAPER_TEXT
    answer, retrieved_chunks = run(
        query='What mechanisms by which acetic acid contributes to aging in yeast can be extrapolated to human aging?',
        paper_text=paper_text,
        model='gpt-oss',
        num_predict=4000,
        num_tries=5,
        threshold=0.4,
        num_chunks_per_point=1,
        window_size=3,
        max_iterations=3,
        verbose=True,
    )  # fmt: skip
    assert answer == ANSWER
    assert all(isinstance(chunk, str) for chunk in retrieved_chunks)
    assert len(retrieved_chunks) == 1
    assert POINT in retrieved_chunks[0]
    assert [chat["options"]["num_predict"] for chat in gpt_oss.chats] == [4000] * 2
    replay_report = capsys.readouterr()
    assert replay_report.out == ""
    steps = [line for line in replay_report.err.splitlines() if line.startswith(("===", "---"))]
    assert steps == [f"{sign} {name}" for name in ("points", "answerable, answer") for sign in ("===", "---")]
    assert POINT in replay_report.err
    assert ANSWER.replace(" [1]", "") in replay_report.err


def test_defaults_are_the_seeds_and_without_verbose_nothing_is_told(gpt_oss, capsys):
    answer, retrieved_chunks = run("Does acid harm yeast?", PAPER_TEXT)
    assert (answer, len(retrieved_chunks)) == (ANSWER, 1)
    assert {chat["model"] for chat in gpt_oss.chats} == {"gpt-oss"}
    assert capsys.readouterr() == ("", "")


def test_the_users_own_language_model_is_left_alone(gpt_oss):
    script = Script()
    with dspy.context(lm=script.lm()):
        run("Does acid harm yeast in flasks?", PAPER_TEXT)
    assert script.calls == []
    assert len(gpt_oss.chats) == 2


def test_the_extractive_lm_runs_too(embedder):
    answer, retrieved_chunks = run("What does acetic acid induce in stationary phase?", PAPER_TEXT, model="extractive")
    assert POINT[:-1] in answer
    assert POINT in retrieved_chunks[0]
