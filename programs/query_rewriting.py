"""Other words for a question: rewrites and a hypothetical passage, asked for side by side.

Reforming()("Does microgravity weaken bone?").queries
→ the question, up to six rewrites, a passage as a paper might have it (HyDE: Gao et al. 2022, arXiv:2212.10496)
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import dspy
from dspy.utils.exceptions import LMError as ProviderError

from programs.errors import LMError
from programs.program import attempt
from programs.progress import report_step
from signatures.passages import as_data
from signatures.rag_fusion import RewriteQuestion, WriteHypotheticalPassage

MOST_QUERIES = 6
MOST_WORDS = 15
"""Of a rewrite, which has under 16."""

LONGEST_PASSAGE = 300
"""Words of a hypothetical passage that are searched for; it is asked to have 120 to 200."""

_LONGEST_REASON = 200


@dataclass(frozen=True, slots=True)
class Reformed:
    """What to search for.

    Attributes:
        queries: The question as it was asked, then rewrites, then a hypothetical passage; at least the question.
        notes: What could not be had, for people.
    """

    queries: tuple[str, ...]
    notes: tuple[str, ...] = ()


class Reforming(dspy.Module):
    """The two steps as a module, so that their prompts are compiled with the program."""

    def __init__(self) -> None:
        super().__init__()
        self.rewrite = dspy.Predict(RewriteQuestion)
        self.imagine = dspy.Predict(WriteHypotheticalPassage)

    def forward(
        self, question: str, num_queries: int = MOST_QUERIES, hyde: bool = True, num_tries: int = 1
    ) -> Reformed:
        """Reword a question; a step that fails is noted, and the search goes on with what there is.

        Args:
            question: In any language.
            num_queries: Rewrites at most.
            hyde: Whether to write a hypothetical passage too.
            num_tries: Attempts at a step whose output does not parse.
        """
        report_step("reform", "Rewording the question" + (" and imagining a passage that answers it" if hyde else ""))
        asked = as_data(question)

        def rewrites() -> list[str]:
            return _rewrites(question, attempt(self.rewrite, num_tries, question=asked).queries or (), num_queries)

        def passage() -> list[str]:
            written = attempt(self.imagine, num_tries, question=asked).hypothetical_passage or ""
            return list(filter(None, [" ".join(written.split()[:LONGEST_PASSAGE])]))

        steps = {"rewrites": rewrites, **({"hypothetical passage": passage} if hyde else {})}
        done = _side_by_side([_noting(name, step) for name, step in steps.items()])
        found = [query for queries, _ in done for query in queries]
        report_step("reform", f"Searching with the question and {len(found)} other wordings", queries=found)
        return Reformed((question, *found), tuple(note for _, note in done if note))


def _rewrites(question: str, written: Iterable[str], most: int) -> list[str]:
    """Rewrites cut to length, each once whatever its case, and none that is the question."""
    known, kept = {" ".join(question.split()).casefold()}, []
    for each in written:
        query = " ".join(each.split()[:MOST_WORDS])
        if query and query.casefold() not in known:
            known.add(query.casefold())
            kept.append(query)
    return kept[:most]


def _noting(name: str, step: Callable[[], list[str]]) -> Callable[[], tuple[list[str], str]]:
    """A step that gives a note where the model fails or writes nothing."""

    def noted() -> tuple[list[str], str]:
        try:
            queries = step()
        except (LMError, ProviderError) as error:
            said = " ".join(str(error).split())[:_LONGEST_REASON]
            return [], f"The search went on without {name}, since the model failed: {said}"
        return queries, "" if queries else f"The search went on without {name}: the model wrote none."

    return noted


def _side_by_side(steps: Iterable[Callable[[], tuple[list[str], str]]]) -> list[tuple[list[str], str]]:
    """Run steps at the same time, each in a copy of this context: it carries the model and what counts its calls."""
    listed = list(steps)
    with ThreadPoolExecutor(max_workers=len(listed)) as pool:
        waiting = [pool.submit(contextvars.copy_context().run, step) for step in listed]
        return [each.result() for each in waiting]
