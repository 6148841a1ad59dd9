"""What a server that samples by schema is sent of numbers and lengths, and what is made of answers beyond them."""

import json
from types import SimpleNamespace

import dspy
from pydantic import TypeAdapter

from programs.bounded_numbers import MOST_LISTED, MOST_OF_A_SENTENCE, bounded
from programs.lm import LM
from programs.main_points import MainPoints
from programs.passages.numbered_sentences import NumberedSentences
from signatures.evidence import SelectEvidence, WriteAnswer
from tests.hashing_embedder import HashingEmbedder
from tests.loopback import LoopbackOpenAI
from tests.loopback_ollama import LoopbackOllama
from tests.papers import paper

FELL = "Femur density fell by 12 percent in flight mice."
REST = "Mice on the ground kept theirs. All mice were weighed twice. None of them died."
QUESTION = "By how much did femur density fall in flight mice?"


def said(*sentences, answerable=True):
    answer = [{"text": text, "evidence": numbers} for text, numbers in sentences]
    return json.dumps({"answerable": answerable, "answer": answer})


def answered(reply, text=f"{FELL} {REST}"):
    with LoopbackOllama([reply]) as server:
        lm = LM("ollama/tiny", host=server.url, cache=False, num_retries=0)
        with dspy.context(lm=lm):
            return MainPoints(HashingEmbedder())(question=QUESTION, paper=paper("PMC1", text)), server.chats


def test_lists_are_as_long_as_there_is_evidence_at_most():
    _, (chat,) = answered(said((FELL, [1])))
    schema = chat["format"]
    (written,) = schema["$defs"].values()
    assert schema["properties"]["answer"]["maxItems"] == MOST_LISTED
    assert written["properties"]["evidence"]["maxItems"] == MOST_OF_A_SENTENCE
    assert written["properties"]["evidence"]["minItems"] == 1
    numbers = written["properties"]["evidence"]["items"]["enum"]
    with dspy.context(lm=LM("ollama/tiny")):
        evidence = SimpleNamespace(sentences=[SimpleNamespace(number=each) for each in numbers])
        kind = bounded(SelectEvidence, "numbers", evidence=evidence).output_fields["numbers"].annotation
    assert TypeAdapter(kind).json_schema() == {
        "type": "array",
        "items": {"type": "integer", "enum": numbers},
        "maxItems": len(numbers),
    }


def test_without_a_schema_nothing_is_bounded():
    with dspy.context(lm=LM("openai/gpt-4o")):
        assert bounded(WriteAnswer, "answer", evidence=NumberedSentences([])) is WriteAnswer


def test_a_server_that_ignores_or_refuses_the_schema_is_read_all_the_same():
    reply = f"Here it is:\n```json\n{said((FELL, [1, 77]))}\n```"
    for formats in (None, ("json_object",), ()):
        with LoopbackOpenAI(reply, formats=formats) as server:
            lm = LM("openai/mine", api_base=f"{server.url}/v1", cache=False, num_retries=0)
            with dspy.context(lm=lm):
                found = MainPoints(HashingEmbedder())(question=QUESTION, paper=paper("PMC1", f"{FELL} {REST}"))
        assert FELL[:-1] in found.answer
