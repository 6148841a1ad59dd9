"""``POST /api/ask``, any program, and ``POST /api/table``, as JSON or as events."""

from __future__ import annotations

import json

import pytest

from programs.errors import ContextExceeded, LMError, LMTimeout, LMUnavailable, ModelNotFound, OutputTruncated
from programs.evidence_table.table import FORM
from programs.replay import replay, replay_parts
from programs.results.rendering import NO_ANSWER
from programs.server.app import create_app
from programs.server.question_routes import SNIPPET, as_chat
from programs.server.request_queue import ServerOptions
from tests.running_server import error_of, events, running
from tests.scripted_lm import Script, saying

QUESTION = "By how much did femur density fall in flight mice?"
FELL = "Femur density fell by 12 percent in flight mice"
STREAM = {"Accept": "text/event-stream"}
PROGRAMS = ("main_points", "rag_fusion", "multi_signal")


def ask(client, **body):
    response = client.post("/api/ask", json={"question": QUESTION, **body})
    assert response.status_code == 200, response.text
    return response.json()


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_program_answers_with_certificates_that_replay_and_a_stream_tells_its_steps_first(
    client, small_index, program
):
    result = ask(client, program=program)
    assert (result["program"], result["lm"], result["question"]) == (program, "extractive", QUESTION)
    assert FELL in result["answer"]
    assert result["citations"][0]["verdict"] == "supported"
    assert replay(result, small_index.document) == []
    response = client.post("/api/ask", json={"question": QUESTION, "program": program}, headers=STREAM)
    assert response.headers["content-type"].startswith("text/event-stream")
    *steps, (last, streamed) = events(response)
    assert (last, {name for name, _ in steps}) == ("result", {"step"})
    assert all(data.keys() == {"name", "message", "facts"} for _, data in steps)
    assert {**streamed, "metrics": 0} == {**result, "metrics": 0}


def test_a_paper_is_named_or_found(client):
    found, named = ask(client, program="main_points"), ask(client, program="main_points", document_id="bone")
    assert found["document_id"] == named["document_id"] == "bone"
    other = ask(client, program="main_points", document_id="yeast")
    assert (other["document_id"], other["answerable"]) == ("yeast", False)
    searched = ask(client, program="rag_fusion", document_id="bone")
    assert {passage["document_id"] for passage in searched["passages"]} == {"bone"}


def test_a_question_may_set_parameters_for_itself_alone(client):
    assert ask(client)["program"] == "multi_signal"
    assert not ask(client, parameters={"least_coverage": 1.0})["answerable"]
    assert ask(client)["answerable"]
    assert ask(client, verify=False)["citations"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"program": "nothing"}, (400, "unknown_program")),
        ({"program": "main_points", "filters": {"year": 2014}}, (400, "unsupported_option")),
        ({"program": "rag_fusion", "top_k": 3}, (400, "unsupported_option")),
        ({"parameters": {"cross_encoder": "some/model"}}, (400, "unsupported_option")),
        ({"parameters": {"evidence": "many"}}, (400, "unsupported_option")),
        ({"document_id": "bone", "filters": {"document": "bone"}}, (400, "unsupported_option")),
        ({"document_id": "nobody"}, (404, "document_not_found")),
        ({"program": "main_points", "document_id": "nobody"}, (404, "document_not_found")),
        ({"filters": {"yaer": 2014}}, (400, "unknown_filter_field")),
        ({"filters": {"year": "soon"}}, (400, "bad_filter")),
        ({"filters": {"organism": {"gte": 3}}}, (400, "bad_filter")),
        ({"filters": {"organism": []}}, (400, "bad_filter")),
    ],
)
def test_what_does_not_fit_is_refused_in_both_forms(client, body, expected):
    plain = client.post("/api/ask", json={"question": QUESTION, **body})
    assert error_of(plain) == expected
    streamed = client.post("/api/ask", json={"question": QUESTION, **body}, headers=STREAM)
    if streamed.status_code == 200:
        name, data = events(streamed)[-1]
        assert (name, data["status"], data["error"]["code"]) == ("error", *expected)
    else:
        assert error_of(streamed) == expected


@pytest.mark.parametrize(
    ("lm", "expected"),
    [
        ("ollama/gpt-oss", (503, "lm_unavailable")),
        ("openai/none", (503, "lm_misconfigured")),
    ],
)
def test_a_model_that_is_down_is_named(small_index, monkeypatch, lm, expected):
    from programs.config import settings

    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")  # "discard", which no one runs
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    settings.cache_clear()
    try:
        with running(create_app(small_index, lm)) as client:
            plain = client.post("/api/ask", json={"question": QUESTION})
            assert error_of(plain) == expected
            replay_report = events(client.post("/api/ask", json={"question": QUESTION}, headers=STREAM))
            assert (replay_report[-1][0], replay_report[-1][1]["error"]["code"]) == ("error", expected[1])
            assert "127.0.0.1" not in plain.text + json.dumps(replay_report)
            assert client.get("/health").status_code == 200
    finally:
        settings.cache_clear()


@pytest.mark.parametrize(
    "failure", [LMUnavailable, ModelNotFound, LMTimeout, ContextExceeded, OutputTruncated, LMError]
)
def test_where_the_model_runs_is_told_to_the_log_alone(small_index, caplog, failure):
    script = Script(answer=failure("at http://10.1.2.3:11434 something went wrong"))
    with running(create_app(small_index, script.lm())) as client:
        response = client.post("/api/ask", json={"question": QUESTION})
    error_of(response)
    assert "10.1.2.3" not in response.text
    assert "10.1.2.3" in caplog.text


def test_unverified_and_malformed_text_is_never_shown(small_index):
    """The text comes after the result is whole; a failure on the way leaves none of it behind."""
    script = Script(
        answer={"answerable": True, "conflicts": [], "answer": "Femur density fell [1]."},
        proofs=LMUnavailable("gone"),
    )
    with running(create_app(small_index, script.lm())) as client:
        told = events(client.post("/api/ask", json={"question": QUESTION}, headers=STREAM))
    assert [name for name, _ in told if name != "step"] == ["error"]
    assert "Femur density fell [1]" not in json.dumps(told)
    with running(create_app(small_index, Script(answer="Bone turned to glass.").lm())) as client:
        response = client.post("/api/ask", json={"question": QUESTION})
    assert error_of(response) == (502, "lm_output_malformed")
    assert "glass" not in response.text


def test_a_mistake_of_ours_shows_no_traceback_and_the_server_goes_on(client, small_index, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("secret of the house")

    monkeypatch.setattr(small_index, "candidates", fail)
    for headers in ({}, STREAM):
        response = client.post("/api/ask", json={"question": QUESTION}, headers=headers)
        assert "secret of the house" not in response.text
        assert '"code":"internal"' in response.text.replace(" ", "")
    monkeypatch.undo()
    assert ask(client)["answerable"]


def test_a_silent_stream_says_that_it_is_alive(small_index):
    script = Script(delay=0.3, answer=saying())
    with running(create_app(small_index, script.lm(), ServerOptions(keep_alive=0.05))) as client:
        response = client.post("/api/ask", json={"question": QUESTION}, headers=STREAM)
    assert ": keep-alive\n\n" in response.text
    assert events(response)[-1][0] == "result"


COLUMNS = [
    {"name": "change", "question": "By how many percent did femur density fall?", "type": "text"},
    {"name": "effect", "question": "How did femur density change?", "type": "direction"},
]


def test_a_table_is_filled_and_replays(client, small_index):
    answer = client.post("/api/table", json={"columns": COLUMNS, "document_ids": ["bone", "yeast"]})
    assert answer.status_code == 200, answer.text
    table = answer.json()
    assert [row["document_id"] for row in table["rows"]] == ["bone", "yeast"]
    assert "12 percent" in table["rows"][0]["cells"][0]["result"]["value"]["text"]
    assert table["rows"][1]["cells"][0]["status"] == "not reported"
    assert "No language model was used" in table["notes"][0]
    assert replay_parts(table, small_index.document) == []


def test_cells_are_told_as_they_come(client):
    asked = {"columns": COLUMNS, "filters": {"mission_env": ["ISS"]}}
    told = events(client.post("/api/table", json=asked, headers=STREAM))
    counted = [data["facts"]["done"] for name, data in told if name == "step" and data["name"] == "table"]
    assert counted == list(range(counted[-1] + 1))
    assert (told[-1][0], told[-1][1]["table"]) == ("result", FORM)


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"columns": []}, "invalid_request"),
        ({"columns": COLUMNS, "more": 1}, "invalid_request"),
        ({"columns": [{**COLUMNS[0], "type": "colour"}]}, "bad_column"),
        ({"columns": [COLUMNS[0], COLUMNS[0]]}, "bad_column"),
        ({"columns": COLUMNS, "document_ids": ["gone"]}, "document_not_found"),
        ({"columns": COLUMNS, "filters": {"year": {"gte": 2999}}}, "no_papers"),
        ({"columns": COLUMNS, "filters": {"colour": ["red"]}}, "unknown_filter_field"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_name(client, asked, code):
    assert client.post("/api/table", json=asked).json()["error"]["code"] == code


def test_a_table_that_would_take_too_long_is_refused(small_index):
    with running(create_app(small_index, "extractive", ServerOptions(table_cells=3))) as client:
        refused = client.post("/api/table", json={"columns": COLUMNS})
    assert refused.json()["error"]["code"] == "table_too_large"


# ``POST /api/chat``: the request and the response of the seed, word for word.

CITATION = (
    *("source_id", "section", "snippet", "doi", "similarity_score", "section_boost", "final_score"),
    "relevance_reason",
)
METRICS = {"latency_ms", "retrieved_k", "grounded_ratio", "section_distribution", "dedup_count"}


def chat(client, query=QUESTION, **more):
    response = client.post("/api/chat", json={"query": query, **more})
    assert response.status_code == 200, response.text
    return response.json()


def test_every_key_of_the_seed_is_there_and_numbers_in_the_answer_are_places_among_the_citations(client):
    said = chat(client, filters={"organism": ["Mus musculus"], "mission_env": ["ISS"]}, top_k=8)
    assert {"answer", "citations", "metrics"} <= set(said)
    assert all(set(citation) >= {*CITATION} for citation in said["citations"])
    assert set(said["metrics"]) == METRICS
    assert said["metrics"]["grounded_ratio"] == 1.0
    assert said["metrics"]["latency_ms"] > 0
    assert any("No language model was used" in note for note in said["notes"])
    assert "Femur density fell by 12 percent in flight mice" in said["answer"]
    cited = [citation for citation in said["citations"] if citation["cited"]]
    assert [citation["number"] for citation in said["citations"]] == list(range(1, len(said["citations"]) + 1))
    assert [(each["source_id"].partition("::")[0], each["verdict"]) for each in cited] == [("bone", "supported")]
    assert all(f"[{each['number']}]" in said["answer"] for each in cited)


def test_sections_are_counted_over_the_passages_and_the_signals_are_the_reason(client):
    said = chat(client)
    assert said["metrics"]["section_distribution"] == {"Results": said["metrics"]["retrieved_k"]}
    first = said["citations"][0]
    assert first["section"] == "Results"
    assert first["relevance_reason"].startswith(f"Sim: {first['similarity_score']:.3f} | Sec: ")
    assert f"Final: {first['final_score']:.3f}" in first["relevance_reason"]
    assert chat(client, top_k=1)["metrics"]["retrieved_k"] == 1


def test_without_an_answer_or_a_passage_a_sentence_says_so_and_every_key_is_there(client):
    said = chat(client, query="Which telescope saw the quasar?")
    assert (said["answer"], said["answerable"], said["metrics"]["grounded_ratio"]) == (NO_ANSWER, False, 0.0)
    none = chat(client, filters={"year": {"gte": 2100}})
    assert (none["citations"], none["metrics"]["retrieved_k"], none["answerable"]) == ([], 0, False)
    assert set(said["metrics"]) == set(none["metrics"]) == METRICS
    assert any("Could not retrieve supporting evidence" in note for note in none["notes"])


def test_a_long_passage_is_shortened_between_words(client):
    result = ask(client)
    result["passages"][0] |= {"section": "methods", "text": "bone\n\nloss " * 100}
    said = as_chat({**result, "citations": [], "passages": result["passages"][:1]})
    assert said.citations[0].snippet.endswith((" bone…", " loss…"))
    assert "\n" not in said.citations[0].snippet
    assert len(said.citations[0].snippet) <= SNIPPET + 1
    assert said.metrics.section_distribution == {"Methods": 1}
