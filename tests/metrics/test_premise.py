from metrics.support.premise import premise_parts, premise_text

FILLER = " ".join(f"Sentence number {number} speaks of enrolment at clinic {number}." for number in range(30))


def premise(claim, *passages, words=80):
    return premise_text(premise_parts(claim, passages, words), passages)


def test_a_premise_keeps_to_its_length_and_order():
    passage = f"{FILLER} Relapses fell with natalizumab. {FILLER} Natalizumab was safe in relapses."
    found = premise("Natalizumab reduced relapses and was safe.", passage, words=24)
    assert len(found.split()) <= 24
    assert found.index("Relapses fell") < found.index("was safe")


def test_a_single_sentence_is_taken_at_any_length():
    long = "Relapses fell " + "and fell again " * 60 + "."
    assert premise("Relapses fell.", long, words=10) == long


def test_a_table_row_brings_the_head_of_its_table():
    table = "| Outcome | Drug | Placebo |\n" + "".join(f"| Item {n} | {n} | {n + 1} |\n" for n in range(20))
    found = premise("Vomiting was seen in 12 with the drug.", table + "| Vomiting | 12 | 3 |\n", words=25)
    assert found.splitlines()[0] == "| Outcome | Drug | Placebo |"
    assert "| Vomiting | 12 | 3 |" in found


def test_parts_are_offsets_into_their_own_passage():
    passages = [FILLER, "Relapses fell with natalizumab."]
    parts = premise_parts("Natalizumab reduced relapses.", passages, 12)
    best = next(part for part in parts if part.passage == 1)
    assert passages[1][best.start : best.end] == "Relapses fell with natalizumab."


def test_nothing_comes_of_nothing_and_something_of_a_text_without_a_shared_word():
    assert premise_parts("Relapses fell.", []) == premise_parts("Relapses fell.", ["", "  "]) == []
    assert premise("Ödem!", "The first sentence. The second sentence.") != ""
