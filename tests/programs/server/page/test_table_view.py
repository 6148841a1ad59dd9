"""The table view: questions in, a table out, each cell opened at its quote, by keys alone."""

from __future__ import annotations

import json

from playwright.sync_api import expect

QUESTIONS = (
    "loss: How much bone volume did the tibia lose? [number in %]\n"
    "effect: How did bone volume fraction in the tibia change? [direction]"
)


def filled(visit, address, limit="2"):
    page = visit.open(address, "table.html")
    page.get_by_label("Questions, one a line").fill(QUESTIONS)
    page.get_by_label("Papers that this question finds").fill("bone loss in the tibia of mice")
    page.get_by_label("At most").fill(limit)
    page.get_by_label("At most").press("Enter")
    expect(page.locator("#filled table")).to_be_visible(timeout=60_000)
    return page


def test_a_table_is_filled_and_a_cell_opened_by_keys(desktop, site):
    page = filled(desktop, site())
    expect(page.locator("#no-model")).to_be_visible()
    expect(page.locator("#filled .summary")).to_contain_text("quoted from its paper")
    assert page.locator("tbody tr").count() == 2
    cell = page.locator(".cell.reported").first
    cell.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#panel mark").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#panel")).to_be_hidden()
    expect(cell).to_be_focused()
    page.locator(".cell").first.focus()
    expect(page.locator(".cell").first).to_be_focused()
    page.locator(".cell").first.press("ArrowRight")
    expect(page.locator(".cell").nth(1)).to_be_focused()
    with page.expect_download() as saved:
        page.get_by_role("button", name="JSON").click()
    assert len(json.loads(saved.value.path().read_text(encoding="utf-8"))["rows"]) == 2


def test_what_cannot_be_asked_is_told_and_nothing_is_lost(desktop, site):
    page = desktop.open(site(), "table.html")
    page.get_by_label("Questions, one a line").fill("bone?")
    page.get_by_role("button", name="Fill the table").click()
    expect(page.locator("#problem")).to_contain_text("“bone?” is not a column")
    page.get_by_label("Questions, one a line").fill("a: b? [colour]")
    page.get_by_role("button", name="Fill the table").click()
    expect(page.locator("#problem")).to_contain_text("there is no type 'colour'")
    assert page.get_by_label("Questions, one a line").input_value() == "a: b? [colour]"
    desktop.errors.clear()  # the browser tells the refusal


def test_a_phone_shows_cards_and_scrolls_nothing_sideways(phone, site):
    page = filled(phone, site())
    width = page.viewport_size["width"]
    assert page.evaluate("document.documentElement.scrollWidth") == width
