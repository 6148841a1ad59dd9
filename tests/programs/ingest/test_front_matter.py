import pytest

from programs.ingest.front_matter import (
    find_doi,
    find_pmcid,
    find_year,
    is_web_address,
    split_authors,
)

FOUND = {
    find_doi: {
        "https://doi.org/10.1371/journal.pone.0001234.": "10.1371/journal.pone.0001234",
        "(doi:10.1016/S0140-6736(05)67394-1)": "10.1016/S0140-6736(05)67394-1",
        "DOI 10.1000/abc; next": "10.1000/abc",
        "version 10.12 of 2019": "",
    },
    find_pmcid: {"PMC265": "PMC265", "smith_pmc1234.v2": "PMC1234", "HPMC 1234": "", "PMC 1234": "PMC1234", "PMC": ""},
    find_year: {
        "Received 3 May 2001. Accepted 7 June 2002. Published: 12 March 2003": 2003,
        "© 2015 Smith et al.": 2015,
        "BMC Medicine 2005, 3:6": 2005,
        "Lancet 2005;366(9493):1267": 2005,
        "Ada Lovelace\n(Dated: 4 March 2018)\nWe counted": 2018,
        "Preprint submitted to Elsevier March 4, 2018": 2018,
        "the first of them in\nMarch 2018, when we": None,
        "we began to count in March 2018.": None,
        "between 1994 and 1997, we followed 2000 people": None,
    },
    split_authors: {
        "John Smith, Jane Doe and Ada M. Lovelace": ("Smith, John", "Doe, Jane", "Lovelace, Ada M."),
        "Smith, John; Doe, Jane": ("Smith, John", "Doe, Jane"),
        "Smith, John": ("Smith, John",),
        "Ludwig van Beethoven & Erwin de la Cruz": ("van Beethoven, Ludwig", "de la Cruz, Erwin"),
        "The Consortium; Plato": ("Consortium, The", "Plato"),
        "(anonymous)": (),
        "": (),
    },
}


@pytest.mark.parametrize("find", FOUND, ids=lambda find: find.__name__)
def test_what_is_found_in_a_text(find):
    assert {text: find(text) for text in FOUND[find]} == FOUND[find]


@pytest.mark.parametrize("text", ["https://x.org/1.jpg", "http://x", "HTTPS://x.org/a%20b?c=d#e", "https://[::1]:8/x"])
def test_addresses_of_the_web(text):
    assert is_web_address(text)


OTHERS = (
    *("", "fig1.jpg", "//x.org/1.jpg", "https:", "https:///1.jpg", "javascript:alert(1)", "java\nscript:alert(1)"),
    *("data:image/png;base64,AA", "ftp://x.org/1.jpg", "https://x.org/1.jpg onerror=alert(1)", "https://x.org/\n1.jpg"),
    *("https://x.org/\u202egpj.1", "https://[::1/x"),
)


@pytest.mark.parametrize("text", OTHERS)
def test_whatever_else(text):
    assert not is_web_address(text)
