"""Whether an answer is about what was asked."""

import pytest

from metrics.answers import answer_relevancy
from tests.hashing_embedder import HashingEmbedder

QUESTION = "What happened to the femur density of mice?"


def relevancy(answer, **more):
    prediction = {"question": QUESTION, "answer": answer, "passages": ["Femur density of mice fell."], **more}
    return answer_relevancy({"question": QUESTION}, prediction, HashingEmbedder(512).embed)


def test_an_answer_to_the_point_is_nearer_than_one_beside_it():
    assert relevancy("The femur density of mice fell [1].").value > relevancy("Lettuce grew taller [1].").value + 0.3


def test_citations_are_no_part_of_the_answer():
    assert relevancy("Femur density of mice fell [1].") == relevancy("Femur density of mice fell.")


def test_a_negative_similarity_is_none():
    assert answer_relevancy({"question": "a"}, {"answer": "b"}, lambda _: [[1.0, 0.0], [-1.0, 0.0]]).value == 0


@pytest.mark.parametrize(
    ("prediction", "status"),
    [
        ({"answer": ""}, "not_applicable"),
        ({"answer": "", "answerable": False}, "abstained"),
        ({"answer": "The passages do not say."}, "abstained"),
        ({"error": "LMTimeout: late"}, "failed"),
    ],
)
def test_without_an_answer_nothing_is_compared(prediction, status):
    def never(_):
        raise AssertionError("asked for vectors")

    assert answer_relevancy({"question": QUESTION}, prediction, never).status == status


def test_the_real_model_tells_answers_apart(embedder):
    def of(answer):
        return answer_relevancy({"question": QUESTION}, {"answer": answer}, embedder.embed).value

    assert of("Bone mass of the thigh was lost in the animals.") > of("Samples were stored at minus 80 degrees.") + 0.2
