"""Which addresses of a paper may become links and images on a page: those of the web, and no others.

``javascript:`` runs, ``data:`` carries unchecked content, ``file:`` and names without a place lead into the
reader's own machine.
"""

from __future__ import annotations

from urllib.parse import urlsplit


def is_web_address(text: str) -> bool:
    """Whether a text is an http or https address with a host, and without white space or control characters."""
    if not text.isprintable() or " " in text:
        return False
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:  # brackets that close no IPv6 address
        return False
