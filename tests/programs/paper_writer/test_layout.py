"""What stands around a section's text, and what its Markdown may do."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from programs.paper_writer.section_text import as_markdown, bare_section


@pytest.mark.parametrize(
    "written",
    [
        "It fell.",
        "## Methods\n\nIt fell.",
        "**Methods**\nIt fell.",
        "3. Methods\n\nIt fell.",
        "```markdown\n# Methods\nIt fell.\n```",
    ],
)
def test_a_section_is_bare(written):
    assert bare_section(written, "Methods") == "It fell."


def test_subheadings_stand_under_the_sections_heading():
    assert bare_section("# Mice\n\nIt fell.\n\n#### Rats ##", "Methods") == "### Mice\n\nIt fell.\n\n#### Rats"


def test_html_and_links_are_printed():
    assert as_markdown("<script>x</script> [here](http://e.org) p <0.05") == (
        r"\<script>x\</script> [here]\(http://e.org) p <0.05"
    )


def test_figures_stay_figures():
    assert as_markdown("![Bone](bone.png)") == "![Bone](bone.png)"


LIVE = (
    r"\<script>alert(1)</script>",
    r"\\<script>alert(1)</script>",
    r"\\\<img src=http://evil.example/a.png onerror=alert(1)>",
    "[y]: http://evil.example/x.png\n\n![y] [y] [z][y] ![z][y]",
    "![a\nb](\nhttp://evil.example/x.png)",
    r"[here\\](http://evil.example)",
    r"[here\](http://evil.example)",
    "[a\nb](http://evil.example 'x\ny')",
    "<http://evil.example>",
    "![x](<http://evil.example/a b.png>)",
    "> [y]:\n> http://evil.example\n\n[y]",
    "`a` [`b`](http://evil.example)",
)


def live(text):
    """What a browser would act on in rendered Markdown."""
    return re.findall(r"<(?:script|img|a)[ >]", MarkdownIt("commonmark", {"html": True}).render(as_markdown(text)))


@pytest.mark.parametrize("text", LIVE)
def test_nothing_of_a_paper_is_live(text):
    assert live(text) == []


@given(st.lists(st.sampled_from([*"<>[]()!:\\`\n ", "script>", "img src=x>", "http://e.org", "y", "]: ", "](", "\\<"])))
def test_nothing_made_of_marks_is_live(parts):
    assert live("".join(parts)) == []
