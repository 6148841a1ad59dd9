"""A real browser for tests of the page, and what a user does with it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""Under which systems install the browser; Playwright's own download is not used."""

expect.set_options(timeout=60_000)  # a busy machine is no fault of the page
_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def launched() -> Iterator[Browser]:
    """The system's Chromium without a window; the test is skipped where there is none."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip(f"needs a browser: install Chromium, so that one of {', '.join(NAMES)} is on the path")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=_ARGUMENTS)
        yield browser
        browser.close()


class Visit:
    """One tab, and what went wrong in it."""

    def __init__(self, browser: Browser, width: int, height: int) -> None:
        self.context = browser.new_context(viewport={"width": width, "height": height})
        self.page = self.context.new_page()
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda said: self.errors.append(said.text) if said.type == "error" else None)

    def open(self, address: str, fragment: str = "", papers: int = 27) -> Page:
        self.address = address
        self.page.goto(f"{address}/{fragment}")
        expect(self.page.get_by_role("status")).to_be_attached()
        expect(self.page.locator("#status")).to_have_text(f"{papers} papers")
        return self.page

    def end(self, *expected: str) -> None:
        """Check that nothing was loaded from elsewhere, and that nothing but what is expected went wrong."""
        assert [
            url for url in self.requests if not url.startswith((f"{self.address}/", f"blob:{self.address}/", "data:"))
        ] == []
        assert [error for error in self.errors if not any(each in error for each in expected)] == []
        self.context.close()


def ask(page: Page, question: str) -> None:
    """Type a question and send it."""
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")


def result_of(page: Page) -> dict[str, Any]:
    """The newest result, as the server sent it."""
    expect(page.locator("#asked")).to_be_visible()
    kept = json.loads(page.evaluate("sessionStorage.getItem('corroborate-recent')"))
    return kept["entries"][0]["result"]


def citations(page: Page) -> Locator:
    """The citations in the answer's text."""
    return page.locator("#answer .prose .cite")
