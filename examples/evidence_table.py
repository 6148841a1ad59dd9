"""Cells of a table, a value of each paper with its proof: python examples/evidence_table.py [LM]"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import dspy

import programs
from programs.evidence_table.cell_values import ValueType

PAPERS = Path(__file__).parents[1] / "datasets" / "space_biology" / "papers"

dspy.configure(lm=programs.LM(sys.argv[1] if len(sys.argv) > 1 else "extractive"))
with TemporaryDirectory() as folder, programs.Index.open(Path(folder, "papers.idx"), create=True) as index:
    index.add(programs.read(path) for path in sorted(PAPERS.iterdir()))
    cell = programs.load("evidence_table", index=index)
    for paper in ("PMC0000001", "PMC0000002", "PMC0000003"):
        result = cell("How did bone volume in the proximal tibia change?", paper, ValueType("direction"))
        said = result.value or result.notes[0]
        print(f"{paper}: {said}", *(citation.quote for citation in result.citations), sep="\n  ")
