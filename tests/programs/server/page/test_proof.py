"""The proof of an answer: citations, verdicts, repairs, and text that stays text."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect

from tests.browser import ask, citations, result_of
from tests.papers import ATTACK, GLOW, HOSTILE
from tests.scripted_lm import Call, Script, resting, saying

BONE = "How much lower was trabecular bone volume fraction in the tibia of flight mice?"
SNAIL = "By how much did the luminous flux of the lantern snail rise in orbit?"
UNCHANGED = {"corrected": {"text": "", "evidence": []}}


def test_a_citation_opens_its_passage_with_the_quote_highlighted(desktop, site):
    page = desktop.open(site())
    ask(page, BONE)
    citations(page).first.click()
    citation = result_of(page)["citations"][0]
    panel = page.get_by_role("dialog")
    assert panel.locator("mark").text_content() == citation["quote"]
    assert page.locator(".sheet").count() == 0  # of a paper without pages
    expect(panel.locator(".verdict")).to_contain_text("Quoted")
    expect(panel.locator(".verdict")).not_to_contain_text("score")
    expect(panel.get_by_role("link")).to_have_attribute("href", f"https://doi.org/{citation['doi']}")
    expect(panel.get_by_role("link")).to_have_attribute("rel", "noopener noreferrer")
    assert panel.locator(".signals > div").count() == len(citation["retrieval"])
    page.get_by_role("button", name="Close").click()
    expect(panel).to_be_hidden()
    expect(citations(page).first).to_be_focused()


def test_the_keyboard_alone_asks_opens_a_citation_and_comes_back(desktop, site):
    page = desktop.open(site())
    expect(page.get_by_label("Your question")).to_be_focused()
    page.keyboard.type(BONE)
    page.keyboard.press("Enter")
    expect(citations(page).first).to_be_visible()
    for _ in range(30):
        if page.evaluate("document.activeElement.classList.contains('cite')"):
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    panel = page.get_by_role("dialog")
    expect(panel.get_by_role("heading", level=2)).to_be_focused()
    assert panel.locator("mark").text_content() == result_of(page)["citations"][0]["quote"]
    page.keyboard.press("ArrowRight")
    expect(page.locator(".panel-place")).to_contain_text("2 of")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(citations(page).first).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(citations(page).nth(1)).to_be_focused()


def test_what_papers_write_is_text_and_quotes_stand_where_code_points_say(desktop, site):
    page = desktop.open(site())
    ask(page, SNAIL)
    citations(page).first.click()
    panel = page.get_by_role("dialog")
    expect(panel.get_by_role("heading", level=2)).to_have_text(ATTACK)
    assert panel.locator("mark").text_content() == GLOW
    assert panel.locator(".passage").text_content() == HOSTILE.text
    assert page.locator("#answer img, #panel img, #answer script, #panel script, a[href^=javascript]").count() == 0
    assert page.evaluate("window.pwned") is None


def test_what_a_model_writes_is_text_marked_by_what_the_papers_say(desktop, site):
    fell = "Luminous flux of the lantern snail fell by 97 % in orbit"
    rose = "**Luminous flux** of the lantern snail rose by 41 % in orbit."
    again = "The luminous flux of the lantern snail rose by 41 % in orbit."
    script = Script(answer=saying(rose, again, f"{fell} {ATTACK}."), corrected=UNCHANGED)
    page = desktop.open(site(script.lm()))
    page.get_by_label("Add a filter").select_option("document")
    page.locator("#editor input").fill(HOSTILE.id)
    ask(page, SNAIL)
    expect(page.locator(".prose strong")).to_have_text("Luminous flux")
    expect(page.locator(".said.supported")).to_have_count(2)
    expect(page.locator(".prose")).not_to_contain_text("fell by 97 %")
    expect(page.locator(".unproved")).to_contain_text(f"{fell} window.pwned=1")
    expect(page.locator(".unproved")).to_contain_text("the quotes do not hold 97 %")
    citations(page).first.click()
    page.get_by_role("button", name="Next citation").click()
    expect(page.locator(".panel-place")).to_contain_text("2 of 2")
    expect(page.get_by_role("dialog").locator("blockquote")).to_contain_text("The luminous flux")
    assert page.evaluate("window.pwned") is None


def test_repairs_conflicts_and_what_could_not_be_proved_are_shown(desktop, site):
    which = "Which studies found a lower bone volume fraction in the tibia of flight mice?"
    lower = (
        "In the proximal tibia, bone volume fraction was 14.1 ± 1.5 % in flight mice and 17.2 ± 1.8 % in ground mice, "
        "a relative loss of 18.0 %"
    )
    tibia = "In the tibia, bone volume fraction was 12.4 % lower in flight than in ground mice."
    differ = (
        "In the proximal tibia, bone volume fraction had a relative loss of 18.0 %, "
        "and in the tibia it was 12.4 % lower in flight than in ground mice."
    )

    def conflicts(call: Call) -> dict[str, Any]:
        sides = [resting(call, f"{lower}.")["evidence"], resting(call, tibia)["evidence"]]
        return {"conflicts": [{"text": differ, "evidence": [number for side in sides for number in side]}]}

    script = Script(
        answer=saying(f"{lower}.", tibia, "Bone grew wings."),
        conflicts=conflicts,
    )
    page = desktop.open(site(script.lm()))
    ask(page, which)
    expect(page.locator(".unproved")).to_contain_text("Bone grew wings")
    page.get_by_text("The answer was repaired").click()
    expect(page.locator(".versions").first).to_contain_text("Bone grew wings")
    [conflict] = result_of(page)["conflicts"]
    expect(page.locator(".conflicts .cite")).to_have_text([str(number) for number in conflict["passages"]])
    page.locator(".conflicts .cite").last.click()
    shown = result_of(page)["passages"][conflict["passages"][-1] - 1]["text"]
    expect(page.get_by_role("dialog").locator(".passage")).to_have_text(shown)
