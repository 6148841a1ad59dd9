"""Questions in readers' own words on papers of mixed subjects: whether the sentence that answers is shown.

    python -m bench.mixed_subjects                  # the half that was looked at
    python -m bench.mixed_subjects --half closed    # the half of which only figures are looked at
    python -m bench.mixed_subjects --answers        # prints what is shown, to be read; not for the closed half

``mixed_subjects.jsonl`` holds 120 questions on the 36 printed papers, 60 on each half of the papers, by two readers who
knew no program and saw no answer: effects, comparisons, numbers, places, methods, reasons, lists, cells, limitations,
definitions. With each are all sentences of the paper that answer it by themselves. They are asked of all 36 papers as
publishers print them, without a language model. A sentence of an answer counts where seven tenths of its three-word
sequences are in one that answers, or the other way round, and its paper is cited. Where nothing is quoted as near, the
nearest sentences, which are shown all the same, count as well, and the refusal in the last column.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import dspy

from bench.corpora import needs_benchmarks
from bench.evidence_shown import interval
from bench.findings import Quoted, sentences_of
from bench.gates import load as machine_load
from bench.pdf_against_jats import CONTAINED, PAPERS, indexed, papers, triples
from programs.lm import LM
from programs.registry import load

QUESTIONS = Path(__file__).with_suffix(".jsonl")
PROGRAMS = ("multi_signal", "rag_fusion", "paper_retriever")
SHOWN = 3


@dataclass(frozen=True)
class ReaderQuestion:
    """A question on a paper, and the sentences or rows of the paper that answer it."""

    half: str
    paper: str
    kind: str
    question: str
    answers: tuple[str, ...]

    def is_answered_by(self, quoted: Quoted) -> bool:
        """Whether a sentence of an answer is one that answers."""
        return self.paper in quoted.papers and any(_alike(each, quoted.text) for each in self.answers)


def _alike(one: str, other: str) -> bool:
    first, second = triples(one), triples(other)
    return len(first & second) >= CONTAINED * min(len(first), len(second)) > 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=["open", "closed"], default="open")
    parser.add_argument("--answers", action="store_true")
    options = parser.parse_args()
    needs_benchmarks(PAPERS)
    print(machine_load(), flush=True)
    asked = questions(options.half)
    with dspy.context(lm=LM("extractive")), indexed(papers("pdf")) as index:
        print(
            f"| {len(asked)} questions | first | among {SHOWN} | paper first | no answer |\n|---|---:|---:|---:|---:|"
        )
        for name in PROGRAMS:
            ask = load(name, index=index)
            answers = [ask(question=each.question) for each in asked]
            print(row(name, asked, answers), flush=True)
            if options.answers and options.half == "open":
                print("\n".join(map(described, asked, answers)), flush=True)


def questions(half: str) -> list[ReaderQuestion]:
    """Those of one half."""
    lines = map(json.loads, QUESTIONS.read_text("utf-8").splitlines())
    return [ReaderQuestion(**{**each, "answers": tuple(each["answers"])}) for each in lines if each["half"] == half]


def shown_by(answer: dspy.Prediction) -> list[Quoted]:
    """The sentences that a reader is shown, the best first."""
    quoted = [Quoted(each.quote, frozenset({each.document_id}), frozenset()) for each in answer.get("nearest") or ()]
    return sentences_of(answer) or quoted


def row(name: str, asked: Sequence[ReaderQuestion], results: Sequence[dspy.Prediction]) -> str:
    names, answers = [each.paper for each in asked], list(map(shown_by, results))
    hits = [[each.is_answered_by(one) for one in shown] for each, shown in zip(asked, answers, strict=True)]
    shares = (
        interval([any(each[:1]) for each in hits], names),
        interval([any(each[:SHOWN]) for each in hits], names),
        interval(
            [any(each.paper in one.papers for one in shown[:1]) for each, shown in zip(asked, answers, strict=True)],
            names,
        ),
    )
    by_kind = Counter(each.kind for each, hit in zip(asked, hits, strict=True) if any(hit[:SHOWN]))
    kinds = ", ".join(
        f"{kind} {by_kind[kind]} of {count}" for kind, count in sorted(Counter(each.kind for each in asked).items())
    )
    return f"| `{name}` | {' | '.join(shares)} | {sum(not each.answer for each in results)} |\n    {kinds}"


def described(asked: ReaderQuestion, answer: dspy.Prediction) -> str:
    shown = shown_by(answer)
    lines = [f"\n{asked.paper} {asked.kind}: {asked.question}\n    wanted: {asked.answers[0]}"]
    lines += [
        f"    {'*' if asked.is_answered_by(each) else ' '} {','.join(sorted(each.papers))}: {each.text}"
        for each in shown
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
