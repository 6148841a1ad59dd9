"""The right papers first, then their passages: python examples/paper_retriever.py [LM]"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import dspy

import programs

PAPERS = Path(__file__).parents[1] / "datasets" / "space_biology" / "papers"

dspy.configure(lm=programs.LM(sys.argv[1] if len(sys.argv) > 1 else "extractive"))
with TemporaryDirectory() as folder, programs.Index.open(Path(folder, "papers.idx"), create=True) as index:
    index.add(programs.read(path) for path in sorted(PAPERS.iterdir()))
    qa = programs.load("paper_retriever", index=index)
    result = qa("How much did the muscles of worms weaken in flight?")
    print(result.answer)
    print("Papers:", *(f"{paper.document_id}: {paper.reason}" for paper in result.papers), sep="\n- ")
