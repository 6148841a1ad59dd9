"""Every program × every optimizer on the bundled set, extractive LM; each compiled state is read back and asked again.

    python -m bench.compile_matrix                                        # an hour on two cores
    python -m bench.compile_matrix --only rag_fusion --optimizer gepa     # one of them
    python -m bench.compile_matrix --shipped                              # the states that come with the package

`mipro`, `gepa`, `simba` and `copro` run their own code with a scripted model that writes the instructions. The
extractive LM follows no instructions, so they can only gain by demos; what is shown is that they run, and that what
they leave gives the scores it promises.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench.gates import Gate, load, report
from optimize.compiling import Compiled, compile_program
from optimize.job import TASKS, Job, JobSetup, evaluate
from optimize.optimizers import OPTIMIZERS
from optimize.run_folder import RunFolder, open_run
from optimize.statistics import table
from programs.compiled_state import UNCOMPILED, read_state
from programs.lm import LM
from programs.registry import SHIPPED
from tests.scripted_lm import Writer

WRITING = ("mipro", "gepa", "simba", "copro")
ADVICE = ("Answer from the passages alone, a sentence for each finding.", "Quote numbers as the passages give them.")
HEAD = ("program", "optimizer", "val, best", "test", "chosen", "calls", "minutes")
LIKE_IT = 5e-7
"""A state promises six decimals."""


@dataclass(frozen=True)
class Outcome:
    """A state: what its compilation came to, as cells of the table, and whether it gives its scores again."""

    cells: Sequence[str]
    reproduces: bool


def compiled(program: str, optimizers: Sequence[str]) -> Iterator[Outcome]:
    """Compile by one optimizer after the other, over one index and the vectors of its papers."""
    opened = JobSetup(Job("compile", program))
    for optimizer in optimizers:
        job = replace(opened.job, optimizer=optimizer, prompt_lm="writer/1" if optimizer in WRITING else "")
        with tempfile.TemporaryDirectory() as folder:
            setup, began = _beside(opened, job), time.perf_counter()
            run = open_run(Path(folder, "run"), setup.manifest(), resume=False)
            result = compile_program(setup, run)
            cells = _cells(setup, result, run, (time.perf_counter() - began) / 60)
            yield _printed(Outcome(cells, _gives_its_scores_again(opened, result.state)))


def shipped() -> Iterator[Outcome]:
    """The states that come with the package."""
    for path in sorted(SHIPPED.glob("*.json")):
        state = read_state(path)
        scores = [f"{state.provenance.scores[split]:.3f}" for split in ("val", "test")]
        cells = [state.program, ",".join(state.provenance.optimizers), *scores, state.provenance.candidate, "", ""]
        yield _printed(Outcome(cells, _gives_its_scores_again(JobSetup(Job("eval", state.program)), path)))


def _beside(opened: JobSetup, job: Job) -> JobSetup:
    """A setup over what another has opened, with its own model that remembers nothing."""
    writer = Writer(*ADVICE).lm() if job.prompt_lm else None
    made = replace(opened, job=job, lm=LM(job.lm, cache=True), prompt_lm=writer)
    vars(made).update(dataset=opened.dataset, task=opened.task, _program=opened.new_program())
    return made


def _gives_its_scores_again(opened: JobSetup, state: Path) -> bool:
    promised = read_state(state).provenance.scores
    return all(abs(_asked(opened, state, split) - value) <= LIKE_IT for split, value in promised.items())


def _asked(opened: JobSetup, state: Path, split: str) -> float:
    setup = _beside(opened, Job("eval", opened.job.program, split=split, state=str(state)))
    with tempfile.TemporaryDirectory() as folder:
        found = evaluate(setup, open_run(Path(folder, "run"), setup.manifest(), resume=False))
    value = found.row(found.objective).before.value
    assert value is not None, f"{opened.job.program} on {split}: the objective is undefined"
    return value


def _cells(setup: JobSetup, result: Compiled, run: RunFolder, minutes: float) -> list[str]:
    found, state = result.report, read_state(result.state)
    effect = found.row(found.objective)
    after = effect.after.value if effect.after else effect.before.value
    val = f"{found.choice[UNCOMPILED]:.3f} → {max(found.choice.values()):.3f}"
    chosen = state.provenance.candidate if state.is_gain else "none beat it"
    calls = sum(each["lm_calls"] for each in run.sessions.read())
    test = f"{effect.before.value:.3f} → {after:.3f}"
    return [f"`{setup.job.program}`", f"`{setup.job.optimizer}`", val, test, chosen, f"{calls:,}", f"{minutes:.1f}"]


def _printed(outcome: Outcome) -> Outcome:
    print(" | ".join(outcome.cells), "reproduced" if outcome.reproduces else "NOT reproduced", flush=True)
    return outcome


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=list(TASKS), action="append")
    parser.add_argument("--optimizer", choices=list(OPTIMIZERS), action="append")
    parser.add_argument("--shipped", action="store_true")
    asked = parser.parse_args()
    print(load())
    programs, optimizers = asked.only or list(TASKS), asked.optimizer or list(OPTIMIZERS)
    made = (each for program in programs for each in compiled(program, optimizers))
    found = list(shipped() if asked.shipped else made)
    print("\n" + "\n".join(table(HEAD, [each.cells for each in found])) + "\n")
    report([Gate("states that give their scores again", sum(each.reproduces for each in found) / len(found), 1)])


if __name__ == "__main__":
    main()
