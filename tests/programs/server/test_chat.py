"""``POST /api/chat``: the request and the response of the seed, word for word."""

from __future__ import annotations

from programs.server.asking import NO_ANSWER, SNIPPET, as_chat

QUERY = "By how much did femur density fall in flight mice?"
CITATION = {
    "source_id",
    "section",
    "snippet",
    "doi",
    "similarity_score",
    "section_boost",
    "final_score",
    "relevance_reason",
}
METRICS = {"latency_ms", "retrieved_k", "grounded_ratio", "section_distribution", "dedup_count"}


def chat(client, query=QUERY, **more):
    response = client.post("/api/chat", json={"query": query, **more})
    assert response.status_code == 200, response.text
    return response.json()


def test_every_key_of_the_seed_is_there(client):
    said = chat(client, filters={"organism": ["Mus musculus"], "mission_env": ["ISS"]}, top_k=8)
    assert {"answer", "citations", "metrics"} <= set(said)
    assert all(set(citation) >= CITATION for citation in said["citations"])
    assert set(said["metrics"]) == METRICS
    assert said["metrics"]["grounded_ratio"] == 1.0
    assert said["metrics"]["latency_ms"] > 0


def test_a_number_in_the_answer_is_a_place_among_the_citations(client):
    said = chat(client)
    assert "Femur density fell by 12 percent in flight mice" in said["answer"]
    cited = [citation for citation in said["citations"] if citation["cited"]]
    assert [citation["number"] for citation in said["citations"]] == list(range(1, len(said["citations"]) + 1))
    assert [(each["source_id"].partition("::")[0], each["verdict"]) for each in cited] == [("bone", "supported")]
    assert all(f"[{each['number']}]" in said["answer"] for each in cited)


def test_sections_are_counted_over_the_passages_and_written_as_in_the_seed(client):
    said = chat(client)
    assert said["metrics"]["section_distribution"] == {"Results": said["metrics"]["retrieved_k"]}
    assert said["citations"][0]["section"] == "Results"


def test_filters_leave_only_papers_that_match(client):
    everything = chat(client)
    narrowed = chat(client, filters={"organism": ["Mus musculus"]})
    assert {citation["document_id"] for citation in narrowed["citations"]} == {"bone"}
    assert {citation["document_id"] for citation in everything["citations"]} > {"bone"}


def test_top_k_limits_the_passages(client):
    assert chat(client, top_k=1)["metrics"]["retrieved_k"] == 1


def test_the_signals_are_the_reason(client):
    first = chat(client)["citations"][0]
    assert first["relevance_reason"].startswith(f"Sim: {first['similarity_score']:.3f} | Sec: ")
    assert f"Final: {first['final_score']:.3f}" in first["relevance_reason"]


def test_without_an_answer_there_is_a_sentence_that_says_so(client):
    said = chat(client, query="Which telescope saw the quasar?")
    assert (said["answer"], said["answerable"], said["metrics"]["grounded_ratio"]) == (NO_ANSWER, False, 0.0)
    assert set(said["metrics"]) == METRICS


def test_nothing_found_still_has_every_key(client):
    said = chat(client, filters={"year": {"gte": 2100}})
    assert (said["citations"], said["metrics"]["retrieved_k"], said["answerable"]) == ([], 0, False)
    assert set(said["metrics"]) == METRICS
    assert any("Could not retrieve supporting evidence" in note for note in said["notes"])


def test_that_no_model_was_used_is_noted(client):
    assert any("No language model was used" in note for note in chat(client)["notes"])


def test_a_long_passage_is_shortened_between_words():
    passage = {
        "id": "a::sec0::chunk0",
        "document_id": "a",
        "section": "methods",
        "text": "bone\n\nloss " * 100,
        "doi": "",
        "relevance_reason": "",
        "scores": {"sim": 0.5, "sec_boost": 0.3, "final": 0.4},
    }
    metrics = {"latency_ms": 1.0, "grounded_ratio": None, "dedup_count": 2}
    result = {
        "answer": "",
        "answerable": False,
        "citations": [],
        "passages": [passage],
        "notes": [],
        "metrics": metrics,
    }
    said = as_chat(result)
    assert said.citations[0].snippet.endswith((" bone…", " loss…"))
    assert "\n" not in said.citations[0].snippet
    assert len(said.citations[0].snippet) <= SNIPPET + 1
    assert said.metrics.section_distribution == {"Methods": 1}
