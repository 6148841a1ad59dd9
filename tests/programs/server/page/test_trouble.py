"""What goes wrong is told with what to do next, and nothing typed is lost."""

from __future__ import annotations

from threading import Event
from typing import Any

from playwright.sync_api import expect

from tests.browser import Visit, ask, citations
from tests.scripted_lm import Script, saying

BONE = "How much lower was trabecular bone volume fraction in the tibia of flight mice?"


def test_an_error_says_what_to_do_and_loses_nothing(desktop, site):
    page = desktop.open(site(), '#q=How+did+roots+grow%3F&filters={"colour":["red"]}')
    expect(page.locator(".chip")).to_contain_text("colour: red")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("no indexed document has the field 'colour'")
    expect(page.get_by_label("Your question")).to_have_value("How did roots grow?")
    expect(page.locator(".chip")).to_contain_text("colour: red")
    page.get_by_role("button", name="Remove the filter colour").click()
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#asked")).to_be_visible()
    expect(page.get_by_role("alert")).to_be_hidden()


def test_a_lost_connection_is_told_and_can_be_tried_again(browser, site):
    visit = Visit(browser, 1280, 900)
    page = visit.open(site())
    page.route("**/api/ask", lambda route: route.abort())
    ask(page, BONE)
    expect(page.get_by_role("alert")).to_contain_text("The server does not answer.")
    page.unroute("**/api/ask")
    page.route("**/api/ask", lambda route: route.fulfill(content_type="text/event-stream", body="event: step\n"))
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("alert")).to_contain_text("was interrupted")
    page.unroute("**/api/ask")
    page.get_by_role("button", name="Try again").click()
    expect(citations(page).first).to_be_visible()
    visit.end("net::ERR_FAILED")


def test_an_answer_on_its_way_can_be_cancelled(desktop, site):
    asked, release = Event(), Event()

    def wait(_: object) -> dict[str, Any]:
        asked.set()
        assert release.wait(300)
        return saying()

    page = desktop.open(site(Script(answer=wait).lm()))
    try:
        ask(page, BONE)
        expect(page.locator("#progress li").last).to_contain_text("Answering from")
        assert asked.wait(300)
        page.get_by_role("button", name="Cancel").click()
        expect(page.locator("#progress")).to_contain_text("Cancelled")
    finally:
        release.set()
    expect(page.get_by_role("button", name="Ask")).to_be_visible()
    expect(page.get_by_label("Your question")).to_have_value(BONE)
    expect(page.get_by_role("alert")).to_be_hidden()


def test_an_api_key_is_asked_for_when_the_server_wants_one(browser, site):
    visit = Visit(browser, 1280, 900)
    visit.address = site(api_key="open-sesame-1234567")
    page = visit.page
    page.goto(visit.address)
    page.get_by_label("API key").fill("open-sesame-1234567")
    page.get_by_role("button", name="Use it").click()
    expect(page.locator("#status")).to_have_text("27 papers")
    ask(page, BONE)
    expect(citations(page).first).to_be_visible()
    visit.end("401")
