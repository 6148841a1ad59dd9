"""Where a paper was published: a few publishers count for more."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from metrics.support.word_list import words

DOMAIN_BOOSTS: Mapping[str, float] = {
    "nasa.gov": 0.07,
    "nature.com": 0.06,
    "science.org": 0.06,
    "nih.gov": 0.05,
    "cell.com": 0.05,
    "plos.org": 0.04,
}
LARGEST = max(DOMAIN_BOOSTS.values())

_CELL_PRESS = words(
    "ccell cell cels chembiol chom cmet crmeth cub celrep devcel immuni isci joule matt medj molcel neuron stem stemcr "
    "xcrm xcrp xgen xpro"
)

DOI_PREFIXES: Mapping[str, str] = {
    "10.1038/": "nature.com",
    "10.1126/": "science.org",
    "10.1371/": "plos.org",
    "10.1289/": "nih.gov",  # Environmental Health Perspectives, by an institute of the NIH
    "10.26030/": "nasa.gov",  # GeneLab data sets
    # Cell Press shares Elsevier's prefix; its journals are told by their codes.
    **{f"10.1016/j.{journal}.": "cell.com" for journal in _CELL_PRESS},
}
"""How a DOI starts, and who publishes under it."""

JOURNALS: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "communications biology",
            "communications medicine",
            "nature",
            "nature aging",
            "nature biotechnology",
            "nature cell biology",
            "nature communications",
            "nature genetics",
            "nature immunology",
            "nature medicine",
            "nature metabolism",
            "nature methods",
            "nature microbiology",
            "nature neuroscience",
            "nature plants",
            "npj microgravity",
            "scientific data",
            "scientific reports",
        ),
        "nature.com",
    ),
    **dict.fromkeys(
        (
            "science",
            "science advances",
            "science immunology",
            "science signaling",
            "science translational medicine",
        ),
        "science.org",
    ),
    **dict.fromkeys(
        (
            "cancer cell",
            "cell",
            "cell host & microbe",
            "cell metabolism",
            "cell reports",
            "cell reports medicine",
            "cell stem cell",
            "current biology",
            "developmental cell",
            "immunity",
            "iscience",
            "molecular cell",
            "neuron",
        ),
        "cell.com",
    ),
    **dict.fromkeys(
        (
            "plos biology",
            "plos computational biology",
            "plos genetics",
            "plos medicine",
            "plos neglected tropical diseases",
            "plos one",
            "plos pathogens",
        ),
        "plos.org",
    ),
    "environmental health perspectives": "nih.gov",
}
"""Names of journals in lower case; whole names, for "Nature Conservation" is not of nature.com."""

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_RESOLVER = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)
_PMCID = re.compile(r"PMC[0-9]+", re.IGNORECASE)


def authority(url: str = "", doi: str = "", journal: str = "", pmcid: str = "", *, raw: bool = False) -> float:
    """The largest boost of the domains that a paper's address, DOI, journal and PMCID lead to.

    Args:
        url: The paper's address. Its host must be the domain or lie under it: "www.nature.com", not "notnature.com".
        doi: With or without a resolver's address.
        journal: Its full name.
        pmcid: In PubMed Central, whose address it leads to where the paper's source gave none; or empty.
        raw: Give the boost as the table has it, not as a share of the largest.
    """
    boost = max((DOMAIN_BOOSTS[domain] for domain in _domains(url, doi, journal, pmcid)), default=0.0)
    return boost if raw else boost / LARGEST


def _domains(url: str, doi: str, journal: str, pmcid: str) -> Iterator[str]:
    host = _host(url)
    yield from (domain for domain in DOMAIN_BOOSTS if host == domain or host.endswith(f".{domain}"))
    name = _RESOLVER.sub("", doi.strip()).lower()
    yield from (domain for prefix, domain in DOI_PREFIXES.items() if name.startswith(prefix))
    title = " ".join(journal.lower().split())
    if title in JOURNALS:
        yield JOURNALS[title]
    if _PMCID.fullmatch(pmcid.strip()):
        yield "nih.gov"


def _host(url: str) -> str:
    """The host of an address, in lower case; empty for what is none."""
    try:
        return (urlsplit(url if _SCHEME.match(url) else f"//{url}").hostname or "").rstrip(".")
    except ValueError:
        return ""
