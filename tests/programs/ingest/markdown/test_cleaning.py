from programs.ingest.text_repair import clean_markdown


def test_broken_words_are_mended_in_text_only():
    source = "The popu-\nlation is of ﬁve.\n\n```\npopu-\nlation ﬁ\n```\n\n$$\na-\nb ﬁ\n$$\n\nEnd"
    assert clean_markdown(source) == "The population is of five.\n\n```\npopu-\nlation ﬁ\n```\n\n$$\na-\nb ﬁ\n$$\n\nEnd"


def test_page_numbers_go_and_numbers_of_the_text_stay():
    assert clean_markdown("One.\n\n12\n\nTwo\n12\nthree.\n\nPage 2 of 9\n") == "One.\n\n\nTwo\n12\nthree.\n\n"


def test_lines_that_come_back_alone_go():
    pages = "\n\n".join(
        f"Text number {word} is here.\n\nJournal of Cold {n}" for n, word in enumerate(("one", "two", "six"))
    )
    cleaned = clean_markdown(pages)
    assert "Journal" not in cleaned
    assert "Text number six is here." in cleaned


def test_a_line_that_comes_twice_stays():
    assert clean_markdown("Yes.\n\ntext\n\nYes.") == "Yes.\n\ntext\n\nYes."


def test_repeated_headings_and_items_stay():
    source = "\n\n".join(["## Results", "- yes", "| a |"] * 3)
    assert clean_markdown(source) == source


def test_images_without_words_go_and_those_with_a_caption_stay():
    source = "![](logo.png)\n\nText.\n\n![](a.png)\n\n*Figure 1: Growth.*\n\n![growth](b.png)"
    assert clean_markdown(source) == "\nText.\n\n![](a.png)\n\n*Figure 1: Growth.*\n\n![growth](b.png)"


def test_comments_go_also_over_several_lines():
    assert clean_markdown("a<!-- page\n2 -->b") == "ab"


def test_comment_marks_in_code_stay():
    assert clean_markdown("```\n<!-- kept -->\n```") == "\n```\n<!-- kept -->\n```\n"


def test_an_open_fence_is_left_as_it_is():
    assert clean_markdown("a\n```\npopu-\nlation") == "a\n```\npopu-\nlation"


def test_sentences_that_differ_in_their_numbers_stay():
    lost = [f"Group {n}: 1{n} mice lost {n} % of bone." for n in range(1, 5)]
    assert clean_markdown("\n\n".join(lost)).split("\n\n") == lost
