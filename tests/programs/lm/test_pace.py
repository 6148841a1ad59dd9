"""How fast a model reads: what its server says, what is kept of it, and what it is shown for that."""

from __future__ import annotations

import asyncio
import json

import dspy
import pytest

from programs.answering import MOST_SENTENCES, Answering
from programs.config import settings
from programs.errors import UsageError
from programs.lm import LM
from programs.lm.adapters import adapter_for
from programs.lm.pace import LEAST_TOKENS, MOST_TOKENS, Pace, Timing, keep, pace_of
from programs.main_points import MainPoints
from programs.multi_signal import MultiSignalParameters
from programs.passages import Passage
from programs.passages.asked import Asked
from programs.passages.numbered_sentences import NumberedSentences
from programs.passages.passage_selection import CONTEXT_TOKENS, fitting, tokens
from programs.progress import listening
from programs.rag_fusion import RagFusionParameters
from tests.loopback import LoopbackOpenAI
from tests.loopback_ollama import LoopbackOllama, Reply
from tests.papers import RESULTS, paper
from tests.scripted_lm import Script, evidence

LONG = "word " * 400
SLOW = {"prompt_n": 400, "prompt_per_second": 40.0, "predicted_n": 30, "predicted_per_second": 4.0}
FILE = settings().cache / "pace.json"


@pytest.fixture(autouse=True)
def kept():
    """Nothing is kept, before and after."""
    FILE.unlink(missing_ok=True)
    yield
    FILE.unlink(missing_ok=True)


def of_llama(server, **options):
    return LM("openai/mine", **{"api_base": f"{server.url}/v1", "cache": False, "num_retries": 0, **options})


def of_ollama(server):
    return LM("ollama/tiny", host=server.url, cache=False, num_retries=0)


class Slow:
    """Stands for a model that was timed."""

    own_address, model = "http://127.0.0.1:9/v1", "openai/slow"

    def __init__(self, read=20.0, written=4.0):
        keep(self.own_address, self.model, Timing(500, read, written))


def test_llama_cpp_says_what_it_read_anew_and_how_fast():
    with LoopbackOpenAI(timings=SLOW) as server:
        of_llama(server)(LONG)
        asyncio.run(of_llama(server).acall(LONG))
        assert pace_of(of_llama(server)) == Pace(40.0, 4.0)
        assert pace_of(of_llama(server, model_type="chat").copy()) == Pace(40.0, 4.0)
    assert len(json.loads(FILE.read_text())[f"{server.url}/v1 openai/mine"]["read"]) == 2


def test_ollama_says_so_in_every_kind_of_call():
    with LoopbackOllama([Reply("ok", eval_count=20)], pace=(50.0, 5.0)) as server:
        lm = of_ollama(server)
        lm(LONG)
        asyncio.run(lm.acall(LONG))
        list(lm.engine.stream(dspy.lm15.Request("ollama/tiny", (dspy.lm15.Message.user(LONG),))))
        assert pace_of(lm) == Pace(50.0, 5.0)
    assert len(json.loads(FILE.read_text())[f"{server.url} ollama/tiny"]["read"]) == 3


def test_another_server_is_timed_by_the_clock_for_what_it_had_not_read():
    with LoopbackOpenAI() as server:
        of_llama(server)(LONG)
        assert pace_of(of_llama(server)).read > 100
    assert Timing.by_the_clock(900, 10, 10.0) == Timing(900, 100.0, 10.0)
    assert Timing.by_the_clock(900, 0, 0.0).read == 900_000


def test_short_prompts_cached_answers_and_providers_are_not_timed():
    with LoopbackOpenAI(timings={**SLOW, "prompt_n": 199}) as server:
        of_llama(server)(LONG)
    with LoopbackOpenAI() as server:
        of_llama(server)("word " * 199)
    assert not FILE.exists()
    with LoopbackOpenAI(timings=SLOW) as server:
        for _ in range(3):
            of_llama(server, cache=True)("word " * 401)
    assert [len(each["read"]) for each in json.loads(FILE.read_text()).values()] == [1]
    assert pace_of(LM("openai/gpt-4o")) is pace_of(LM("extractive")) is pace_of(None) is None


@pytest.mark.parametrize("timings", [{}, "fast", {"prompt_n": "many"}, {"prompt_n": 400, "prompt_per_second": None}])
def test_timings_of_another_kind_say_nothing(timings):
    with LoopbackOpenAI("yes", timings=timings) as server:
        assert of_llama(server)(LONG) == ["yes"]
        assert timings == "fast" or pace_of(of_llama(server)) is None


@pytest.mark.parametrize("rate", [0.0, -1.0, float("inf"), float("nan")])
def test_a_rate_that_cannot_be_is_not_kept(rate):
    Slow(20.0, rate)
    Slow(rate, rate)
    assert pace_of(Slow(30.0)) in (Pace(25.0, 4.0), Pace(30.0, 4.0))


def test_a_pace_is_the_median_of_the_last_replies():
    for read in (1.0, 2.0, 40.0, 44.0, 3.0, 42.0):
        lm = Slow(read)
    assert pace_of(lm).read == 40.0
    assert len(json.loads(FILE.read_text())["http://127.0.0.1:9/v1 openai/slow"]["read"]) == 5


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"\xff\xfe", b'{"a": 1}', b'{"a": {"read": [0]}}', b'{"a": {"read": [NaN]}}', b"[" * 99999],
)
def test_a_file_of_another_kind_is_taken_for_nothing_and_replaced(content):
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_bytes(content)
    assert pace_of(Slow.__new__(Slow)) is None
    assert pace_of(Slow()) == Pace(20.0, 4.0)


def test_where_nothing_can_be_kept_nothing_fails(tmp_path):
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.symlink_to(tmp_path / "elsewhere")
    assert pace_of(Slow()) is None
    FILE.unlink()
    FILE.mkdir()
    assert pace_of(Slow()) is None
    FILE.rmdir()


def test_a_password_of_an_address_is_not_written_down():
    keep("http://me:secret@127.0.0.1:9/v1", "openai/slow", Timing(500, 20.0))
    assert "secret" not in FILE.read_text()
    assert pace_of(Slow.__new__(Slow)) == Pace(20.0)


@pytest.mark.parametrize(
    ("read", "room"),
    [(1, LEAST_TOKENS), (30, 300), (44, 400), (99.9, 900), (100, 1000), (459, 4000), (9999, MOST_TOKENS)],
)
def test_the_room_is_what_is_read_in_ten_seconds_between_two_bounds(read, room):
    assert Pace(read).room == room


def test_seconds_are_those_of_reading_and_of_writing():
    assert Pace(40.0, 5.0).seconds([400, 400]) == 80.0
    assert Pace(40.0).seconds([400]) == Pace(40.0, 4.0).seconds([400]) == 47.5
    assert Pace(40.0).seconds([]) == 0


@pytest.mark.parametrize(
    ("read", "given", "room"),
    [(20.0, "auto", 300), (20.0, 500, None), (20.0, 6000, None), (9999.0, "auto", None), (None, "auto", None)],
)
def test_auto_follows_a_slow_models_pace_and_nothing_else(read, given, room):
    parameters = RagFusionParameters(context_tokens=given)
    with dspy.context(lm=Slow(read) if read else None):
        assert parameters.room == room
        assert parameters.limits.context_tokens == (CONTEXT_TOKENS if given == "auto" else given)
    assert RagFusionParameters().context_tokens == "auto"


@pytest.mark.parametrize("wrong", ["all", "", None, 2.5, "300"])
def test_another_word_than_auto_is_refused(wrong):
    with pytest.raises(UsageError, match="context_tokens="):
        MainPoints().set_parameters(context_tokens=wrong)


# What is shown.

FOUND = [f"Femur density fell by {number} percent in group {number}." for number in range(10, 100)]
QUESTION = "By how much did femur density fall?"


def passages(*sentences):
    document = paper("bone", " ".join(sentences or FOUND), title="Bone loss in flight mice")
    start, end = len(RESULTS), len(document.text)
    return [Passage.of(document, start, end, id="bone::0", section="results", heading="Results")]


def shown(pace, question=QUESTION, **parameters):
    """Sentences that a model is shown to choose from, by their numbers."""
    script = Script(numbers={"numbers": []}, answer={"answerable": False, "answer": []})
    lm = script.lm()
    FILE.unlink(missing_ok=True)
    keep("http://127.0.0.1:9", lm.model, Timing(500, pace))
    lm.own_address = "http://127.0.0.1:9"
    with dspy.context(lm=lm, adapter=adapter_for(lm)):
        settings = MultiSignalParameters(reader="model", **parameters)
        Answering()(passages(), Asked.of(question), settings)
    return evidence(script.calls[0])


def test_a_slow_model_chooses_among_fewer_sentences_the_best_first():
    all_of_them, few = shown(9999.0), shown(1.0)
    assert len(all_of_them) == len(shown(1.0, context_tokens=6000)) == MOST_SENTENCES
    assert 5 < len(few) < MOST_SENTENCES / 2
    assert few.items() <= all_of_them.items()


def test_of_a_question_that_no_order_reads_the_first_sentences_fit_as_well():
    few = shown(1.0, "Wie stark sank die Dichte der Knochen bei den Tieren im Flug?")
    assert list(few.values()) == FOUND[: len(few)]
    assert 5 < len(few) < MOST_SENTENCES / 2


def test_sentences_within_a_room_are_those_of_the_prompt_and_one_at_least():
    sentences = NumberedSentences.of(passages())
    numbers = [each.number for each in sentences.sentences]
    within = sentences.within(reversed(numbers), 300)
    assert within == list(reversed(numbers))[: len(within)]
    assert 250 < tokens(sentences.only(within).shown()) <= 300
    assert sentences.within(numbers, 1) == numbers[:1]
    assert sentences.within(numbers, None) == numbers
    assert sentences.within([], 300) == []


def test_a_sentence_that_does_not_fit_is_passed_over():
    sentences = NumberedSentences.of(passages(FOUND[0], f"{'Long ' * 200}ago.", FOUND[1]))
    assert sentences.within([1, 2, 3], 60) == [1, 3]


def test_passages_within_a_room_are_the_first_ones_and_one_at_least():
    three = passages() * 3
    size = tokens(three[0].text)
    assert [len(fitting(three, room)) for room in (None, 1, int(2.5 * size), int(9 * size))] == [3, 1, 2, 3]
    assert fitting([], 300) == []


# What is said before it begins.


def said_before(lm, **parameters):
    """Steps of a question up to the first call, which fails."""
    steps = []
    program = MainPoints()
    program.set_parameters(**parameters)
    with dspy.context(lm=lm), listening(steps.append), pytest.raises(Exception, match=r".*"):
        program(QUESTION, passages()[0].text * 20)
    return [each for each in steps if each.name == "long"]


def test_a_question_that_takes_over_a_minute_says_so_first():
    (said,) = said_before(Slow(20.0), reader="model")
    assert said.message.startswith("This may take about ")
    assert said.message.endswith("tokens to read, and openai/slow reads 20.0 a second.")
    assert said.facts["seconds"] > 60
    assert said.facts["calls"] == 3
    assert said.facts["tokens"] > 20_000


@pytest.mark.slow
def test_a_question_that_takes_less_says_nothing():
    assert said_before(Slow(5000.0, 50.0), reader="model") == said_before(Slow(20.0, 5.0)) == []
