"""Text is repaired as the rest of the document tells: characters, lines, running heads, converted Markdown."""

import pytest

from programs.ingest.text_repair import (
    clean_markdown,
    is_cyrillic,
    is_page_number,
    join_lines,
    margin_key,
    repair_characters,
    running_lines,
    sign_for_th,
    vocabulary,
    with_cyrillic,
    with_th,
)
from tests.programs.ingest.test_readability import LANGUAGES


@pytest.mark.parametrize(
    ("printed", "cleaned"),
    [
        ("ﬁnal ﬂuﬀy oﬃce aﬄict", "final fluffy office afflict"),
        ("5\u00a0mg and 6\u202fmg", "5 mg and 6 mg"),
        ("popu\u00adlation", "population"),
        ("cafe\u0301", "café"),
        ("a\x00b\x07c\td", "abc\td"),
        ("page one\fpage two", "page one\npage two"),
        ("𝑛 = 3, 5 𝜇g/ml", "n = 3, 5 μg/ml"),
        ("at 5 ◦C and 90∘, a ◦ b", "at 5 °C and 90°, a ◦ b"),
    ],
)
def test_characters_are_mended(printed, cleaned):
    assert repair_characters(printed) == cleaned


def test_soft_hyphen_at_the_end_of_a_line_is_kept_for_joining():
    assert join_lines(repair_characters("popu\u00ad\nlation").split("\n"), {}) == "population"


@pytest.mark.parametrize(
    ("lines", "elsewhere", "joined"),
    [
        (["the popu-", "lation grew"], "", "the population grew"),
        (["the popu-", "lation grew"], "a population", "the population grew"),
        (["a stress-", "induced gene"], "stress induced it", "a stress-induced gene"),
        (["a heat-", "shock gene"], "every heat-shock protein", "a heat-shock gene"),
        (["under-", "standing it"], "under their standing, understanding helps", "understanding it"),
        (["of IGF-", "1 in"], "", "of IGF-1 in"),
        (["of 20–", "110 nm"], "", "of 20–110 nm"),
        (["strains –", "all of them"], "", "strains – all of them"),
        (["by Kaplan-", "Meier plots"], "", "by Kaplan-Meier plots"),
        (["HPV-", "positive"], "", "HPV-positive"),
        (["pre-", "and post-treatment"], "", "pre- and post-treatment"),
        (["intention-to-", "treat analysis"], "", "intention-to-treat analysis"),
        (["non-", "vascular death"], "", "non-vascular death"),
        (["one line", "  and the next "], "", "one line and the next"),
        (["a dash -", "then text"], "", "a dash - then text"),
        (["", "  ", "alone"], "", "alone"),
    ],
)
def test_lines_are_joined_by_what_the_document_tells(lines, elsewhere, joined):
    assert join_lines(lines, vocabulary([elsewhere, *lines])) == joined


def test_halves_of_broken_words_are_no_evidence():
    words = vocabulary(["a whole popu-", "lation of cells"])
    assert "whole" in words
    assert "cells" in words
    assert not {"popu", "lation"} & words.keys()


def test_page_numbers_are_known_from_other_short_lines():
    lines = ["12", " 7 ", "- 12 -", "Page 3 of 9", "p. 4", "xiv", "[5]", "3/10"]
    others = ["", "12 mice", "Figure 3", "20,536", "3.5", "mixed"]
    assert [line for line in (*lines, *others) if is_page_number(line)] == lines


@pytest.mark.parametrize(
    ("margins", "running"),
    [
        (  # of odd and of even pages
            [["Title"], ["Smith et al.", "2"], ["J Cold 2019, 3:4", "3"], ["Smith et al.", "4"], ["J Cold 2019, 3:45"]],
            {"smith et al.", margin_key("J  Cold 2019, 3:4"), "#"},
        ),
        ([["Methods"], ["Results"]], frozenset()),
        ([["Same", "Same"]], frozenset()),
        ([["Table 1"], ["Table 2"], ["Table 3"]], frozenset()),  # captions
    ],
)
def test_running_heads_are_lines_of_several_pages(margins, running):
    assert running_lines(margins) == running


LOST = ["*e doses were low. *is trend was seen twice.", "*e levels fell.", "*ese authors agree (*p < 0.05)."]


def test_the_sign_is_found_and_replaced_only_before_letters():
    assert sign_for_th(LOST) == "*"
    assert with_th("*e dose (5* and ** ) of *eobroma", "*") == "The dose (5* and ** ) of Theobroma"


@pytest.mark.parametrize(
    "texts",
    [
        ["The doses were low.", "This trend.", "*e *is stood in a footnote of these tables."],
        ["*p < 0.05, *e and *is", "*values *means *groups *data"],
        ["(e) and (is) and “at” and -en"],
        ["*e alone says nothing. *e."],
        [],
    ],
)
def test_marks_are_no_ligatures(texts):
    sign = sign_for_th(texts)
    assert sign == ""
    assert with_th("*e dose", sign) == "*e dose"


FENCED = "```\npopu-\nlation ﬁ\n```\n\n$$\na-\nb ﬁ\n$$\n\nEnd"


@pytest.mark.parametrize(
    ("source", "cleaned"),
    [
        (f"The popu-\nlation is of ﬁve.\n\n{FENCED}", f"The population is of five.\n\n{FENCED}"),
        ("One.\n\n12\n\nTwo\n12\nthree.\n\nPage 2 of 9\n", "One.\n\n\nTwo\n12\nthree.\n\n"),
        ("a<!-- page\n2 -->b", "ab"),
        ("```\n<!-- kept -->\n```", "\n```\n<!-- kept -->\n```\n"),
        ("a\n```\npopu-\nlation", "a\n```\npopu-\nlation"),
    ],
    ids=["broken words in text only", "page numbers", "comments", "comment marks in code", "an open fence"],
)
def test_what_converters_left_in_markdown_is_taken_out(source, cleaned):
    assert clean_markdown(source) == cleaned


UKRAINIAN = """Клітини тримали за чотирьох градусів у середовищі, яке міняли раз на тиждень, і їхню кількість рахували
щодня. На початку дослідження між групами не було відмінностей. Через десять тижнів більшість клітин загинула."""


@pytest.mark.parametrize("text", [LANGUAGES["ru"], UKRAINIAN, f"Summary: 40 hens × 3. {LANGUAGES['ru']}"])
def test_windows_1251_shown_as_latin_is_cyrillic(text):
    shown = text.encode("cp1251", "replace").decode("cp1252") if "×" not in text else ""
    if not shown:
        head, _, tail = text.partition("3. ")
        shown = f"{head}3. {tail.encode('cp1251').decode('cp1252')}"
    assert is_cyrillic(shown.splitlines())
    assert with_cyrillic(shown) == text


@pytest.mark.parametrize("text", [*LANGUAGES.values(), "α-τοκοφερόλη " * 30, "ÀÉÈ 10² m³ × ÷ " * 40, ""])
def test_other_texts_are_not(text):
    assert not is_cyrillic(text.splitlines())


def test_greek_shown_as_latin_is_not_cyrillic():
    greek = "Τα κύτταρα διατηρήθηκαν στους τέσσερις βαθμούς σε μέσο που άλλαζε μία φορά την εβδομάδα " * 4
    assert not is_cyrillic([greek.encode("cp1253").decode("cp1252", "replace")])
