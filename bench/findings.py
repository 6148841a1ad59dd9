"""How often an answer that is quoted without a model states what the paper found.

    python -m bench.findings                     # the development half: ten papers, twenty questions
    python -m bench.findings --half more         # twelve further papers, some of them reviews; worked on as well
    python -m bench.findings --half test         # the ten papers that were not worked on
    python -m bench.findings --half unseen       # twenty trials, asked about by a reader who knew no program; worked on
    python -m bench.findings --half fresh        # twenty other trials and another such reader
    python -m bench.findings --answers           # prints every answer, to be read

``findings.jsonl`` holds 64 questions on 32 of the printed papers and 80 on 40 trials, in our own words, with patterns
of which one has to be in the answer (all parts of it that "&" joins, in one sentence that cites the paper).
`main_points` is asked of the paper, the others of all 36 printed papers or all 80 trials. Counted beside it: sentences
that are no findings, being aims, captions or background.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import dspy

from bench.corpora import needs_benchmarks
from bench.evidence_shown import interval
from bench.gates import load as machine_load
from bench.pdf_against_jats import indexed, papers
from programs.ingest.formats import read
from programs.lm import LM
from programs.registry import load
from programs.retrieval.index import Index
from signatures.citation_markers import strip
from tests.benchmarks import BENCHMARKS

QUESTIONS = Path(__file__).with_suffix(".jsonl")
TRIALS, ON_TRIALS = BENCHMARKS / "evidence_inference" / "nxml", ("unseen", "fresh")
COLLECTIONS = ("multi_signal", "rag_fusion", "paper_retriever")
# Not the words that the extractive LM knows aims by, so that it is not measured by its own rule.
_AIM = re.compile(
    r"\b(?:aim(?:s|ed)?|objectives?|goals?|purpose|hypothesi[sz]ed?)\b"
    r"|\b(?:study|studies|research|paper|review|investigation|work|we) (?:\w+ )?(?:\w+ )?(?:to|was to) \w+",
    re.IGNORECASE,
)
_CAPTION = re.compile(r"(?:Fig(?:ure)?|Table)\.? ?S?\d+", re.IGNORECASE)


@dataclass(frozen=True)
class Case:
    """A question on a paper; ``gold`` are patterns of which one answers it."""

    paper: str
    half: str
    question: str
    gold: tuple[str, ...]

    def is_stated_in(self, sentence: str) -> bool:
        """Whether a sentence has all parts of one of the patterns."""
        return any(all(re.search(part, sentence, re.IGNORECASE) for part in each.split("&")) for each in self.gold)


@dataclass(frozen=True)
class Quoted:
    """A sentence of an answer with the papers that it cites and the kinds of section that these quotes are in."""

    text: str
    papers: frozenset[str]
    sections: frozenset[str]

    @property
    def is_no_finding(self) -> bool:
        """Whether it is an aim, a caption, or quoted from an introduction."""
        plain = self.text.strip("“ ")
        return bool(_AIM.search(plain) or _CAPTION.match(plain)) or self.sections == {"introduction"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=["dev", "more", "test", *ON_TRIALS], default="dev")
    parser.add_argument("--answers", action="store_true")
    options = parser.parse_args()
    needs_benchmarks()
    print(machine_load(), flush=True)
    asked = cases(options.half)
    on_trials = options.half in ON_TRIALS
    documents = [read(path) for path in sorted(TRIALS.glob("*.nxml"))] if on_trials else papers("nxml")
    by_id = {each.id: each for each in documents}
    with dspy.context(lm=LM("extractive")), indexed(documents) as index:
        print("| | stated | stated first | sentences that are no findings | no answer |\n|---|---:|---:|---:|---:|")
        for name in ("main_points", *COLLECTIONS):
            answers = [sentences_of(_asked(name, each, index, by_id)) for each in asked]
            print(_row(name, asked, answers), flush=True)
            if options.answers:
                print(
                    *(line for pair in zip(asked, answers, strict=True) for line in _lines(*pair)), sep="\n", flush=True
                )


def cases(half: str) -> list[Case]:
    lines = QUESTIONS.read_text(encoding="utf-8").splitlines()
    read = [Case(**{**json.loads(line), "gold": tuple(json.loads(line)["gold"])}) for line in lines]
    return [each for each in read if each.half == half]


def _asked(name: str, case: Case, index: Index, by_id: dict[str, object]) -> dspy.Prediction:
    if name == "main_points":
        return load(name)(question=case.question, paper=by_id[case.paper])
    return load(name, index=index)(question=case.question)


def sentences_of(prediction: dspy.Prediction) -> list[Quoted]:
    """The sentences of an answer in its order."""
    cited: dict[str, list[tuple[str, str]]] = {}
    for each in prediction.citations:
        cited.setdefault(each.sentence, []).append((each.document_id, each.section))
    return [
        Quoted(strip(text), frozenset(paper for paper, _ in marks), frozenset(section for _, section in marks))
        for text, marks in cited.items()
    ]


def _row(name: str, asked: Sequence[Case], answers: Sequence[Sequence[Quoted]]) -> str:
    names = [each.paper for each in asked]
    stated = [any(_states(case, each) for each in found) for case, found in zip(asked, answers, strict=True)]
    first = [any(_states(case, each) for each in found[:1]) for case, found in zip(asked, answers, strict=True)]
    quoted = [each for found in answers for each in found]
    shares = [interval(stated, names), interval(first, names)]
    others = sum(each.is_no_finding for each in quoted)
    return f"| `{name}` | {' | '.join(shares)} | {others} of {len(quoted)} | {sum(not found for found in answers)} |"


def _states(case: Case, sentence: Quoted) -> bool:
    return case.paper in sentence.papers and case.is_stated_in(sentence.text)


def _lines(case: Case, found: Sequence[Quoted]) -> Iterator[str]:
    stated = any(_states(case, each) for each in found)
    yield f"\n{'STATED' if stated else 'NOT   '} {case.paper} {case.question}  {list(case.gold)}"
    for each in found:
        mark = "no finding" if each.is_no_finding else ""
        yield f"    {','.join(sorted(each.papers))} {','.join(sorted(each.sections))} {mark}: {each.text}"


if __name__ == "__main__":
    main()
