"""What a server that samples by schema is sent of numbers and lengths, and what is made of answers beyond them."""

import json
from types import SimpleNamespace

import dspy
import pytest
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


@pytest.mark.parametrize(
    "numbers",
    [[1], [1, 99], [99], [-1, 0], [], list(range(1, 200))],
    ids=["right", "one out of range", "out of range", "below", "none", "all and more"],
)
def test_numbers_beyond_what_was_shown_never_end_a_question(numbers):
    found, chats = answered(said((FELL, numbers)))
    assert len(chats) == 1
    assert FELL[:-1] in found.answer
    assert {each.verdict for each in found.citations} == {"supported"}
    assert {quote.quote for each in found.citations for quote in each.quotes} <= {FELL}


@pytest.mark.parametrize("numbers", [[1], [99], [], list(range(1, 200))])
def test_what_the_paper_does_not_say_is_proved_by_no_number(numbers):
    found, _ = answered(said(("Femur density rose by 30 percent in flight mice.", numbers)))
    assert "rose" not in found.answer
    assert "rose" in found.unsupported_claims[0].claim


SCRIPTS = {
    "latin": FELL,
    "cyrillic": "Плотность бедренной кости снизилась на 12 процентов у мышей в полёте.",
    "greek": "Η πυκνότητα του μηριαίου οστού μειώθηκε κατά 12 τοις εκατό στα ποντίκια σε πτήση.",
    "chinese": "飞行小鼠的股骨密度下降了12%。",
}


def test_evidence_in_four_scripts_reaches_the_model_and_is_quoted_as_it_stands():
    found, (chat,) = answered(said((SCRIPTS["chinese"], [1, 2, 3, 4])), " ".join(SCRIPTS.values()))
    shown = chat["messages"][-1]["content"]
    assert any(text in shown for text in SCRIPTS.values())
    assert all(quote.quote in SCRIPTS.values() for each in found.citations for quote in each.quotes)


@pytest.mark.slow
def test_a_sentence_of_two_thousand_words_is_shown_in_part():
    long = f"{FELL[:-1]}, " + ", ".join(f"animal {at} kept {at % 9} percent" for at in range(400)) + "."
    found, (chat,) = answered(said((FELL, [1])), f"{long} {REST}")
    assert len(long.split()) >= 2_000
    assert len(chat["messages"][-1]["content"].split()) < 600
    assert found.answer == "" or FELL[:-1] in found.answer


@pytest.mark.slow
def test_of_a_table_of_three_hundred_rows_the_model_is_shown_a_few():
    rows = "\n".join(f"| Mouse {at} | {at % 40} percent |" for at in range(300))
    table = f"| Animal | Fall of femur density in flight |\n|---|---|\n{rows}"
    found, chats = answered(said(("Femur density fell by 12 percent in mouse 12.", [1])), f"{FELL} {REST}\n\n{table}")
    assert all(len(chat["messages"][-1]["content"].split()) < 600 for chat in chats)
    assert all(each.verdict == "supported" for each in found.citations)


def test_a_server_that_ignores_or_refuses_the_schema_is_read_all_the_same():
    reply = f"Here it is:\n```json\n{said((FELL, [1, 77]))}\n```"
    for formats in (None, ("json_object",), ()):
        with LoopbackOpenAI(reply, formats=formats) as server:
            lm = LM("openai/mine", api_base=f"{server.url}/v1", cache=False, num_retries=0)
            with dspy.context(lm=lm):
                found = MainPoints(HashingEmbedder())(question=QUESTION, paper=paper("PMC1", f"{FELL} {REST}"))
        assert FELL[:-1] in found.answer
