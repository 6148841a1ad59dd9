import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from programs.errors import UsageError
from programs.retrieval.query_expansion import TagDictionary, TagEntry, expand, term_key

BUNDLED = TagDictionary.load()
SMALL = TagDictionary(
    (
        TagEntry("rat", "organisms", ("rat", "Rattus norvegicus", "rodent")),
        TagEntry("mouse", "organisms", ("mouse", "mice", "rodent")),
        TagEntry("ISS", "missions", ("ISS", "International Space Station")),
        TagEntry("LEO", "missions", ("LEO", "low Earth orbit")),
        TagEntry("zero gravity", "exposure", ("zero gravity", "weightlessness", "μg")),
        TagEntry("RNA-seq", "methods", ("RNA-seq", "transcriptomics")),
        TagEntry("space shuttle", "missions", ("space shuttle", "orbiter")),
        TagEntry("shuttle", "molecular terms", ("shuttle", "transporter")),
        TagEntry("worm", "organisms", ("C. elegans", "nematode")),
        TagEntry("DNA", "molecular terms", ("DNA", "deoxyribonucleic acid")),
        TagEntry("dementia", "phenomena", ("Alzheimer's disease", "dementia")),
        TagEntry("biopsy", "methods", ("biopsy", "tissue sample")),
        TagEntry("c++ (a|b)* [x", "methods", ("c++ (a|b)* [x", "compiler")),
    ),
    any_case=frozenset(["DNA"]),
)
SEED = {
    "missions": ["ISS", "LEO", "Space Shuttle", "Ground Control"],
    "exposure": ["Microgravity", "Radiation", "Spaceflight"],
    "organisms": ["Mouse", "Rat", "Arabidopsis", "Drosophila", "C. elegans", "Human"],
    "systems": ["Immune", "Bone", "Muscle", "Cardiovascular", "Neural", "Metabolic"],
    "methods": ["RNA-seq", "Proteomics", "Genomics", "Microscopy", "PCR"],
    "phenomena": ["Gene Expression", "DNA Damage", "Apoptosis", "Inflammation"],
    "databases": ["OSDR", "GLDS", "Taskbook", "LSL"],
    "molecular terms": ["Protein", "DNA", "RNA", "Pathway"],
}


def matched(question):
    return list(expand(question, SMALL).matched)


MATCHED = {
    "none inside a word": {each: [] for each in ("a ratio", "tissue", "rational", "separate", "leopard", "rat\u0301s")},
    "inflections, hyphens and spaces make no difference": {
        **{each: ["rat"] for each in ("three rats", "the rat's tail", "the rats' tails", "RAT")},
        **{each: ["zero gravity"] for each in ("zero-gravity", "Zero – gravity", "zerogravity")},
        "growth at \u00b5g": ["zero gravity"],  # the micro sign, where the entry has the Greek letter
        "biopsies": ["biopsy"],
        **{each: ["RNA-seq"] for each in ("RNAseq", "rna seq")},
        **{each: ["worm"] for each in ("C.elegans", "c elegans")},
        **{each: ["dementia"] for each in ("Alzheimer’s disease", "Alzheimer disease")},
    },
    "what parts two words elsewhere parts a term": {
        each: [] for each in ("zero; gravity", "Bone is zero. Gravity is not", "low (Earth) orbit")
    },
    "capitals are read in capitals unless the dictionary says otherwise": {
        "in LEO": ["LEO"],
        "a leo": [],
        "Leo the lion": [],
        "two LEOs": ["LEO"],
        "dna": ["DNA"],
        "iss": [],
    },
    "a short term after a number is a unit": {"10 μg of protein": []},
    "the longest term is found alone": {
        "the space shuttle and a shuttle": ["space shuttle", "shuttle"],
        "the space shuttle": ["space shuttle"],
    },
    "a term of signs is not a pattern": {
        "aaab x": [],
        "c++ (a|b)* [x": [],  # brackets part words, in a dictionary as in a question
    },
}


@pytest.mark.parametrize("rule", MATCHED)
def test_which_terms_are_found(rule):
    assert {question: matched(question) for question in MATCHED[rule]} == MATCHED[rule]


@pytest.mark.parametrize(
    ("question", "matched", "added"),
    [
        ("Do rats lose bone?", ("rat",), ("Rattus norvegicus", "rodent")),
        ("rodents", ("rat", "mouse"), ("rat", "mouse", "Rattus norvegicus", "mice")),
        (
            "zero gravity in rats",
            ("zero gravity", "rat"),
            ("weightlessness", "Rattus norvegicus", "μg", "rodent"),
        ),
        (
            "zero gravity in rats, nematodes, biopsies and dementia of DNA",
            ("zero gravity", "rat", "worm", "biopsy", "dementia", "DNA"),
            (
                *("weightlessness", "Rattus norvegicus", "C. elegans"),
                *("tissue sample", "Alzheimer's disease", "deoxyribonucleic acid"),
            ),
        ),
        ("a lion", (), ()),
    ],
)
def test_entries_come_in_the_order_of_the_question_and_take_turns_in_adding_two_terms_each(question, matched, added):
    expansion = expand(question, SMALL)
    assert (expansion.matched, expansion.added) == (matched, added)
    assert expansion.query == " ".join([question, *added])


@given(st.sampled_from(["rat", "mouse", "ISS", "DNA", "shuttle"]), st.text(string.ascii_letters, min_size=1))
def test_letters_before_a_term_hide_it(term, letters):
    assert term not in expand(f"{letters}{term}", SMALL).matched or term_key(f"{letters}{term}") == term_key(term)


@given(st.lists(st.sampled_from([term for entry in BUNDLED.entries for term in entry.terms]), max_size=6))
def test_what_is_added_is_new_and_comes_once(terms):
    question = ", ".join(terms)
    keys = [term_key(term) for term in expand(question, BUNDLED).added]
    assert len(keys) == len(set(keys))
    found = {key for key, _ in BUNDLED.find(question)}
    assert found.isdisjoint(keys)


@given(st.text(), st.text(min_size=1))
@settings(max_examples=30)
def test_any_text_and_any_term_is_data(question, term):
    dictionary = TagDictionary((*SMALL.entries, TagEntry("odd", "methods", (term, "something else again"))))
    assert expand(question, dictionary).query.startswith(question)


def test_the_bundled_dictionary_has_the_names_of_the_seed():
    assert {entry.category for entry in BUNDLED.entries} == set(SEED)
    names = {(entry.category, entry.name.casefold()) for entry in BUNDLED.entries}
    assert [
        (group, name) for group, listed in SEED.items() for name in listed if (group, name.casefold()) not in names
    ] == []
    assert len(BUNDLED.entries) >= 110
    assert len({term for entry in BUNDLED.entries for term in entry.terms}) >= 450


def test_the_bundled_dictionary_reads_every_term_it_lists():
    missing = [
        (entry.name, term)
        for entry in BUNDLED.entries
        for term in entry.terms
        if entry.name not in expand(f"the {term}", BUNDLED).matched
    ]
    assert missing == []


def test_the_seeds_example():
    expansion = expand("How does microgravity affect mouse bone?", BUNDLED)
    assert expansion.matched == ("microgravity", "mouse", "bone")
    assert {"weightlessness", "mice", "Mus musculus", "skeletal"} <= set(expansion.added)


@pytest.mark.parametrize(
    "question",
    [
        "The ratio was 10 μg per ml of leachate.",
        "Is the root cause of irritation in tissue known?",
        "miR-21 helps leo aids",
        "Patients aged 18 drank water.",
    ],
)
def test_the_bundled_dictionary_finds_nothing_in_words_that_mean_something_else(question):
    assert expand(question, BUNDLED).matched == ()


def write(tmp_path, text):
    path = tmp_path / "tags.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_users_file_takes_the_place_of_the_bundled_one_or_extends_it(tmp_path):
    text = "any_case: [QTL]\norganisms:\n  mouse: [mouse, C57BL/6]\nsoils:\n  loess: [loess, QTL]\n"
    alone, extending = (TagDictionary.load(write(tmp_path, each)) for each in (text, f"extends: default\n{text}"))
    assert alone.entries[1:] == (TagEntry("loess", "soils", ("loess", "QTL")),)
    assert len(extending.entries) == len(BUNDLED.entries) + 1
    for dictionary, matched in ((alone, ("loess",)), (extending, ("DNA", "loess"))):
        assert expand("a mouse on loess", dictionary).added == ("C57BL/6", "QTL")
        assert expand("dna and qtl", dictionary).matched == matched


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no categories"),
        ("- a\n", "no categories"),
        ("a: [b\n", "not YAML"),
        ("extends: mine\n", "'mine'.*extends: default"),
        ("{}", "no entries"),
        ("soils: [loess]\n", r"soils is \['loess'\]"),
        ("soils:\n  loess: silt\n", "loess is 'silt': .*list.*write `category:`"),
        ("soils:\n  loess: []\n", r"loess is \[\]: .*at least 1 item"),
        ("soils:\n  loess: [no]\n", "loess.0 is False: .*quotes"),
        ("soils:\n  1: [silt]\n", "soils.1.* is 1: .*quotes"),
        ("any_case: DNA\nsoils:\n  loess: [silt]\n", "any_case is 'DNA'"),
    ],
)
def test_a_file_that_is_wrong_is_refused_with_its_name_and_entry(tmp_path, text, message):
    path = write(tmp_path, text)
    with pytest.raises(UsageError, match=message) as caught:
        TagDictionary.load(path)
    assert str(path) in str(caught.value)


def test_a_file_that_is_not_there_or_not_text_is_refused(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        TagDictionary.load(tmp_path / "none.yaml")
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="not YAML"):
        TagDictionary.load(tmp_path / "bytes.yaml")
