"""The statements that one sentence makes, each as a separate sentence.

    "Pain fell by 5 points, and no one died."     "Pain fell by 5 points."   "No one died."
    "Zinc lowered fever but raised nausea."       "Zinc lowered fever."      "Zinc raised nausea."
    "Heart and lung function were normal."        one statement: what is joined has no separate verb

A part without a subject is given that of the part before it. English only; where it is not plain what is joined, the
sentence stays whole.
"""

from __future__ import annotations

import re
from functools import lru_cache

FEWEST_WORDS = 3  # words of a statement at least

_JOINT = re.compile(r";\s+|,?\s+(?:and|but|while|whereas|although|though|yet)\s+", re.IGNORECASE)
_AUXILIARY = (
    "is are was were has have had did does do can could may might will would shall should must cannot rose fell "
    "led left made took gave got kept held won lost saw ran went came became began grew met showed found felt said "
    "died lived"
).replace(" ", "|")
_CHANGING = (
    "differ remain increase decrease improve reduce show cause lead prevent lower raise help suggest appear depend "
    "affect produce"
).replace(" ", "|")
_VERB = re.compile(rf"\b(?:{_AUXILIARY}|[a-z]{{2,}}ed|(?:{_CHANGING})s?)\b")
_WITHOUT_SUBJECT = re.compile(
    rf"(?:also |then |\w+ly |not |no longer |both )?(?:(?:{_AUXILIARY})\b"
    r"|[a-z]{2,}ed\b(?! (?:\w+ )?(?:was|were|is|are|had|did)\b))"
)
"""A part that begins with its verb: "raised nausea"; "reduced doses were" begins with its subject."""
_PAIRED = re.compile(r"\b(?:both|between|either|neither)\s[^,;]*$", re.IGNORECASE)
"""What "and" belongs to: "between weeks 2 and 4"."""


@lru_cache(maxsize=1024)
def statement_parts(sentence: str) -> tuple[str, ...]:
    """The statements of a sentence, in order; the sentence itself where it makes one."""
    bounds: list[tuple[int, int]] = []
    start = 0
    joints = list(_JOINT.finditer(sentence))
    for at, joint in enumerate(joints):
        end = joints[at + 1].start() if at + 1 < len(joints) else len(sentence)
        before, after = sentence[start : joint.start()], sentence[joint.end() : end]
        is_short = min(len(before.split()), len(after.split())) < FEWEST_WORDS
        if is_short or _PAIRED.search(before) or not (_VERB.search(before) and _VERB.search(after)):
            continue
        bounds.append((start, joint.start()))
        start = joint.end()
    if not bounds:
        return (sentence,)
    parts, subject = [], ""
    for first, last in (*bounds, (start, len(sentence))):
        text = sentence[first:last].strip()
        if subject and _WITHOUT_SUBJECT.match(text):
            text = f"{subject} {text}"
        elif verb := _VERB.search(text):
            subject = text[: verb.start()].strip() or subject
        parts.append(f"{text[0].upper()}{text[1:].rstrip('. ')}.")
    return tuple(parts)
