"""Citations in a section: one way of writing, and nothing that is not in the evidence."""

import pytest

from programs.paper_writer.section_text import Cited, standard
from tests.programs.paper_writer.writing import evidence

GIVEN = (evidence(), evidence("li2019root", "PMC0000007"))


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("Density fell (okafor2014bone).", "Density fell (okafor2014bone)."),
        ("Density fell [okafor2014bone].", "Density fell (okafor2014bone)."),
        ("Density fell[okafor2014bone][li2019root].", "Density fell (okafor2014bone; li2019root)."),
        ("Density fell (okafor2014bone)(okafor2014bone).", "Density fell (okafor2014bone)."),
        ("Density fell (okafor2014bone, li2019root).", "Density fell (okafor2014bone; li2019root)."),
        ("Density fell (see Okafor2014Bone).", "Density fell (okafor2014bone)."),
        ("As Okafor2014bone showed, it fell.", "As (okafor2014bone) showed, it fell."),
        ("Density fell (see okafor2014bone).", "Density fell (okafor2014bone)."),
        ("Density fell (e.g., okafor2014bone; li2019root).", "Density fell (okafor2014bone; li2019root)."),
        ("Density fell [@okafor2014bone; @li2019root].", "Density fell (okafor2014bone; li2019root)."),
        (r"Density fell \citep{okafor2014bone,li2019root}.", "Density fell (okafor2014bone; li2019root)."),
        ("As okafor2014bone showed, it fell.", "As (okafor2014bone) showed, it fell."),
        ("Density fell [PMC0000007].", "Density fell (li2019root)."),
        ("It fell by 4 [1–8] % (n = 12).", "It fell by 4 [1–8] % (n = 12)."),
        ("![Alt [1]](bone.png)", "![Alt [1]](bone.png)"),
    ],
)
def test_given_papers_are_cited_one_way(written, wanted):
    cited = standard(written, GIVEN)
    assert (cited.text, cited.unknown) == (wanted, ())


@pytest.mark.parametrize(
    ("written", "wanted", "unknown"),
    [
        ("It fell (doe1999ghost).", "It fell.", ("doe1999ghost",)),
        ("It fell (doe1999ghost; li2019root).", "It fell (li2019root).", ("doe1999ghost",)),
        ("It fell (Doe et al., 1999).", "It fell.", ("(Doe et al., 1999)",)),
        ("It fell (Doe and Roe 1999; Poe, 2001b).", "It fell.", ("(Doe and Roe 1999; Poe, 2001b)",)),
        ("It fell [3].", "It fell.", ("3",)),
        ("It fell, as doe1999ghost saw.", "It fell, as saw.", ("doe1999ghost",)),
        (r"It fell \cite{doe1999ghost}.", "It fell.", ("doe1999ghost",)),
    ],
)
def test_what_was_not_given_is_taken_out_and_named(written, wanted, unknown):
    cited = standard(written, GIVEN)
    assert (cited.text, cited.unknown) == (wanted, unknown)


def test_without_evidence_nothing_can_be_cited():
    assert standard("It fell (okafor2014bone).", ()).text == "It fell."


@pytest.mark.parametrize(
    ("written", "wanted", "unknown"),
    [
        ("It fell [doe1999ghost, in press].", "It fell [in press].", ("doe1999ghost",)),
        ("It fell [ doe1999ghost ; ] here.", "It fell here.", ("doe1999ghost",)),
        ("It fell [3] here.", "It fell here.", ("3",)),
        ("It fell[3]and rose.", "It fell and rose.", ("3",)),
    ],
)
def test_no_empty_brackets_stay_and_no_space_is_lost(written, wanted, unknown):
    cited = standard(written, GIVEN)
    assert (cited.text, cited.unknown) == (wanted, unknown)


def test_a_paper_whose_id_is_a_word_is_not_cited_by_it():
    given = (evidence("okafor2014bone", "control"),)
    text = "Bone was kept in jumpers (control) and others [control]."
    assert standard(text, given) == (Cited(text, ()))


def test_a_quotation_stays_as_the_paper_has_it():
    given = (evidence(text="Bone fell as others saw [3] and said (smith2099fake) in mice."),)
    text = "“Bone fell as others saw [3] and said (smith2099fake) in mice” (okafor2014bone)."
    assert standard(text, given) == Cited(text, ())
