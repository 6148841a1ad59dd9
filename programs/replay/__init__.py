"""Proves saved answers, drafts and tables again from their papers, without a language model; see ``answer_replay``."""

from programs.replay.answer_replay import only_models_say, parts, replay, replay_parts, replay_report, said_only
from programs.replay.saved_answer import Fault

__all__ = ["Fault", "only_models_say", "parts", "replay", "replay_parts", "replay_report", "said_only"]
