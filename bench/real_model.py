"""What a real language model answers: 60 questions, one a trial, on 80 trials in full text that nothing was tuned on.

    python -m bench.real_model --lm openai/qwen --lm-option api_base=http://127.0.0.1:8080/v1 --output answers.jsonl
    python -m bench.real_model --output answers.jsonl --judged judged.jsonl     # the table, with what readers said

Each answer is kept as it comes, so that an interrupted run continues. Printed: questions answered; certified sentences;
answers of which a certificate quotes a sentence of the experts' evidence; seconds and calls of a question; tokens that
the server read anew, by its own count (llama.cpp's /metrics). Whether an answer is right only readers say: ``judged``
has lines of ``{"prompt_id", "right": true, "sentences": ["true", "false", "beside"]}``.
"""

from __future__ import annotations

import argparse
import html
import json
import random
import statistics
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import dspy
import httpx

from bench.corpora import TRIALS, needs_benchmarks
from bench.pdf_against_jats import indexed
from programs.ingest.formats import read
from programs.lm import LM, with_options
from programs.registry import load
from programs.results.rendering import as_json

SEED = 40
QUESTIONS = 60
QUESTION = "Compared with {comparator}, what was the effect of {intervention} on {outcome}?"


def prompts(most: int = QUESTIONS) -> list[dict[str, Any]]:
    """One prompt of each of so many trials, drawn once and for all."""
    needs_benchmarks()
    by_trial: dict[str, list[dict[str, Any]]] = {}
    for line in (TRIALS / "prompts.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        by_trial.setdefault(row["pmcid"], []).append(row)
    draw = random.Random(SEED)
    trials = draw.sample(sorted(by_trial), most)
    return [draw.choice(by_trial[each]) for each in trials]


def question_of(prompt: Mapping[str, Any]) -> str:
    return html.unescape(QUESTION.format_map(prompt))


def read_anew(address: str) -> float | None:
    """Tokens that llama.cpp's server has read so far, those of its prefix cache apart; None of other servers."""
    try:
        shown = httpx.get(f"{address.removesuffix('/v1')}/metrics", trust_env=False).text
    except httpx.HTTPError:
        return None
    found = [line.split()[1] for line in shown.splitlines() if line.startswith("llamacpp:prompt_tokens_total ")]
    return float(found[0]) if found else None


def quotes_evidence(answer: Mapping[str, Any], prompt: Mapping[str, Any]) -> bool:
    """Whether a certificate that proves quotes a sentence of the experts' evidence."""
    gold = ["".join(filter(str.isalnum, each["text"])) for each in prompt["evidence"]]
    quotes = [
        "".join(filter(str.isalnum, quote["quote"]))
        for each in answer["citations"]
        if each["verdict"] == "supported"
        for quote in each["quotes"]
    ]
    return any(len(quote) > 20 and (quote in text or text in quote) for quote in quotes for text in gold)


def answers(output: Path) -> dict[str, dict[str, Any]]:
    lines = output.read_text("utf-8").splitlines() if output.exists() else []
    return {row["prompt_id"]: row for row in map(json.loads, lines)}


def ask(options: argparse.Namespace, name: str, asked: list[dict[str, Any]]) -> None:
    """Ask what has no answer yet; each is written as it comes."""
    known = answers(options.output)
    documents = [read(path) for path in sorted((TRIALS / "nxml").glob("*.nxml"))]
    address = name.partition("api_base=")[2].partition("&")[0]
    with indexed(documents) as index, dspy.context(lm=LM(name, temperature=0.0, cache=False)):
        program = load(options.program, index=index, state=options.state)
        program.set_parameters(**json.loads(options.parameters))
        for prompt in asked:
            if str(prompt["prompt_id"]) in known:
                continue
            before, began = read_anew(address), time.perf_counter()
            row: dict[str, Any] = {"prompt_id": str(prompt["prompt_id"]), "question": question_of(prompt)}
            try:
                row["answer"] = as_json(program(question=row["question"]))
            except Exception as error:  # noqa: BLE001 - one question's failure is a result of it
                row["error"] = f"{type(error).__name__}: {error}"
            row["seconds"] = round(time.perf_counter() - began, 1)
            if before is not None:
                row["read_anew"] = (read_anew(address) or before) - before
            with options.output.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(row, ensure_ascii=False) + "\n")
            said = row["answer"]["answer"] if "answer" in row else row["error"]
            print(row["prompt_id"], row["seconds"], said, flush=True)


def table(output: Path, judged: Path | None, asked: list[dict[str, Any]]) -> Iterator[str]:
    """The figures of a run."""
    found = answers(output)
    rows = [(found[str(each["prompt_id"])], each) for each in asked if str(each["prompt_id"]) in found]
    given = [(row, prompt) for row, prompt in rows if (row.get("answer") or {}).get("answer")]
    certified = sum(sum(c["verdict"] == "supported" for c in row["answer"]["citations"]) for row, _ in given)
    yield f"asked {len(rows)}, answered {len(given)}, failed {sum('error' in row for row, _ in rows)}"
    yield f"certificates that prove {certified}"
    yield f"a certificate quotes the experts' evidence {sum(quotes_evidence(row['answer'], p) for row, p in given)}"
    yield f"seconds, median {statistics.median(row['seconds'] for row, _ in rows):.1f}"
    metrics = [row["answer"]["metrics"] for row, _ in given]
    yield f"calls, mean {statistics.fmean(each['lm_calls'] for each in metrics):.1f}"
    if anew := [row["read_anew"] for row, _ in rows if "read_anew" in row]:
        yield f"tokens read anew, mean {statistics.fmean(anew):.0f}"
    if judged:
        said = [json.loads(line) for line in judged.read_text("utf-8").splitlines()]
        sentences = [each for row in said for each in row["sentences"]]
        yield f"right {sum(row['right'] for row in said)} of {len(rows)}"
        yield "; ".join(f"{kind} {sentences.count(kind)} of {len(sentences)}" for kind in ("true", "false", "beside"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lm", default="")
    parser.add_argument("--lm-option", action="append")
    parser.add_argument("--program", default="multi_signal")
    parser.add_argument("--state", default="best", help="none for the uncompiled program")
    parser.add_argument("--parameters", default="{}", help="JSON: parameters of the program by name")
    parser.add_argument("--questions", type=int, default=QUESTIONS)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--judged", type=Path)
    options = parser.parse_args()
    asked = prompts()[: options.questions]
    if not options.output:
        print("Not measured: name a model that runs here, with --lm and --output; see the top of this bench.")
        sys.exit()
    if options.lm:
        ask(options, with_options(options.lm, options.lm_option), asked)
    print(*table(options.output, options.judged, asked), sep="\n")


if __name__ == "__main__":
    main()
