import random

from metrics.words import words
from optimize.dataset.near_duplicates import near_duplicates, same_papers


def jaccard(one, other):
    first, second = set(words(one)), set(words(other))
    return len(first & second) / len(first | second)


def test_the_short_way_finds_what_comparing_all_pairs_finds():
    rng = random.Random(1)
    texts = [
        (
            rng.choice("ab"),
            " ".join(rng.choices(["bone", "root", "cell", "mass", "heart", "skin"], k=rng.randint(1, 7))),
        )
        for _ in range(120)
    ]
    expected = [
        (first, second)
        for first in range(len(texts))
        for second in range(first + 1, len(texts))
        if texts[first][0] != texts[second][0] and jaccard(texts[first][1], texts[second][1]) >= 0.7
    ]
    assert expected
    assert list(near_duplicates(texts, 0.7)) == expected


def test_the_same_split_may_ask_twice():
    assert list(near_duplicates([("train", "How much bone?"), ("train", "How much bone?")])) == []


def invented(seed, length=400):
    rng = random.Random(seed)
    return " ".join(
        rng.choices(["bone", "root", "cell", "mass", "heart", "skin", "in", "the", "rose", "fell"], k=length)
    )


def test_versions_of_a_paper_are_found_and_others_are_not():
    first, other = invented(1), invented(2)
    version = first[:1200] + " a new middle " + first[1300:] + " Acknowledgements: we thank the crew."
    papers = {"first": first, "other": other, "version": version, "abstract": first[:300], "empty": ""}
    assert set(same_papers(papers)) == {("first", "version"), ("first", "abstract"), ("version", "abstract")}


def test_a_licence_that_many_papers_share_does_not_make_them_one():
    licence = invented(0, 60)
    assert list(same_papers({str(number): f"{licence} {invented(number + 1, 40)}" for number in range(30)})) == []
