"""The page of a run, as a browser shows it: nothing from elsewhere, no text becomes markup, phones need no sideways."""

import re

import pytest
import typer
from playwright.sync_api import expect
from typer.testing import CliRunner

from optimize.cli.evaluate import report
from optimize.finished_run import read_run
from optimize.report import CHECKER
from optimize.report_rendering import html, markdown, write_page
from programs.errors import UsageError
from tests import invented_run
from tests.browser import Visit, launched
from tests.invented_run import CONTEXT, FINDING, TURNED

SCRIPT = "<script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"
STEERING = "\x1b[31mred\x1b[0m \u202eback\u202c \u2067to\u2069 \x07\x00"
MARKDOWN = "a | b `code` **bold** [link](http://evil) ![image](http://evil/x) &lt;b&gt; \n# Title\n| x |\n"
STYLE = "</style></title><style>body{display:none}</style>"


def hostile(path):
    """A run in which papers, questions, models and warnings hold markup."""
    marked = invented_run.prediction("P3", f"{SCRIPT} {TURNED}", title=f"Bone {SCRIPT}", context=f"{CONTEXT} {SCRIPT}")
    failed = invented_run.Record(
        invented_run.COMPILED, "test", "P2-a", "failed", f"ValueError: {SCRIPT}{STEERING}{MARKDOWN}", {}
    )
    after = {"P2": failed, "P3": invented_run.record(invented_run.COMPILED, "P3", marked)}
    examples = [invented_run.example(paper, f"What {SCRIPT}{STYLE}?") for paper in invented_run.PAPERS]
    run = invented_run.write(
        path, after, examples=examples, warnings=[f"Mind {SCRIPT}{STEERING}{MARKDOWN}", "W" * 200_000]
    )
    run.state(invented_run.COMPILED).write_text(
        invented_run.state(f"Answer {SCRIPT}{STEERING}{MARKDOWN}", [{"question": SCRIPT}], **{f"w_{SCRIPT}": SCRIPT})
    )
    return run


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    return write_page(read_run(hostile(tmp_path_factory.mktemp("hostile") / "run").path))


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """The folder of a run without such."""
    return invented_run.write(tmp_path_factory.mktemp("plain") / "run").path


@pytest.fixture(scope="module")
def browser():
    with launched() as found:
        yield found


def shown(browser, file, width=1280):
    visit = Visit(browser, width, 900)
    visit.address = "file://"
    visit.page.goto(file.as_uri())
    return visit


STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def test_no_text_becomes_markup_nothing_steers_the_reader_and_nothing_is_loaded(page_file):
    text = page_file.read_text()
    assert not [each for each in ("<script", "<img") if each in text]
    assert text.count("<style>") == text.count("</style>") == 1
    assert "&lt;script&gt;" in text
    assert STEERS.findall(text) == []
    assert len(text) < 150_000
    assert re.findall(r"\bsrc=|<link|@import|url\(|<iframe|<object", re.sub(r"&lt;.*?&gt;", "", text)) == []
    assert "default-src 'none'" in text


def test_in_markdown_no_text_becomes_markup(page_file):
    run = read_run(page_file.parent)
    text = markdown(run.report, run)
    assert STEERS.findall(text) == []
    assert "\t" not in text
    lines = [line for line in text.splitlines() if not line.startswith("    ")]  # those are code, and show all as it is
    assert [line for line in lines if re.search(r"(?<!\\)(<script|<img|\[link|\[image|`code|\*\*bold)", line)] == []
    assert [line for line in lines if line.startswith(("# Title", "| x"))] == []
    assert "| few_shot-1-seed0 | 1 | ValueError: \\<script\\>" in text
    assert len(text) < 20_000


@pytest.mark.parametrize(("width", "scheme", "ground"), [(1280, "light", "250, 248, 244"), (360, "dark", "20, 23, 22")])
def test_the_page_in_a_browser(browser, page_file, width, scheme, ground):
    visit = shown(browser, page_file, width)
    page = visit.page
    expect(page).to_have_title("An invented run")
    expect(page.get_by_role("heading", level=1)).to_have_text("An invented run")
    expect(page.locator("table").first).to_contain_text("−0.667")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    for each in page.locator("details").all():
        each.evaluate("fold => { fold.open = true }")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate("getComputedStyle(document.body).display") == "block"
    page.emulate_media(color_scheme=scheme)
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == f"rgb({ground})"
    visit.end()


def test_a_claim_opens_by_keyboard_and_shows_the_quote(browser, plain):
    visit = shown(browser, write_page(read_run(plain)))
    case = visit.page.locator(".case").first
    expect(case).to_contain_text("−1.000")
    answer = case.locator(".answer.after")
    expect(answer.locator("mark")).to_be_hidden()
    answer.locator(".claim summary").focus()
    visit.page.keyboard.press("Enter")
    expect(answer.locator("mark")).to_have_text(FINDING)
    expect(answer.locator(".claim summary .badge")).to_have_text("contradicted")
    expect(visit.page.get_by_role("img", name="grounded_utility: −0.600")).to_be_visible()
    visit.end()


def test_an_evaluation_shows_its_worst_answers_and_the_judge_and_the_metrics_are_explained(plain, tmp_path):
    settings = {**invented_run.SETTINGS, "command": "eval", "split": "dev"}
    text = html(read_run(invented_run.write(tmp_path / "run", settings=settings).path))
    assert "Means with their 95 % intervals" in text
    assert not [each for each in ("regressions", "The page, ") if each in text]  # which it is
    text = html(read_run(plain))
    assert f"† rests on {CHECKER}: of 321 claims" in text
    assert "Supported claims / check-worthy claims" in text


@pytest.mark.slow
def test_long_texts_are_cut(tmp_path):
    long = invented_run.prediction("P3", TURNED, context="Mice were flown. " * 20_000)
    after = {"P3": invented_run.record(invented_run.COMPILED, "P3", long)}
    assert len(html(read_run(invented_run.write(tmp_path / "run", after).path))) < 100_000


def test_the_command_writes_the_page_and_prints_the_text(plain, tmp_path):
    app = typer.Typer()
    app.command()(report)
    ran = CliRunner().invoke(app, [str(plain)])
    assert ran.exit_code == 0
    assert "# An invented run" in ran.stdout
    assert (plain / "report.html").is_file()
    for place in (tmp_path / "report.md", tmp_path / "away" / "report.html"):
        assert isinstance(CliRunner().invoke(app, [str(plain), "--output", str(place)]).exception, UsageError)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["report.html", "report.html.part"])
def test_nothing_is_written_through_a_link(plain, tmp_path, name):
    target = tmp_path / "precious.txt"
    target.write_text("mine")
    (tmp_path / name).symlink_to(target)
    page = tmp_path / "report.html"
    if name == "report.html":
        with pytest.raises(UsageError, match="is a link to"):
            write_page(read_run(plain), page)
    else:
        assert write_page(read_run(plain), page).read_text(encoding="utf-8").startswith("<!")
    assert target.read_text() == "mine"
    assert list(tmp_path.glob(".*.part")) == []
