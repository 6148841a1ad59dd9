"""Public benchmarks, from the hub by name or from a folder with the same columns: one file a benchmark.

--dataset scifact               from the Hugging Face hub
--dataset scifact=FOLDER        from a folder with the hub's columns, as JSON lines or Parquet; see ``tables``
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from optimize.dataset.benchmarks import covid_qa, evidence_inference, pubmed_qa, qasper, scifact
from optimize.dataset.benchmarks.material import Benchmark, Material, QuestionRecord
from optimize.dataset.benchmarks.tables import Source
from programs.errors import UsageError

BENCHMARKS: Mapping[str, Benchmark] = {
    module.BENCHMARK.name: module.BENCHMARK for module in (scifact, pubmed_qa, qasper, covid_qa, evidence_inference)
}

__all__ = ["BENCHMARKS", "Benchmark", "Material", "QuestionRecord", "is_benchmark", "read_benchmark"]


def is_benchmark(dataset: str) -> bool:
    """Whether a --dataset names a benchmark, with a folder or without."""
    return dataset.partition("=")[0] in BENCHMARKS


def read_benchmark(dataset: str) -> Material:
    """Read the benchmark that a --dataset names.

    Raises:
        UsageError: The folder is missing, or its columns are not those of the hub.
    """
    name, _, folder = dataset.partition("=")
    if "=" in dataset and not (folder and Path(folder).is_dir()):
        raise UsageError(f"there is no folder {folder!r}; give --dataset {name}=FOLDER, or {name} for the hub")
    source = Source(Path(folder) if folder else None)
    return replace(BENCHMARKS[name].read(source), revisions=source.revisions)
