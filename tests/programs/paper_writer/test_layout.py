"""What stands around a section's text, and what its Markdown may do."""

import pytest

from programs.paper_writer.layout import as_markdown, bare_section


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
