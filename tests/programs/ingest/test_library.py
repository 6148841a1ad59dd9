"""Libraries of reference managers: a bad entry is named and costs no other one; names, titles and files as meant."""

import json

import pytest

from programs.errors import UsageError
from programs.ingest.library import read_library
from programs.ingest.plain_line import plain_line

pytestmark = pytest.mark.needs("references")

GOOD = "@article{copper,\n  title = {Copper in ducks},\n  author = {Brown, Bob},\n  doi = {10.1000/copper},\n}\n"


def bib(fields, key="zinc"):
    return f"@article{{{key},\n  file = {{zinc.md}},\n  {fields}\n}}\n"


def entries(text, ending=".bib"):
    return [values for _, values in read_library(text, ending).entries]


def zinc(fields):
    """What is said of the paper of an entry with these fields, between two good ones that have to stay."""
    found = read_library(f"{GOOD}{bib(fields)}{GOOD}", ".bib")
    assert [values["title"] for place, values in found.entries if place != "line 6"] == ["Copper in ducks"] * 2
    return next((values for place, values in found.entries if place == "line 6"), None), found.problems


# Entries that are used although something is odd about them.


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ("title = {Zinc}, month = sept,", []),
        ("title = {Zinc}, month = sept # {~} # 3,", []),
        ('title = "Zinc", note = {a}, note = {b}', []),
        ("title = {Zinc}, abstract = {mail ada@x.org\n  and @ home {x}},", []),
        ("title = {Zinc}, title = {Tin},", ["line 6: title is given twice; the first is used"]),
    ],
)
def test_odd_entries_are_used(fields, said):
    values, problems = zinc(fields)
    assert (values["title"], problems) == ("Zinc", said)


def test_strings_are_resolved_and_what_is_none_is_named():
    text = '@string{jp = "J. of Poultry"}\n@STRING(who = {Adams, Ann})\n'
    library = read_library(text + bib("title = {Zinc}, author = WHO, journal = jp, publisher = acme # { B}"), ".bib")
    ((place, values),) = library.entries
    assert (place, values["authors"], values["journal"]) == ("line 3", ["Adams, Ann"], "J. of Poultry")
    assert library.problems == ["line 3: publisher = acme # { B} is not a text or a known @string, and left out"]


@pytest.mark.parametrize("key", ["", "copper", "a b", "müller:2019"])
def test_keys_do_not_matter(key):
    assert len(entries(GOOD + bib("title = {Zinc}", key))) == 2


@pytest.mark.parametrize("between", ["Mail ada@x.org {home}\n", "% @ nobody\n", "Exported by X = {1}, 2026\n\n"])
def test_text_between_entries_is_passed_over(between):
    assert len(read_library(GOOD + between + GOOD, ".bib").entries) == 2


# Entries that cannot be read: each is named with its line, and reading continues at the next entry.


@pytest.mark.parametrize(
    "broken",
    [
        "@article{x,\n  title = {Iron}\n  doi = {10.1000/iron},\n}\n",
        "@article{x,\n  title = {Iron}} in geese},\n  year = 2018,\n}\n",
        '@article{x,\n  title = "Iron in geese,\n}\n',
        "@article{x,\n  title = {C:\\hens\\},\n}\n",
        "@article{x\n  title = {Iron},\n}\n",
        "@article{x,\n  {Iron}\n}\n",
        "@article{x,\n  title = ,\n}\n".replace("= ,", "= {a} {b},"),
        "@string{jp = {a} {b}}\n",
        "@string{jp\n",
    ],
)
def test_an_entry_that_cannot_be_read_is_named_and_costs_no_other_one(broken):
    found = read_library(GOOD + broken + "\n" + GOOD, ".bib")
    assert [values["title"] for _, values in found.entries] == ["Copper in ducks"] * 2
    (problem,) = found.problems
    assert problem.startswith("line 6: ")


def test_a_brace_too_many_behind_an_entry_harms_nothing_and_one_that_loses_fields_is_named():
    assert len(entries("@article{x, title = {Iron}}\n}\n" + GOOD)) == 2
    found = read_library("@article{x,\n  title = {Iron},\n  doi = {10.1/x}},\n  file = {a.pdf},\n}\n" + GOOD, ".bib")
    assert found.problems == ["line 1: it has a brace too many; fields come behind its end"]


def test_a_file_without_an_entry_is_refused():
    with pytest.raises(UsageError, match=r"line 1: .*; export the library again"):
        read_library("@article{x, title = {", ".bib")


# Names.


@pytest.mark.parametrize(
    ("author", "names"),
    [
        ("Adams, Ann AND Brown, Bob And Clark, C.", ["Adams, Ann", "Brown, Bob", "Clark, C."]),
        ("King, Jr, Martin and King, Martin L, Jr.", ["King, Martin, Jr", "King, Martin L, Jr."]),
        ("family=Boronat, given=Philippe, given-i=Ph and Adams, Ann", ["Boronat, Philippe", "Adams, Ann"]),
        ("family=Berg, given=Jan, prefix=van den, useprefix=true", ["van den Berg, Jan"]),
        ('"family={King, Sons}", given={Martin}, suffix=Jr.', ["King, Sons, Martin, Jr."]),
        ("Jan van den Berg and van den Berg, Jan", ["van den Berg, Jan"] * 2),
        ("Ludwig von der {Heide}", ["von der Heide, Ludwig"]),
        (r"{\relax Ph}ilippe, A. and M{\"u}ller, Ann and others", ["Philippe, A.", "Müller, Ann"]),
        (r"{NASA GeneLab} and {\'E}mile \v{C}apek", ["NASA GeneLab", "Čapek, Émile"]),
        ("Adams, Ann and et al.", ["Adams, Ann"]),
        ("{Barnes and Noble}  and\n  Plato", ["Barnes and Noble", "Plato"]),
        ("Adams, MD", ["Adams, MD"]),
        ("Ann Adams, Bob Brown, Cy Clark", None),
        ("Adams, Ann, MD, PhD and Brown, Bob, M.D.", ["Adams, Ann", "Brown, Bob"]),
        ("Ann Adams, MD, PhD", ["Adams, Ann"]),
        ("Adams, Ann, Bob Brown", None),
    ],
)
def test_names_and_what_is_more_than_one_is_named_and_not_mixed(author, names):
    values, problems = zinc(f"title = {{Zinc}}, author = {{{author}}}")
    assert values.get("authors") == names
    assert problems == ([] if names else [f"line 6: author {author!r} is not one name, and is left out"])


# Titles.


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (r"Is H$_2$O for \textit{E. coli} at 10\textsuperscript{-3} M", "Is H2O for E. coli at 10^-3 M"),
        (r"{\em In vivo} Ca$^{2+}$ and $\beta$-catenin, \mkbibemph{again}", "In vivo Ca2+ and β-catenin, again"),
        (r"{{C57BL}}/6 {\&} 5\% -- ``good''", "C57BL/6 & 5% – “good”"),
        (r"100 % of $5 and $6 in C57_J", "100 % of $5 and $6 in C57_J"),
        (r"\'{\i}, {\'\i}, \c{c}, {\o}, {\ss}, \r{a}, \~n, \.Z, {\v c}", "í, í, ç, ø, ß, å, ñ, Ż, č"),
        (r"C:\hens\ ", "C:"),
        (r"$1\frac{1}{2}$ doses, 1\nicefrac{1}{2} or 3\sfrac14 doses", "1 1/2 doses, 1 1/2 or 3 1/4 doses"),
        (r"$p<0.05$ for $\ce{H2O}$ and $^{13}$C", "p < 0.05 for H2O and 13C"),
        ("<i>E. coli</i> &amp; more", "E. coli & more"),
    ],
)
def test_latex_in_titles(written, meant):
    assert plain_line(written, is_latex=True) == meant


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("Growth of <i>E. coli</i> at 10<sup>-3</sup> M &amp; more", "Growth of E. coli at 10^-3 M & more"),
        ('<span class="nocase">H<sub>2</sub>O</span> <jats:italic>x</jats:italic>', "H2O x"),
        ("p &lt; 0.05, a<b and c>d, R&D", "p < 0.05, a<b and c>d, R&D"),
        (r"H$_2$O for \textit{E. coli}", "H2O for E. coli"),
        (r"{a} 50 % -- C:\x cost $5", r"{a} 50 % -- C:\x cost $5"),
    ],
)
def test_markup_in_titles_of_other_formats(written, meant):
    (values,) = entries(json.dumps([{"title": written}]), ".json")
    assert values["title"] == meant


# Files.


@pytest.mark.parametrize(
    ("field", "files"),
    [
        (r"zinc\; copper.md:files/9/zinc\; copper.md:text/markdown", ["files/9/zinc; copper.md"]),
        (
            r":home/u/Papers/zinc{\_}2019.pdf:pdf;:home/u/a{\&}b.pdf:pdf",
            ["home/u/Papers/zinc_2019.pdf", "home/u/a&b.pdf"],
        ),
        (r":C$\backslash$:/Users/u/M{\"{u}}ller.pdf:pdf", ["C:/Users/u/Müller.pdf"]),
        (r"Full Text:C\:\\Users\\u\\a.pdf:application/pdf", [r"C:\Users\u\a.pdf"]),
        (r"Full Text:C:\Users\u\new.pdf:application/pdf", [r"\Users\u\new.pdf"]),
        (
            r"main.pdf:files/12/Title\: sub.docx:application/x;Snapshot:files/13/p.html:text/html",
            ["files/12/Title: sub.docx", "files/13/p.html"],
        ),
        ("/home/u/fig.png;/home/u/a.PDF", ["/home/u/a.PDF"]),
        ("https://x.org/a.pdf", None),
    ],
)
def test_attached_files(field, files):
    values, problems = zinc(f"title = {{Zinc}}, file = {{{field}}}")
    assert values["file"][1:] == (files or [])
    assert not problems


# CSL and RIS.


@pytest.mark.parametrize(
    ("issued", "year"),
    [
        ("2019-05", 2019),
        (None, None),
        ({"date-parts": [[None]]}, None),
        ({"date-parts": [["2019", "5"]]}, 2019),
        ({"date-parts": [[2019], [2020]]}, 2019),
        ({"raw": "May 2019"}, 2019),
        ({"literal": "in press"}, None),
        (2019, 2019),
    ],
)
def test_dates_of_csl(issued, year):
    (values,) = entries(json.dumps([{"title": "Zinc", "issued": issued}]), ".json")
    assert values.get("year") == year


@pytest.mark.parametrize(
    ("author", "names"),
    [
        ([{"family": "Berg", "given": "Jan", "non-dropping-particle": "van den"}], ["van den Berg, Jan"]),
        ([{"family": "Humboldt", "given": "Al", "dropping-particle": "von"}], ["Humboldt, Al von"]),
        (
            [{"literal": "NASA"}, {"family": "Plato"}, {"literal": "others"}, "Ann Adams"],
            ["NASA", "Plato", "Ann Adams"],
        ),
        (None, None),
        ([None, {}, {"family": None, "given": "Ann"}], ["Ann"]),
        ("Adams", ["Adams"]),
    ],
)
def test_names_of_csl(author, names):
    (values,) = entries(json.dumps([{"title": "Zinc", "author": author}]), ".json")
    assert values.get("authors") == names


def test_an_item_that_is_none_is_named_and_odd_values_are_text():
    item = {"title": ["Zinc"], "volume": 12, "issue": {"a": 1}, "DOI": None, "page": "1-9", "container-title": "J. B"}
    found = read_library(json.dumps([1, item]), ".json")
    assert found.entries == [("entry 2", {"title": "Zinc", "volume": "12", "pages": "1-9", "journal": "J. B"})]
    assert found.problems == ["entry 1: int instead of an item"]


def test_ris_entries_stay_apart_without_their_ends():
    text = """junk
TY  - JOUR
TI  - Zinc
AU  - Adams, Ann
AU  - NASA GeneLab
T2  - J. Space
PY  - 2019/05
VL  - 12
IS  - 3
SP  - 45
EP  - 52
DO  - 10.1000/a_b
KW  - bone
KW  - muscle
L1  - files/1/a.pdf
L1  - files/2/b.html
TY  - JOUR
T1 - <i>Copper</i>
A1  - Brown, Bob
ER  -
TY  -
"""
    assert entries(text, ".ris")[:2] == [
        {
            "title": "Zinc",
            "authors": ["Adams, Ann", "NASA GeneLab"],
            "year": 2019,
            "journal": "J. Space",
            "volume": "12",
            "issue": "3",
            "pages": "45–52",
            "doi": "10.1000/a_b",
            "tags": ["bone", "muscle"],
            "file": ["files/1/a.pdf", "files/2/b.html"],
        },
        {"title": "Copper", "authors": ["Brown, Bob"]},
    ]
