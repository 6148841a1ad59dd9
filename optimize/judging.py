"""Judges of claims by a name on the command line, and the ledger that keeps what they said in a run.

checker            ``metrics.support.claim_check``: the shipped model under guards, no network, the default
language model     ``LMJudge``: labels by a signature, ``--judge-lm``
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import cached_property
from typing import Any

import dspy

from metrics.judgements import GuardedFactCheck, Judgement, Ledger
from metrics.passages import Citable
from metrics.support import Support, check
from metrics.support.claim_check import GuardedCheck
from metrics.support.verdict import Judge
from programs.atomic_files import Journal
from programs.budget import CircuitBreaker
from programs.errors import CorroborateError
from programs.lm import LM, split_options
from programs.lm.adapters import ChatAdapter, adapter_for, samples_by_schema
from programs.models.checker import shipped_judge
from programs.program import attempt
from programs.progress import report_step
from signatures.judging import JudgeClaim
from signatures.passages import as_data, numbered

TRIES = 3
"""How often a claim is put to a judge whose output is not a label."""

_HASH_LENGTH = 8


_LABEL = re.compile(
    r"(\[\[ ## verdict ## \]\]\s*)[\W_]*(supported|contradicted|unverifiable)[\W_]*(?=\[\[|\Z)", re.IGNORECASE
)
"""The field of the label, with nothing else in it but the label."""


class _Labels(ChatAdapter):
    """Takes "Supported." or "**SUPPORTED**" for the label that it is, instead of asking again and again."""

    def parse(self, signature: type[dspy.Signature], completion: str) -> dict[str, Any]:
        """Read the fields; raises as ChatAdapter's."""
        plain = _LABEL.sub(lambda found: f"{found[1]}{found[2].lower()}\n\n", completion)
        parsed: dict[str, Any] = super().parse(signature, plain)
        return parsed


class LMJudge:
    """Judges by ``signatures.judging.JudgeClaim``; safe to share between threads.

    The verdict and its reason are the model's. The quote beside them is the sentence nearest to the claim by the
    shipped checker: a place to look at, not what the model rested on. Its options are part of its name, since
    judgements under other options are others.
    """

    def __init__(self, lm: dspy.LM, options: str = "") -> None:
        self.lm = lm
        self._options = options
        self._judge = dspy.Predict(JudgeClaim)

    @property
    def model(self) -> str:
        """The model's name, as a run's manifest has that of its own model."""
        return str(self.lm.model)

    @cached_property
    def name(self) -> str:
        """Model, its options, and hash of the prompt: "ollama/gpt-oss?think=low#3f0c9a1d"."""
        fields = {name: [str(each.annotation), each.json_schema_extra] for name, each in JudgeClaim.fields.items()}
        prompt = json.dumps([JudgeClaim.instructions, fields], default=str, sort_keys=True)
        named = f"{self.model}?{self._options}" if self._options else self.model
        return f"{named}#{hashlib.sha256(prompt.encode()).hexdigest()[:_HASH_LENGTH]}"

    def check(self, claim: str, passages: Sequence[str], question: str = "") -> Support:
        """Judge one claim against passages taken together; MalformedOutput if no try of the model gave a label."""
        place = check(claim, passages, question)
        if not passages:
            return place
        report_step("judge", f"Asking {self.model} whether the passages support: {claim}")
        shown = numbered(("", text) for text in passages)
        # Its own trace: that of a program which is being compiled is for its own steps.
        adapter = adapter_for(self.lm) if samples_by_schema(self.lm) else _Labels(use_json_adapter_fallback=False)
        with dspy.context(lm=self.lm, adapter=adapter, trace=[]):
            found = attempt(self._judge, TRIES, passages=shown, asked=as_data(question), claim=as_data(claim))
        return replace(
            place, verdict=found.verdict, score=float(found.verdict == "supported"), reason=str(found.reason)
        )


_OF_THE_SERVER = frozenset({"host", "api_base", "base_url", "keep_alive", "timeout", "num_retries", "cache"})
"""Options that say where a model is and how it is asked, not what it answers."""


def judge_of(lm: str = "") -> Judge:
    """The judge of a name: a language model, or the checker under guards; nothing is loaded yet.

    A UsageError says that the language model's name is not valid.
    """
    if not lm:
        return shipped_judge()
    named = split_options(lm)[1]
    options = "&".join(f"{name}={named[name]}" for name in sorted(named.keys() - _OF_THE_SERVER))
    return LMJudge(LM(lm, cache=True), options=options)


def is_own_judge(judge: Judge, model: str) -> bool:
    """Whether a model judges its own answers, which models tend to favour (Panickssery et al., arXiv:2404.13076)."""
    return isinstance(judge, LMJudge) and judge.model == model


FIRST = 10
"""So many claims without a verdict are put up with before the judge's share of them counts."""

MOST_FAILED = 0.5
"""A judge without a verdict on more than this share of its claims is not a judge."""


class Unjudged(Exception):
    """The judge has no verdict on a claim: what rests on it fails. It goes no further than ``scoring``."""


class KeptLedger(Ledger):
    """A ledger that writes every new judgement to the run's ``judgements.jsonl``, so that nothing is judged twice.

    Judgements of the checker are written together by ``write``; those that had to be paid for, each at
    once. Safe to share between threads.
    """

    def __init__(self, journal: Journal, judge: Judge | None = None) -> None:
        super().__init__(judge or shipped_judge(), (Judgement.from_dict(line) for line in journal.read()))
        self._journal = journal
        self._unwritten: list[Judgement] = []
        # Those that are kept count too: a judge that is asked again about the few that it failed on is still a judge.
        self._asked = sum(each.judge == self.judge.name for each in self.judgements)
        self._failed: dict[str, str] = {}
        self._breaker = CircuitBreaker()
        self._turns: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._lock = threading.Lock()

    @property
    def failures(self) -> int:
        """Claims that the judge had no verdict on."""
        return len(self._failed)

    def write(self) -> None:
        """Append what was judged since the last time."""
        with self._lock:
            unwritten, self._unwritten = self._unwritten, []
            self._journal.extend(asdict(each) for each in unwritten)

    def check_judge(self) -> None:
        """Raise a CorroborateError if the judge had no verdict on most of what it was asked."""
        self._check(at_least=1)

    def _ask(self, judge: Judge, claim: str, passages: Sequence[Citable], question: str, key: str) -> Judgement:
        if isinstance(judge, GuardedCheck | GuardedFactCheck):
            return self._noted(super()._ask(judge, claim, passages, question, key))
        with self._lock:
            turn = self._turns[key]
        with turn:  # of two threads with the same claim the second takes the answer of the first
            if key in self._by_key:
                return self._by_key[key]
            if key in self._failed:
                raise Unjudged(self._failed[key])
            try:
                found = super()._ask(judge, claim, passages, question, key)
            except Exception as error:  # whatever a model or its server does, the other claims continue
                self._breaker.record(error)
                with self._lock:
                    self._asked += 1
                    self._failed[key] = f"the judge gave no verdict ({type(error).__name__}: {error})"
                self._check(at_least=FIRST)
                raise Unjudged(self._failed[key]) from error
            self._breaker.answered()
            self._noted(found)
            self.write()
            return found

    def _noted(self, judgement: Judgement) -> Judgement:
        with self._lock:
            self._asked += 1
            self._unwritten.append(judgement)
        return judgement

    def _check(self, at_least: int) -> None:
        failed = len(self._failed)
        if failed >= at_least and failed > MOST_FAILED * self._asked:
            raise CorroborateError(
                f"{self.judge.name} is not a judge: it gave no verdict on {failed} of {self._asked} claims, the last "
                f"time because {next(reversed(self._failed.values()))}. The answers are kept: fix the judge or name "
                "another, then continue with --resume, or with `python -m optimize score RUN` if the run is finished"
            )
