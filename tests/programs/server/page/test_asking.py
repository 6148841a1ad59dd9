"""Asking: steps, answers, filters, one paper, links and what the tab remembers."""

from __future__ import annotations

import json

from playwright.sync_api import expect

from tests.browser import ask, citations, result_of
from tests.scripted_lm import Script, saying

BONE = "How much lower was trabecular bone volume fraction in the tibia of flight mice?"
MOON = "Which composer wrote the opera about the moon?"


def test_a_question_shows_its_steps_then_an_answer_in_which_every_sentence_has_its_verdict(desktop, site):
    page = desktop.open(site())
    ask(page, BONE)
    expect(citations(page).first).to_be_visible()
    expect(page.locator("#asked")).to_have_text(BONE)
    expect(page.locator("#progress summary")).to_contain_text("Done after")
    page.locator("#progress summary").click()
    steps = page.locator("#progress li").all_inner_texts()
    assert any("Retrieved" in step for step in steps)
    assert any("Answering from" in step for step in steps)
    result = result_of(page)
    assert page.locator(".said.quoted").count() == len({each["quote"] for each in result["citations"]})
    expect(page.locator("#answer")).to_contain_text("Nearest in your papers")
    expect(page.locator("#answer .find").first).to_be_visible()
    assert result["figures"]
    expect(page.locator("#answer .cards figcaption")).to_have_count(0)
    for claim in ("proved", "upported", "score"):
        expect(page.locator("#answer")).not_to_contain_text(claim)
    expect(page.locator(".notes")).to_contain_text("No language model was used")
    expect(page.locator("#announcement")).to_contain_text("quoted from")
    expect(page.locator("#recent")).to_be_hidden()


def test_a_filter_lets_only_matching_papers_be_cited_and_can_be_removed(desktop, site):
    page = desktop.open(site())
    page.get_by_label("Add a filter").select_option("organism")
    page.get_by_label("Arabidopsis thaliana").check()
    page.get_by_role("button", name="Done").click()
    page.get_by_label("Add a filter").select_option("year")
    page.get_by_label("from", exact=True).fill("2010")
    page.get_by_role("button", name="Done").click()
    expect(page.locator(".chip")).to_have_text(["organism: Arabidopsis thaliana", "year: from 2010"])
    ask(page, "How did roots grow in flight?")
    result = result_of(page)
    plants = {
        each["id"]
        for each in page.evaluate("fetch('api/documents?limit=500').then((response) => response.json())")["documents"]
        if "Arabidopsis thaliana" in each["metadata"].get("organism", [])
    }
    assert result["passages"]
    assert {each["document_id"] for each in result["passages"]} <= plants
    page.get_by_role("button", name="Remove the filter organism").click()
    expect(page.locator(".chip")).to_have_text(["year: from 2010"])


def test_a_program_that_reads_one_paper_lets_the_paper_be_chosen(desktop, site):
    page = desktop.open(site())
    page.get_by_label("One paper in depth").check()
    expect(page.get_by_label("Add a filter")).to_be_hidden()
    page.get_by_label("Paper", exact=True).fill("PMC0000001")
    expect(page.locator("#paper-title")).to_contain_text("Trabecular bone loss")
    ask(page, BONE)
    result = result_of(page)
    assert result["program"] == "main_points"
    assert {each["document_id"] for each in result["passages"]} == {"PMC0000001"}


def test_no_answer_is_a_good_result(desktop, site):
    page = desktop.open(site(Script(answer=saying()).lm()))
    ask(page, MOON)
    expect(page.locator(".abstained")).to_contain_text("The papers do not answer this")
    expect(page.get_by_role("alert")).to_be_hidden()
    assert result_of(page)["figures"]
    expect(page.locator("#answer figcaption")).to_have_count(0)


def test_a_link_fills_the_form_and_a_reload_keeps_the_answer(desktop, site):
    link = "#q=How+did+roots+grow%3F&program=rag_fusion&filters=%7B%22organism%22%3A%5B%22Arabidopsis+thaliana%22%5D%7D"
    page = desktop.open(site(), link)
    expect(page.get_by_label("Your question")).to_have_value("How did roots grow?")
    expect(page.get_by_label("Across papers: summary")).to_be_checked()
    expect(page.locator(".chip")).to_contain_text("Arabidopsis thaliana")
    assert not [url for url in desktop.requests if url.endswith("/api/ask")]
    page.keyboard.press("Enter")
    expect(page.locator("#asked")).to_be_visible()
    page.reload()
    expect(page.locator("#asked")).to_have_text("How did roots grow?")
    assert len([url for url in desktop.requests if url.endswith("/api/ask")]) == 1


def test_going_back_shows_the_answer_before_and_an_answer_can_be_saved(desktop, site):
    page = desktop.open(site())
    ask(page, BONE)
    first = result_of(page)
    ask(page, MOON)
    expect(page.locator("#asked")).to_have_text(MOON)
    page.go_back()
    expect(page.locator("#asked")).to_have_text(BONE)
    with page.expect_download() as download:
        page.get_by_role("button", name="JSON").click()
    assert json.loads(download.value.path().read_text(encoding="utf-8")) == first
    page.go_back()
    expect(page.locator("#welcome")).to_be_visible()
    expect(page.locator("#how")).to_contain_text("No language model is used")
