"""Models that write nonsense: no program takes it for an answer, whatever the model says of it."""

import json
import random
from string import ascii_lowercase

import dspy
import pytest

from programs.registry import create
from programs.retrieval.index import Index
from tests.hashing_embedder import HashingEmbedder
from tests.papers import BONE, PAPERS
from tests.scripted_lm import Script

pytestmark = pytest.mark.slow

PROGRAMS = ("main_points", "rag_fusion", "multi_signal")


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    place = tmp_path_factory.mktemp("salad") / "papers.idx"
    with Index.open(place, create=True, embedder=HashingEmbedder()) as opened:
        opened.add(PAPERS)
        yield opened


def salad(chance, count):
    words = ("".join(chance.choices(ascii_lowercase, k=chance.randint(2, 9))) for _ in range(count))
    return " ".join(words).capitalize()


def nonsense(seed):
    """A model that keeps to the form, cites, says that it can answer, and proves all it says, mostly by quotes."""
    chance = random.Random(seed)
    answer = " ".join(f"{salad(chance, 9)} [{chance.choice(['1', 'bone', '2'])}]." for _ in range(3))

    def proofs(call):
        numbers = [int(line.partition(".")[0]) for line in call.values["sentences"].splitlines()]
        first = call.values["passages"].partition(") ")[2][:60]
        quotes = [[{"passage": "1", "quote": first if chance.random() < 0.5 else salad(chance, 9)}] for _ in numbers]
        verdicts = chance.choices(["proved", "proved", "about the evidence"], k=len(numbers))
        said = zip(numbers, quotes, verdicts, strict=True)
        return {"proofs": [{"number": n, "quotes": q, "verdict": v, "reason": ""} for n, q, v in said]}

    return Script(
        points={"points": ["Femur density fell by 12 percent in flight mice."]},
        answer={"answerable": True, "conflicts": [], "answer": answer},
        topic={"answerable": True, "summary": answer, "bullets": [salad(chance, 5)], "topic": "x"},
        proofs=proofs,
        fixed_answer={"fixed_answer": answer},
    )


def test_of_a_hundred_answers_of_letter_salad_none_is_answerable(index):
    answered = []
    for number in range(100):
        name = PROGRAMS[number % 3]
        program = create(name, embedder=HashingEmbedder()) if name == "main_points" else create(name, index=index)
        program.set_parameters(**({"reform": False} if name == "rag_fusion" else {}))
        with dspy.context(lm=nonsense(number).lm()):
            found = program(question="Did femur density fall?", **({"paper": BONE} if name == "main_points" else {}))
        answered += [found.answer] if found.answerable or found.answer else []
        assert found.unsupported_claims == []
        assert found.passages
        assert any("none of its sentences is proved" in note for note in found.notes), json.dumps(found.notes)
    assert answered == []
