"""The number of a cell that asks for a change: of which kind it is, and where."""

import pytest

from programs.lm.extractive.answering import _number

FEMUR = "How much bone was lost in the femur?"


@pytest.mark.parametrize(
    ("question", "sentence", "said"),
    [
        (FEMUR, "In the femur, density was 31 ± 2 % in flown rats and 39 ± 3 % in others, a loss of 20.0 %.", "20.0 %"),
        (FEMUR, "The lumbar spine lost bone too, by 7.5 %.", ""),
        (FEMUR, "Bone fell by 6.1 % in the femur and by 3.3 % in the skull.", "6.1 %"),
        (FEMUR, "Bone of the femur differed, being 44 % in one group, 51 % in the other.", ""),
        (FEMUR, "Bone loss was 6.1 % in the skull and 3.3 % in the femur.", "3.3 %"),
        (FEMUR, "Bone fell by 6.1 % and 3.3 % in femur and skull, respectively.", ""),
        ("How much did the volume increase in the liver?", "Volume in the liver was 12 % higher.", "12 %"),
    ],
)
def test_change_where_it_is_asked(question: str, sentence: str, said: str) -> None:
    assert _number(sentence, "percent", question) == said
