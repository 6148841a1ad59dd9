import dspy

from programs.lm import LM
from programs.lm.layout import layout
from programs.main_points import MainPoints
from programs.state import Provenance, apply_state, read_state, save_state
from tests.hashing_embedder import HashingEmbedder
from tests.loopback_ollama import LoopbackOllama
from tests.papers import paper
from tests.scripted_lm import PROVED, Call, Script, answer, points

FELL = "Femur density fell by 12 percent in flight mice."


def test_a_server_that_samples_by_schema_is_sent_one():
    assert isinstance(layout(LM("ollama/x")), dspy.JSONAdapter)
    assert not isinstance(layout(LM("extractive")), dspy.JSONAdapter)


def test_the_layout_that_the_user_chose_is_kept():
    chosen = dspy.ChatAdapter()
    with dspy.context(adapter=chosen):
        assert layout(LM("ollama/x")) is chosen


def test_a_state_that_was_compiled_in_one_layout_runs_in_both(tmp_path):
    compiled = MainPoints(HashingEmbedder())
    _, predictor = compiled.named_predictors()[0]
    predictor.signature = predictor.signature.with_instructions("Write down the points, as a physicist would.")
    predictor.demos = [dspy.Example(paper="Mice flew.", question="Who flew?", reasoning="r", points=["Mice flew."])]
    save_state(compiled, tmp_path / "state.json", Provenance(lm="ollama/tiny", adapter="ChatAdapter"))
    for adapter, begins in ((None, '{\n  "'), (dspy.ChatAdapter(), "[[ ## ")):
        script = Script(points=points(FELL), answer=answer(f"{FELL[:-1]} [1]."), proofs=PROVED)

        def reply(body, script=script):
            system, *_, user = (message["content"] for message in body["messages"])
            return script.reply(Call.of(system, user, None))

        program = MainPoints(HashingEmbedder())
        apply_state(program, read_state(tmp_path / "state.json"))
        with LoopbackOllama(reply) as server:
            lm = LM("ollama/tiny", host=server.url, cache=False, num_retries=0)
            with dspy.context(lm=lm, adapter=adapter):
                assert program(question="Who fell?", paper=paper("bone", FELL)).answer == f"{FELL[:-1]} [1]."
            first = server.chats[0]
        assert "as a physicist would" in first["messages"][0]["content"]
        assert first["messages"][2]["content"].startswith(begins)
        assert ("format" in first) is (adapter is None)
