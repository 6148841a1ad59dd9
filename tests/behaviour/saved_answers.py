"""Makes the saved answers of ``replay/``: one of every form that a user can have on his disk.

They are written once and then read by every later version, as a user's files are. They are made anew only when the
form of saved files is raised (``programs.certificate.FORM``), and then the old ones are kept as well.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import dspy

import programs
from programs.evidence_table.columns import read_columns
from programs.evidence_table.filling import TableFolder, chosen_papers, fill, maker
from programs.lm import LM
from programs.paper_writer import record
from programs.paper_writer.concept import PaperConcept
from programs.retrieval.index import Index
from tests.behaviour.outcomes import REPLAY
from tests.scripted_lm import Call, Script, evidence

SUBSTRATE = "What shaped root communities of lettuce more strongly, the substrate or spaceflight?"
HEALING = "Did metyrapone speed up the healing of wounds?"
SHORT = {"context_tokens": 400}
"""Few passages, so that the files stay small."""

REWORDED = {
    "Wounds closed in 16.8 days with metyrapone, as with unloading alone (p = 0.65)": "With metyrapone it was",
    "Blocking corticosterone was of no use": "Blocking corticosterone with metyrapone",
    "La corticosterona en plasma bajó de 310 a 145 ng/mL con metirapona": "With metyrapone it was",
}
"""What a model might write, in other words than the paper or in another language; with words of the passage cited."""

CONCEPT = PaperConcept(
    hypothesis="Local treatment closes skin wounds of unloaded rats on time.",
    title="Local treatment of wounds in unloaded rats",
    background="Wounds of unloaded rats close late.",
    experiments=(
        {"name": "Gel", "method": "We treated wounds with a gel.", "findings": ["Wounds closed in thirteen days."]},
    ),
)


def save_all(index: Index) -> None:
    """Write every file."""
    files = {**_answers(index), "reworded": _reworded(index), "table": _table(index), "draft": _draft(index)}
    for name, saved in files.items():
        text = json.dumps(saved, ensure_ascii=False, indent=1)
        (REPLAY / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def _answers(index: Index) -> dict[str, dict[str, Any]]:
    """Of each program that answers, and one that has no answer."""
    of_rats = {"document": ["PMC0000019"]}
    asked = {
        "multi_signal": ("multi_signal", HEALING, SHORT),
        "rag_fusion": ("rag_fusion", HEALING, SHORT),
        "paper_retriever": ("paper_retriever", HEALING, {"context_tokens": 1200}),
        "no_answer": ("multi_signal", "Which vaccine prevents malaria in children?", {**SHORT, "top_k": 1}),
    }
    with dspy.context(lm=LM("extractive")):
        made = {
            file: programs.load(name, index=index, **parameters)(question=question, filters=of_rats).to_dict()
            for file, (name, question, parameters) in asked.items()
        }
        of_paper = programs.load("main_points", **SHORT)
        for file, paper in (("main_points", "PMC0000019"), ("main_points_of_a_pdf", "PMC0000026")):
            question = HEALING if file == "main_points" else SUBSTRATE
            made[file] = of_paper(question=question, paper=index.document(paper)).to_dict()
    return made


def _reworded(index: Index) -> dict[str, Any]:
    """An answer that a model wrote in its own words, with the paper's quotes for it."""
    script = Script(answer=_in_other_words)
    with dspy.context(lm=script.lm(), adapter=dspy.ChatAdapter(use_json_adapter_fallback=False)):
        program = programs.load("main_points", state=None, verify=False, evidence=40, least_evidence=0.0, **SHORT)
        return program(question=HEALING, paper=index.document("PMC0000019")).to_dict()


def _in_other_words(call: Call) -> dict[str, Any]:
    shown = evidence(call)
    numbers = {words: next((each for each, text in shown.items() if words in text), 1) for words in REWORDED.values()}
    written = [{"text": f"{said}.", "evidence": [numbers[words]]} for said, words in REWORDED.items()]
    return {"answerable": True, "answer": written}


def _table(index: Index) -> dict[str, Any]:
    """Two papers by two questions: a value, labels, and what is not reported."""
    columns = read_columns(
        None,
        [
            "strength: What was the breaking strength of the wounds? [number in N/mm]",
            "closure: How did the time to closure of wounds change in unloaded rats? [direction]",
        ],
    )
    with dspy.context(lm=LM("extractive")), tempfile.TemporaryDirectory() as folder:
        program = programs.load("evidence_table", index=index, context_tokens=300)
        cells = TableFolder(Path(folder) / "table", maker(program), "extractive", resume=False)
        papers = chosen_papers(index, named=["PMC0000019", "PMC0000020"])
        return fill(program, columns, papers, cells).as_dict()


def _draft(index: Index) -> dict[str, Any]:
    """What `write` saves as draft.json."""
    with dspy.context(lm=LM("extractive")):
        fewer = {"top_k_initial": 2, "top_k_final": 1, "max_evidence": 1, "max_iterations": 0, "threads": 1}
        return record(programs.load("paper_writer", index=index, **fewer)(concept=CONCEPT))
