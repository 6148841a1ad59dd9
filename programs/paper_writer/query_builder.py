"""Default queries: what is searched for before the agent has a say."""

from __future__ import annotations

import string
from collections.abc import Mapping

import dspy

from programs.paper_writer.concept import ExperimentResult, PaperConcept
from programs.paper_writer.sections import PaperSection, guidelines

MOST_QUERIES = 4
"""Default queries of a section. Each brings up to 40 calls of the model."""

MOST_WORDS = 60
"""Of a query: embedding models read little more, and a longer one is about everything."""


class QueryBuilder(dspy.Module):
    """Builds the default queries of a section from templates; it asks no model."""

    def forward(self, section: PaperSection, concept: PaperConcept) -> list[str]:
        """Fill the templates of a section.

        Returns:
            Queries, each once; the hypothesis where nothing else can be filled in.
        """
        guideline = guidelines()[section]
        own = [_filled(template, _fields_of(concept)) for template in guideline.queries]
        of_experiments = [
            _filled(template, _fields_of_experiment(experiment))
            for template in guideline.experiment_queries
            for experiment in concept.experiments
        ]
        queries = dict.fromkeys(query for query in (*own, *of_experiments) if query)
        return list(queries)[:MOST_QUERIES] or [_cut(concept.hypothesis)]


def _fields_of(concept: PaperConcept) -> Mapping[str, str]:
    names = ("hypothesis", "background", "objective", "approach")
    return {name: getattr(concept, name) for name in names}


def _fields_of_experiment(experiment: ExperimentResult) -> Mapping[str, str]:
    return {"name": experiment.name, "method": experiment.method, "finding": " ".join(experiment.findings)}


def _filled(template: str, fields: Mapping[str, str]) -> str:
    """The template with its fields; empty if one of them is."""
    named = [name for _, name, _, _ in string.Formatter().parse(template) if name]
    return _cut(template.format(**fields)) if all(fields.get(name) for name in named) else ""


def _cut(text: str) -> str:
    return " ".join(text.split()[:MOST_WORDS])
