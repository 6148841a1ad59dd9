import pytest

from programs.ingest.identifiers import is_web_address


@pytest.mark.parametrize("text", ["https://x.org/1.jpg", "http://x", "HTTPS://x.org/a%20b?c=d#e", "https://[::1]:8/x"])
def test_addresses_of_the_web(text):
    assert is_web_address(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "fig1.jpg",
        "//x.org/1.jpg",
        "https:",
        "https:///1.jpg",
        "javascript:alert(1)",
        "java\nscript:alert(1)",
        "data:image/png;base64,AA",
        "ftp://x.org/1.jpg",
        "https://x.org/1.jpg onerror=alert(1)",
        "https://x.org/\n1.jpg",
        "https://x.org/\u202egpj.1",
        "https://[::1/x",
    ],
)
def test_whatever_else(text):
    assert not is_web_address(text)
