"""Addresses of the images of an article."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote

from programs.ingest.web_addresses import is_web_address
from programs.ingest.xml_parsing import Element, descendants, href

_IMAGE_ENDINGS = (".jpg", ".jpeg", ".png", ".gif", ".svg", ".webp")
_PRINT_ENDINGS = (".tif", ".tiff", ".eps")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def image_urls(element: Element, pmcid: str) -> tuple[str, ...]:
    """Where the images inside a figure or table can be seen, each once, in order.

    PubMed Central shows the images of its articles as JPEG under a fixed address, whatever form the publisher sent.
    Without a PMCID the name of a file has no address; what is not a http(s) address is left out.
    """
    return tuple(dict.fromkeys(_addresses(element, pmcid)))


def _addresses(element: Element, pmcid: str) -> Iterator[str]:
    for graphic in descendants(element, "graphic"):
        target = href(graphic)
        if is_web_address(target):
            yield target
        elif target and pmcid and not _SCHEME.match(target):
            yield f"https://www.ncbi.nlm.nih.gov/pmc/articles/{pmcid}/bin/{quote(_as_jpeg(target))}"


def _as_jpeg(file_name: str) -> str:
    lower = file_name.lower()
    if lower.endswith(_IMAGE_ENDINGS):
        return file_name
    stem = file_name.rpartition(".")[0] if lower.endswith(_PRINT_ENDINGS) else file_name
    return f"{stem}.jpg"
