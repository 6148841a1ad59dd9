"""The page of a run, as a browser shows it: nothing from elsewhere, no text becomes markup, phones need no sideways."""

import json
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
def browser():
    with launched() as found:
        yield found


def shown(browser, file, width=1280):
    visit = Visit(browser, width, 900)
    visit.address = "file://"
    visit.page.goto(file.as_uri())
    return visit


def test_no_text_becomes_markup(page_file):
    text = page_file.read_text()
    assert "<script" not in text
    assert "<img" not in text
    assert text.count("<style>") == text.count("</style>") == 1
    assert "&lt;script&gt;" in text


def test_nothing_steers_the_reader(page_file):
    assert re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", page_file.read_text()) == []
    assert len(page_file.read_text()) < 150_000


def test_in_markdown_no_text_becomes_markup(page_file):
    run = read_run(page_file.parent)
    text = markdown(run.report, run)
    assert re.findall("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text) == []
    lines = [line for line in text.splitlines() if not line.startswith("    ")]  # those are code, and show all as it is
    assert [line for line in lines if re.search(r"(?<!\\)(<script|<img|\[link|\[image|`code|\*\*bold)", line)] == []
    assert [line for line in lines if line.startswith(("# Title", "| x"))] == []
    assert "| few_shot-1-seed0 | 1 | ValueError: \\<script\\>" in text
    assert len(text) < 20_000


def test_nothing_is_loaded(page_file):
    text = page_file.read_text()
    assert re.findall(r"\bsrc=|<link|@import|url\(|<iframe|<object", re.sub(r"&lt;.*?&gt;", "", text)) == []
    assert "default-src 'none'" in text


@pytest.mark.parametrize("width", [1280, 360])
def test_the_page_in_a_browser(browser, page_file, width):
    visit = shown(browser, page_file, width)
    page = visit.page
    expect(page).to_have_title("An invented run")
    expect(page.get_by_role("heading", level=1)).to_have_text("An invented run")
    expect(page.locator(".result strong")).to_have_text("−0.667")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    for each in page.locator("details").all():
        each.evaluate("fold => { fold.open = true }")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate("getComputedStyle(document.body).display") == "block"
    visit.end()


def test_a_claim_opens_with_a_click_and_shows_the_quote(browser, tmp_path):
    visit = shown(browser, write_page(read_run(invented_run.write(tmp_path / "run").path)))
    case = visit.page.locator(".case").first
    expect(case).to_contain_text("−1.000")
    answer = case.locator(".answer.after")
    expect(answer.locator("mark")).to_be_hidden()
    answer.locator(".claim summary").click()
    expect(answer.locator("mark")).to_have_text(FINDING)
    expect(answer.locator(".claim summary .badge")).to_have_text("contradicted")
    expect(visit.page.get_by_role("img", name="grounded_utility").first).to_be_visible()
    visit.end()


def test_a_browser_in_the_dark_gets_a_dark_page(browser, page_file):
    visit, grounds = shown(browser, page_file), []
    for scheme in ("light", "dark"):
        visit.page.emulate_media(color_scheme=scheme)
        grounds.append(visit.page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert grounds == ["rgb(250, 248, 244)", "rgb(20, 23, 22)"]
    visit.end()


def test_every_shape_of_a_drawing_is_drawn(tmp_path):
    text = html(read_run(invented_run.write(tmp_path / "run").path))
    lines = [f'<line class="{kind}' for kind in ("whisker", "grid", "zero")]
    assert [mark for mark in (*lines, "<polyline", "<circle", "<rect", "<text") if mark not in text] == []


def test_an_evaluation_shows_its_worst_answers(tmp_path):
    settings = {**invented_run.SETTINGS, "command": "eval", "split": "dev"}
    text = html(read_run(invented_run.write(tmp_path / "run", settings=settings).path))
    assert "The worst answers" in text
    assert "regressions" not in text


def test_the_judge_and_the_metrics_are_explained(tmp_path):
    text = html(read_run(invented_run.write(tmp_path / "run").path))
    assert f"† rests on {CHECKER}: of 321 claims" in text
    assert "Supported claims / check-worthy claims" in text


def test_a_claim_is_opened_by_keyboard(browser, tmp_path):
    visit = shown(browser, write_page(read_run(invented_run.write(tmp_path / "run").path)))
    claim = visit.page.locator(".case").first.locator(".answer.after .claim")
    claim.locator("summary").focus()
    visit.page.keyboard.press("Enter")
    expect(claim.locator("mark")).to_be_visible()
    visit.end()


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


# Links in the page's place, and a run that was changed


@pytest.mark.parametrize("name", ["report.html", "report.html.part"])
def test_nothing_is_written_through_a_link(tmp_path, name):
    run = invented_run.write(tmp_path / "run")
    target = tmp_path / "precious.txt"
    target.write_text("mine")
    (run.path / name).symlink_to(target)
    if name == "report.html":
        with pytest.raises(UsageError, match="is a link to"):
            write_page(read_run(run.path))
    else:
        assert write_page(read_run(run.path)).read_text(encoding="utf-8").startswith("<!")
    assert target.read_text() == "mine"
    assert [each.name for each in run.path.glob(".*.part")] == []


def changed(line, name, value):
    """A line in which it, or a passage or citation of its prediction, has another value under a name, or none."""
    values = json.loads(line)
    prediction = values.get("prediction", {})
    for holder in (values, *prediction.get("passages", ()), *prediction.get("citations", ())):
        if name in holder:
            holder[name] = value
            if value is None:
                del holder[name]
    return json.dumps(values)


@pytest.mark.parametrize(
    ("file", "name", "value"),
    [
        *(("predictions.jsonl", name, None) for name in ("text", "document_id", "start", "marker", "verdict")),
        ("predictions.jsonl", "scores", {"sim": "x"}),
        ("predictions.jsonl", "passage", "y::9"),
        ("predictions.jsonl", "candidate", []),
        ("scores.jsonl", "value", "x"),
        ("scores.jsonl", "metric", []),
        ("predictions.jsonl", "title", "half a character \ud800"),
        ("judgements.jsonl", "key", []),
        ("questions.jsonl", "document_ids", 7),
    ],
)
def test_a_changed_file_is_named_with_its_line(tmp_path, file, name, value):
    path = invented_run.write(tmp_path / "run").path / file
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([changed(lines[0], name, value), *lines[1:]]) + "\n", encoding="utf-8")
    with pytest.raises(UsageError, match=rf"{file}:1 (was changed|has no)"):
        read_run(tmp_path / "run").values("uncompiled", "grounded_utility")


def test_a_judgement_with_a_name_of_its_own_is_named(tmp_path):
    path = invented_run.write(tmp_path / "run").path / "judgements.jsonl"
    line, *rest = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join([json.dumps({**json.loads(line), "more": 1}) + "\n", *rest]), encoding="utf-8")
    with pytest.raises(UsageError, match=r"judgements.jsonl:1 was changed"):
        read_run(tmp_path / "run")


@pytest.mark.parametrize(
    ("file", "was", "is_now", "said"),
    [
        ("manifest.json", '{"test": "h1"}', "1", "splits are not an object of texts"),
        ("manifest.json", '"command": "compile", "split"', '"command": 1, "spilt"', "names no split"),
        ("report.json", '"metric": "answerability"', '"metric": "beauty"', "there is no metric 'beauty'"),
        ("report.json", '"metric": "grounded_utility"', '"metric": "answerability"', "'grounded_utility' has no row"),
        (f"candidates/{invented_run.COMPILED}.json", '"parameters": {', '"parameters": "", "rest": {', "not a comp"),
        (f"candidates/{invented_run.COMPILED}.json", '"w_sim": 0.36', '"w_sim": "much"', "must be a finite number"),
    ],
)
def test_changed_documents_of_a_run_are_named(tmp_path, file, was, is_now, said):
    path = invented_run.write(tmp_path / "run").path / file
    text = json.dumps(json.loads(path.read_text(encoding="utf-8")))
    assert was in text
    path.write_text(text.replace(was, is_now), encoding="utf-8")
    with pytest.raises(UsageError, match=said):
        write_page(read_run(tmp_path / "run"), tmp_path / "report.html")


def test_a_report_on_three_programs_is_refused(tmp_path):
    path = invented_run.write(tmp_path / "run").path / "report.json"
    report = json.loads(path.read_text(encoding="utf-8"))
    report["aggregates"]["third"] = next(iter(report["aggregates"].values()))
    path.write_text(json.dumps(report), encoding="utf-8")
    with pytest.raises(UsageError, match="on 3 programs, not on one or two"):
        read_run(tmp_path / "run")


def test_an_answer_that_is_missing_is_named(tmp_path):
    path = invented_run.write(tmp_path / "run").path / "predictions.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(lines[1:]) + "\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"predictions.jsonl has no answer of uncompiled to P1-a"):
        read_run(tmp_path / "run")
