"""A result as Markdown: what it lists, and that nothing in it is markup but ours."""

from dataclasses import replace

import pytest

from programs.passages import Passage
from programs.proof import CitedAnswer
from programs.results.finds import nothing_near
from programs.results.rendering import NO_ANSWER, address, as_json, as_markdown, escaped
from programs.results.result import result
from programs.verified import Verified
from signatures.values import UnsupportedClaim
from tests.papers import paper

FELL = "Femur density fell by 12 percent in flight mice."


def passage(name, key="", **known):
    document = paper(name, FELL, **known)
    return Passage.of(document, 9, len(document.text), id=f"{name}::sec0::chunk0", section="results", key=key)


def markdown(answer, passages, claims=(), **more):
    return as_markdown(result("q", Verified(CitedAnswer(answer, passages), tuple(claims)), **more))


def test_sources_are_those_cited_once_each_in_order_with_their_links():
    passages = [
        passage("PMC1", "PMC1", title="Never cited", year=2001),
        passage("PMC2", "PMC2", title="Bone in flight", year=2014),
        passage("smith", "smith", title="No address"),
    ]
    text = markdown(f"{FELL[:-1]} [smith].\n\n- {FELL[:-1]} [PMC2][smith].", passages)
    assert text == (
        "Femur density fell by 12 percent in flight mice [smith].\n\n"
        "- Femur density fell by 12 percent in flight mice [PMC2][smith].\n\n"
        "## Sources\n\n"
        "- [smith] No address\n"
        "- [PMC2] [Bone in flight](https://pmc.ncbi.nlm.nih.gov/articles/PMC2/) (2014)\n"
    )


def test_passages_cited_by_number_are_told_apart_by_their_sections():
    found = [
        replace(passage("PMC1", title="Bone", year=2014), id=f"PMC1::{each}", section=each) for each in ("a", "b*")
    ]
    text = markdown(f"{FELL[:-1]} [2]. {FELL[:-1]} [1].", found)
    link = "[Bone](https://pmc.ncbi.nlm.nih.gov/articles/PMC1/) (2014)"
    assert text.endswith(f"## Sources\n\n- [2] {link}, b\\*\n- [1] {link}, a\n")


def test_a_paper_without_a_pmcid_is_linked_by_doi_or_address():
    one = replace(passage("one", "one"), doi="https://doi.org/10.5555/a(b)<c>")
    two = replace(passage("two", "two"), url="https://example.org/a b)")
    three = replace(passage("three", "three"), url="javascript:alert(1)")
    text = markdown(f"{FELL[:-1]} [one][two][three].", [one, two, three])
    assert "](https://doi.org/10.5555/a%28b%29%3Cc%3E)" in text
    assert "](https://example.org/a%20b%29)" in text
    assert "- [three] three" in text
    assert "javascript" not in text


def test_what_could_not_be_proved_and_what_went_wrong_is_said():
    claims = [UnsupportedClaim(claim="Bone *rose*.", reason="the passage says fell")]
    text = markdown(
        f"{FELL[:-1]} [PMC1].", [passage("PMC1", "PMC1")], claims, notes=["The search continued without rewrites."]
    )
    assert "## Not supported\n\n- Bone \\*rose\\*. (the passage says fell)" in text
    assert text.endswith("## Notes\n\n- The search continued without rewrites.\n")
    assert "## Sources\n\n- [PMC1] " in text


def test_an_abstention_says_so_and_lists_no_sources():
    assert markdown("", [passage("PMC1", "PMC1")]) == f"{NO_ANSWER}\n"


def test_figures_come_with_caption_and_link():
    figure = {
        "id": "fig2",
        "label": "Figure 2",
        "caption": "Paths <b>of</b> mice.",
        "document_id": "PMC1",
        "pmcid": "PMC1",
        "image_urls": ["javascript:alert(1)", "https://example.org/2.jpg"],
        "tileshop": "",
    }
    text = markdown(f"{FELL[:-1]} [PMC1].", [passage("PMC1", "PMC1")], figures=[figure])
    assert "- [**Figure 2, PMC1**](https://example.org/2.jpg) Paths \\<b\\>of\\</b\\> mice." in text
    assert markdown("", [passage("PMC1", "PMC1")], figures=[figure]) == f"{NO_ANSWER}\n"


def test_a_saved_result_reads_the_same():
    made = result("q", Verified(CitedAnswer(f"{FELL[:-1]} [PMC1].", [passage("PMC1", "PMC1")])))
    assert as_markdown(as_json(made)) == as_markdown(made)


@pytest.mark.parametrize(
    "title",
    ["<script>alert(1)</script>", "[free](https://evil.example)", "![x](y)", "`a` **b** _c_", "a\n# b", "&lt;b>"],
)
def test_a_title_is_text(title):
    text = markdown(f"{FELL[:-1]} [k].", [passage("k", "k", title=title)])
    line = text.splitlines()[-1].removeprefix("- [k] ")
    assert line == escaped(title)
    assert "<" not in line.replace("\\<", "")
    assert "[" not in line.replace("\\[", "")


def test_an_answer_is_text_but_for_bullets_and_citations():
    answer = (
        "See <img src=x> [here](https://evil.example) [k](https://evil.example).\n- Bone *fell* [k]: yes.\n"
        "1. Femur density fell by 12 percent in flight mice [k]."
    )
    lines = markdown(answer, [passage("k", "k")]).splitlines()
    assert lines[:3] == [
        "See \\<img src=x\\> \\[here\\](https://evil.example) [k]\\(https://evil.example). (not proved)",
        "- Bone \\*fell\\* [k]\\: yes. (not proved)",
        "1\\. Femur density fell by 12 percent in flight mice [k].",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- a", "\\- a"),
        ("1. a", "1\\. a"),
        ("12) a", "12\\) a"),
        ("1.5 mg", "1.5 mg"),
        ("# a", "\\# a"),
        ("a\nb", "a b"),
    ],
)
def test_no_line_opens_a_list_or_heading(text, expected):
    assert escaped(text) == expected


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "//evil", "http:", "", "http://[::1", "x"])
def test_only_web_addresses_are_linked(url):
    assert address(url) == ""


FOUND = {"lm_calls": 0}


def searched(answer, **known):
    made = as_json(result("q", Verified(CitedAnswer(answer, [replace(passage("PMC1", "PMC1"), **known)]))))
    return as_markdown({**made, "metrics": {**made["metrics"], **FOUND}})


def test_without_a_model_it_is_a_search_that_shows_its_finds():
    known = {"title": "Bone in flight", "year": 2014, "authors": ("Okafor, N", "Lind, A", "Roy, P")}
    assert searched(f"“{FELL[:-1]}” [PMC1].", **known) == (
        "## Nearest in your papers\n\n"
        "**Okafor et al. (2014)** [Bone in flight](https://pmc.ncbi.nlm.nih.gov/articles/PMC1/)\n\n"
        f"- “{FELL}” [PMC1]\n"
    )
    assert searched("") == "No sentence was picked.\n"


def test_a_notebook_shows_each_sentence_with_its_verdict_and_quotes():
    answered = result("q", Verified(CitedAnswer("Femur density fell by 12 percent [PMC1].", [passage("PMC1", "PMC1")])))
    page = answered._repr_html_()
    assert "<strong>supported (" in page
    assert f"<li>“{FELL}”</li>" in page
    assert "Proof" not in as_markdown(answered)


@pytest.mark.parametrize("answer", [f"{FELL[:-1]} [PMC1].", f"“{FELL[:-1]}” [PMC1]. Bone is bone."])
def test_what_somebody_wrote_is_an_answer_all_the_same(answer):
    assert "Nearest" not in searched(answer)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Did the femur density fall in orbit?", "No sentence was picked."),
        ("Do the papers disagree about whether femur density plummeted?", "No sentence was picked."),
        ("What is the melting point of tungsten?", "Nothing near this."),
    ],
)
def test_nothing_is_called_near_only_where_most_of_what_is_sought_is_in_nothing_that_was_read(question, said):
    source = replace(passage("PMC1", "PMC1"), text=FELL)
    values = as_json(result(question, Verified(CitedAnswer("", [source]))))
    assert nothing_near(values) == said
