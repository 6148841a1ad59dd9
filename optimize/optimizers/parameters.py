"""`parameters`: thresholds, fusion constants, weights and counts, searched by optuna; prompts stay as they are.

Trials run on train, the best few are candidates. Bergstra et al. 2011, "Algorithms for Hyper-Parameter Optimization"
(the tree-structured Parzen estimator).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar

from optimize.optimizers.policy import CandidateProgram, Compilation, Optimizer, Sizes
from optimize.tasks.task import Posed
from programs.budget import BudgetSpent, CircuitBreaker
from programs.errors import UsageError
from programs.program import Program

if TYPE_CHECKING:
    import optuna


@dataclass(frozen=True, slots=True)
class ParameterSearch(Optimizer):
    """Candidates with other parameters and the same prompts.

    Attributes:
        trials: Settings to try; the first is the program's own.
        kept: How many of the best become candidates.
    """

    trials: int = 24
    kept: int = 3
    name: ClassVar[str] = "parameters"

    def candidates(self, compilation: Compilation) -> Iterator[CandidateProgram]:
        """The best on train, the best first; those that are left over repeat the last."""
        search = _Search(self, compilation)
        for rank in range(self.kept):
            yield CandidateProgram(f"{self.name}-{rank + 1}-seed{compilation.seed}", partial(search.program, rank))

    def n_candidates(self) -> int:
        """As many as are kept."""
        return self.kept

    def most_program_runs(self, sizes: Sizes) -> int:
        """Train, once a trial."""
        return self.trials * sizes.train


class _Search:
    """One study, run when its first result is asked for."""

    def __init__(self, sizes: ParameterSearch, compilation: Compilation) -> None:
        self.sizes = sizes
        self.compilation = compilation
        self._breaker = CircuitBreaker()

    def program(self, rank: int) -> Program[Any]:
        """The program with the settings of a rank; those that are left over repeat the last."""
        settings = self.best[min(rank, len(self.best) - 1)]
        program = self.compilation.new_program()
        program.set_parameters(**settings)
        return program

    @cached_property
    def best(self) -> list[Mapping[str, Any]]:
        """Different settings, the best on train first; where the budget ends the search, of those that were tried."""
        import optuna

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        study = optuna.create_study(
            direction="maximize", sampler=optuna.samplers.TPESampler(seed=self.compilation.seed, n_startup_trials=8)
        )
        own = asdict(self.compilation.new_program().settings)
        study.enqueue_trial({name: own[name] for name in self.compilation.task.space})
        try:
            study.optimize(self._value, n_trials=self.sizes.trials)
        except BudgetSpent:
            if not any(trial.value is not None for trial in study.trials):
                raise
        tried = [trial for trial in study.trials if trial.value is not None]
        ranked = [trial.user_attrs["settings"] for trial in sorted(tried, key=lambda trial: -float(trial.value or 0))]
        return [each for place, each in enumerate(ranked) if each not in ranked[:place]][: self.sizes.kept]

    def _value(self, trial: optuna.Trial) -> float:
        import optuna

        settings = {name: each.suggest(trial, name) for name, each in self.compilation.task.space.items()}
        trial.set_user_attr("settings", settings)
        program = self.compilation.new_program()
        try:
            program.set_parameters(**settings)
        except UsageError as error:  # settings that do not go together
            raise optuna.TrialPruned(str(error)) from error
        return _mean(program, self.compilation, self._breaker)


def _mean(program: Program[Any], compilation: Compilation, breaker: CircuitBreaker) -> float:
    """The objective on train; a question that fails counts 0."""
    posed = [compilation.task.pose(each, compilation.dataset) for each in compilation.train]
    with ThreadPoolExecutor(compilation.threads) as pool:
        value_of = partial(_one, program, compilation, breaker)
        running = [pool.submit(copy_context().run, value_of, each) for each in posed]
        try:
            values = [value for each in running if (value := each.result()) is not None]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return math.fsum(values) / len(values) if values else 0.0


def _one(program: Program[Any], compilation: Compilation, breaker: CircuitBreaker, posed: Posed) -> float | None:
    try:
        prediction = program(**posed.inputs)
    except Exception as error:  # noqa: BLE001 - whatever a model does with one question, the trial goes on
        breaker.bear(error)
        return 0.0
    breaker.answered()
    return compilation.objective(posed.example, prediction).value
