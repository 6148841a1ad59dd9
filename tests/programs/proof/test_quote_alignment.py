"""Placing a quote takes no time to speak of; where quotes stand is in ``tests/behaviour/quotes.yaml``."""

from programs.proof.quote_alignment import place


def test_long_quotes_and_passages_take_no_time_to_speak_of():
    long = " ".join(f"Sentence number {number} says that the density was {number}." for number in range(3_000))
    assert place("Sentence number 2999 says that the density was 2999.", long).spans != ()
    assert place("word " * 10_000, long).spans == ()  # quadratic where near misses of it are looked for
