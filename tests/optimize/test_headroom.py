"""Where answers are lost: each way to lose one, by a model that a test scripts."""

import dspy
import pytest

from metrics.sentences import sentence_texts
from optimize.headroom import headroom, lost_at
from optimize.job import Job, JobSetup
from programs.errors import UsageError
from tests.hashing_embedder import HashingEmbedder
from tests.scripted_lm import Script, evidence, saying

pytestmark = pytest.mark.slow

SAID = {"verdict": "all of it"}
NOTHING = {"corrected": {"text": "Nothing.", "evidence": []}}
ENGLISH = {"english": "What was found in flight?"}


def asked(script, *, program="multi_signal", limit=1, split="train"):
    job = Job("eval", program, lm="extractive", limit=limit, split=split, state="none")
    return headroom(JobSetup(job, embedder=HashingEmbedder(), lm=script.lm()))


def copying(call):
    """The shown sentences, word for word."""
    texts = list(evidence(call).values())
    return saying(*(sentence_texts(text)[0] for text in texts))(call)


def test_a_question_whose_facts_are_copied_is_right_or_misworded_and_never_unproved():
    script = Script(answer=copying, conflicts={"conflicts": []}, verdict=SAID, corrected=NOTHING, english=ENGLISH)
    found = asked(script, limit=2)
    assert found.asked == 2
    assert found.counts["unproved"] == found.counts["silent"] == 0
    assert found.as_dict()["questions"] == 2


def test_a_model_that_writes_what_no_sentence_says_loses_its_questions_to_proof():
    wrong = saying("Penguins outnumber whales by 93 percent in Patagonia.")
    refused = {"verdict": "something else"}
    found = asked(Script(answer=wrong, corrected=NOTHING, verdict=refused, english=ENGLISH), limit=4)
    assert found.counts["unproved"] >= 1
    assert found.by_prompts >= found.counts["unproved"]


def test_what_search_loses_no_prompt_could_win(bundled):
    example = next(each for each in bundled.split("train") if each.answerable)
    nothing = dspy.Prediction(answer="", passages=[], citations=[])
    assert lost_at(example, nothing, None) == "not found"


def test_a_program_that_answers_otherwise_is_refused():
    with pytest.raises(UsageError, match="evidence_table does not write answers"):
        asked(Script(), program="evidence_table")
