"""From a name on the command line to a judge."""

from __future__ import annotations

from metrics.judgements import Judge
from metrics.support.judged import default_check
from optimize.judging.lm_judge import LMJudge
from optimize.judging.nli_judge import NLIJudge
from programs.errors import UsageError
from programs.extras import require
from programs.lm import LM
from programs.lm.options import split_options

_OF_THE_SERVER = frozenset({"host", "api_base", "base_url", "keep_alive", "timeout", "num_retries", "cache"})
"""Options that say where a model is and how it is asked, not what it answers."""

CHECKER = "checker"
"""What the shipped checker is called on the command line."""


def judge_of(lm: str = "", nli: str = "") -> Judge:
    """Make a judge; nothing is contacted or loaded yet.

    Args:
        lm: Name of a language model, as ``programs.LM`` takes it.
        nli: Name or folder of an NLI cross-encoder; "checker" is the one that is shipped.

    Returns:
        The checker under guards where neither is named.

    Raises:
        UsageError: Both are named, or the language model's name is none.
        MissingExtra: An NLI cross-encoder is named, and what runs it is not installed.
    """
    if lm and nli:
        raise UsageError(f"there is one judge: give --judge-lm {lm} or --judge-nli {nli}")
    if lm:
        return LMJudge(LM(lm, cache=True), options=_of_answers(lm))
    if nli == CHECKER:
        return default_check()
    if nli:
        require("models", f"--judge-nli {nli}")
        return NLIJudge(nli)
    return default_check()


def _of_answers(lm: str) -> str:
    """The options in a name that may change answers, in alphabetical order: "num_predict=8000&think=low"."""
    options = split_options(lm)[1]
    return "&".join(f"{name}={options[name]}" for name in sorted(options.keys() - _OF_THE_SERVER))


def is_own_judge(judge: Judge, model: str) -> bool:
    """Whether a model judges its own answers, which models tend to favour (Panickssery et al., arXiv:2404.13076)."""
    return isinstance(judge, LMJudge) and judge.model == model
