"""Control words of chat templates in papers and questions never reach a model whole; quotes of them are still found."""

from __future__ import annotations

import dspy
import pytest

from programs.lm.layout import without_template_words
from programs.main_points import MainPoints
from programs.proof.quotes import place
from tests.hashing_embedder import HashingEmbedder
from tests.papers import paper
from tests.scripted_lm import PROVED, Script, answer, points

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
