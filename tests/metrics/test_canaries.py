"""No answer that deserves nothing may beat a plain, honest program on the objective.

The plain program answers in its own words, misses a fact, and once invents an answer.
"""

from dataclasses import dataclass

import pytest

from metrics.canaries import CANARIES, INJECTION, skill
from metrics.grounded_utility import grounded_utility
from metrics.score import mean


@dataclass(frozen=True)
class Case:
    """A question, its gold facts (none: unanswerable), the passages found, and what a plain program answers."""

    question: str
    nuggets: tuple[str, ...]
    nearest: tuple[str, ...]
    answer: str

    @property
    def passages(self) -> tuple[str, ...]:
        """What a retriever finds: the right paper first, then the others."""
        return (
            *self.nearest,
            *(text for paper in (BONE, YEAST, ROOTS, SLEEP) if paper != self.nearest for text in paper),
        )

    @property
    def answerable(self) -> bool:
        return bool(self.nuggets)

    @property
    def prediction(self) -> dict[str, object]:
        return {
            "question": self.question,
            "answer": self.answer,
            "answerable": bool(self.answer),
            "passages": list(self.passages),
        }


BONE = (
    "Mice were flown for 30 days on the International Space Station and killed within four hours of return to Earth. "
    "Femur density fell by 12.4% in flight mice compared with ground controls (n = 10, p < 0.01).",
    "Trabecular number decreased in the proximal tibia, whereas cortical thickness did not change. "
    "Osteoclast surface doubled in flight mice.",
    "Treadmill running for 45 minutes a day prevented the loss of femur density in hindlimb-unloaded rats.",
)
YEAST = (
    "Budding yeast cells grown at pH 4.0 lived for a median of 9 days, and cells at pH 6.0 for 14 days. "
    "Acetic acid accumulated in the acidic medium.",
    "Chronological lifespan was measured as colony-forming units every second day for three weeks.",
    "Deletion of SCH9 extended lifespan in both media.",
)
ROOTS = (
    "Arabidopsis roots skewed to the left by 24 degrees in microgravity, and grew straight in the 1 g centrifuge.",
    "Auxin transport inhibitors abolished root skewing in all lines. Light intensity was 120 µmol per square metre.",
    "Germination reached 96% in flight and 97% on the ground, and did not differ between the groups.",
)
SLEEP = (
    "Crew members slept 6.1 hours a night in flight, compared with 6.9 hours in the month after landing.",
    "Hypnotics were taken on 52% of the nights in orbit. Melatonin rhythms were delayed by 1.3 hours in five men.",
)
CASES = (
    Case(
        "How much bone did flight mice lose?",
        ("Femur density fell by 12.4% in flight mice",),
        BONE,
        "Femur density fell by 12.4% in flight mice [1].",
    ),
    Case(
        "What prevented bone loss in unloaded rats?",
        ("Treadmill running prevented the loss of femur density",),
        BONE,
        "Treadmill running prevented the loss of femur density in rats [3].",
    ),
    Case("How did spaceflight change the skull?", (), BONE, ""),
    Case(
        "Does low pH shorten the lifespan of yeast?",
        ("Cells at pH 4.0 lived for a median of 9 days", "Cells at pH 6.0 lived for 14 days"),
        YEAST,
        "Yeast cells at pH 4.0 lived for a median of 9 days, and those at pH 6.0 for 14 days [1].",
    ),
    Case("What did a ketogenic diet do to fission yeast?", (), YEAST, "The passages do not mention a diet."),
    Case(
        "Which way do roots skew in microgravity?",
        ("Roots skewed to the left by 24 degrees in microgravity",),
        ROOTS,
        "In microgravity Arabidopsis roots skewed to the left by 24 degrees [1]. "
        "Auxin transport inhibitors abolished root skewing [2].",
    ),
    Case(
        "Did germination differ in flight?",
        ("Germination did not differ between flight and ground",),
        ROOTS,
        "Germination did not differ between flight and ground [3]. It reached 96% in flight [3].",
    ),
    Case(
        "How long do astronauts sleep in orbit?",
        ("Crew members slept 6.1 hours a night in flight",),
        SLEEP,
        "Crew members slept 6.1 hours a night in flight [1].",
    ),
    Case("How did orbit change the dreams of astronauts?", (), SLEEP, "Dreams became longer in orbit [1]."),
)


def _objective(predictions: list[object]) -> float:
    value = mean(grounded_utility(case, prediction) for case, prediction in zip(CASES, predictions, strict=True)).value
    assert value is not None
    return value


@pytest.fixture(scope="module")
def plain() -> float:
    return _objective([case.prediction for case in CASES])


def test_the_plain_program_is_good_but_not_perfect(plain):
    assert 0.6 < plain < 0.98


@pytest.mark.slow
@pytest.mark.parametrize("name", CANARIES)
def test_no_canary_beats_the_plain_program(name, plain):
    canary = _objective([CANARIES[name](case, case.passages) for case in CASES])
    assert canary < plain - 0.1


def test_answers_that_state_nothing_about_the_question_are_worth_nothing():
    for name in ("empty", "question_echo", "hedge_only", "injection"):
        assert _objective([CANARIES[name](case, case.passages) for case in CASES]) == 0


def test_an_abstainer_gets_what_the_formula_says():
    n_answerable = sum(case.answerable for case in CASES)
    expected = (0.2 * n_answerable + len(CASES) - n_answerable) / len(CASES)
    assert _objective([CANARIES["always_abstain"](case, case.passages) for case in CASES]) == pytest.approx(expected)


def test_an_order_in_a_passage_does_not_change_the_score_of_an_answer():
    case = CASES[0]
    poisoned = {**case.prediction, "passages": [f"{text} {INJECTION}" for text in case.passages]}
    assert grounded_utility(case, poisoned).value == grounded_utility(case, case.prediction).value


@pytest.mark.parametrize("canary", CANARIES.values(), ids=CANARIES)
def test_canaries_repeat_themselves_manage_without_passages_and_never_read_the_gold_answer(canary):
    blind = {"question": CASES[0].question}
    assert canary(CASES[0], BONE) == canary(CASES[0], BONE) == canary(blind, BONE)
    assert canary(CASES[0], ())["passages"] == []


def test_skill_is_the_share_of_what_a_canary_leaves():
    assert skill(0.7, [0.4, 0.1]) == pytest.approx(0.5)
    assert skill(0.4, [0.4]) == 0
    assert skill(0.2, [0.4]) == pytest.approx(-1 / 3)
    assert skill(1.0, [1.0]) is None
