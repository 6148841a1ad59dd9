"""Fetching articles from a server with the faults of real ones; time stands still but for what is slept."""

from __future__ import annotations

import gzip
from pathlib import Path

import httpx
import pytest

from programs.errors import CorroborateError, UsageError
from programs.fetch import fetch_articles, parse_pmcid, read_list
from programs.fetch import server as fetch_server
from programs.fetch.server import ATTEMPTS, ArticleServer, ServerUnavailable, Time
from programs.ingest.formats import read
from tests.loopback import Answer, LoopbackArticles, StandingTime, article

DELAY = 0.5
HTML = b"<!DOCTYPE html><html><body>Please sign in</body></html>"


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def time():
    return StandingTime()


@pytest.fixture
def fetch(tmp_path, time):
    """Fetch PMCIDs from scripted answers; gives the result and the server that was asked."""

    def run(answers, pmcids=None, timeout=300.0):
        clock = Time(time.now, time.sleep, time.jitter)
        with LoopbackArticles(answers) as loopback, ArticleServer(loopback.url, DELAY, timeout, clock) as server:
            return fetch_articles(pmcids or [*answers], tmp_path / "papers", server), loopback

    return run


def files(tmp_path):
    return sorted(path.name for path in (tmp_path / "papers").iterdir())


def test_articles_come_into_the_folder_one_after_the_other_and_can_be_read(fetch, time, tmp_path):
    abstract = b"<abstract><p>Femur density fell.</p></abstract></article-meta></front></article>"
    abstract_alone = article("PMC3").partition(b"</article-meta>")[0] + abstract
    answers = {"PMC1": Answer(article("PMC1")), "PMC2": Answer(article("PMC2")), "PMC3": Answer(abstract_alone)}
    result, loopback = fetch(answers)
    assert (result.fetched, result.failures) == (("PMC1", "PMC2", "PMC3"), ())
    assert files(tmp_path) == ["PMC1.xml", "PMC2.xml", "PMC3.xml"]
    assert (tmp_path / "papers" / "PMC1.xml").read_bytes() == article("PMC1")
    assert read(tmp_path / "papers" / "PMC2.xml").id == "PMC2"
    assert loopback.requests[0].path == "/PMC1/fullTextXML"
    assert loopback.requests[0].headers["user-agent"].startswith("corroborate/")
    assert time.slept == [DELAY, DELAY]


def test_what_is_there_and_whole_is_not_asked_for_again(fetch, tmp_path):
    folder = tmp_path / "papers"
    folder.mkdir()
    present = {"PMC1": article("PMC1"), "PMC2": article("PMC2")[:200], "PMC3": b"", "PMC4": article("PMC4", "")}
    for pmcid, content in present.items():
        (folder / f"{pmcid}.xml").write_bytes(content)
    result, loopback = fetch({pmcid: Answer(article(pmcid)) for pmcid in present})
    assert (result.present, result.fetched) == (("PMC1",), ("PMC2", "PMC3", "PMC4"))
    assert loopback.asked == ["PMC2", "PMC3", "PMC4"]
    assert (folder / "PMC2.xml").read_bytes() == article("PMC2")


WHOLE = article("PMC1")
GARBLED = Answer(b"\x1f\x8b\x08\x00 no gzip at all", headers={"Content-Encoding": "gzip"})
PASSING = {
    "garbled": (GARBLED, [1.0]),
    "cut off": (Answer(WHOLE, cut=True), [1.0]),
    "slow": (Answer(WHOLE, delay=300.0), [1.0]),
    **{f"status {status}": (Answer(status=status), [1.0]) for status in (408, 429, 500, 502, 503, 504)},
    **{
        f"retry after {asked!r}": (Answer(status=429, headers={"Retry-After": asked}), [slept])
        for asked, slept in {"7": 7.0, "0": 1.0, "soon": 1.0, "Thu, 01 Jan 2026 00:00:00 GMT": 1.0}.items()
    },
}


@pytest.mark.parametrize("failure", PASSING)
def test_what_may_pass_is_asked_for_again_later(fetch, time, tmp_path, failure):
    answer, slept = PASSING[failure]
    result, loopback = fetch({"PMC1": [answer, Answer(WHOLE)]}, timeout=1.0 if failure == "slow" else 300.0)
    assert (result.fetched, len(loopback.requests), time.slept) == (("PMC1",), 2, slept)
    assert (tmp_path / "papers" / "PMC1.xml").read_bytes() == WHOLE


def test_attempts_are_bounded_and_others_go_on(fetch, time, tmp_path):
    result, loopback = fetch({"PMC1": Answer(status=500), "PMC2": Answer(article("PMC2")), "PMC3": GARBLED})
    first, last = map(str, result.failures)
    assert first == (
        "PMC1: the server failed (500 Internal Server Error), 5 times in a row; "
        "run the same command again later; it continues from there"
    )
    assert last.startswith("PMC3: what came is compressed, and cannot be unpacked (")
    assert result.fetched == ("PMC2",)
    assert loopback.asked == ["PMC1"] * ATTEMPTS + ["PMC2"] + ["PMC3"] * ATTEMPTS
    assert time.slept[:4] == [1.0, 2.0, 4.0, 8.0]
    assert files(tmp_path) == ["PMC2.xml"]


def test_jitter_spreads_the_attempts(fetch, time, monkeypatch):
    monkeypatch.setattr(StandingTime, "jitter", lambda _: 1.0)
    fetch({"PMC1": Answer(status=500)})
    assert time.slept == [1.5, 3.0, 6.0, 12.0]


def test_a_date_to_retry_after_counts_from_the_servers_own_clock():
    headers = {"Retry-After": "Thu, 01 Jan 2026 00:00:30 GMT", "Date": "Thu, 01 Jan 2026 00:00:00 GMT"}
    assert fetch_server._retry_after(httpx.Response(503, headers=headers)) == 30.0


def test_a_server_that_asks_for_an_hour_is_left_alone(fetch, time):
    answers = {f"PMC{n}": Answer(status=503, headers={"Retry-After": "3600"}) for n in range(1, 6)}
    result, loopback = fetch(answers)
    assert loopback.asked == ["PMC1"]
    assert [failure.pmcid for failure in result.failures] == ["PMC1", "PMC2", "PMC3"]
    assert "asks to be left alone for 3600 s" in str(result.failures[0])
    assert result.not_tried == ("PMC4", "PMC5")
    assert time.slept == []


def test_the_rest_is_not_tried_when_the_server_is_down(tmp_path, time):
    with ArticleServer("http://127.0.0.1:9", time=Time(time.now, time.sleep, time.jitter)) as server:
        result = fetch_articles(["PMC1", "PMC2", "PMC3", "PMC4"], tmp_path, server)
    assert [type(failure) for failure in result.failures] == [ServerUnavailable] * 3
    assert "the connection failed" in str(result.failures[0])
    assert result.not_tried == ("PMC4",)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer(HTML, content_type="text/html"), "a web page came instead of XML"),
        (Answer(HTML), "a web page came instead of XML"),
        (
            Answer(b"<errorBean><message>no</message></errorBean>"),
            "not a JATS article (its root element is <errorBean>)",
        ),
        (Answer(b"<article/>"), "not a JATS article"),
        (Answer(b"<article><front><article-meta/></front></article>"), "an article without text came"),
        (Answer(article("PMC1", " ")), "an article without text came: it has neither abstract nor body"),
        (Answer(article("PMC999")), "another paper came, PMC999"),
        (Answer(article("PMC1")[:200]), "what came cannot be read: not well-formed XML"),
        (Answer(b'<!DOCTYPE a [<!ENTITY b "c">]><article/>'), "declares its own entities"),
        (Answer(b""), "empty (0 bytes"),
        (Answer(status=404), "not in the open-access set (404 Not Found); check the number, or get its PDF from the"),
        (Answer(status=403), "the server refuses it (403 Forbidden)"),
        (Answer(status=204), "the server refuses it (204 No Content)"),
        (Answer(status=302, headers={"Location": "ftp://127.0.0.1/PMC1"}), "redirected from http to 'ftp://127.0.0.1"),
    ],
)
def test_what_cannot_be_the_article_is_refused_and_not_kept(fetch, tmp_path, answer, reason):
    result, loopback = fetch({"PMC1": answer})
    assert reason in str(result.failures[0])
    assert len(loopback.requests) == 1
    assert files(tmp_path) == []


@pytest.mark.parametrize(
    ("limit", "value", "said"),
    [("MAX_BYTES", 2**20, "larger than the limit of 1 MiB for one paper"), ("MAX_SECONDS", -1.0, "not whole after")],
)
def test_a_body_that_is_too_large_unpacked_or_never_ends_is_given_up(fetch, tmp_path, monkeypatch, limit, value, said):
    monkeypatch.setattr(fetch_server, limit, value)
    bomb = gzip.compress(article("PMC1", "bone " * 2**19))
    result, _ = fetch({"PMC1": Answer(bomb, headers={"Content-Encoding": "gzip"})})
    assert said in str(result.failures[0])
    assert files(tmp_path) == []


def test_redirects_are_followed_politely_and_not_for_ever(fetch, time):
    moved = {"PMC1": Answer(status=301, headers={"Location": "/other/PMC1.xml"})}
    result, loopback = fetch({**moved, "/other/PMC1.xml": Answer(article("PMC1"))}, ["PMC1"])
    assert result.fetched == ("PMC1",)
    assert loopback.asked == ["PMC1", "/other/PMC1.xml"]
    assert time.slept == [DELAY]
    result, loopback = fetch({"PMC2": Answer(status=302, headers={"Location": "/PMC2/fullTextXML"})})
    assert "redirected more than 5 times" in str(result.failures[0])
    assert len(loopback.requests) == 6


def test_a_redirect_never_leads_from_https_to_http():
    def moved_to(address):
        request = httpx.Request("GET", "https://articles.example.org/PMC1/fullTextXML")
        return httpx.Response(302, headers={"Location": address}, request=request)

    fetch_server._require_safe(moved_to("https://b.example.org/x"))
    with pytest.raises(fetch_server._Refused, match=r"redirected from https to 'http://b\.example\.org/x'"):
        fetch_server._require_safe(moved_to("http://b.example.org/x"))


def test_an_interruption_keeps_what_is_there_and_leaves_no_part(fetch, tmp_path, monkeypatch):
    real = ArticleServer.download

    def interrupted(self, pmcid, path):
        if pmcid == "PMC2":
            path.write_bytes(b"<article>")
            raise KeyboardInterrupt
        real(self, pmcid, path)

    monkeypatch.setattr(ArticleServer, "download", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fetch({pmcid: Answer(article(pmcid)) for pmcid in ("PMC1", "PMC2")})
    assert files(tmp_path) == ["PMC1.xml"]


def test_a_file_where_the_folder_should_be_is_wrong_usage(tmp_path):
    (tmp_path / "papers").write_text("a file")
    with ArticleServer("http://127.0.0.1:9") as server, pytest.raises(UsageError, match="cannot be a folder"):
        fetch_articles(["PMC1"], tmp_path / "papers", server)


def test_a_place_that_cannot_be_written_ends_the_run(fetch, tmp_path):
    (tmp_path / "papers" / "PMC1.xml").mkdir(parents=True)
    with pytest.raises(CorroborateError, match=r"PMC1\.xml cannot be written \(Is a directory\)"):
        fetch({"PMC1": Answer(article("PMC1"))})


@pytest.mark.parametrize("base", ["", "europepmc.org", "ftp://example.org", "http://", "https://example.org/x?y=1"])
def test_a_base_that_is_no_address_is_wrong_usage(base):
    with pytest.raises(UsageError, match="is not an address of an article server; write it as https://"):
        ArticleServer(base)


@pytest.mark.parametrize(
    "text",
    [
        "2654319",
        "pmc2654319",
        " PMC 2654319 ",
        "PMC2654319.1",
        "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC2654319/",
        "https://europepmc.org/article/PMC/PMC2654319",
    ],
)
def test_a_pmcid_is_known_in_its_spellings(text):
    assert parse_pmcid(text) == "PMC2654319"


@pytest.mark.parametrize("text", ["", "PMC", "abc", "10.1371/x", "PMC12x", "../PMC1", "https://example.org/", "1" * 10])
def test_what_is_no_pmcid_is_wrong_usage(text):
    with pytest.raises(UsageError, match="is not a PMCID; write it as PMC2654319"):
        parse_pmcid(text)


def listed(tmp_path, name, text) -> Path:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return path


LINK = "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC{}/"


REPEATED = f'\ufeffTitle,Link\n"Mice, and PMC99999",{LINK.format(4136787)}\nRoots,{LINK.format(3630201)}\n'


@pytest.mark.parametrize(
    ("name", "text", "pmcids", "without"),
    [
        (
            "SB_publication_PMC.csv",
            f"{REPEATED}Mice again,{LINK.format(4136787)}\n\nNo link,\n",
            ("PMC4136787", "PMC3630201"),
            ("line 6: no PMCID in 'No link, '",),
        ),
        ("a.csv", "file,PMCID\na.md,123\nb.md,pmc456\n", ("PMC123", "PMC456"), ()),
        ("b.tsv", f"Mice\t{LINK.format(789)}\n", ("PMC789",), ()),
        ("list.txt", f"# reviewed\nPMC1\n\n 2\n{LINK.format(345)}\nPMC1\n", ("PMC1", "PMC2", "PMC345"), ()),
    ],
)
def test_lists_name_papers_by_links_columns_and_lines(tmp_path, name, text, pmcids, without):
    found = read_list(listed(tmp_path, name, text))
    assert (found.pmcids, found.without) == (pmcids, without)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("list.txt", "PMC1\nmice\n", r"list\.txt: line 2: 'mice' is not a PMCID"),
        ("list.txt", "# nothing\n", "holds no PMCID; give a column pmcid"),
        ("list.csv", "Title,Link\nMice,\n", "holds no PMCID"),
        ("list.csv", ",\n", "holds no PMCID"),
        ("list.csv", 'Title,Link\n"open', r"list\.csv: line 2: unexpected end of data"),
        ("list.csv", "", "empty"),
    ],
)
def test_a_list_that_names_nothing_is_wrong_usage(tmp_path, name, text, message):
    with pytest.raises(UsageError, match=message):
        read_list(listed(tmp_path, name, text))


def test_a_list_that_is_not_there_is_wrong_usage(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        read_list(tmp_path / "nowhere.csv")
