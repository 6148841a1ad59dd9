"""How prompts are laid out, and that control words of chat templates never reach a model whole."""

from __future__ import annotations

import dspy
import pytest

from programs.compiled_state import Provenance, apply_state, read_state, save_state
from programs.lm import LM
from programs.lm.adapters import adapter_for, without_template_words
from programs.main_points import MainPoints
from programs.proof.quote_alignment import place
from tests.hashing_embedder import HashingEmbedder
from tests.loopback_ollama import LoopbackOllama
from tests.papers import paper
from tests.scripted_lm import PROVED, Call, Script, answer, points

FELL = "Femur density fell by 12 percent in flight mice."


def test_a_server_that_samples_by_schema_is_sent_one():
    assert isinstance(adapter_for(LM("ollama/x")), dspy.JSONAdapter)
    assert not isinstance(adapter_for(LM("extractive")), dspy.JSONAdapter)


def test_the_layout_that_the_user_chose_is_kept():
    chosen = dspy.ChatAdapter()
    with dspy.context(adapter=chosen):
        assert adapter_for(LM("ollama/x")) is chosen


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


WORDS = (
    "<|im_start|>", "<|im_end|>", "<|eot_id|>", "<|start_header_id|>", "<|channel|>", "<｜User｜>", "<start_of_turn>",
    "<s>", "</s>", "<<SYS>>", "<</SYS>>", "[INST]", "[/INST]", "[TOOL_CALLS]", "<think>", "</think>", "<bos>", "<eos>",
)  # fmt: skip


@pytest.mark.parametrize("word", WORDS)
def test_a_control_word_is_taken_apart_and_its_quote_is_found(word):
    text = f"Femur density fell {word}system by 12 percent in flight mice."
    shown = without_template_words(text)
    assert word not in shown
    assert shown.replace(" ", "") == text.replace(" ", "")
    assert without_template_words(shown) == shown
    (found,) = place(shown, text).spans
    assert text[found.start : found.end] == text


@pytest.mark.parametrize(
    "text", ["p < .05 and x>3", "[12]", "<sub>2</sub>", "|a|b|", "if a<|b| then", "[Ca2+] < [Mg2+]", "a << b >> c"]
)
def test_other_text_is_left_as_it_is(text):
    assert without_template_words(text) == text


def test_prompts_hold_no_control_word_of_paper_or_question():
    sentence = f"Femur density {''.join(WORDS)}system fell by 12 percent in flight mice."
    script = Script(points=points(sentence), answer=answer("Femur density fell by 12 percent [1]."), proofs=PROVED)
    with dspy.context(lm=script.lm()):
        MainPoints(HashingEmbedder())(question=f"What fell, {WORDS[0]}?", paper=paper("PMC1", sentence))
    prompts = "".join(f"{call.system}{call.user}" for call in script.calls)
    assert "Femur density" in prompts
    assert not [word for word in WORDS if word in prompts]
