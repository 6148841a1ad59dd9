"""How much of an answer is copied from its passages without quotation marks."""

from __future__ import annotations

import re

from metrics.optimizer_calls import for_optimizers
from metrics.outcome import answer_of, outcome
from metrics.passages import citable_ids, passages_of
from metrics.score import Score
from metrics.words import words
from signatures import citation_markers

# Twelve words in a row are not chance: of 500 conclusions that authors wrote over their own abstracts (PubMedQA), 99 %
# share no such run with the abstract.
RUN = 12

_QUOTED = re.compile(r'"[^"\n]+"|“[^”\n]+”|„[^“”\n]+[“”]|«[^»\n]+»|»[^«\n]+«|「[^」\n]+」|『[^』\n]+』')


@for_optimizers
def copy_ratio(example: object, prediction: object) -> Score:
    """Words of the answer that stand in runs of at least 12 words of a passage, outside quotation marks / its words.

    Lower is better. Undefined for an answer without words. A citation is not a word and breaks no run.
    """
    if outcome(prediction) == "failed":
        return Score.failed(worst=1.0)
    passages = passages_of(prediction)
    answer = citation_markers.strip(answer_of(prediction), citable_ids(passages) or None)
    sources = [citation_markers.strip(passage.text) for passage in passages]  # a paper's own "[12]" breaks no run
    total = len(words(answer))
    if not total:
        return Score.not_applicable("the answer holds no words")
    runs = {run for source in sources for run in _runs(words(source))}
    stretches = [words(stretch) for stretch in _QUOTED.split(answer)]
    copied = [run for stretch in stretches for run in _copied(stretch, runs)]
    feedback = f'copied without quotation marks: "{" ".join(copied[0])} …"' if copied else ""
    return Score(sum(map(len, copied)) / total, feedback)


def _runs(text: list[str]) -> list[tuple[str, ...]]:
    return [tuple(text[index : index + RUN]) for index in range(len(text) - RUN + 1)]


def _copied(stretch: list[str], runs: set[tuple[str, ...]]) -> list[list[str]]:
    """The longest copied stretches of words, in order."""
    marked = [False] * len(stretch)
    for index, run in enumerate(_runs(stretch)):
        if run in runs:
            marked[index : index + RUN] = [True] * RUN
    copied: list[list[str]] = []
    for index, is_copied in enumerate(marked):
        if is_copied and index and marked[index - 1]:
            copied[-1].append(stretch[index])
        elif is_copied:
            copied.append([stretch[index]])
    return copied
