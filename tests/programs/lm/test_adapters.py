"""How prompts are laid out, and that control words of chat templates never reach a model whole."""

from __future__ import annotations

import json

import dspy
import pytest

from programs.compiled_state import Provenance, apply_state, read_state, save_state
from programs.lm import LM
from programs.lm.adapters import EvidenceFirst, adapter_for, without_template_words
from programs.main_points import MainPoints
from signatures.evidence import CheckSentence, CorrectSentence, FindConflicts, SelectEvidence, WriteAnswer
from tests.hashing_embedder import HashingEmbedder
from tests.loopback_ollama import LoopbackOllama
from tests.papers import paper
from tests.scripted_lm import Script, saying, written, written_as_json

FELL = "Femur density fell by 12 percent in flight mice."
EVIDENCE = f"Bone loss in flight (2014)\n[results] Bones\n(1) {FELL}"
ASKED = {"evidence": EVIDENCE, "question": "What fell?"}
PREFIX = f"evidence:\n{EVIDENCE}\n\nquestion:\nWhat fell?\n\n"
SAID = {"answerable": True, "answer": [{"text": FELL, "evidence": [1]}]}


def test_a_server_that_samples_by_schema_is_sent_one():
    assert isinstance(adapter_for(LM("ollama/x")), EvidenceFirst)
    assert not isinstance(adapter_for(LM("extractive")), dspy.JSONAdapter)


def test_the_layout_that_the_user_chose_is_kept():
    chosen = dspy.ChatAdapter()
    with dspy.context(adapter=chosen):
        assert adapter_for(LM("ollama/x")) is chosen


def laid_out(signature, demos=(), **inputs):
    return EvidenceFirst().format(signature, list(demos), inputs)


def test_evidence_is_first_then_the_question_then_what_is_asked():
    system, user = laid_out(WriteAnswer, **ASKED)
    assert (system["role"], user["role"]) == ("system", "user")
    asked = user["content"].removeprefix(PREFIX)
    assert asked == (
        f"{WriteAnswer.instructions}\nAnswer with a JSON object: "
        "answerable (true or false: whether the sentences answer the question), "
        "answer (list of objects with text (text: one sentence), "
        "evidence (list of numbers: numbers of the sentences that say it): the answer, sentence by sentence)."
    )


@pytest.mark.parametrize(
    ("signature", "said"),
    [
        (SelectEvidence, "numbers (list of numbers: numbers"),
        (CheckSentence, 'verdict ("all of it" or "a part of it" or "something else")'),
        (CorrectSentence, "corrected (object with text (text: one sentence), evidence (list of numbers: "),
        (FindConflicts, "conflicts (list of objects with text (text: one sentence that "),
    ],
)
def test_outputs_are_named_in_words_without_a_schema(signature, said):
    _, user = laid_out(signature, **dict.fromkeys(signature.input_fields, "x"))
    assert said in user["content"]
    assert not any(mark in user["content"] for mark in ("{", "Literal", "properties", "[["))


def test_steps_of_a_question_share_all_but_their_own_inputs_and_instruction():
    (one, first), (other, second) = (
        laid_out(WriteAnswer, **ASKED),
        laid_out(CorrectSentence, **ASKED, sentence="It rose.", problem="it fell"),
    )
    assert one == other
    own = first["content"].removeprefix(PREFIX), second["content"].removeprefix(PREFIX)
    assert own[0].startswith(WriteAnswer.instructions)
    assert own[1].startswith("sentence:\nIt rose.\n\nproblem:\nit fell\n\n" + CorrectSentence.instructions)
    (_, checked) = laid_out(CheckSentence, evidence=EVIDENCE, claim="It rose.")
    assert checked["content"].startswith(f"evidence:\n{EVIDENCE}\n\nclaim:\nIt rose.\n\n{CheckSentence.instructions}")


def test_demonstrations_are_pairs_of_messages_before_the_question():
    shown = {**ASKED, "question": "Who flew?", **SAID}
    _, question, reply, last = messages = laid_out(WriteAnswer, [shown], **ASKED)
    assert [each["role"] for each in messages] == ["system", "user", "assistant", "user"]
    assert question["content"] == last["content"].replace("What fell?", "Who flew?")
    assert json.loads(reply["content"]) == SAID


def test_a_state_that_was_compiled_in_one_layout_runs_in_both(tmp_path):
    compiled = MainPoints(HashingEmbedder())
    write = compiled.answer.write
    write.signature = write.signature.with_instructions("Write what fell, as a physicist would.")
    write.demos = [dspy.Example(evidence="(9) Mice flew.", question="Who flew?", **SAID)]
    save_state(compiled, tmp_path / "state.json", Provenance(lm="ollama/tiny", adapter="ChatAdapter"))
    outputs = tuple(write.signature.output_fields)
    for adapter, reply, begins, instructed in (
        (None, written_as_json(outputs, SAID), '{"answerable": ', -1),
        (dspy.ChatAdapter(), written(outputs, SAID), "[[ ## ", 0),
    ):
        program = MainPoints(HashingEmbedder())
        apply_state(program, read_state(tmp_path / "state.json"))
        with LoopbackOllama([reply]) as server:
            lm = LM("ollama/tiny", host=server.url, cache=False, num_retries=0)
            with dspy.context(lm=lm, adapter=adapter):
                assert (
                    program(question="Did femur density fall?", paper=paper("bone", FELL)).answer == f"{FELL[:-1]} [1]."
                )
            (chat,) = server.chats
        assert "as a physicist would" in chat["messages"][instructed]["content"]
        assert chat["messages"][2]["content"].startswith(begins)
        assert ("format" in chat) is (adapter is None)


WORDS = (
    "<|im_start|>", "<|im_end|>", "<|eot_id|>", "<|start_header_id|>", "<|channel|>", "<｜User｜>", "<start_of_turn>",
    "<s>", "</s>", "<<SYS>>", "<</SYS>>", "[INST]", "[/INST]", "[TOOL_CALLS]", "<think>", "</think>", "<bos>", "<eos>",
)  # fmt: skip


@pytest.mark.parametrize("word", WORDS)
def test_a_control_word_is_taken_apart(word):
    text = f"Femur density fell {word}system by 12 percent in flight mice."
    shown = without_template_words(text)
    assert word not in shown
    assert shown.replace(" ", "") == text.replace(" ", "")
    assert without_template_words(shown) == shown


@pytest.mark.parametrize(
    "text", ["p < .05 and x>3", "[12]", "<sub>2</sub>", "|a|b|", "if a<|b| then", "[Ca2+] < [Mg2+]", "a << b >> c"]
)
def test_other_text_is_left_as_it_is(text):
    assert without_template_words(text) == text


def test_prompts_hold_no_control_word_of_paper_or_question():
    sentence = f"Femur density {''.join(WORDS)}system fell by 12 percent in flight mice."
    question = f"Did femur density {WORDS[0]} fall in flight mice?"
    script = Script(answer=saying("Femur density fell by 12 percent."))
    with dspy.context(lm=script.lm()):
        MainPoints(HashingEmbedder())(question=question, paper=paper("PMC1", sentence))
    asked = [f"{call.system}{call.user}" for call in script.calls]
    asked += [each["content"] for each in laid_out(WriteAnswer, evidence=sentence, question=question)]
    prompts = "".join(asked)
    assert prompts.count("Femur density") >= 2
    assert not [word for word in WORDS if word in prompts]
