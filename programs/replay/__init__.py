"""Proves a saved answer again from the papers, without a language model, and names everything that does not hold.

    ask … --output answer.json      passages, certificates and sentences without one, made from the papers
    verify answer.json              reads the papers, makes all of it again and compares

What holds afterwards: every passage stands in its paper, under an id of that paper's, with its title, DOI, section and
heading, and is cited by the key that the paper has; every sentence has exactly the certificates that it cites, whose
quotes are whole sentences of the paper at their places, on the pages and in the boxes where they are printed, with the
verdict that guards and checker give them; every sentence without one is listed; every figure is one of a paper of the
passages, with its label, caption and addresses; nothing of this is missing, but for the pages and boxes of an answer
that has none at all: it was saved before quotes had them, or all of them were taken out.

What cannot be proved: who wrote the answer and to which question, its topic, what was searched for and with which
scores it was found, whether other passages or figures were left out, that a model said of a sentence what its
certificate tells (``only_models_say`` names those that rest on that alone), what else was said of it (notes,
``conflicts``, ``unsupported_claims``, ``repairs``), and what it cost.
"""

from __future__ import annotations

from programs.replay.replaying import only_models_say, parts, replay, replay_parts, said_only, told, uncited
from programs.replay.saved import Fault

__all__ = ["Fault", "only_models_say", "parts", "replay", "replay_parts", "said_only", "told", "uncited"]
