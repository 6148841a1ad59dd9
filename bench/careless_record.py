"""What small models write from numbered evidence, unchecked: the record in ``careless_models.jsonl``.

    python -m bench.careless_record --name qwen-0.5b --lm openai/qwen --lm-option api_base=… --output said.jsonl

    python -m bench.careless_record                       # what today's check certifies of it, by model and half

Questions on trials that no figure is reported on, those that the learned order was not trained on first. Of each answer
every sentence is kept with the sentences that its model was shown, those that it named, what the checker and the model
itself said of it, and of each question the order's best sentence as a quotation. Two ``readers``, who saw neither each
other's word nor a judge's, say whether it is true (the evidence says all of it, and it answers), false or beside the
point. Lines whose ``half`` is "closed" are never trained on, and never looked at but as a figure.

Sentences are from papers under CC BY or CC0, named by their ids; those of the models are outputs of Qwen2.5-Coder
(Apache 2.0); labels are ours.
"""

from __future__ import annotations

import argparse
import html
import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import dspy

from bench.corpora import document_of_passages, needs_benchmarks, rows
from bench.real_model import question_of
from optimize.dataset import fraction
from optimize.training.ranking_lists import is_dev
from programs.answering import FIRST, Answering, answer_probabilities
from programs.bounded_numbers import bounded
from programs.ingest.chunking import Chunking, chunk
from programs.ingest.line_shapes import SectionKind
from programs.lm import LM, with_options
from programs.lm.adapters import adapter_for
from programs.models.order import LEARNED, shipped_order
from programs.multi_signal import MultiSignalParameters
from programs.passages import Passage
from programs.passages.asked import Asked
from programs.passages.numbered_sentences import NumberedSentence, NumberedSentences
from programs.program import attempt
from programs.proof.sentence_proof import CHECKER
from programs.sentence_checking import SentenceChecking
from programs.written_sentences import Piece, pieces_of
from signatures.evidence import CheckSentence, WriteAnswer
from signatures.passages import as_data

QUESTIONS, PASSAGES, EVIDENCE, SEED = 150, 8, 3, 41
OF_ONE_PAPER = 2
RECORD = Path(__file__).with_name("careless_models.jsonl")
LABELS = ("true", "false", "beside")
SETTINGS = MultiSignalParameters()
WIDE = 100_000
"""Characters between the places of two sentences, which are apart in their paper."""


def prompts() -> list[dict[str, Any]]:
    """Prompts on trials, two of a paper at most, papers that the order was not trained on first."""
    found = [each for each in rows("trials_train/prompts.jsonl") if each["gold"]]
    random.Random(SEED).shuffle(found)
    found.sort(key=lambda each: not is_dev(each["pmcid"]))
    counted: dict[str, int] = {}
    chosen = []
    for each in found:
        counted[each["pmcid"]] = counted.get(each["pmcid"], 0) + 1
        if counted[each["pmcid"]] <= (OF_ONE_PAPER if is_dev(each["pmcid"]) else 1):
            chosen.append(each)
    return chosen[:QUESTIONS]


def half(paper: str) -> str:
    """Of one paper all lines are in one half."""
    return "closed" if fraction(f"careless {paper}") < 0.5 else "open"


def passages(paper: Mapping[str, Any], question: str) -> list[Passage]:
    """The passages of a paper that answer best by the learned order."""
    document, _ = document_of_passages(paper)
    chunks = chunk(document, Chunking("passages", 100))
    texts, about = [each.text for each in chunks], [f"{document.title}. {each.heading}" for each in chunks]
    scores = shipped_order().scores(question, texts, about)
    best = [chunks[at] for at in sorted(range(len(chunks)), key=lambda at: -scores[at])[:PASSAGES]]
    return [
        Passage.of(document, each.start, each.end, id=each.id, section=each.section, heading=each.heading)
        for each in best
    ]


def shown(evidence: NumberedSentences) -> list[dict[str, Any]]:
    return [{"number": each.number, "place": each.place, "text": each.text} for each in evidence.sentences]


def lines(prompt: Mapping[str, Any], paper: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The sentences that the model writes on a prompt, and the best one of the paper."""
    question = question_of(prompt)
    asked = Asked.of(question)
    evidence = NumberedSentences.of(passages(paper, question))
    order = answer_probabilities(evidence, asked, LEARNED)
    best = list(order)[:EVIDENCE]
    given = evidence.only([*best, *filter(None, map(evidence.before, best[:FIRST]))])
    about = {
        "pmcid": prompt["pmcid"],
        "half": half(prompt["pmcid"]),
        "order_trained": not is_dev(prompt["pmcid"]),
        "question": question,
        "title": html.unescape(paper["title"]),
        "evidence": shown(given),
    }
    write, check = dspy.Predict(WriteAnswer), dspy.Predict(CheckSentence)
    step = attempt(
        write,
        1,
        signature=bounded(write.signature, "answer", evidence=given),
        evidence=given.shown(),
        question=as_data(question),
    )
    for piece in pieces_of(step.answer or (), given, question, write.signature.instructions):
        verdict = attempt(check, 1, evidence=given.only(piece.numbers).shown(), claim=as_data(piece.text)).verdict
        yield {
            **about,
            "kind": "written",
            "answerable": step.answerable,
            "sentence": piece.text,
            "numbers": list(piece.numbers),
            "support": support(piece.text, evidence.given(piece.numbers)),
            "own_word": verdict,
        }
    quoted = next((each for each in evidence.given(order) if not each.head), None)
    if quoted:
        yield {
            **about,
            "kind": "quoted",
            "sentence": Piece.quoting(quoted).text,
            "numbers": [quoted.number],
            "probability": round(order[quoted.number], 4),
        }


def table() -> Iterator[str]:
    """Of the written sentences, by model and half, how many of those on which the readers agree are certified."""
    found: dict[tuple[str, str], Counter[tuple[str, bool]]] = {}
    with dspy.context(lm=LM("openai/none?api_base=http://127.0.0.1:1/v1")):  # a model wrote them; none is asked
        for row in map(json.loads, RECORD.read_text("utf-8").splitlines()):
            if row["kind"] == "written" and len(set(row["readers"])) == 1:
                counts = found.setdefault((row["model"], row["half"]), Counter())
                counts[row["readers"][0], is_certified(row)] += 1
    yield "| model | half | true, of which certified | false | beside the point |"
    yield "|---|---|---:|---:|---:|"
    for (model, half_), counts in sorted(found.items()):
        cells = [f"{counts[kind, True]} of {counts[kind, True] + counts[kind, False]}" for kind in LABELS]
        yield f"| {model} | {half_} | {' | '.join(cells)} |"


def is_certified(row: Mapping[str, Any]) -> bool:
    """Whether the check of an answer keeps a sentence, its evidence being all that the papers say."""
    passages = [
        Passage(f"{row['pmcid']}::{each['number']}", row["pmcid"], *_place(each), each["text"], at * WIDE, at * WIDE)
        for at, each in enumerate(row["evidence"], 1)
    ]
    passages = [replace(each, title=row["title"], end=each.start + len(each.text)) for each in passages]
    evidence = NumberedSentences.of(passages)
    named = {f"{row['pmcid']}::{number}" for number in row["numbers"]}
    numbers = tuple(each.number for each in evidence.sentences if each.passage.id in named)
    best = [each.number for each in evidence.sentences]
    asked = Asked.of(row["question"])
    steps = Answering()
    check = SentenceChecking(
        steps.check, steps.correct, passages, evidence, evidence, best, {best[0]: 1.0}, asked, SETTINGS
    )
    verified = check.checked([Piece(row["sentence"], numbers)])
    return bool(verified.answer) and not verified.unsupported_claims


def _place(each: Mapping[str, Any]) -> tuple[SectionKind, str]:
    section, _, heading = each["place"].removeprefix("[").partition("] ")
    return section.rstrip("]"), heading


def support(sentence: str, evidence: Sequence[NumberedSentence]) -> dict[str, Any]:
    """What the checker says of a sentence and all the evidence that was named for it."""
    found = CHECKER.check(sentence, ["\n".join(each.read for each in evidence)])
    return {"verdict": found.verdict, "score": round(found.score, 4)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--name", help="model, as the record names it")
    parser.add_argument("--lm")
    parser.add_argument("--lm-option", action="append")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    if not options.lm:
        print(*table(), sep="\n")
        return
    needs_benchmarks()
    papers = {each["pmcid"]: each for each in rows("trials_train/papers.jsonl")}
    known = options.output.read_text("utf-8").splitlines() if options.output.exists() else []
    done = {(row["pmcid"], row["question"]) for row in map(json.loads, known)}
    lm = LM(with_options(options.lm, options.lm_option), temperature=0.0, cache=False)
    with dspy.context(lm=lm, adapter=adapter_for(lm)):
        for prompt in prompts():
            if (prompt["pmcid"], question_of(prompt)) in done:
                continue
            found = [{"model": options.name, **each} for each in lines(prompt, papers[prompt["pmcid"]])]
            with options.output.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(each, ensure_ascii=False) + "\n" for each in found)
            print(prompt["pmcid"], found[0]["sentence"][:100], flush=True)


if __name__ == "__main__":
    main()
