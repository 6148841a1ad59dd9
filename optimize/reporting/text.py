"""What a report in Markdown shows of single prompts, signals and questions; their claims are on the page."""

from __future__ import annotations

from collections.abc import Iterator

from optimize.measuring.tables import difference, number, signed, table
from optimize.reporting.ablation import ablation
from optimize.reporting.finished_run import FinishedRun
from optimize.reporting.prompts import Prompts, PromptStep, WordingChange, prompts
from optimize.reporting.regressions import Case, regressions
from programs.results.harmless import as_markdown, visible


def details(run: FinishedRun) -> Iterator[str]:
    """Lines of Markdown."""
    changed = prompts(run)
    if changed is not None and run.after is not None:
        yield from _prompts(changed)
    yield from _signals(run)
    yield from _questions(run)


def _prompts(found: Prompts) -> Iterator[str]:
    yield from ("## Prompts, before and after", "")
    yield from table(("step", "instruction", "demos"), [_step(each) for each in found.steps])
    for step in found.steps:
        if not step.instruction.is_same:
            yield from _verbatim(f"Instruction of {step.name} before", step.instruction.before)
            yield from _verbatim(f"Instruction of {step.name} after", step.instruction.after)
    changed = [each for each in found.parameters if not each.is_same]
    if changed:
        rows = [(as_markdown(each.name), as_markdown(each.before), as_markdown(each.after)) for each in changed]
        yield from table(("parameter", "before", "after"), rows)


def _step(step: PromptStep) -> tuple[str, str, str]:
    instruction = "as it was" if step.instruction.is_same else "changed"
    return as_markdown(step.name), instruction, f"{step.demos_before} → {step.demos_after}"


def _verbatim(title: str, pieces: tuple[WordingChange, ...]) -> Iterator[str]:
    """A text as an indented block, in which Markdown reads nothing."""
    text = visible("".join(piece.text for piece in pieces))
    yield from (f"{as_markdown(title)}:", "", *(f"    {line}" for line in text.splitlines()), "")


def _signals(run: FinishedRun) -> Iterator[str]:
    found = ablation(run)
    if found is None:
        return
    yield from ("## Signals left out", "")
    rows = [
        (
            each.signal,
            number(each.weight),
            f"{each.swapped:.0%}",
            f"{each.led} of {found.questions}",
            difference(each.change),
        )
        for each in found.rows
    ]
    yield from table(("signal", "weight", "pairs swapped", "other first passage", "change of reciprocal rank"), rows)
    yield (
        f"The passages of {found.questions} answers put in order again with one weight at 0; the change is that of 1 / "
        f"rank of the first passage with gold evidence, over the {found.proved} questions that have one. Below 0 the "
        "signal helps. No answer was written again.\n"
    )


def _questions(run: FinishedRun) -> Iterator[str]:
    found = regressions(run)
    if found.is_difference:
        counts = f"{found.better} better, {found.same} the same, {found.worse} worse."
        yield from ("## The worst regressions", "", f"Questions: {counts}", "")
    elif found.cases:
        yield from ("## The worst answers", "")
    if found.cases:
        header = ("question", *map(as_markdown, run.programs), *(("change",) if found.is_difference else ()), "remark")
        yield from table(header, [_case(each, is_difference=found.is_difference) for each in found.cases])
        yield "The page, `report.html`, has their answers claim by claim, with passages and quotes.\n"


def _case(case: Case, *, is_difference: bool) -> tuple[str, ...]:
    values = [number(answer.value) for answer in case.answers]
    change = [signed(case.change)] if is_difference else []
    return as_markdown(case.question), *values, *change, as_markdown(case.answers[-1].remark)
