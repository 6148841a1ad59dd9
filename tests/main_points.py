"""A paper on bone in flight, and `main_points` asked about it with a scripted model."""

from dataclasses import replace

import dspy
from dspy.utils.exceptions import ContextWindowExceededError

from programs.main_points import MainPoints, MainPointsParameters
from programs.replay import replay
from programs.results.rendering import as_json
from tests.hashing_embedder import HashingEmbedder
from tests.papers import paper

QUESTION = "What happened to bone in flight?"
FELL = "Femur density fell by 12 percent in flight mice."
DOUBLED = "Osteoclast counts doubled after two weeks in orbit."
FAR = "Telescopes were pointed at a distant quasar every night."
PAPER = paper(
    "bone",
    "\n\n".join(
        [
            FELL,
            "Mice were housed in pairs.",
            "Food was weighed daily.",
            "Light was on by day.",
            "Nobody slept.",
            DOUBLED,
        ]
    ),
    title="Bone in flight",
    year=2014,
)
TRUE = "Femur density fell by 12 percent in flight mice [1]."
FALSE = "Femur density fell by 90 percent in flight mice."
HOW_MUCH = "By how much did femur density fall in flight mice?"


def program(**parameters):
    """By default with the seed's numbers: what is shown are the points' windows, and the model checks what it wrote."""
    return MainPoints(HashingEmbedder(), replace(MainPointsParameters.seed(), **parameters))


def ask(script, document=PAPER, question=QUESTION, **parameters):
    with dspy.context(lm=script.lm()):
        return program(**parameters)(question=question, paper=document)


def ask_by_order(script, document=PAPER, question=HOW_MUCH, **parameters):
    """The same as it is by default: the learned order reads, and the checker decides."""
    with dspy.context(lm=script.lm()):
        return MainPoints(HashingEmbedder(), MainPointsParameters(**parameters))(question=question, paper=document)


def said(found):
    return [claim.claim for claim in found]


def is_proved(prediction, document=PAPER):
    return replay(as_json(prediction), lambda _: document) == []


def at_most(characters, reply):
    """A reply that a prompt beyond a number of characters does not get."""

    def replied(call):
        if len(call.user) > characters:
            raise ContextWindowExceededError(message=f"{len(call.user)} characters are too many")
        return reply(call) if callable(reply) else reply

    return replied
