"""The proof of an answer: citations, verdicts, repairs, and text that stays text."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect

from tests.browser import ask, citations, result_of
from tests.papers import ATTACK, GLOW, HOSTILE
from tests.scripted_lm import PROVED, Call, Script, fixed, quotation, unproved

BONE = "How much lower was trabecular bone volume fraction in the tibia of flight mice?"
SNAIL = "By how much did the luminous flux of the lantern snail rise in orbit?"


def answering(text: str, *, unsupported: Any = PROVED, repaired: str = "") -> Script:
    reply = {"answerable": bool(text), "answer": text, "conflicts": []}
    return Script(answer=reply, proofs=unsupported, fixed_answer=fixed(repaired))


def test_a_citation_opens_its_passage_with_the_quote_highlighted(desktop, site):
    page = desktop.open(site())
    ask(page, BONE)
    citations(page).first.click()
    citation = result_of(page)["citations"][0]
    panel = page.get_by_role("dialog")
    assert panel.locator("mark").text_content() == citation["quote"]
    expect(panel.locator(".verdict")).to_contain_text("Supported")
    expect(panel.locator(".verdict")).to_contain_text(f"score {citation['score']:.2f}")
    expect(panel.get_by_role("link")).to_have_attribute("href", f"https://doi.org/{citation['doi']}")
    expect(panel.get_by_role("link")).to_have_attribute("rel", "noopener noreferrer")
    assert panel.locator(".signals > div").count() == len(citation["retrieval"])
    page.get_by_role("button", name="Close").click()
    expect(panel).to_be_hidden()
    expect(citations(page).first).to_be_focused()


def test_the_keyboard_alone_asks_opens_a_citation_and_comes_back(desktop, site):
    page = desktop.open(site())
    for _ in range(10):  # past the way to the question, the name of the page and its views
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('textarea')"):
            break
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
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(citations(page).first).to_be_focused()


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
    answer = (
        f"{ATTACK} **Snails** glow.\n\n"
        "- Luminous flux of the lantern snail rose by 41 % in orbit [1].\n"
        "- Luminous flux of the lantern snail fell by 97 % in orbit [1].\n"
    )
    script = answering(answer, unsupported=unproved("Snails", "97"), repaired=answer)
    page = desktop.open(site(script.lm()))
    page.get_by_label("Add a filter").select_option("document")
    page.locator("#editor input").fill(HOSTILE.id)
    ask(page, SNAIL)
    expect(page.locator(".prose")).to_contain_text("window.pwned=1 Snails glow")  # its tags are taken out
    expect(page.locator(".prose strong")).to_have_text("Snails")
    expect(page.locator(".prose li")).to_have_count(2)
    verdicts = [each["verdict"] for each in result_of(page)["citations"]]
    assert verdicts[0] == "supported" != verdicts[1]
    expect(page.locator(f".prose li .said.{verdicts[1]}")).to_contain_text("fell by 97 %")
    expect(page.locator(".said.uncited").first).to_be_visible()
    citations(page).first.click()
    page.get_by_role("button", name="Next citation").click()
    expect(page.locator(".panel-place")).to_contain_text("2 of 2")
    expect(page.get_by_role("dialog").locator("blockquote")).to_contain_text("fell by 97 %")
    assert page.evaluate("window.pwned") is None


def test_repairs_conflicts_and_what_could_not_be_proved_are_shown(desktop, site):
    # At most two passages are of one paper, so three are of two papers at least.
    conflict = {"statement": "Flight [1] and ground [2] studies differ.", "passages": [1, 2, 3]}
    first, second = "Bone grew wings [1].", "Bone fell silent [1]."

    def answer(call: Call) -> dict[str, Any]:
        return {"answerable": True, "answer": f"{quotation(call)} {first}", "conflicts": [conflict]}

    def repaired(call: Call) -> dict[str, Any]:
        return fixed(call.values["answer"].replace(first, second))

    script = Script(answer=answer, proofs=unproved("wings", "silent", "differ"), fixed_answer=repaired)
    page = desktop.open(site(script.lm()))
    ask(page, BONE)
    expect(page.locator(".unproved")).to_contain_text("Bone fell silent")
    expect(page.locator(".unproved")).to_contain_text("no passage says it")
    page.get_by_text("The answer was repaired").click()
    expect(page.locator(".versions")).to_contain_text("Bone grew wings")
    expect(page.locator(".conflicts .cite")).to_have_text(["1", "2", "3"])
    page.locator(".conflicts .cite").last.click()
    expect(page.get_by_role("dialog").locator(".passage")).to_have_text(result_of(page)["passages"][2]["text"])
