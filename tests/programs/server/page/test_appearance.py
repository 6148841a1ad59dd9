"""How the page looks: on a phone, in both colour schemes, and what it weighs."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page, expect

from programs.server.app import PAGE
from tests.browser import ask, citations
from tests.scripted_lm import Call, Script, evidence, saying

BONE = "How much lower was trabecular bone volume fraction in the tibia of flight mice?"


def test_a_phone_shows_everything_without_scrolling_sideways(phone, site):
    page = phone.open(site())
    assert_fits(page)
    ask(page, BONE)
    expect(citations(page).first).to_be_visible()
    assert_fits(page)
    citations(page).first.click()
    panel = page.get_by_role("dialog")
    expect(panel.locator("mark")).to_be_in_viewport()
    assert_fits(page)
    box = panel.bounding_box()
    assert (box["x"], box["width"]) == (0, 360)
    assert box["y"] + box["height"] <= 740
    page.get_by_role("button", name="Close").click()
    expect(panel).to_be_hidden()
    expect(citations(page).first).to_be_focused()
    ask(page, "How did roots grow in flight?")
    page.locator("#recent summary").first.click()
    expect(page.locator("#recent .prose").first).to_be_visible()
    assert_fits(page)


def assert_fits(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_text_and_ground_differ_enough_in_both_schemes(desktop, site):
    def answer(call: Call) -> Any:
        return saying(next(iter(evidence(call).values())), "Bone fell by 97 % in flight mice.", "It is sad.")

    script = Script(answer=answer, corrected={"corrected": {"text": "", "evidence": []}})
    page = desktop.open(site(script.lm()))
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        ask(page, BONE)
        citations(page).first.click()
        expect(page.get_by_role("dialog")).to_be_visible()
        assert page.evaluate(FAINT) == []
        page.keyboard.press("Escape")


FAINT = """() => {
  const rgb = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => {
    const linear = (part) => (part <= 10.31 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = rgb(colour).map(linear);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (node) => {
    for (; node; node = node.parentElement) {
      const colour = getComputedStyle(node).backgroundColor;
      if (rgb(colour)[3] !== 0) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const contrast = (node) => {
    const [one, other] = [light(getComputedStyle(node).color), light(ground(node))].sort((a, b) => b - a);
    return (one + 0.05) / (other + 0.05);
  };
  const own = (node) => [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
  return [...document.querySelectorAll("body *")]
    .filter((node) => own(node) && node.checkVisibility() && contrast(node) < 4.5)
    .map((node) => `${node.className || node.localName}: ${contrast(node).toFixed(2)}`);
}"""
"""Elements with text of their own whose contrast (WCAG 2.2, relative luminance) is under 4.5."""


def test_the_page_is_light():
    sizes = {path.name: path.stat().st_size for path in PAGE.iterdir()}
    of_table = sum(size for name, size in sizes.items() if name.startswith("table."))
    of_papers = sum(size for name, size in sizes.items() if name.startswith(("paper.", "papers.")))
    assert sum(sizes.values()) - of_table - of_papers < 92_000  # what asking loads
    assert of_table < 20_000
