"""Plain text: what a reader sees of an answer."""

import pytest

from metrics.visible_text import hidden, visible


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("It did n\u200bot fall.", "It did not fall."),
        ("It did n\u00adot\u2060 fall\ufeff.", "It did not fall."),
        ("It \u202edid\u202c fall\u200f.", "It did fall."),
        ("It did \U000e006eot fall\ufe0f\u034f.", "It did ot fall."),
        ("It\x1b[2K fell\x08.\r\nIt rose.\u2028So.", "It[2K fell.\nIt rose.\nSo."),
        ("It ~~did not fall~~ [1].", "It did not fall [1]."),
        ("It <del>fell</del> <span style='display:none'>not</span> [1].", "It fell not [1]."),
        ("<!-- It rose. --> It fell <!-- never", " It fell "),
        ("It fell [1](https://evil.example/proof).", "It fell [1]."),
        ("See [this](javascript:alert(1)) ![x](https://evil.example/x.png).", "See [this](javascript:alert(1)) x."),
        ("n&#111;t &lt;b&gt; &amp;lt;!-- x --&amp;gt; &nbsp;y", "not <b>  \xa0y"),
    ],
)
def test_what_shows_nothing_or_hides_is_taken_out_and_named(text, plain):
    assert visible(text) == plain
    assert visible(plain) == plain
    assert hidden(text)


@pytest.mark.parametrize(
    "text",
    [
        "p < 0.05 and n > 3, 10<sup>5</sup> of *E. coli* [1, 2].\n\n- TNF-α & IL-6\t“so” …",
        "می\u200cخواهم",
        "骨密度は12.4%低下した。",
        "A b̄ ± 3; R&D, AT&T",
        "",
    ],
)
def test_plain_text_stays(text):
    assert visible(text) == text
    assert hidden(text) == []
