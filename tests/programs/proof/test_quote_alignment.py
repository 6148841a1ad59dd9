"""Where quotes that a model gives stand in a passage, and which are refused."""

import pytest

from programs.proof.quote_alignment import place

TEXT = (
    "Estimated VE against HPV 31 (45.7%), the type for which VE was demonstrated most consistently, was 39·7 %. "
    "Femur density fell by 12.4 % [3, 5] in flight-\nexposed mice (p < 0.05), and recovered within 30 days. "
    "The drug did not reduce mortality. We asked whether exercise prevents the loss. "
    "The “late” response may increase IL-6 — but TNF-α was unchanged."
)
VE, FELL, DRUG, ASKED, LATE = (
    "Estimated VE against HPV 31 (45.7%), the type for which VE was demonstrated most consistently, was 39·7 %.",
    "Femur density fell by 12.4 % [3, 5] in flight-\nexposed mice (p < 0.05), and recovered within 30 days.",
    "The drug did not reduce mortality.",
    "We asked whether exercise prevents the loss.",
    "The “late” response may increase IL-6 — but TNF-α was unchanged.",
)


def placed(quote, text=TEXT, **options):
    return [text[span.start : span.end] for span in place(quote, text, **options).spans]


@pytest.mark.parametrize(
    ("quote", "sentence"),
    [
        (FELL, FELL),
        ("Femur density fell by 12.4 %", FELL),
        ("femur density fell by 12.4% in flight exposed mice (p<0.05)", FELL),
        ("“Femur density fell by 12.4 % in flight-exposed mice”", FELL),
        ("Femur density fell by 12.4 % [7] in flight-exposed mice", FELL),
        ("Femur  density\nfell by 12.4 %", FELL),
        ("was 39.7 %", VE),
        ('The "late" response may increase IL-6 - but TNF-α was unchanged.', LATE),
        ("Estimated VE against HPV 31", VE),
        ("Estimated VE against HPV 31 … was 39.7 %", VE),
        ("Femur density fel by 12.4 % in flight exposed mice", None),  # a spelling of a short word may be another word
        ("Femur densitty fell by 12.4 % in flight exposed mice (p < 0.05)", FELL),
    ],
)
def test_a_quote_is_placed_on_the_whole_sentence_that_holds_it(quote, sentence):
    assert placed(quote) == ([sentence] if sentence else [])


@pytest.mark.parametrize(
    ("quote", "problem"),
    [
        ("Femur density fell by 21.4 % in flight-exposed mice", "does not stand in the passage"),
        ("Femur density rose by 12.4 % in flight-exposed mice", "does not stand in the passage"),
        ("Femur density never fell by 12.4 % in flight-exposed mice", "does not stand in the passage"),
        ("Acid cures cancer in most patients", "does not stand in the passage"),
        ("emur density fell by 12", "does not stand in the passage"),
        ("reduce mortality", 'clipped: it leaves out "The drug did not"'),
        ("exercise prevents the loss", 'clipped: it leaves out "We asked whether"'),
        ("fell", "too short"),
        ("", "too short"),
        ("…", "too short"),
    ],
)
def test_what_is_invented_altered_or_clipped_is_refused(quote, problem):
    found = place(quote, TEXT)
    assert problem in found.problem
    assert found.spans == ()


def test_parts_of_a_quote_stand_in_its_order():
    assert placed("Femur density fell by 12.4 % ... TNF-α was unchanged") == [FELL, LATE]
    assert "another order" in place("TNF-α was unchanged ... Femur density fell by 12.4 %", TEXT).problem


def test_a_whole_sentence_is_placed_however_short_and_so_is_what_was_placed():
    text = "No. It fell by half. Yes."
    assert placed("No.", text) == ["No."]
    for sentence in (VE, FELL, DRUG, ASKED, LATE):
        assert placed(sentence) == [sentence]


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Die Dichte fiel um 12,4 % (p < 0,05). Mehr ist nicht bekannt.", "Die Dichte fiel um 12,4 %"),
        ("骨密度は12.4%低下した。筋肉は変わらなかった。", "骨密度は12.4%低下した"),
        ("La densité a diminué de 12,4 % chez la souris.", "la densité a diminué de 12,4 %"),
        ("Плотность снизилась на 12,4 %. Мышцы не изменились.", "Плотность снизилась на 12,4 %"),
    ],
)
def test_quotes_stand_in_any_language(text, quote):
    assert len(placed(quote, text)) == 1


def test_an_empty_passage_holds_nothing():
    assert "does not stand" in place("Femur density fell by 12.4 %", "").problem


def test_long_quotes_and_passages_take_no_time_to_speak_of():
    long = " ".join(f"Sentence number {number} says that the density was {number}." for number in range(3_000))
    assert placed("Sentence number 2999 says that the density was 2999.", long) != []
    assert place("word " * 10_000, long).spans == ()  # quadratic where near misses of it are looked for
