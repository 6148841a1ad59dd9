"""What every prompt of the programs says: one task, in few words, and no content that a small model could copy."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from typing import Any, get_args

import dspy
import pytest
from pydantic import BaseModel

import signatures
from programs.paper_writer.evidence import guidelines
from programs.rag_fusion import MOST_QUERIES
from programs.rag_fusion import MOST_WORDS as MOST_REWRITTEN
from signatures.rag_fusion import RewriteQuestion, WriteHypotheticalPassage

MOST_WORDS = 80

_FINDING = re.compile(r"\d|[\[(]\w*\d\w*[\])]|%|\bp [<=>]|\bStudy\b|“[^”]*\b(?:was|were|fell|rose)\b[^”]*”")
"""A number, a citation, a share, or a sentence in quotation marks."""
_MEASURES = re.compile(r"up to \d+|under \d+|\d+(?:\.\d+)? (?:to|or) \d+|\b[01]\.[05]|\d+ to \d+|1 \(hardly|10 \(")
"""Numbers that say how much is wanted, and marks of a scale."""


def every_signature() -> Iterator[type[dspy.Signature]]:
    for each in pkgutil.iter_modules(signatures.__path__):
        module = importlib.import_module(f"signatures.{each.name}")
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, dspy.Signature) and value.__module__ == module.__name__:
                yield value


SIGNATURES = list(every_signature())


def descriptions(annotation: Any) -> Iterator[str]:
    """What the fields of a signature's structured values are described by."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        for field in annotation.model_fields.values():
            yield field.description or ""
            yield from descriptions(field.annotation)
    for each in get_args(annotation):
        yield from descriptions(each)


def texts(signature: type[dspy.Signature]) -> list[str]:
    fields = signature.fields.values()
    described = [str(each.json_schema_extra["desc"]) for each in fields]
    return [signature.instructions, *described, *(text for each in fields for text in descriptions(each.annotation))]


def test_they_are_found():
    assert len(SIGNATURES) > 15


@pytest.mark.parametrize("signature", SIGNATURES)
def test_a_prompt_has_no_content_to_copy(signature):
    for text in texts(signature):
        assert not _FINDING.search(_MEASURES.sub("", text)), text


@pytest.mark.parametrize("signature", SIGNATURES)
def test_an_instruction_is_short(signature):
    assert len(signature.instructions.split()) <= MOST_WORDS


@pytest.mark.parametrize("signature", SIGNATURES)
def test_an_instruction_says_that_what_it_is_given_is_data(signature):
    assert re.search(r"\bdata\b.*never (?:an )?instruction", " ".join(signature.instructions.split()))


def test_guidelines_of_sections_have_no_content_to_copy():
    for each in guidelines().values():
        assert not _FINDING.search(_MEASURES.sub("", each.write)), each.write


def test_rewrites_are_asked_for_as_the_program_keeps_them():
    desc = RewriteQuestion.output_fields["queries"].json_schema_extra["desc"]
    assert f"up to {MOST_QUERIES}" in desc
    assert f"under {MOST_REWRITTEN + 1} words" in desc
    assert all("in English" in each.instructions for each in (RewriteQuestion, WriteHypotheticalPassage))
