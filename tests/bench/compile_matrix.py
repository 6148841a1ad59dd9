"""Every program × every optimizer on the bundled set, extractive LM; each compiled state is read back and asked again.

    python -m tests.bench.compile_matrix                                        # an hour on two cores
    python -m tests.bench.compile_matrix --only rag_fusion --optimizer gepa     # one of them

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

from optimize.compiling.compile import Compiled, compile_program
from optimize.evaluating.evaluate import evaluate_program
from optimize.job import Bench, Job
from optimize.measuring.tables import table
from optimize.optimizers import OPTIMIZERS
from optimize.running.run_folder import RunFolder, open_run
from optimize.tasks import _TASKS
from programs.lm import LM
from programs.state import UNCOMPILED, read_state
from tests.bench.gates import Gate, load, report
from tests.instruction_writer import Writer

WRITING = ("mipro", "gepa", "simba", "copro")
ADVICE = ("Answer from the passages alone, a sentence for each finding.", "Quote numbers as the passages give them.")
LIKE_IT = 5e-7
"""A state promises six decimals."""


@dataclass(frozen=True)
class Outcome:
    """One compilation, and what its state scored when it was asked again."""

    program: str
    optimizer: str
    compiled: Compiled
    calls: int
    minutes: float
    again: dict[str, float]

    @property
    def promised(self) -> dict[str, float]:
        return read_state(self.compiled.state).provenance.scores

    @property
    def reproduces(self) -> bool:
        return all(abs(self.promised[split] - value) <= LIKE_IT for split, value in self.again.items())

    def row(self) -> list[str]:
        effect = next(row for row in self.compiled.report.rows if row.metric == self.compiled.report.objective)
        choice, state = self.compiled.report.choice, read_state(self.compiled.state).provenance
        chosen = state.candidate if state.candidate != UNCOMPILED else "none beat it"
        test = f"{effect.before.value:.3f} → {effect.after.value:.3f}" if effect.after else f"{effect.before.value:.3f}"
        val = f"{choice[UNCOMPILED]:.3f} → {max(choice.values()):.3f}"
        minutes = f"{self.minutes:.1f}"
        return [f"`{self.program}`", f"`{self.optimizer}`", val, test, chosen, f"{self.calls:,}", minutes]


def outcomes(program: str, optimizers: Sequence[str]) -> Iterator[Outcome]:
    """Compile by one optimizer after the other, over one index and the vectors of its papers."""
    first = Bench(Job("compile", program, optimizer=optimizers[0]))
    first.new_program()
    for optimizer in optimizers:
        yield _outcome(_beside(first, _job(program, optimizer), optimizer), optimizer)


def _job(program: str, optimizer: str) -> Job:
    return Job("compile", program, optimizer=optimizer, prompt_lm="writer/1" if optimizer in WRITING else "")


def _beside(opened: Bench, job: Job, optimizer: str = "") -> Bench:
    """A bench over what another has opened, with a model of its own that remembers nothing."""
    writer = Writer(*ADVICE).lm() if optimizer in WRITING else None
    made = replace(opened, job=job, lm=LM(job.lm, cache=True), prompt_lm=writer)
    vars(made).update(dataset=opened.dataset, task=opened.task, _program=opened.new_program())
    return made


def _outcome(bench: Bench, optimizer: str) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        run, began = open_run(Path(folder, "run"), bench.manifest(), resume=False), time.perf_counter()
        compiled = compile_program(bench, run)
        minutes = (time.perf_counter() - began) / 60
        again = {split: _asked_again(bench, compiled, Path(folder, split), split) for split in ("val", "test")}
        found = Outcome(bench.job.program, optimizer, compiled, _calls(run), minutes, again)
        print(" | ".join(found.row()), "reproduced" if found.reproduces else f"NOT reproduced: {again}", flush=True)
        kept = Path(tempfile.mkdtemp()) / compiled.state.name
        kept.write_bytes(compiled.state.read_bytes())
    return replace(found, compiled=replace(compiled, state=kept))


def _asked_again(bench: Bench, compiled: Compiled, folder: Path, split: str) -> float:
    job = Job("eval", bench.job.program, split=split, state=str(compiled.state))
    made = _beside(bench, job)
    found = evaluate_program(made, open_run(folder, made.manifest(), resume=False))
    value = found.row(found.objective).before.value
    assert value is not None, f"{bench.job.program} on {split}: the objective is undefined"
    return value


def _calls(run: RunFolder) -> int:
    return sum(each["lm_calls"] for each in run.sessions.read())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=list(_TASKS), action="append")
    parser.add_argument("--optimizer", choices=list(OPTIMIZERS), action="append")
    asked = parser.parse_args()
    print(load())
    programs, optimizers = asked.only or list(_TASKS), asked.optimizer or list(OPTIMIZERS)
    found = [each for program in programs for each in outcomes(program, optimizers)]
    head = ["program", "optimizer", "val, best", "test", "chosen", "calls", "minutes"]
    print("\n" + "\n".join(table(head, [each.row() for each in found])) + "\n")
    reproduced = sum(each.reproduces for each in found) / len(found)
    report([Gate("states that give their scores again", reproduced, at_least=1)])


if __name__ == "__main__":
    main()
