"""The description of the API, and the API held against it by Schemathesis: whatever it thinks of, no 500."""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

from tests.programs.server.conftest import SCRIPT

OPERATIONS = (
    ("/api/ask", "post"),
    ("/api/chat", "post"),
    ("/api/table", "post"),
    ("/api/programs", "get"),
    ("/api/fields", "get"),
    ("/api/documents", "get"),
    ("/api/documents", "post"),
    ("/api/documents/{document_id}", "get"),
    ("/api/documents/{document_id}/text", "get"),
    ("/api/documents/{document_id}/pages/{page}", "get"),
    ("/health", "get"),
    ("/ready", "get"),
)

WITHOUT_INPUTS = ("/api/programs", "/api/fields", "/health", "/ready")
CASES = [
    (path, method, mode)
    for path, method in OPERATIONS
    for mode in GenerationMode
    if mode is GenerationMode.POSITIVE or path not in WITHOUT_INPUTS  # where there is nothing wrong to send
]

bounded = settings(
    max_examples=25, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)


@pytest.fixture(scope="module")
def described(client):
    return schemathesis.openapi.from_url(f"{client.base_url}/openapi.json")


@pytest.mark.parametrize(("path", "method", "mode"), CASES)
def test_the_api_keeps_to_its_description(described, path, method, mode):
    @bounded
    @given(described[path][method].as_strategy(generation_mode=mode))
    def kept(case):
        # Which programs, papers and filter fields there are no description can know.
        case.call_and_validate(excluded_checks=[positive_data_acceptance])

    kept()


def test_every_address_is_described(client):
    paths = client.get("/openapi.json").json()["paths"]
    assert {(path, method) for path, methods in paths.items() for method in methods} == set(OPERATIONS)


def test_the_description_holds_limits_and_codes(client):
    described = client.get("/openapi.json").json()
    question = described["components"]["schemas"]["AskRequest"]["properties"]["question"]
    assert (question["minLength"], question["maxLength"]) == (1, 2_000)
    responses = described["paths"]["/api/ask"]["post"]["responses"]
    assert "unknown_filter_field" in responses["400"]["description"]
    assert "lm_unavailable" in responses["503"]["description"]
    assert SCRIPT not in str(described)
