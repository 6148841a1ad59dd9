"""The check of a section, and what becomes of its text."""

import re

import bibtexparser
import dspy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from programs.lm import LM
from programs.lm.adapters import adapter_for
from programs.paper_writer.concept import Plot
from programs.paper_writer.draft import bibtex, reference
from programs.paper_writer.evidence import CitedPaper, cited_as
from programs.paper_writer.section_text import Cited, as_markdown, bare_section, figures_shown, place, standard
from programs.paper_writer.section_writer import SectionChecking
from programs.proof import CitedAnswer
from tests.programs.paper_writer.writing import evidence
from tests.scripted_lm import Script, correcting

KEY = "(okafor2014)"
FIGURE = "![Bone](bone.png)\n*Figure 1: Bone.*"
PAPER = (
    "Femur density fell by 12 percent in flight mice. Cells of the marrow grew by 3 percent. Hair was lost in males."
)
TRUE = f"Femur density fell by 12 percent in flight mice {KEY}."
FALSE = f"Cells of the marrow grew by 30 percent {KEY}."
LAST = f"Hair was lost in males {KEY}."
TEXT = f"We fed mice.\n\n{TRUE} We saw it. {FALSE}\n\n{FIGURE}\n\n{LAST}"


def section(text=TEXT):
    return CitedAnswer(text, [cited_as(evidence(text=PAPER))])


def checked(text=TEXT, corrected=None, own="", rounds=1):
    """A section after its check by a model that corrects every sentence to this one."""
    script = Script(corrected=corrected or {"corrected": {"text": "", "evidence": [1]}})
    with dspy.context(lm=script.lm(), adapter=dspy.ChatAdapter(use_json_adapter_fallback=False)):
        return SectionChecking()(section(text), "Do mice lose bone?", own, rounds, 1), script


def test_what_its_papers_say_is_proved_by_their_sentences_and_no_model_is_asked():
    found, script = checked(f"{TRUE} {LAST}")
    assert (found.text, found.unsupported_claims, script.calls) == (f"{TRUE} {LAST}", (), [])
    assert [quote for each in found.proofs for _, quote in each.quotes] == [
        "Femur density fell by 12 percent in flight mice.",
        "Hair was lost in males.",
    ]


MORE, LESS = "Cells of the marrow grew by 40 percent.", "Cells of the marrow grew by 3 percent."


@pytest.mark.parametrize(
    ("corrected", "text", "left", "removed"),
    [
        (correcting(LESS), TEXT.replace("30 percent", "3 percent"), [], ()),
        (correcting(MORE), TEXT.replace("30 percent", "40 percent"), [MORE], ()),
        ({"corrected": {"text": "", "evidence": [1]}}, TEXT.replace(f" {FALSE}", ""), [], (FALSE,)),
        ({"corrected": {"text": "Cells grew.", "evidence": []}}, TEXT.replace(f" {FALSE}", ""), [], (FALSE,)),
    ],
    ids=["right", "as wrong", "nothing", "without evidence"],
)
def test_what_they_do_not_say_is_written_once_more_in_its_place_or_taken_out(corrected, text, left, removed):
    found, script = checked(corrected=corrected)
    assert (found.text, [each.claim for each in found.unsupported_claims], found.removed) == (text, left, removed)
    assert [each.claim for each in found.repairs[0].unsupported] == ["Cells of the marrow grew by 30 percent."]
    (call,) = script.calls
    assert call.values["sentence"] == "Cells of the marrow grew by 30 percent."
    assert "We saw it" not in call.user


def test_a_paragraph_whose_only_sentence_is_gone_leaves_no_gap():
    assert checked(f"Before.\n\n{FALSE}\n\nAfter.")[0].text == "Before.\n\nAfter."


def test_sentences_of_the_authors_need_no_proof():
    found, script = checked(own=f"Other.\n{FALSE.replace('Cells', 'cells  ')} More.")
    assert (found.text, found.unsupported_claims, script.calls) == (TEXT, (), [])


def test_without_a_model_what_is_not_proved_is_taken_out():
    lm = LM("extractive")
    with dspy.context(lm=lm, adapter=adapter_for(lm)):
        found = SectionChecking()(section(), "Do mice lose bone?", "", 3, 1)
    assert found.text == TEXT.replace(f" {FALSE}", "")


# What the text of a section becomes: citations in one form, figures once each, and Markdown that does nothing live.

GIVEN = (evidence(), evidence("li2019root", "PMC0000007"))


@pytest.mark.parametrize(
    ("written", "wanted", "unknown"),
    [
        ("Density fell (okafor2014).", "Density fell (okafor2014).", ()),
        ("Density fell [okafor2014].", "Density fell (okafor2014).", ()),
        ("Density fell[okafor2014][li2019root].", "Density fell (okafor2014; li2019root).", ()),
        ("Density fell (okafor2014)(okafor2014).", "Density fell (okafor2014).", ()),
        ("Density fell (okafor2014, li2019root).", "Density fell (okafor2014; li2019root).", ()),
        ("Density fell (see Okafor2014).", "Density fell (okafor2014).", ()),
        ("Density fell (e.g., okafor2014; li2019root).", "Density fell (okafor2014; li2019root).", ()),
        ("Density fell [@okafor2014; @li2019root].", "Density fell (okafor2014; li2019root).", ()),
        (r"Density fell \citep{okafor2014,li2019root}.", "Density fell (okafor2014; li2019root).", ()),
        ("As Okafor2014 showed, it fell.", "As (okafor2014) showed, it fell.", ()),
        ("Density fell [PMC0000007].", "Density fell (li2019root).", ()),
        ("It fell by 4 [1–8] % (n = 12).", "It fell by 4 [1–8] % (n = 12).", ()),
        ("![Alt [1]](bone.png)", "![Alt [1]](bone.png)", ()),
        ("It fell (doe1999ghost).", "It fell.", ("doe1999ghost",)),
        ("It fell (doe1999ghost; li2019root).", "It fell (li2019root).", ("doe1999ghost",)),
        ("It fell (Doe et al., 1999).", "It fell.", ("(Doe et al., 1999)",)),
        ("It fell (Doe and Roe 1999; Poe, 2001b).", "It fell.", ("(Doe and Roe 1999; Poe, 2001b)",)),
        ("It fell [3].", "It fell.", ("3",)),
        ("It fell, as doe1999ghost saw.", "It fell, as saw.", ("doe1999ghost",)),
        (r"It fell \cite{doe1999ghost}.", "It fell.", ("doe1999ghost",)),
        # No empty brackets stay, and no space is lost.
        ("It fell [doe1999ghost, in press].", "It fell [in press].", ("doe1999ghost",)),
        ("It fell [ doe1999ghost ; ] here.", "It fell here.", ("doe1999ghost",)),
        ("It fell [3] here.", "It fell here.", ("3",)),
        ("It fell[3]and rose.", "It fell and rose.", ("3",)),
    ],
)
def test_given_papers_are_cited_one_way_and_what_was_not_given_is_taken_out(written, wanted, unknown):
    assert standard(written, GIVEN) == Cited(wanted, unknown)


BONE_SAID = "“Bone fell as others saw [3] and said (smith2099fake) in mice"


@pytest.mark.parametrize(
    ("given", "written", "wanted"),
    [
        ((), "It fell (okafor2014).", "It fell."),
        # An id may be a word of a sentence; a library's keys keep their capitals; a quotation stays as it is.
        ((evidence("okafor2014", "control"),), "Bone was kept in jumpers (control) and others [control].", ""),
        ((evidence("A10_2019"), evidence("Bone")), "It fell (a10_2019) [Bone].", "It fell (A10_2019; Bone)."),
        ((evidence(text=f"{BONE_SAID[1:]}."),), f"{BONE_SAID}” (okafor2014).", ""),
    ],
)
def test_what_is_cited_depends_on_what_was_given(given, written, wanted):
    assert standard(written, given) == Cited(wanted or written, () if given else ("okafor2014",))


BONE = Plot(file="plots/bone.png", caption="Bone by group.")
ROOT = Plot(file="root tip.png", caption="Roots * by day.", alt="Line [chart]")
FIRST = "![Bone by group.](bone.png)\n*Figure 1: Bone by group.*"
SECOND = "![Line chart](root_tip.png)\n*Figure 2: Roots \\* by day.*"


def test_the_prompt_shows_what_is_to_be_copied():
    assert figures_shown([BONE, ROOT]) == f"{FIRST}\n\n{SECOND}"
    assert figures_shown([Plot(file="a.png", caption="A.", alt="path C:\\")]).startswith("![path C:](a.png)")


PLACED = f"It fell.\n\n{FIRST}\n\nIt grew.\n\n{SECOND}"
SPY = "It fell.\n\n![x](https://example.org/spy.png)\n*Figure 3: Spy.*\n\nIt grew."


@pytest.mark.parametrize(
    ("plots", "written", "wanted", "notes"),
    [
        ([BONE, ROOT], PLACED, PLACED, ()),
        ([BONE, ROOT], "It fell.\n![whatever](bone.png)\nIt grew.\n![](./root_tip.png)", PLACED, ()),
        (
            [BONE, ROOT],
            "It fell.\n\n![x](plots/bone.png)\n*Figure 7: Other.*\n\nIt grew.\n\n![x](<root_tip.png>)\n\n**Fig. 3. Y**",
            PLACED,
            (),
        ),
        ([BONE, ROOT], f"It fell. {FIRST}\n\nIt grew.\n\n{SECOND}\n\n{FIRST}", PLACED, ()),
        ([BONE, ROOT], PLACED.replace("It grew", "*Figure 9: of nothing.*\n\nIt grew"), PLACED, ()),
        (
            [BONE],
            "It fell.",
            f"It fell.\n\n{FIRST}",
            ("Figure 1 (bone.png) was not placed by the model and is at the end",),
        ),
        (
            [],
            SPY,
            "It fell.\n\nIt grew.",
            ("The image spy.png was taken out: it is not a figure of this section",),
        ),
    ],
)
def test_figures_stand_where_the_model_put_them_and_look_alike(plots, written, wanted, notes):
    placed = place(written, plots)
    assert (placed.text, placed.notes) == (wanted, notes)


@pytest.mark.parametrize(
    ("written", "bare"),
    [
        ("It fell.", "It fell."),
        ("## Methods\n\nIt fell.", "It fell."),
        ("**Methods**\nIt fell.", "It fell."),
        ("3. Methods\n\nIt fell.", "It fell."),
        ("```markdown\n# Methods\nIt fell.\n```", "It fell."),
        ("# Mice\n\nIt fell.\n\n#### Rats ##", "### Mice\n\nIt fell.\n\n#### Rats"),
    ],
)
def test_a_section_is_bare_and_subheadings_stand_under_its_heading(written, bare):
    assert bare_section(written, "Methods") == bare


def test_html_and_links_are_printed_and_figures_stay_figures():
    said = as_markdown("<script>x</script> [here](http://e.org) p <0.05\n![Bone](bone.png)")
    assert said == "\\<script>x\\</script> [here]\\(http://e.org) p <0.05\n![Bone](bone.png)"


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


# BibTeX that other programs read, and a list for people.

FULL = CitedPaper(
    paper_id="p1",
    citation_key="vanderberg2024yield",
    title="The {H}_2O yield of 50% & more: $p < 0.05",
    authors=("van der Berg, Jan", "Müller, Jörg", "Rock and Roll Consortium", "王, 伟", "World Health Organization"),
    year=2024,
    journal="J & K",
    doi="10.5555/a.b",
)
BARE = CitedPaper(paper_id="p2", citation_key="p2")


def test_it_is_read_back():
    read = bibtexparser.parse_string(bibtex([FULL, BARE])).entries_dict
    assert set(read) == {"vanderberg2024yield", "p2"}
    entry = read["vanderberg2024yield"]
    assert (entry.entry_type, entry["year"], entry["doi"]) == ("article", "2024", "10.5555/a.b")
    assert entry["author"] == (
        "van der Berg, Jan and Müller, Jörg and {Rock and Roll Consortium} and 王, 伟 and {World Health Organization}"
    )
    assert (read["p2"].entry_type, read["p2"]["title"]) == ("misc", "p2")
    assert bibtex([]) == ""


def test_a_reference_names_what_is_known():
    assert reference(FULL).startswith("van der Berg, Jan et al. (2024). The {H}_2O yield")
    assert reference(FULL).endswith("J & K. https://doi.org/10.5555/a.b")
    assert reference(BARE) == "Anonymous (n.d.). p2"
