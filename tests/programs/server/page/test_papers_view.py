"""The list of papers, and papers that are added to it from a desk and from a hand, by keyboard."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from programs.retrieval.index import Index
from programs.server.app import create_app
from programs.server.request_queue import ServerOptions
from tests.browser import Visit
from tests.hashing_embedder import HashingEmbedder
from tests.papers import PAPERS
from tests.running_server import running

SNAIL = "# Snails in orbit\n\n## Results\n\nLuminous flux of the lantern snail rose by 41 percent in orbit.\n"


@pytest.fixture
def address(tmp_path):
    (tmp_path / "taken").mkdir()
    with Index.open(tmp_path / "papers.idx", create=True, embedder=HashingEmbedder()) as index:
        index.add(PAPERS)
        with running(create_app(index, "extractive", ServerOptions(uploads=tmp_path / "taken"))) as client:
            yield str(client.base_url).rstrip("/")


def opened(visit, address):
    visit.address = address
    visit.page.goto(f"{address}/papers.html")
    expect(visit.page.locator("#status")).to_contain_text("paper")
    return visit.page


@pytest.mark.parametrize(("width", "height"), [(1280, 900), (360, 740)])
def test_papers_are_added_and_what_is_none_is_refused_with_the_reason(
    browser: Browser, address: str, tmp_path: Path, width: int, height: int
) -> None:
    (tmp_path / "snails.md").write_text(SNAIL)
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4 cut off")
    visit = Visit(browser, width, height)
    page = opened(visit, address)
    page.get_by_label("Add papers").set_input_files([tmp_path / "snails.md", tmp_path / "broken.pdf"])
    page.get_by_label("Add papers").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    replay_report = page.locator("#taken li")
    expect(replay_report.nth(0)).to_have_text("snails.md: added as Snails in orbit, 1 passage")
    expect(replay_report.nth(1)).to_contain_text("broken.pdf: not added")
    expect(page.locator("#status")).to_have_text(f"{len(PAPERS) + 1} papers")
    page.get_by_label("Title, author, year or id").fill("snails orbit")
    expect(page.locator("#papers li")).to_have_count(1)
    expect(page.locator("#papers li")).to_contain_text("Snails in orbit")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    visit.end("422")


def test_where_nothing_is_taken_nothing_can_be_sent(desktop, site):
    page = opened(desktop, site())
    expect(page.locator("#shown")).to_have_text("27 papers")
    expect(page.locator("#upload")).to_be_hidden()
    expect(page.locator("#closed")).to_contain_text("--write FOLDER")
    page.get_by_label("Title, author, year or id").fill("no such paper")
    expect(page.locator("#papers li")).to_have_count(0)


def test_a_paper_is_opened_asked_and_removed_by_keys(browser, address, tmp_path):
    (tmp_path / "snails.md").write_text(SNAIL)
    visit = Visit(browser, 1280, 900)
    page = opened(visit, address)
    page.get_by_label("Add papers").set_input_files(tmp_path / "snails.md")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator("#taken li")).to_contain_text("added as Snails in orbit")
    page.get_by_role("button", name="Snails in orbit").press("Enter")
    panel = page.get_by_role("dialog")
    expect(panel.get_by_role("heading", level=2)).to_be_focused()
    expect(panel).to_contain_text("cited as snails")
    expect(panel.get_by_role("link", name="Ask this paper")).to_have_attribute("href", "./#paper=snails")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Snails in orbit")).to_be_focused()
    page.keyboard.press("Enter")
    page.once("dialog", lambda asked: asked.accept())
    panel.get_by_role("button", name="Remove from the index").click()
    expect(page.locator("#shown")).to_contain_text("snails was removed")
    expect(panel).to_be_hidden()
    assert list((tmp_path / "taken").iterdir()) == []
    visit.end()


def test_a_paper_that_was_removed_meanwhile_is_said_to_be(browser, address):
    visit = Visit(browser, 1280, 900)
    page = opened(visit, address)
    title = page.locator("#papers .title").first
    paper = title.get_attribute("data-id")
    assert page.request.delete(f"{address}/api/documents/{paper}").ok
    title.click()
    expect(page.get_by_role("alert")).to_contain_text(f"there is no paper '{paper}'")
    expect(page.get_by_role("alert")).to_contain_text("It may have been removed")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#status")).to_have_text(f"{len(PAPERS) - 1} papers")
    visit.end("404")
