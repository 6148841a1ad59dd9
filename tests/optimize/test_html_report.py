"""The page of a run, as a browser shows it: nothing from elsewhere, no text becomes markup, phones need no sideways."""

import re

import pytest
import typer
from playwright.sync_api import expect
from typer.testing import CliRunner

from optimize.cli.report import report
from optimize.reporting.finished_run import read_run
from optimize.reporting.page import html, write_page
from programs.errors import UsageError
from tests import invented_run
from tests.browser import Visit, launched
from tests.invented_run import CONTEXT, FINDING, TURNED

SCRIPT = "<script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"
STYLE = "</style></title><style>body{display:none}</style>"


def hostile(path):
    """A run in which papers, questions, models and warnings hold markup."""
    marked = invented_run.prediction("P3", f"{SCRIPT} {TURNED}", title=f"Bone {SCRIPT}", context=f"{CONTEXT} {SCRIPT}")
    failed = invented_run.Record(invented_run.COMPILED, "test", "P2-a", "failed", f"ValueError: {SCRIPT}", {})
    after = {"P2": failed, "P3": invented_run.record(invented_run.COMPILED, "P3", marked)}
    examples = [invented_run.example(paper, f"What {SCRIPT}{STYLE}?") for paper in invented_run.PAPERS]
    run = invented_run.write(path, after, examples=examples, warnings=[f"Mind {SCRIPT}"])
    run.state(invented_run.COMPILED).write_text(
        invented_run.state(f"Answer {SCRIPT}", [{"question": SCRIPT}], **{f"w_{SCRIPT}": SCRIPT})
    )
    return run


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    return write_page(read_run(hostile(tmp_path_factory.mktemp("hostile") / "run").path))


@pytest.fixture(scope="module")
def browser():
    with launched() as found:
        yield found


def test_no_text_becomes_markup(page_file):
    text = page_file.read_text()
    assert "<script" not in text
    assert "<img" not in text
    assert text.count("<style>") == text.count("</style>") == 1
    assert "&lt;script&gt;" in text


def test_nothing_is_loaded(page_file):
    text = page_file.read_text()
    assert re.findall(r"\bsrc=|<link|@import|url\(|<iframe|<object", re.sub(r"&lt;.*?&gt;", "", text)) == []
    assert "default-src 'none'" in text


@pytest.mark.parametrize("width", [1280, 360])
def test_the_page_in_a_browser(browser, page_file, width):
    visit = Visit(browser, width, 900)
    visit.address = "file://"
    page = visit.page
    page.goto(page_file.as_uri())
    expect(page).to_have_title("An invented run")
    expect(page.get_by_role("heading", level=1)).to_have_text("An invented run")
    expect(page.locator(".result strong")).to_have_text("-0.667")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    for each in page.locator("details").all():
        each.evaluate("fold => { fold.open = true }")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate("getComputedStyle(document.body).display") == "block"
    visit.end()


def test_a_claim_opens_with_a_click_and_shows_the_quote(browser, tmp_path):
    made = write_page(read_run(invented_run.write(tmp_path / "run").path))
    visit = Visit(browser, 1280, 900)
    visit.address = "file://"
    visit.page.goto(made.as_uri())
    case = visit.page.locator(".case").first
    expect(case).to_contain_text("-1.000")
    answer = case.locator(".answer.after")
    expect(answer.locator("mark")).to_be_hidden()
    answer.locator(".claim summary").click()
    expect(answer.locator("mark")).to_have_text(FINDING)
    expect(answer.locator(".claim summary .badge")).to_have_text("contradicted")
    expect(visit.page.get_by_role("img", name="grounded_utility").first).to_be_visible()
    visit.end()


def test_a_browser_in_the_dark_gets_a_dark_page(browser, page_file):
    visit = Visit(browser, 1280, 900)
    visit.address = "file://"
    visit.page.goto(page_file.as_uri())
    grounds = []
    for scheme in ("light", "dark"):
        visit.page.emulate_media(color_scheme=scheme)
        grounds.append(visit.page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert grounds == ["rgb(250, 248, 244)", "rgb(20, 23, 22)"]
    visit.end()


def test_an_old_run_is_shown_as_far_as_it_goes(tmp_path):
    folder = invented_run.write(tmp_path / "run")
    for journal in (folder.questions, folder.predictions, folder.judgements, folder.scores):
        journal.path.unlink()
    for kept in folder.path.glob("candidates/*"):
        kept.unlink()
    text = html(read_run(folder.path))
    assert "The run holds no questions.jsonl" in text
    assert "0.400" in text


def test_an_evaluation_shows_its_worst_answers(tmp_path):
    settings = {**invented_run.SETTINGS, "command": "eval", "split": "dev"}
    text = html(read_run(invented_run.write(tmp_path / "run", settings=settings).path))
    assert "The worst answers" in text
    assert "regressions" not in text


def test_long_texts_are_cut(tmp_path):
    long = invented_run.prediction("P3", TURNED, context="Mice were flown. " * 20_000)
    after = {"P3": invented_run.record(invented_run.COMPILED, "P3", long)}
    assert len(html(read_run(invented_run.write(tmp_path / "run", after).path))) < 100_000


def test_the_command_writes_the_page_and_prints_the_text(tmp_path):
    folder = invented_run.write(tmp_path / "run")
    app = typer.Typer()
    app.command()(report)
    ran = CliRunner().invoke(app, [str(folder.path)])
    assert ran.exit_code == 0
    assert "# An invented run" in ran.stdout
    assert (folder.path / "report.html").is_file()
    ran = CliRunner().invoke(app, [str(folder.path), "--output", str(tmp_path / "report.md")])
    assert isinstance(ran.exception, UsageError)
    ran = CliRunner().invoke(app, [str(folder.path), "--output", str(tmp_path / "away" / "report.html")])
    assert isinstance(ran.exception, UsageError)
