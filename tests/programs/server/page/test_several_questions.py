"""Several questions one after another: earlier answers stay, folded, each with its own proof, link and export."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser import ask, citations, result_of

BONE = "How much lower was trabecular bone volume fraction in the tibia of flight mice?"
ROOTS = "How did roots grow in flight?"
PRINTED = "PMC0000026"


def asked_both(page: Page) -> tuple[dict, dict]:
    ask(page, BONE)
    expect(page.locator("#asked")).to_have_text(BONE)
    first = result_of(page)
    ask(page, ROOTS)
    expect(page.locator("#asked")).to_have_text(ROOTS)
    return first, result_of(page)


def test_the_answer_before_stays_with_its_marks_its_proof_its_link_and_its_export(desktop, site):
    page = desktop.open(site())
    first, second = asked_both(page)
    earlier = page.locator("#recent details").first
    expect(page.locator("#recent > ul > li")).to_have_count(1)
    expect(earlier.locator(".prose")).to_have_count(0)
    earlier.locator("summary").first.press("Enter")
    expect(earlier.locator(".said.quoted")).to_have_count(len({each["sentence"] for each in first["citations"]}))
    earlier.locator(".prose .cite").first.press("Enter")
    panel = page.get_by_role("dialog")
    expect(panel.locator("mark")).to_have_text(first["citations"][0]["quote"])
    page.get_by_role("button", name="Close").click()
    expect(earlier.locator(".prose .cite").first).to_be_focused()
    with page.expect_download() as download:
        earlier.get_by_role("button", name="JSON").click()
    assert json.loads(download.value.path().read_text(encoding="utf-8")) == first
    # The index does not know where the printed paper's file stands, so its page cannot be shown.
    place = next(at for at, each in enumerate(second["citations"]) if each["document_id"] != PRINTED)
    citations(page).nth(place).click()
    expect(panel.locator("mark")).to_have_text(second["citations"][place]["quote"])
    page.keyboard.press("Escape")
    earlier.get_by_role("link", name="Link").click()
    expect(page.locator("#asked")).to_have_text(BONE)
    expect(page.get_by_label("Your question")).to_have_value(BONE)
    expect(page.locator("#recent")).to_contain_text(ROOTS)
    assert len([url for url in desktop.requests if url.endswith("/api/ask")]) == 2


def test_an_unfolded_answer_stays_unfolded_while_the_next_is_asked_and_all_stay_after_a_reload(desktop, site):
    page = desktop.open(site())
    asked_both(page)
    page.locator("#recent summary").first.click()
    ask(page, "Which composer wrote the opera about the moon?")
    expect(page.locator("#asked")).to_contain_text("composer")
    expect(page.locator("#recent > ul > li")).to_have_count(2)
    expect(page.locator("#recent > ul > li > details[open]").filter(has=page.locator(".prose"))).to_have_count(1)
    page.reload()
    expect(page.locator("#asked")).to_contain_text("composer")
    expect(page.locator("#recent > ul > li")).to_have_count(2)


def test_sources_stand_under_their_paper_whose_title_year_and_retraction_are_told_once(desktop, site):
    page = desktop.open(site())
    reply = f"event: result\ndata: {json.dumps(two_papers())}\n\n"
    page.route("**/api/ask", lambda route: route.fulfill(body=reply, content_type="text/event-stream"))
    ask(page, BONE)
    expect(page.locator("#asked")).to_be_visible()
    papers = page.locator(".sources").first.locator(".from")
    expect(papers).to_have_count(2)
    expect(papers.first.locator(".title")).to_have_count(1)
    expect(papers.first.locator(".title")).to_have_text("Bone in flight")
    expect(papers.first).to_contain_text("2010 · P1")
    expect(papers.first.get_by_role("note")).to_have_text("retracted by 10.1000/notice")
    expect(papers.first.locator(".source")).to_have_count(2)
    expect(papers.first.locator(".source .number")).to_have_text(["1", "3"])
    expect(papers.last.locator(".source .number")).to_have_text(["2"])
    papers.first.locator(".source").last.click()
    expect(page.get_by_role("dialog").locator("mark")).to_have_text("Bone fell again.")


def two_papers() -> dict[str, Any]:
    """A result that cites two passages of one paper, which was retracted, and one of another between them."""
    bone = {"document_id": "P1", "title": "Bone in flight", "corrections": ["retracted by 10.1000/notice"]}
    muscle = {"document_id": "P2", "title": "Muscle"}
    passages, citations = [], []
    for number, (paper, text) in enumerate(
        ((bone, "Bone fell."), (muscle, "Muscle fell."), (bone, "Bone fell again.")), start=1
    ):
        at = {"start": 0, "end": len(text)}
        about = {"year": 2010, "section": "results", "heading": "", "key": "", "text": text, **at}
        passages.append({"id": f"P::{number}", **paper, **about})
        said = {"marker": str(number), "sentence": f"{text[:-1]} [{number}].", "passage": f"P::{number}", "quote": text}
        citations.append({**said, **at, "verdict": "supported", "score": 1.0})
    answer = " ".join(each["sentence"] for each in citations)
    return {"question": BONE, "answer": answer, "citations": citations, "passages": passages, "metrics": {}}
