"""The engine against a loopback server: real HTTP, real DSPy around it."""

import asyncio
import json
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import dspy
import pytest
from dspy.utils.exceptions import is_retryable_lm_error

from programs import errors
from programs.lm import LM
from programs.lm.ollama import OllamaEngine
from tests.loopback_ollama import LoopbackOllama, Reply

YES = "[[ ## answer ## ]]\nyes\n\n[[ ## completed ## ]]"
UNUSED_PORT = "http://127.0.0.1:9"  # "discard", which no one runs

ask = dspy.Predict("question -> answer")


def lm_of(server, model="tiny", **options):
    return LM(f"ollama/{model}", **{"host": server.url, "cache": False, "num_retries": 0, **options})


def request(text="hello there", **config):
    return dspy.lm15.Request("ollama/tiny", (dspy.lm15.Message.user(text),), config=dspy.lm15.Config(**config))


def answer(lm, adapter=None, question="q"):
    with dspy.context(lm=lm, adapter=adapter or dspy.ChatAdapter()):
        return ask(question=question).answer


async def answer_async(lm, adapter=None):
    with dspy.context(lm=lm, adapter=adapter or dspy.ChatAdapter()):
        return (await ask.acall(question="q")).answer


async def answer_streamed(lm):
    """The answer's pieces as a listener gets them, and the prediction."""
    listener = dspy.streaming.StreamListener(signature_field_name="answer")
    pieces, prediction = [], None
    with dspy.context(lm=lm, adapter=dspy.ChatAdapter()):
        async for item in dspy.streamify(ask, stream_listeners=[listener])(question="q"):
            if isinstance(item, dspy.Prediction):
                prediction = item
            elif isinstance(item, dspy.streaming.StreamResponse):
                pieces.append(item.chunk)
    return pieces, prediction


# One entry a way to call a model; a fault has to come out the same in all.
CALLS = {
    "sync": lambda lm: answer(lm),
    "async": lambda lm: asyncio.run(answer_async(lm)),
    "stream": lambda lm: list(lm.engine.stream(request())),
    "async stream": lambda lm: asyncio.run(_collect(lm._async_engine_spec.stream(request()))),
}


async def _collect(events):
    return [event async for event in events]


@pytest.fixture(params=CALLS)
def call(request):
    return CALLS[request.param]


# What is sent


def test_the_chat_adapter_gets_its_answer_and_the_server_the_options():
    with LoopbackOllama([YES]) as server:
        lm = lm_of(server, num_predict=300, temperature=0.5, seed=7, top_p=0.9, top_k=20, stop=["END"], keep_alive="5m")
        assert answer(lm) == "yes"
        (chat,) = server.chats
    assert chat["options"] == {
        "num_ctx": 4096, "num_predict": 300, "temperature": 0.5, "seed": 7, "top_p": 0.9, "top_k": 20, "stop": ["END"],
    }  # fmt: skip
    assert chat["keep_alive"] == "5m"
    assert [message["role"] for message in chat["messages"]] == ["system", "user"]
    assert "`question`" in chat["messages"][0]["content"]
    assert not {"format", "think"} & chat.keys()


def test_the_json_adapter_sends_its_schema_as_format():
    reply = json.dumps({"points": ["a", "b"], "sure": True})
    with LoopbackOllama([reply]) as server, dspy.context(lm=lm_of(server), adapter=dspy.JSONAdapter()):
        prediction = dspy.Predict("text -> points: list[str], sure: bool")(text="t")
        schema = server.chats[0]["format"]
    assert (prediction.points, prediction.sure) == (["a", "b"], True)
    assert schema["required"] == ["points", "sure"]
    assert schema["properties"]["points"]["items"] == {"type": "string"}


def test_an_open_mapping_asks_for_any_json_object():
    with LoopbackOllama(['{"table": {"a": 1}}']) as server, dspy.context(lm=lm_of(server), adapter=dspy.JSONAdapter()):
        assert dspy.Predict("text -> table: dict[str, int]")(text="t").table == {"a": 1}
        assert server.chats[0]["format"] == "json"


def test_sequential_calls_ask_for_the_model_once_and_count_one_by_one():
    with LoopbackOllama(lambda body: YES) as server:
        lm = lm_of(server)
        for number in range(5):
            answer(lm, question=f"q{number}")
        assert (len(server.chats), len(server.asked("/api/show"))) == (5, 1)


def test_eight_threads_are_answered_at_the_same_time_each_with_its_own():
    together = threading.Barrier(8, timeout=120)  # breaks unless all are in flight at once

    def echo(body):
        together.wait()
        return body["messages"][-1]["content"]

    with LoopbackOllama(echo) as server:
        lm = lm_of(server, timeout=150)
        prompts = [f"prompt {number}" for number in range(8)]
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(lm, prompts)) == [[prompt] for prompt in prompts]
        assert server.busiest == 8


def test_a_proxy_of_the_environment_is_not_used_for_this_machine(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", UNUSED_PORT)
    monkeypatch.setenv("NO_PROXY", "")
    with LoopbackOllama([YES]) as server:
        assert answer(lm_of(server)) == "yes"


def test_a_long_prompt_opens_a_window_that_holds_it():
    with LoopbackOllama(["ok"]) as server:
        lm = lm_of(server)
        lm("word " * 9000)
        lm("short")
        assert [chat["options"]["num_ctx"] for chat in server.chats] == [14336, 14336]


# What comes back


def test_thinking_is_kept_apart_from_the_answer():
    with LoopbackOllama([Reply(YES, thinking="let me see")]) as server:
        lm = lm_of(server, think=True)
        response = lm.engine.complete(request())
        assert [part.type for part in response.message.parts] == ["thinking", "text"]
        assert response.message.parts[0].text == "let me see"
        assert answer(lm) == "yes"
        assert [chat["think"] for chat in server.chats] == [True, True]


def test_a_call_can_set_the_effort_of_thinking():
    with LoopbackOllama(["ok"]) as server:
        lm = lm_of(server, think=True)
        lm("q", reasoning_effort="high")
        lm("q", reasoning_effort="none")
        assert [chat["think"] for chat in server.chats] == ["high", False]


def test_usage_counts_are_the_servers():
    with LoopbackOllama([Reply(YES, prompt_eval_count=123, eval_count=45)]) as server:
        lm = lm_of(server)
        with dspy.track_usage() as tracker:
            answer(lm)
        usage = tracker.get_total_tokens()["ollama/tiny"]
        assert (usage["prompt_tokens"], usage["completion_tokens"]) == (123, 45)


def test_streamify_passes_the_answer_on_in_pieces():
    long_answer = "yes, for a number of good reasons"
    with LoopbackOllama([Reply(YES.replace("yes", long_answer), thinking="hm")]) as server:
        pieces, prediction = asyncio.run(answer_streamed(lm_of(server)))
        assert server.chats[0]["stream"]
    assert prediction.answer == long_answer
    assert "".join(pieces) == long_answer
    assert len(pieces) > 1


def test_a_synchronous_stream_is_start_pieces_end():
    with LoopbackOllama([Reply("yes, for a good reason", thinking="hm")]) as server:
        events = list(lm_of(server).engine.stream(request()))
    assert [event.type for event in events] == ["start", *["delta"] * (len(events) - 2), "end"]
    deltas = [event.delta for event in events if event.type == "delta"]
    assert "".join(delta.text for delta in deltas if delta.type == "thinking") == "hm"
    assert "".join(delta.text for delta in deltas if delta.type == "text") == "yes, for a good reason"
    assert events[-1].usage.output_tokens == 7


# What goes wrong

FAULTS = {
    "busy": (Reply(status=503, error="server busy"), errors.LMUnavailable, "'server busy' .HTTP 503.; try again"),
    "failed": (Reply(status=500, error="out of memory"), errors.LMUnavailable, "look at the server's log"),
    "reset": (Reply("yes " * 20, cut="reset"), errors.LMUnavailable, "interrupted its answer for tiny"),
    "closed": (Reply("yes " * 20, cut="close"), errors.LMUnavailable, "interrupted its answer for tiny"),
    "slow": (Reply(delay=300), errors.LMTimeout, r"sent nothing for 0.5 s .* CORROBORATE_OLLAMA_TIMEOUT"),
    "no JSON": (Reply(raw=b"<html>hello</html>\n"), errors.MalformedOutput, "not what Ollama's API promises"),
    "no object": (Reply(raw=b"[1, 2]\n"), errors.MalformedOutput, "not what Ollama's API promises"),
    "no message": (Reply(raw=b'{"done": true}\n'), errors.MalformedOutput, "not what Ollama's API promises"),
    "no UTF-8": (Reply(raw=b'{"message": "\xff"}\n'), errors.MalformedOutput, "not what Ollama's API promises"),
    "cut off": (
        Reply("half an", done_reason="length"),
        errors.OutputTruncated,
        "at 4,000 tokens; raise the limit with --lm-option num_predict=8000",
    ),
    "cut prompt": (Reply("yes", prompt_eval_count=1), errors.ContextExceeded, "its beginning was dropped"),
    "a wrong option": (Reply(status=500, error='option "num_ctx" must be an integer'), errors.UsageError, "report it"),
    "no schema": (Reply(status=500, error="invalid JSON schema in format"), errors.UsageError, "report it"),
    "the model died": (Reply(status=500, error="running the model: unexpected EOF"), errors.LMUnavailable, "lack of m"),
    "refused": (Reply(status=400, error='"tiny" does not support thinking'), errors.UsageError, "does not support"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_is_a_typed_error_in_every_kind_of_call(fault, call):
    reply, kind, message = FAULTS[fault]
    with LoopbackOllama([reply]) as server:
        lm = lm_of(server, timeout=0.5 if fault == "slow" else 300)
        with pytest.raises(kind, match=message):
            call(lm)
        assert len(server.chats) == 1  # ChatAdapter did not try again with JSONAdapter


def test_an_error_in_the_midst_of_a_stream_is_raised():
    crash = Reply("half an answer", error="the model crashed")
    with LoopbackOllama([crash]) as server, pytest.raises(errors.LMUnavailable, match="the model crashed"):
        list(lm_of(server).engine.stream(request()))


def test_an_unknown_model_is_asked_for_once_and_never_chatted_with(call):
    with LoopbackOllama() as server:
        lm = lm_of(server, "tiny", num_retries=3)
        server.models = {}
        with pytest.raises(errors.ModelNotFound, match="`ollama pull tiny`"):
            call(lm)
        assert [path for path, _ in server.requests] == ["/api/show"]


def test_no_server_is_said_at_once_with_what_to_start(call):
    lm = LM("ollama/tiny", host=UNUSED_PORT, cache=False)
    with pytest.raises(errors.LMUnavailable, match=rf"No Ollama server at {UNUSED_PORT}; start it with `ollama serve`"):
        call(lm)


def test_a_prompt_over_the_context_is_not_sent(call):
    with LoopbackOllama(models={"tiny": 1}) as server:
        lm = lm_of(server, num_retries=3)
        with pytest.raises(errors.ContextExceeded, match=r"holds 1 tokens \(it has \d+ words\)"):
            lm("two words")
        assert server.chats == []


def letters(text):
    return len(text)


def test_every_chat_forbids_the_server_to_cut_it(call):
    with LoopbackOllama([YES]) as server:
        call(lm_of(server))
        assert [(chat["truncate"], chat["shift"]) for chat in server.chats] == [(False, False)]


def test_a_refused_prompt_is_asked_again_in_a_larger_window():
    for stream in (False, True):
        with LoopbackOllama(["ok"], tokens=letters) as server:
            engine = lm_of(server, num_predict=600).engine
            long = request("word " * 1200)
            if stream:
                assert [event.type for event in engine.stream(long)] == ["start", "delta", "end"]
            else:
                assert engine.complete(long).message.parts[0].text == "ok"
            engine.complete(request("short"))
            assert [chat["options"]["num_ctx"] for chat in server.chats] == [4096, 8192, 8192]


def test_a_prompt_that_the_whole_context_does_not_hold_is_an_error_with_the_figures():
    with LoopbackOllama(["ok"], models={"tiny": 6000}, tokens=letters) as server:
        with pytest.raises(errors.ContextExceeded, match=r"context holds 6,000 tokens .*longer context"):
            lm_of(server, num_predict=600)("word " * 1300)
        assert [chat["options"]["num_ctx"] for chat in server.chats] == [4096, 6000]


def test_a_window_that_ends_an_answer_is_opened_wider():
    with LoopbackOllama([Reply("ok", eval_count=590)], tokens=letters) as server:
        assert lm_of(server, num_predict=600)("word " * 800) == ["ok"]
        assert [chat["options"]["num_ctx"] for chat in server.chats] == [4096, 8192]


def test_an_answer_that_the_last_window_ends_says_so():
    ended = pytest.raises(errors.OutputTruncated, match="where its window of 4,096 tokens ended; give fewer")
    with LoopbackOllama([Reply("ok", eval_count=590)], {"tiny": 4096}, tokens=letters) as server, ended:
        lm_of(server, num_predict=600)("word " * 800)


def test_a_model_of_a_short_context_is_left_a_shorter_answer():
    with LoopbackOllama(["ok"], models={"tiny": 4096}) as server:
        lm = lm_of(server)
        lm("word " * 1188)
        lm("word " * 4000)
        assert [chat["options"]["num_ctx"] for chat in server.chats] == [4096, 4096]
        first, second = (chat["options"]["num_predict"] for chat in server.chats)
        assert (2048 < first < 4096 - 1188, second) == (True, 512)


@pytest.mark.parametrize("fault", ["busy", "the model died"])
def test_what_may_heal_is_asked_once_more(fault):
    with LoopbackOllama([FAULTS[fault][0], YES]) as server:
        assert answer(lm_of(server, num_retries=1)) == "yes"
        assert len(server.chats) == 2


def test_a_prompt_that_the_server_cuts_is_found_out():
    """A server in between that ignores num_ctx: the model's window is smaller than asked for."""

    def small_window(body):
        words = sum(len(message["content"].split()) for message in body["messages"])
        return Reply(YES, prompt_eval_count=min(words, 2050))

    with LoopbackOllama(small_window) as server:
        lm = lm_of(server)
        assert answer(lm) == "yes"
        with pytest.raises(errors.ContextExceeded, match=r"read 2,050 tokens .* has 3,0.. words"):
            answer(lm, question="word " * 3000)


def test_the_partial_answer_is_kept():
    cut_off = Reply("half an", thinking="long thoughts", done_reason="length")
    with LoopbackOllama([cut_off]) as server, pytest.raises(errors.OutputTruncated) as caught:
        answer(lm_of(server))
    assert caught.value.partial == pickle.loads(pickle.dumps(caught.value)).partial == "half an"
    assert "13 characters of it thinking; raise the limit" in str(caught.value)


def test_tries_are_bounded():
    with LoopbackOllama([Reply(YES, cut="reset")]) as server:
        with pytest.raises(errors.LMUnavailable, match="interrupted its answer"):
            asyncio.run(answer_async(lm_of(server, num_retries=1)))
        assert len(server.chats) == 2


@pytest.mark.parametrize("fault", ["failed", "slow", "no JSON", "cut off", "cut prompt", "refused", "a wrong option"])
def test_what_cannot_heal_is_not_tried_again(fault):
    with LoopbackOllama([FAULTS[fault][0]]) as server:
        lm = lm_of(server, num_retries=3, timeout=0.5 if fault == "slow" else 300)
        with pytest.raises(errors.CorroborateError) as caught:
            answer(lm)
        assert len(server.chats) == 1
    assert not is_retryable_lm_error(caught.value)


@pytest.mark.parametrize(
    ("config", "named"),
    [
        ({"logprobs": 3}, "logprobs"),
        ({"reasoning": dspy.lm15.Reasoning("xhigh")}, "reasoning effort 'xhigh'"),
        ({"extensions": {"logit_bias": {}}}, "logit_bias"),
    ],
)
def test_what_ollama_cannot_do_is_refused_not_dropped(config, named):
    with LoopbackOllama() as server:
        with pytest.raises(errors.UsageError, match=named):
            lm_of(server)(request(**config))
        assert server.chats == []


# Copies and saved programs


def test_a_saved_program_comes_back_with_its_model(tmp_path):
    with LoopbackOllama([YES]) as server:
        program = dspy.Predict("question -> answer")
        program.lm = lm_of(server, num_predict=77, think=False, keep_alive=30)
        program.save(tmp_path / "program.json")
        loaded = dspy.Predict("question -> answer")
        loaded.load(tmp_path / "program.json", allow_unsafe_lm_state=True)
        assert isinstance(loaded.lm.engine, OllamaEngine)
        assert loaded.lm.engine == pickle.loads(pickle.dumps(program.lm.engine)) == program.lm.engine
        with dspy.context(adapter=dspy.ChatAdapter()):
            assert loaded(question="q").answer == "yes"
            assert asyncio.run(loaded.acall(question="q")).answer == "yes"
        assert [chat["options"]["num_predict"] for chat in server.chats] == [77, 77]
        assert server.chats[0]["think"] is False
