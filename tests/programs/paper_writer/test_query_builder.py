"""Default queries and the data that they are built from."""

import pytest

from programs.paper_writer import PaperConcept, PaperSection, QueryBuilder
from programs.paper_writer.evidence import READING_ORDER, SEES, WRITING_ORDER, guidelines, section_named
from programs.paper_writer.evidence_gatherer import MOST_QUERIES, MOST_WORDS
from tests.programs.paper_writer.writing import CONCEPT, HYPOTHESIS

BARE = PaperConcept(hypothesis=HYPOTHESIS)


def test_queries_come_from_concept_and_experiments():
    assert QueryBuilder()(PaperSection.RESULTS, CONCEPT) == [f"results: {HYPOTHESIS}", "Density fell by 2 percent."]
    assert QueryBuilder()(PaperSection.METHODS, CONCEPT) == ["methods: Mice jumped daily."]
    assert QueryBuilder()(PaperSection.INTRODUCTION, CONCEPT) == ["Mice lose bone in flight.", HYPOTHESIS]


@pytest.mark.parametrize("section", PaperSection)
def test_every_section_has_queries_even_of_a_bare_concept(section):
    queries = QueryBuilder()(section, BARE)
    assert queries
    assert all(HYPOTHESIS in query for query in queries)


def test_there_are_never_too_many_or_too_long():
    experiments = [{"name": f"E{number}", "findings": [f"word{number} " * 100]} for number in range(9)]
    concept = PaperConcept(hypothesis=HYPOTHESIS, experiments=experiments)
    queries = QueryBuilder()(PaperSection.DISCUSSION, concept)
    assert len(queries) == len(set(queries)) == MOST_QUERIES
    assert max(len(query.split()) for query in queries) == MOST_WORDS


def test_braces_of_a_concept_are_text():
    concept = PaperConcept(hypothesis="The set {x} and {hypothesis} are {0}.")
    assert QueryBuilder()(PaperSection.ABSTRACT, concept) == ["The set {x} and {hypothesis} are {0}."]


def test_the_order_of_writing_is_the_seeds():
    assert [section.value for section in WRITING_ORDER] == [
        "methods",
        "results",
        "discussion",
        "introduction",
        "related_work",
        "conclusion",
        "abstract",
    ]
    assert set(READING_ORDER) == set(WRITING_ORDER) == set(guidelines())


def test_a_section_sees_only_what_is_written_before_it():
    for place, section in enumerate(WRITING_ORDER):
        assert set(SEES[section]) <= set(WRITING_ORDER[:place])


def test_sections_are_known_by_several_spellings():
    assert section_named("Related Work") is section_named("related-work") is PaperSection.RELATED_WORK
    assert section_named("title") is None
