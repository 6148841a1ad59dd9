"""Addresses of the images of an article."""

from __future__ import annotations

from collections.abc import Iterator

from programs.ingest.xml_parsing import Element, descendants, href

_IMAGE_ENDINGS = (".jpg", ".jpeg", ".png", ".gif", ".svg", ".webp")
_PRINT_ENDINGS = (".tif", ".tiff", ".eps")


def image_urls(element: Element, pmcid: str) -> tuple[str, ...]:
    """Where the images inside a figure or table can be seen, each once, in order.

    PubMed Central shows the images of its articles as JPEG under a fixed address, whatever form the publisher sent.
    Without a PMCID the names stay as the file gives them.
    """
    return tuple(dict.fromkeys(_addresses(element, pmcid)))


def _addresses(element: Element, pmcid: str) -> Iterator[str]:
    for graphic in descendants(element, "graphic"):
        target = href(graphic)
        if not target or "://" in target or not pmcid:
            yield from filter(None, (target,))
        else:
            yield f"https://www.ncbi.nlm.nih.gov/pmc/articles/{pmcid}/bin/{_as_jpeg(target)}"


def _as_jpeg(file_name: str) -> str:
    lower = file_name.lower()
    if lower.endswith(_IMAGE_ENDINGS):
        return file_name
    stem = file_name.rpartition(".")[0] if lower.endswith(_PRINT_ENDINGS) else file_name
    return f"{stem}.jpg"
