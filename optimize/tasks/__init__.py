"""How each program is put to the questions of a data set: one file a program.

Everything else here (optimizers, evaluation, reports) knows programs only through ``task.Task``.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

from metrics.catalogue import METRICS
from optimize.tasks.task import Task
from programs.errors import UsageError

_TASKS = {
    "main_points": "optimize.tasks.main_points:MainPointsTask",
    "rag_fusion": "optimize.tasks.corpus:rag_fusion_task",
    "multi_signal": "optimize.tasks.corpus:multi_signal_task",
    "paper_retriever": "optimize.tasks.paper_retriever:PaperRetrieverTask",
    "paper_writer": "optimize.tasks.paper_writer:PaperWriterTask",
    "evidence_table": "optimize.tasks.evidence_table:EvidenceTableTask",
}


def task_of(name: str, objective: str = "") -> Task:
    """The task of a program, or of a baseline.

    Args:
        name: The program's, or one of ``optimize.tasks.baselines.BASELINES``.
        objective: The metric that counts; by default the task's own. A metric of search alone, such as ``ndcg_at_k``,
            poses the questions of a program over a collection without having them answered.

    Raises:
        UsageError: The program cannot be compiled yet, or cannot be judged by that objective.
    """
    from optimize.tasks.baselines import BASELINES, BaselineTask

    if name in BASELINES:
        return by_objective(BaselineTask(name), objective)
    if name not in _TASKS:
        raise UsageError(
            f"{name!r} cannot be compiled or evaluated; there are {', '.join(_TASKS)}, and the baselines "
            f"{', '.join(BASELINES)}"
        )
    module, _, factory = _TASKS[name].partition(":")
    task: Task = getattr(import_module(module), factory)()
    return by_objective(task, objective)


def by_objective(task: Task, objective: str) -> Task:
    """The task with a metric in first place."""
    from optimize.tasks import corpus

    if not objective:
        return task
    if objective in corpus.SEARCH_METRICS and task.name in corpus.PROGRAMS:
        task = corpus.retrieval_task(task.name)
    known = [metric for metric in task.metrics if METRICS[metric].higher_is_better]
    if objective not in known:
        raise UsageError(f"{task.name} has no objective {objective!r}; it has {', '.join(known)}")
    ordered = (objective, *(metric for metric in task.metrics if metric != objective))
    found: Task = replace(task, metrics=ordered)  # type: ignore[type-var]
    return found
